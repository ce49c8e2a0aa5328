import * as z from 'zod';
import { taskKinds } from './rows.js';

const text = z.string().nullable();

export const taskRowSchema = z.object({
  kind: z.enum(taskKinds),
  team: text,
  session_id: text.describe('of the lead of its team, where that is known'),
  id: z.string().describe('of a todo, its place in the list of its owner'),
  subject: text,
  description: text,
  active_form: text,
  status: text.describe('pending, in_progress, completed, deleted; of a background task also failed, stopped'),
  owner: text.describe('of a background task, the agent that started it'),
  blocked_by: z.array(z.string()),
  blocks: z.array(z.string()),
  ready: z.boolean().describe('pending, and everything that blocks it is completed'),
  created_at: text,
  updated_at: text,
  started_at: text.describe('when it was first in progress'),
  completed_at: text.describe('of a background task, when it ended'),
  duration_ms: z.number().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
});
export type TaskRow = z.infer<typeof taskRowSchema>;

export function taskJsonSchema(): unknown {
  // As input: the output form would forbid every field that is not there yet.
  const { $schema, ...rest } = z.toJSONSchema(taskRowSchema, { io: 'input' });
  return { $schema, title: 'task', description: 'one row of cct tasks', ...rest };
}
