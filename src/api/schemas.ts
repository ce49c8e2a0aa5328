// The zod schemas of the library, made from the descriptions that commands use, and the capabilities of a session.
import { findingRow } from '../commands/audit/row.js';
import { callRow, groupRow } from '../commands/calls/row.js';
import { messageRow } from '../commands/messages/row.js';
import { sessionRow } from '../commands/sessions/row.js';
import { taskRow } from '../commands/tasks/row.js';
import { memberRow, teamRow } from '../commands/teams/row.js';
import { accountRow, spanRow } from '../commands/trace/row.js';
import { usageRow } from '../commands/usage/row.js';
import { type Event, type EventName, eventNames, member, message, taskChange } from '../core/event/event.js';
import { zodOf, eventSchema as zodOfEvent } from '../core/event/schema.js';
import { reportedUsage, tokens, usageMessageRow } from '../core/event/usage-row.js';
import { withoutContent as bare } from '../core/privacy/content.js';
import { actsOf } from '../core/wire/tools/table.js';
import { checkEvent, is, refuse } from './arguments.js';

export const memberSchema = zodOf(member);
export const messageSchema = zodOf(message);
export const taskChangeSchema = zodOf(taskChange);
export const tokensSchema = zodOf(tokens);
export const modelUsageSchema = zodOf(reportedUsage);

export const memberRowSchema = zodOf(memberRow);
export const messageRowSchema = zodOf(messageRow);
export const taskRowSchema = zodOf(taskRow);
export const teamRowSchema = zodOf(teamRow);
export const usageRowSchema = zodOf(usageRow);
export const usageMessageRowSchema = zodOf(usageMessageRow);
export const callGroupRowSchema = zodOf(groupRow);
export const callRowSchema = zodOf(callRow);
export const findingRowSchema = zodOf(findingRow);
export const sessionRowSchema = zodOf(sessionRow);
export const spanRowSchema = zodOf(spanRow);
export const accountRowSchema = zodOf(accountRow);

/** The schema of one whole event with its envelope. */
export function eventSchema(name: EventName) {
  is.oneOf(eventNames())('eventSchema', 'the name of the event', name);
  return zodOfEvent(name);
}

/** The event without what people and agents wrote. */
export function withoutContent(event: Event): Event {
  checkEvent('withoutContent', event);
  is.oneOf(eventNames())('withoutContent', 'the name of the event', event.event);
  return bare(event);
}

export interface Capabilities {
  /** Whether it can work with agents that stay alive and talk to each other. */
  teams: boolean;
  tasks: boolean;
  messages: boolean;
}

/** What a session can do, judging by the tools in its session:started; nothing if it names no tools. */
export function capabilities(session: { readonly tools?: readonly string[] | null }): Capabilities {
  const tools = session?.tools ?? [];
  if (!Array.isArray(tools)) refuse('capabilities: tools has to be a list of names', tools);
  const acts = new Set(tools.filter((tool) => typeof tool === 'string').flatMap(actsOf));
  const messages = acts.has('send');
  return {
    // Since 2.1.178 no tool creates a team. A session that can spawn agents and message them has one.
    teams: acts.has('createTeam') || (messages && acts.has('spawn')),
    tasks: acts.has('createTask') || acts.has('writeTodos'),
    messages,
  };
}
