import type { Event } from '../event/event.js';
import { type AgentsState, noAgents, reduceAgents } from './agents.js';
import { type MessagesState, noMessages, reduceMessages } from './messages.js';
import { noTasks, reduceTasks, type TasksState } from './tasks.js';
import { noTeamStates, reduceTeamStates, type TeamStates } from './team-states.js';
import { noTeams, reduceTeams, type TeamsState } from './teams.js';
import { noUsage, reduceUsage, type UsageState } from './usage/usage.js';

/** Everything a stream of events comes to. */
export interface State {
  readonly agents: AgentsState;
  readonly teams: TeamsState;
  readonly tasks: TasksState;
  readonly messages: MessagesState;
  readonly usage: UsageState;
  /** The small team state that the library exports, by session. */
  readonly teamStates: TeamStates;
}

export const initialState: State = {
  agents: noAgents,
  teams: noTeams,
  tasks: noTasks,
  messages: noMessages,
  usage: noUsage,
  teamStates: noTeamStates,
};

/** What the rows are made from: without the library's team states, which take a sixth of the time. */
export function reduceRows(state: State, event: Event): State {
  return reduceSlices(state, event, state.teamStates);
}

/** Every slice sees every event. */
export function reduce(state: State, event: Event): State {
  return reduceSlices(state, event, reduceTeamStates(state.teamStates, event));
}

function reduceSlices(state: State, event: Event, teamStates: TeamStates): State {
  return {
    agents: reduceAgents(state.agents, event),
    teams: reduceTeams(state.teams, event),
    tasks: reduceTasks(state.tasks, event),
    messages: reduceMessages(state.messages, event),
    usage: reduceUsage(state.usage, event),
    teamStates,
  };
}
