// Describes the rows of `cct usage --by message`: one per API message, and one per result and model.
import {
  exactly,
  flag,
  listOf,
  loose,
  mapOf,
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

/** As results report it. In the row of a result, `reported` includes the context window. */
export const reportedUsage = object({
  ...modelUsage.fields,
  context_window: means(
    optional(maybeNumber),
    'how many tokens fit into a prompt; null where the program does not say',
  ),
});
export type ReportedUsage = ValueOf<typeof reportedUsage>;

/** How a session ended. */
export const outcomes = ['finished', 'failed', 'stopped', 'unfinished'] as const;
export type Outcome = (typeof outcomes)[number];
const outcome = means(
  optional(orNull(oneOf(outcomes))),
  'finished, failed, stopped (interrupted) or unfinished (the last turn has no result); null where only a transcript tells of it',
);

/** Why a prompt read less from the cache than the one before it. */
export const cacheBreaks = ['compaction', 'model_changed', 'idle', 'tools_or_system_changed', 'unknown'] as const;
export type CacheBreak = (typeof cacheBreaks)[number];

/** From the most to the least certain. */
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

/** Also columns of every row, after the columns that a grouping adds. */
export const contextFigures = {
  cache_read_share: means(
    optional(maybeNumber, null),
    'cache reads as a part of all prompt tokens, 0 to 1; null without any',
  ),
  context_tokens: means(optional(maybeNumber, null), 'the largest prompt of one message; null without any'),
  context_window: means(
    optional(maybeNumber, null),
    'how many tokens fit into a prompt of the model that had it; null where the program does not say',
  ),
  compactions: means(
    optional(number, 0),
    'times the context was compacted, counted at the next message of the agent, else at its last',
  ),
};

/** Columns that rows of sessions and rows of messages share. */
const whereFrom = {
  project: means(optional(maybeText, null), 'the first working directory of the session'),
  branch: means(optional(maybeText, null), 'the first git branch of the session'),
  version: means(optional(maybeText, null), 'the first version of claude that ran the session'),
};

const run = {
  ci: means(optional(maybeText), 'the CI service, as run:started says'),
  labels: means(optional(mapOf(text)), 'those of run:started and --label'),
};

/** The columns of a session's row that say where the session belongs. */
export const sessionColumns = {
  started_at: means(optional(maybeText), 'the earliest time known of it'),
  ended_at: means(optional(maybeText), 'when its last result came; null without one'),
  outcome,
  ...whereFrom,
  ...run,
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
  context_window: means(optional(maybeNumber), 'of this model'),
  started_at: means(optional(maybeText), 'of the session'),
  ended_at: means(optional(maybeText), 'of the session'),
  outcome,
  ...run,
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
  ...contextFigures,
  ...whereFrom,
  cache_break: means(
    optional(orNull(oneOf(cacheBreaks)), null),
    'the prompt grew and less of it was read from the cache than before: the likely cause',
  ),
  session: means(
    optional(orNull(object({ started_at: optional(maybeText), outcome, ...run })), null),
    'of a session without a result: what else is known of it, in one of its rows',
  ),
});
export type MessageRow = ValueOf<typeof usageMessageRow>;
export type Reported = NonNullable<MessageRow['reported']>;
