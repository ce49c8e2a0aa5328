// The zod schemas of the library, made from the descriptions that commands use, and the capabilities of a session.
import { messageRow } from '../commands/messages/row.js';
import { taskRow } from '../commands/tasks/row.js';
import { memberRow, teamRow } from '../commands/teams/row.js';
import { member, message, taskChange } from '../core/event/event.js';
import { zodOf } from '../core/event/schema.js';
import { reportedUsage, tokens } from '../core/event/usage-row.js';
import { actsOf } from '../core/wire/tools/table.js';

export const memberSchema = zodOf(member);
export const messageSchema = zodOf(message);
export const taskChangeSchema = zodOf(taskChange);
export const tokensSchema = zodOf(tokens);
export const modelUsageSchema = zodOf(reportedUsage);

export const memberRowSchema = zodOf(memberRow);
export const messageRowSchema = zodOf(messageRow);
export const taskRowSchema = zodOf(taskRow);
export const teamRowSchema = zodOf(teamRow);

export interface Capabilities {
  /** Whether it can work with agents that stay alive and talk to each other. */
  teams: boolean;
  tasks: boolean;
  messages: boolean;
}

/** What a session can do, judging by the tools in its session:started; nothing if it names no tools. */
export function capabilities(session: { readonly tools?: readonly string[] | null }): Capabilities {
  const acts = new Set((session.tools ?? []).flatMap(actsOf));
  const messages = acts.has('send');
  return {
    // Since 2.1.178 no tool creates a team. A session that can spawn agents and message them has one.
    teams: acts.has('createTeam') || (messages && acts.has('spawn')),
    tasks: acts.has('createTask') || acts.has('writeTodos'),
    messages,
  };
}
