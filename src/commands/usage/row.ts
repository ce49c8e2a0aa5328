import * as z from 'zod';
import { figures, messageRowSchema } from '../../core/event/usage-row.js';

/** The JSON Schema of a usage row: its keys as --by chose them, then the same figures for all. */
export function usageJsonSchema(): unknown {
  const text = z.string().nullable();
  const count = z.number().nullable();
  const row = z
    .object({
      model: text.optional(),
      session_id: text.optional(),
      agent: text.optional().describe('unattributed: what was reported and no message accounts for'),
      name: text.optional(),
      agent_type: text.optional(),
      team: text.optional(),
      turn: count.optional().describe('number of the prompt, 1 first'),
      day: text.optional(),
      ...figures(),
      duration_ms: count.optional().describe('this and what follows: only by session'),
      duration_api_ms: count.optional(),
      num_turns: count.optional(),
      results: z.number().optional(),
      is_error: z.boolean().nullable().optional(),
      subtype: text.optional(),
    })
    .describe('the keys that --by names, then the same figures whatever they are');
  const byMessage = messageRowSchema().describe(
    'with --by message: one row for each API message, and for each result and model',
  );
  const { $schema, ...rest } = z.toJSONSchema(z.union([row, byMessage]), { io: 'input' });
  return {
    $schema,
    title: 'usage',
    description: 'one row of cct usage; with cct: 1, one of cct usage --by message',
    ...rest,
  };
}
