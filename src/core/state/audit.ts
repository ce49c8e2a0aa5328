// What findings need besides the states of agents, teams, tasks and messages, and nothing more.
import type { Event } from '../event/event.js';
import { type AuditCalls, reduceAuditCalls } from './audit-calls.js';
import { type MembersLog, noMembersLog, reduceMembersLog } from './audit-members.js';
import { type MessagesLog, noMessagesLog, reduceMessagesLog } from './audit-messages.js';
import { reduceTaskActs, type TaskActs } from './audit-tasks.js';
import { Table } from './table.js';

export interface AuditState {
  readonly calls: AuditCalls;
  readonly acts: TaskActs;
  readonly members: MembersLog;
  readonly messages: MessagesLog;
}

export const noAudit: AuditState = {
  calls: new Table(),
  acts: new Table(),
  members: noMembersLog,
  messages: noMessagesLog,
};

export function reduceAudit(state: AuditState, event: Event): AuditState {
  const calls = reduceAuditCalls(state.calls, event);
  const acts = reduceTaskActs(state.acts, event);
  const members = reduceMembersLog(state.members, event);
  const messages = reduceMessagesLog(state.messages, event);
  const isSame =
    calls === state.calls && acts === state.acts && members === state.members && messages === state.messages;
  return isSame ? state : { calls, acts, members, messages };
}
