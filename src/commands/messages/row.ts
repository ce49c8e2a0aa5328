import * as z from 'zod';

const text = z.string().nullable();

export const messageRowSchema = z.object({
  time: text.describe(
    'when the call came back; of a message known only from its delivery, when it was written or seen',
  ),
  session_id: text,
  team: text,
  type: z.string(),
  from: text,
  to: text.describe('the address as written; null for a broadcast'),
  recipients: z.array(z.string()),
  summary: text,
  content: text,
  request_id: text,
  approve: z.boolean().nullable(),
  status: z.enum(['sent', 'delivered', 'failed', 'open']),
  error: text,
  error_code: text,
  delivered_at: text,
  tool_use_id: text.describe('the call that sent it; null when it is known only from its delivery'),
  line: z.number().nullable(),
});
export type MessageRow = z.infer<typeof messageRowSchema>;

export function messageJsonSchema(): unknown {
  // As input: the output form would forbid every field that is not there yet.
  const { $schema, ...rest } = z.toJSONSchema(messageRowSchema, { io: 'input' });
  return { $schema, title: 'message', description: 'one row of cct messages', ...rest };
}
