// What findings need besides the states of agents, teams, tasks and messages, and nothing more.
import type { Event } from '../event/event.js';
import { type AuditCalls, reduceAuditCalls } from './audit-calls.js';
import { type MembersLog, noMembersLog, reduceMembersLog } from './audit-members.js';
import { type MessagesLog, noMessagesLog, reduceMessagesLog } from './audit-messages.js';
import { reduceTaskActs, type TaskActs } from './audit-tasks.js';
import { Table } from './table.js';
import { latest } from './time.js';

export interface AuditState {
  /** How late it is in each session of each file. */
  readonly clocks: Table<string>;
  readonly calls: AuditCalls;
  readonly acts: TaskActs;
  readonly members: MembersLog;
  readonly messages: MessagesLog;
}

export const noAudit: AuditState = {
  clocks: new Table(),
  calls: new Table(),
  acts: new Table(),
  members: noMembersLog,
  messages: noMessagesLog,
};

export function reduceAudit(state: AuditState, event: Event): AuditState {
  const clock = `${event.session_id} ${event.source}`;
  const known = state.clocks.get(clock) ?? null;
  const now = latest(known, event.time);
  const clocks = now === null || now === known ? state.clocks : state.clocks.set(clock, now);
  const at = event.time ?? now;
  const calls = reduceAuditCalls(state.calls, event, at);
  const acts = reduceTaskActs(state.acts, event, at);
  const members = reduceMembersLog(state.members, event, at);
  const messages = reduceMessagesLog(state.messages, event, at);
  const isSame =
    clocks === state.clocks &&
    calls === state.calls &&
    acts === state.acts &&
    members === state.members &&
    messages === state.messages;
  return isSame ? state : { clocks, calls, acts, members, messages };
}
