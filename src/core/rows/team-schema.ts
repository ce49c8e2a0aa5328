import * as z from 'zod';
import { memberRowSchema } from './member-schema.js';

const text = z.string().nullable();
const count = z.number();

export const teamRowSchema = z.object({
  team: z.string(),
  session_id: text,
  status: z.enum(['active', 'cleaned_up', 'ended', 'unfinished']),
  protocol: z.enum(['teammate-tool', 'team-create', 'implicit', 'files']),
  role: z.enum(['lead', 'teammate']).nullable(),
  lead: text,
  description: text,
  created_at: text,
  ended_at: text,
  error: text,
  members: z.array(memberRowSchema),
  tasks: z.object({ pending: count, in_progress: count, completed: count, deleted: count }),
  messages: count,
  cost_usd: z.number().nullable(),
  cost_source: text.describe('what the money is: reported, calculated, lower_bound, guess or unpriced'),
});
export type TeamRow = z.infer<typeof teamRowSchema>;

export function teamJsonSchema(): unknown {
  // As input: the output form would forbid every field that is not there yet.
  const { $schema, ...rest } = z.toJSONSchema(teamRowSchema, { io: 'input' });
  return { $schema, title: 'team', description: 'one row of cct teams', ...rest };
}
