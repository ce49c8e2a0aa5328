// Describes the rows of `cct usage --by message`: one per API message, and one per result and model.
import {
  exactly,
  type Field,
  flag,
  keepingOthers,
  listOf,
  mapOf,
  maybeMoney,
  maybeNumber,
  maybeShare,
  maybeText,
  maybeTime,
  means,
  number,
  object,
  oneOf,
  optional,
  orNull,
  text,
  type ValueOf,
} from '../record/describe.js';

const kindsOfTokens = {
  input_tokens: number,
  output_tokens: number,
  cache_write_5m_tokens: number,
  cache_write_1h_tokens: number,
  cache_read_tokens: number,
};

export const tokens = object({ ...kindsOfTokens, web_search_requests: number });
export type Tokens = ValueOf<typeof tokens>;

export const modelUsage = object({
  ...tokens.fields,
  cost_usd: maybeMoney,
  canonical_model: maybeText,
  cost_basis: maybeText,
});
export type ModelUsage = ValueOf<typeof modelUsage>;

/** As results report it. In the row of a result, `reported` includes the context window. */
export const reportedUsage = object({
  ...modelUsage.fields,
  context_window: means(
    optional(maybeNumber),
    'how many tokens fit into a prompt; null if Claude Code does not report it',
  ),
  max_output_tokens: means(
    optional(maybeNumber),
    'how many tokens an answer may have; null if Claude Code does not report it',
  ),
});
export type ReportedUsage = ValueOf<typeof reportedUsage>;

export const outcomes = ['finished', 'failed', 'stopped', 'unfinished'] as const;
export type Outcome = (typeof outcomes)[number];
const outcome = means(
  optional(orNull(oneOf(outcomes))),
  'finished, failed, stopped (interrupted, or by cct run) or unfinished (the stream has no result for its last turn); null if a transcript does not show it',
);
const why = {
  reason: means(
    optional(maybeText),
    'why it ended that way: api_error, refused, max_turns, max_budget, interrupted, stopped_by_cct, hook, or a word of Claude Code; null if it just ended',
  ),
  api_error_status: means(optional(maybeNumber), 'HTTP status of the API error that ended it'),
};

/** How a turn or a session ended. */
export interface Ending {
  /** null if nothing shows it. */
  readonly outcome: Outcome | null;
  readonly reason: string | null;
  readonly api_error_status: number | null;
  /** For people: what `cct run` stopped it for. Rows do not repeat it. */
  readonly stopped_for?: string;
}

/** Why a prompt read less from the cache than the one before it. */
export const cacheBreaks = ['compaction', 'model_changed', 'idle', 'tools_or_system_changed', 'unknown'] as const;
export type CacheBreak = (typeof cacheBreaks)[number];

/** From the most to the least certain. */
export const costSources = ['reported', 'calculated', 'lower_bound', 'guess', 'unpriced'] as const;
export type CostSource = (typeof costSources)[number];

/** The columns of every usage row, in every grouping. */
export const figures = {
  messages: means(number, 'number of API messages'),
  ...kindsOfTokens,
  total_tokens: number,
  web_search_requests: number,
  cost_usd: means(maybeMoney, 'cost in US dollars; null if nothing in it has a price, or nothing was read'),
  cost_source: orNull(oneOf(costSources)),
  unpriced_tokens: means(number, 'tokens without a price, which no cost includes'),
};

/** Columns of every row, at its end. */
export const lastFigures = {
  web_fetch_requests: means(optional(number, 0), 'number of web fetches by the API, as messages report them'),
};

/** Also columns of every row, after the columns that a grouping adds. */
export const contextFigures = {
  cache_read_share: means(
    optional(maybeShare, null),
    'share of prompt tokens read from the cache, 0 to 1; null without prompt tokens',
  ),
  context_tokens: means(
    optional(maybeNumber, null),
    'tokens in the largest prompt of one message; null without messages',
  ),
  context_window: means(
    optional(maybeNumber, null),
    'how many tokens fit into a prompt of that message’s model; null if Claude Code does not report it',
  ),
  compactions: means(
    optional(number, 0),
    'number of compactions, each counted at the next message of the agent, or else at its last',
  ),
};

/** Columns that rows of sessions and rows of messages share. */
function whereFrom<F extends Field>(where: F) {
  return {
    project: means(where, 'first working directory of the session'),
    branch: means(where, 'first git branch of the session'),
    version: means(where, 'first version of claude that ran the session'),
  };
}

const fork = {
  copied: means(
    optional(maybeText),
    'for a fork: the last message that its file repeats, which the session before it requested',
  ),
};

const run = {
  ci: means(optional(maybeText), 'CI service, from run:started, else from the log'),
  labels: means(
    optional(mapOf(text)),
    'labels from --label, run:started and the log; the first that has a label counts',
  ),
};

/** The columns of a session's row that say where the session belongs. */
export const sessionColumns = {
  started_at: means(optional(maybeTime), 'earliest known time of the session'),
  ended_at: means(optional(maybeTime), 'time of its last result; null without one'),
  outcome,
  ...whereFrom(optional(maybeText)),
  ...run,
  ...why,
};

const reported = object({
  time: means(maybeTime, 'time of the result'),
  subtype: maybeText,
  is_error: orNull(flag),
  duration_ms: maybeNumber,
  duration_api_ms: maybeNumber,
  num_turns: maybeNumber,
  result_index: maybeNumber,
  after_reset: means(flag, 'whether it is the first result since the conversation was cleared'),
  total_cost_usd: means(maybeMoney, 'cost in US dollars, cumulative'),
  usage: means(orNull(tokens), 'usage of the main loop in this turn'),
  model_usage: means(orNull(modelUsage), 'usage of this model by all agents, cumulative'),
  since_last_result: means(
    orNull(modelUsage),
    'usage of this model since the previous result; null if Claude Code does not report it',
  ),
  context_window: means(optional(maybeNumber), 'how many tokens fit into a prompt of this model'),
  max_output_tokens: means(optional(maybeNumber), 'how many tokens an answer of this model may have'),
  started_at: means(optional(maybeTime), 'start of the session'),
  ended_at: means(optional(maybeTime), 'end of the session'),
  outcome,
  ...run,
  ...fork,
  ...why,
});
export const usageMessageRow = keepingOthers(
  object({
    cct: exactly(1),
    message_id: means(maybeText, 'id of the API message; null in the row of a result'),
    session_id: maybeText,
    team: maybeText,
    agent: means(maybeText, 'agent that spent it; null if it belongs to no agent'),
    name: maybeText,
    agent_type: maybeText,
    model: maybeText,
    time: maybeTime,
    turn: maybeNumber,
    speed: maybeText,
    inference_geo: maybeText,
    ...figures,
    result_id: maybeText,
    kind: orNull(oneOf(['lead', 'teammate', 'subagent'])),
    final: means(orNull(flag), 'whether output_tokens is the final count; null in the row of a result'),
    transcript: means(
      orNull(flag),
      'whether no stream in the input has the message; in the row of a result: whether it comes from a transcript',
    ),
    in_transcript: means(optional(orNull(flag), null), 'whether a transcript in the input has the message'),
    also_in: means(optional(listOf(text), []), 'other sessions whose transcripts repeat the message'),
    iteration: means(
      optional(maybeNumber, null),
      'index in usage.iterations of an attempt that the counts of its message do not include',
    ),
    iteration_type: means(optional(maybeText, null), 'type of that attempt'),
    reported: means(orNull(reported), 'figures that Claude Code itself reports, in the row of a result'),
    ...contextFigures,
    ...whereFrom(optional(maybeText, null)),
    cache_break: means(
      optional(orNull(oneOf(cacheBreaks)), null),
      'likely cause if the prompt grew but less of it was read from the cache than before',
    ),
    session: means(
      optional(orNull(object({ started_at: optional(maybeTime), outcome, ...run, ...fork, ...why })), null),
      'for a session without a result: what else is known about it, in one of its rows',
    ),
    stop_reason: means(optional(maybeText, null), 'why the message ended, such as end_turn or max_tokens'),
    stop_sequence: means(optional(maybeText, null), 'text that ended the message, if one was asked for'),
    ...lastFigures,
    program: means(optional(text), 'the other agent whose usage it is, such as codex; absent for Claude Code'),
    said_usd: means(optional(maybeMoney), 'what the program says the message cost; absent if it does not say it'),
  }),
);
export type MessageRow = ValueOf<typeof usageMessageRow>;
export type Reported = NonNullable<MessageRow['reported']>;
