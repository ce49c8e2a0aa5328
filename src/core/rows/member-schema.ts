import * as z from 'zod';

const text = z.string().nullable();
const count = z.number();

export const memberRowSchema = z.object({
  name: z.string(),
  agent_id: z.string(),
  kind: z.enum(['lead', 'teammate', 'subagent']),
  agent_type: text,
  model: text,
  color: text,
  status: z.enum(['active', 'idle', 'shutting_down', 'shutdown', 'finished', 'failed', 'stopped', 'unknown']),
  task: text.describe('id of the board task it has in progress'),
  parent: text.describe('agent that spawned it'),
  joined_at: text,
  last_seen_at: text,
  runs: count,
  tool_calls: count,
  tool_errors: count,
  open_calls: count,
  messages_sent: count,
  messages_received: count,
  total_tokens: z.number().nullable().describe('what its messages spent'),
  context_tokens: z.number().nullable().describe('size of its context, as the program reports it at its end'),
  worktree: z.object({ path: text, branch: text }).nullable(),
  cwd: text,
  backend: text,
  plan_mode_required: z.boolean().nullable(),
  error: text,
});
export type MemberRow = z.infer<typeof memberRowSchema>;

export function memberJsonSchema(): unknown {
  // As input: the output form would forbid every field that is not there yet.
  const { $schema, ...rest } = z.toJSONSchema(memberRowSchema, { io: 'input' });
  const description = 'one member of a team; a row of cct teams --members has team and session_id before it';
  return { $schema, title: 'member', description, ...rest };
}
