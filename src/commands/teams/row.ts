import * as z from 'zod';

const memberText = z.string().nullable();
const memberCount = z.number();

export const memberRowSchema = z.object({
  name: z.string(),
  agent_id: z.string(),
  kind: z.enum(['lead', 'teammate', 'subagent']),
  agent_type: memberText,
  model: memberText,
  color: memberText,
  status: z.enum(['active', 'idle', 'shutting_down', 'shutdown', 'finished', 'failed', 'stopped', 'unknown']),
  task: memberText.describe('id of the board task it has in progress'),
  parent: memberText.describe('agent that spawned it'),
  joined_at: memberText,
  last_seen_at: memberText,
  runs: memberCount,
  tool_calls: memberCount,
  tool_errors: memberCount,
  open_calls: memberCount,
  messages_sent: memberCount,
  messages_received: memberCount,
  total_tokens: z.number().nullable().describe('what its messages spent'),
  context_tokens: z.number().nullable().describe('size of its context, as the program reports it at its end'),
  worktree: z.object({ path: memberText, branch: memberText }).nullable(),
  cwd: memberText,
  backend: memberText,
  plan_mode_required: z.boolean().nullable(),
  error: memberText,
});
export type MemberRow = z.infer<typeof memberRowSchema>;

export function memberJsonSchema(): unknown {
  // As input: the output form would forbid every field that is not there yet.
  const { $schema, ...rest } = z.toJSONSchema(memberRowSchema, { io: 'input' });
  const description = 'one member of a team; a row of cct teams --members has team and session_id before it';
  return { $schema, title: 'member', description, ...rest };
}

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
