// Describes the rows of `cct usage --by message`, which every usage report can read: one per API message, and per result and model.
import {
  exactly,
  flag,
  listOf,
  loose,
  maybeNumber,
  maybeText,
  means,
  number,
  object,
  oneOf,
  optional,
  orNull,
  text,
  type ValueOf,
} from '../record/describe.js';

export const tokens = object({
  input_tokens: number,
  output_tokens: number,
  cache_write_5m_tokens: number,
  cache_write_1h_tokens: number,
  cache_read_tokens: number,
  web_search_requests: number,
});
export type Tokens = ValueOf<typeof tokens>;

export const modelUsage = object({
  ...tokens.fields,
  cost_usd: maybeNumber,
  canonical_model: maybeText,
  cost_basis: maybeText,
});
export type ModelUsage = ValueOf<typeof modelUsage>;

/** From the best to the weakest. */
export const costSources = ['reported', 'calculated', 'lower_bound', 'guess', 'unpriced'] as const;
export type CostSource = (typeof costSources)[number];

/** The columns of every usage row, in every grouping. */
export const figures = {
  messages: means(number, 'API messages'),
  input_tokens: number,
  output_tokens: number,
  cache_write_5m_tokens: number,
  cache_write_1h_tokens: number,
  cache_read_tokens: number,
  total_tokens: number,
  web_search_requests: number,
  cost_usd: means(orNull(number), 'null when nothing in it has a price, or nothing was read'),
  cost_source: orNull(oneOf(costSources)),
  unpriced_tokens: means(number, 'tokens that are in no cost'),
};

const reported = object({
  time: means(maybeText, 'of the result itself'),
  subtype: maybeText,
  is_error: orNull(flag),
  duration_ms: maybeNumber,
  duration_api_ms: maybeNumber,
  num_turns: maybeNumber,
  result_index: maybeNumber,
  after_reset: means(flag, 'the first result since the conversation was cleared'),
  total_cost_usd: means(maybeNumber, 'cumulative'),
  usage: means(orNull(tokens), 'main loop only, this turn'),
  model_usage: means(orNull(modelUsage), 'of this model, all agents, cumulative'),
  since_last_result: means(orNull(modelUsage), 'of this model; null where the program does not say'),
});
export const usageMessageRow = loose({
  cct: exactly(1),
  message_id: means(maybeText, 'null in the row of a report'),
  session_id: maybeText,
  team: maybeText,
  agent: means(maybeText, 'null for what belongs to no agent'),
  name: maybeText,
  agent_type: maybeText,
  model: maybeText,
  time: maybeText,
  turn: maybeNumber,
  speed: maybeText,
  inference_geo: maybeText,
  ...figures,
  result_id: maybeText,
  kind: orNull(oneOf(['lead', 'teammate', 'subagent'])),
  final: means(orNull(flag), 'output_tokens is the final count; null in the row of a report'),
  transcript: means(
    orNull(flag),
    'no stream in the input has the message; in the row of a report: it is that of a transcript',
  ),
  in_transcript: means(optional(orNull(flag), null), 'a transcript in the input has the message'),
  also_in: means(optional(listOf(text), []), 'other sessions whose transcripts repeat the message'),
  iteration: means(
    optional(maybeNumber, null),
    'place in usage.iterations of an attempt that its message does not count',
  ),
  iteration_type: means(optional(maybeText, null), 'what that attempt was'),
  reported: means(orNull(reported), "the program's own figures, in the row of a result"),
});
export type MessageRow = ValueOf<typeof usageMessageRow>;
export type Reported = NonNullable<MessageRow['reported']>;
