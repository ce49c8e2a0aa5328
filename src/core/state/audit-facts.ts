import type { Event } from '../event/event.js';
import { type AgentsState, noAgents, reduceAgents } from './agents.js';
import { type AuditState, noAudit, reduceAudit } from './audit.js';
import { type MessagesState, noMessages, reduceMessages } from './messages.js';
import { noTasks, reduceTasks, type TasksState } from './tasks.js';
import { noTeams, reduceTeams, type TeamsState } from './teams.js';

/** Everything findings are made from. */
export interface Facts {
  readonly agents: AgentsState;
  readonly teams: TeamsState;
  readonly tasks: TasksState;
  readonly messages: MessagesState;
  readonly audit: AuditState;
}

export const noFacts: Facts = {
  agents: noAgents,
  teams: noTeams,
  tasks: noTasks,
  messages: noMessages,
  audit: noAudit,
};

export function reduceFacts({ agents, teams, tasks, messages, audit }: Facts, event: Event): Facts {
  return {
    agents: reduceAgents(agents, event),
    teams: reduceTeams(teams, event),
    tasks: reduceTasks(tasks, event),
    messages: reduceMessages(messages, event),
    audit: reduceAudit(audit, event),
  };
}
