import { ndjson } from '../../streams.js';

/** Records of made-up runs, with as few fields as counting needs. */
export interface Used {
  readonly input?: number;
  readonly output?: number;
  readonly write?: number;
  readonly long?: number;
  readonly read?: number;
  readonly searches?: number;
}

export const opus = 'claude-opus-4-6';
export const haiku = 'claude-haiku-4-5-20251001';

let serial = 0;

export function init(session = 's1'): object {
  return { type: 'system', subtype: 'init', session_id: session, uuid: uuid(), model: opus };
}

export function said(
  id: string,
  used: Used,
  more: { session?: string; model?: string; parent?: string; at?: string; served?: object } = {},
): object {
  const { session = 's1', model = opus, parent = null, at, served } = more;
  const counts = { ...usage(used), ...served };
  const message = { id, model, content: [{ type: 'text', text: id }], stop_reason: null, usage: counts };
  const timestamp = at === undefined ? {} : { timestamp: at };
  return { type: 'assistant', message, parent_tool_use_id: parent, session_id: session, uuid: uuid(), ...timestamp };
}

/** A row of a transcript; final unless said otherwise. */
export function row(
  id: string,
  used: Used,
  more: { session?: string; agent?: string; at?: string; final?: boolean; model?: string; attempts?: object[] } = {},
): object {
  const { session = 's1', agent, at = '2026-11-16T08:00:00.000Z', final = true, model = opus, attempts } = more;
  const message = {
    id,
    model,
    content: [{ type: 'text', text: id }],
    stop_reason: final ? 'end_turn' : null,
    usage: { ...usage(used), ...(attempts === undefined ? {} : { iterations: attempts }) },
  };
  const side = agent === undefined ? { isSidechain: false } : { isSidechain: true, agentId: agent };
  return { type: 'assistant', message, sessionId: session, uuid: uuid(), parentUuid: null, timestamp: at, ...side };
}

export function prompt(text: string, { session = 's1', at }: { session?: string; at: string }): object {
  const message = { role: 'user', content: text };
  return {
    type: 'user',
    message,
    sessionId: session,
    uuid: uuid(),
    parentUuid: null,
    timestamp: at,
    isSidechain: false,
  };
}

/** Cumulative figures by model, and the turn's own. */
export function result(
  models: Record<string, Used & { cost?: number; basis?: string }>,
  more: ResultMore = {},
): object {
  const { session = 's1', own = {}, index, since, ...rest } = more;
  const total = Object.values(models).reduce((sum, { cost = 0 }) => sum + cost, 0);
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 100,
    num_turns: 1,
    session_id: session,
    uuid: uuid(),
    total_cost_usd: total,
    usage: usage(own),
    modelUsage: modelUsage(models),
    ...(index === undefined ? {} : { result_index: index }),
    ...(since === undefined ? {} : { model_usage_since_last_result: modelUsage(since) }),
    ...rest,
  };
}

/** One of usage.iterations. */
export function attempt(type: string, used: Used, model?: string): object {
  return { type, ...(model === undefined ? {} : { model }), ...usage(used) };
}

/** The row that ends a session file: cumulative figures by model. */
export function costState(
  models: Record<string, Used & { cost?: number }>,
  more: { session?: string; hasUnknownModelCost?: boolean } = {},
): object {
  const { session = 's1', ...rest } = more;
  const total = Object.values(models).reduce((sum, { cost = 0 }) => sum + cost, 0);
  return { type: 'cost-state', sessionId: session, totalCostUSD: total, modelUsage: modelUsage(models), ...rest };
}

interface ResultMore {
  readonly session?: string;
  readonly own?: Used;
  readonly index?: number;
  readonly since?: Record<string, Used & { cost?: number }>;
  readonly [field: string]: unknown;
}

export function story(...records: readonly object[]): string {
  return ndjson(records);
}

function uuid(): string {
  serial++;
  return `00000000-0000-4000-8000-${String(serial).padStart(12, '0')}`;
}

function usage({ input = 0, output = 0, write = 0, long = 0, read = 0, searches = 0 }: Used): object {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_creation_input_tokens: write + long,
    cache_creation: { ephemeral_5m_input_tokens: write, ephemeral_1h_input_tokens: long },
    cache_read_input_tokens: read,
    server_tool_use: { web_search_requests: searches },
  };
}

function modelUsage(models: Record<string, Used & { cost?: number; basis?: string }>): object {
  return Object.fromEntries(
    Object.entries(models).map(
      ([model, { input = 0, output = 0, write = 0, long = 0, read = 0, searches = 0, cost, basis }]) => [
        model,
        {
          inputTokens: input,
          outputTokens: output,
          cacheCreationInputTokens: write + long,
          cacheReadInputTokens: read,
          webSearchRequests: searches,
          ...(cost === undefined ? {} : { costUSD: cost }),
          ...(basis === undefined ? {} : { costBasis: basis }),
        },
      ],
    ),
  );
}
