// What `cct usage --by message` writes and every usage report reads back: one row per API message, and per result and model.
import * as z from 'zod';
import { lazily } from '../record/fields.js';

export const tokenSchemas = lazily(() => {
  const text = z.string().nullable();
  const count = z.number().nullable();
  const tokens = z.object({
    input_tokens: z.number(),
    output_tokens: z.number(),
    cache_write_5m_tokens: z.number(),
    cache_write_1h_tokens: z.number(),
    cache_read_tokens: z.number(),
    web_search_requests: z.number(),
  });
  return { tokens, modelUsage: tokens.extend({ cost_usd: count, canonical_model: text, cost_basis: text }) };
});
export type Tokens = z.infer<ReturnType<typeof tokenSchemas>['tokens']>;
export type ModelUsage = z.infer<ReturnType<typeof tokenSchemas>['modelUsage']>;

/** From the best to the weakest. */
export const costSources = ['reported', 'calculated', 'lower_bound', 'guess', 'unpriced'] as const;
export type CostSource = (typeof costSources)[number];

export const messageRowSchema = lazily(defineRow);
export type MessageRow = z.infer<ReturnType<typeof defineRow>>;
export type Reported = NonNullable<MessageRow['reported']>;

/** The columns of every usage row, whatever it is grouped by. */
export function figures() {
  return {
    messages: z.number().describe('API messages'),
    input_tokens: z.number(),
    output_tokens: z.number(),
    cache_write_5m_tokens: z.number(),
    cache_write_1h_tokens: z.number(),
    cache_read_tokens: z.number(),
    total_tokens: z.number(),
    web_search_requests: z.number(),
    cost_usd: z.number().nullable().describe('null when nothing in it has a price, or nothing was read'),
    cost_source: z.enum(costSources).nullable(),
    unpriced_tokens: z.number().describe('tokens that are in no cost'),
  };
}

function defineRow() {
  const { tokens, modelUsage } = tokenSchemas();
  const text = z.string().nullable();
  const count = z.number().nullable();
  const reported = z.object({
    time: text.describe('of the result itself'),
    subtype: text,
    is_error: z.boolean().nullable(),
    duration_ms: count,
    duration_api_ms: count,
    num_turns: count,
    result_index: count,
    after_reset: z.boolean().describe('the first result since the conversation was cleared'),
    total_cost_usd: count.describe('cumulative'),
    usage: tokens.nullable().describe('main loop only, this turn'),
    model_usage: modelUsage.nullable().describe('of this model, all agents, cumulative'),
    since_last_result: modelUsage.nullable().describe('of this model; null where the program does not say'),
  });
  return z.looseObject({
    cct: z.literal(1),
    message_id: text.describe('null in the row of a report'),
    session_id: text,
    team: text,
    agent: text.describe('null for what belongs to no agent'),
    name: text,
    agent_type: text,
    model: text,
    time: text,
    turn: count,
    speed: text,
    inference_geo: text,
    ...figures(),
    result_id: text,
    kind: z.enum(['lead', 'teammate', 'subagent']).nullable(),
    final: z.boolean().nullable().describe('output_tokens is the final count; null in the row of a report'),
    transcript: z
      .boolean()
      .nullable()
      .describe('no stream in the input has the message; in the row of a report: it is that of a transcript'),
    in_transcript: z.boolean().nullable().default(null).describe('a transcript in the input has the message'),
    also_in: z.array(z.string()).default([]).describe('other sessions whose transcripts repeat the message'),
    iteration: count.default(null).describe('place in usage.iterations of an attempt that its message does not count'),
    iteration_type: text.default(null).describe('what that attempt was'),
    reported: reported.nullable().describe("the program's own figures, in the row of a result"),
  });
}
