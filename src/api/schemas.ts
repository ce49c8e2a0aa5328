// The zod schemas of the library, made from the same descriptions that the commands use.
import { messageRow } from '../commands/messages/row.js';
import { taskRow } from '../commands/tasks/row.js';
import { memberRow, teamRow } from '../commands/teams/row.js';
import { member, message, taskChange } from '../core/event/event.js';
import { modelUsage, tokens } from '../core/event/usage-row.js';
import { zodOf } from '../core/event/zod.js';

export const memberSchema = zodOf(member);
export const messageSchema = zodOf(message);
export const taskChangeSchema = zodOf(taskChange);
export const tokensSchema = zodOf(tokens);
export const modelUsageSchema = zodOf(modelUsage);

export const memberRowSchema = zodOf(memberRow);
export const messageRowSchema = zodOf(messageRow);
export const taskRowSchema = zodOf(taskRow);
export const teamRowSchema = zodOf(teamRow);
