import type { EventMap } from '../../core/event/event.js';
import type { MessageRow, ModelUsage, Reported } from '../../core/event/usage-row.js';
import { earlier } from './message-use.js';

/** What the program says the session has used: a result of its stream, or a cost-state row of its transcript. */
export interface ResultUse {
  readonly key: string;
  readonly id: string | null;
  /** It is a cost-state row. */
  readonly state: boolean;
  readonly place: number;
  /** The turn in which it stands; it may be held back until a later one. */
  readonly turn: number | null;
  /** Its figures, those of the models apart. */
  readonly said: Omit<Reported, 'model_usage' | 'since_last_result'>;
  /** By the program's spelling of the model. */
  readonly models: ReadonlyMap<string, ResultModel>;
}

export interface ResultModel {
  readonly total: ModelUsage | null;
  /** null where the program does not say what was new since its last result. */
  readonly since: ModelUsage | null;
}

export type ResultNews = Omit<ResultUse, 'place' | 'turn'> & { readonly turn?: number | null };

export function resultOf(event: EventMap['session:ended'], after_reset: boolean): ResultNews {
  const { time, subtype, is_error, duration_ms, duration_api_ms, num_turns, result_index, total_cost_usd, usage } =
    event;
  const { model_usage, model_usage_since_last_result: since } = event;
  const said = {
    time,
    subtype,
    is_error,
    duration_ms,
    duration_api_ms,
    num_turns,
    result_index,
    after_reset,
    total_cost_usd,
    usage,
  };
  const names = new Set([...Object.keys(model_usage ?? {}), ...Object.keys(since ?? {})]);
  const models = [...names].map((name): [string, ResultModel] => [
    name,
    { total: own(model_usage, name), since: since === null ? null : (own(since, name) ?? nothing) },
  ]);
  const key = keyOf(event.session_id, event.result_id, said);
  return { key, id: event.result_id, state: false, said, models: new Map(models) };
}

export function resultOfState(event: EventMap['usage:reported']): ResultNews {
  const { session_id, time, total_cost_usd, model_usage } = event;
  const models = Object.entries(model_usage ?? {}).map(([name, total]): [string, ResultModel] => [
    name,
    { total, since: null },
  ]);
  const said = { ...nothingSaid, time, total_cost_usd };
  return { key: stateKey(session_id, said), id: null, state: true, said, models: new Map(models), turn: null };
}

/** A row holds one model of a result; the others come in rows of their own. */
export function resultOfRow(row: MessageRow, reported: Reported): ResultNews {
  const { model_usage: total, since_last_result: since, ...said } = reported;
  const models = new Map(row.model === null ? [] : [[row.model, { total, since }]]);
  const state = row.transcript === true;
  const key = state ? stateKey(row.session_id, said) : keyOf(row.session_id, row.result_id, said);
  return { key, id: row.result_id, state, said, models, turn: row.turn };
}

/** Two copies of one, in any order; `known` itself when the other brings nothing new. */
export function mergeResult(known: ResultUse, news: ResultNews): ResultUse {
  const larger = [...news.models].filter(([name, model]) => sizeOf(model) > sizeOf(known.models.get(name)));
  const time = earlier(known.said.time, news.said.time);
  if (larger.length === 0 && time === known.said.time) return known;
  return { ...known, said: { ...known.said, time }, models: new Map([...known.models, ...larger]) };
}

/** -1 for a model that is not there. */
function sizeOf(model: ResultModel | undefined): number {
  const usage = model?.total ?? model?.since;
  if (model === undefined || usage == null) return model === undefined ? -1 : 0;
  return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_5m_tokens;
}

/** A result without uuid is known by its figures. */
function keyOf(session: string | null, id: string | null, said: ResultUse['said']): string {
  const { result_index, num_turns, duration_ms, duration_api_ms, total_cost_usd } = said;
  return id ?? [session, result_index, num_turns, duration_ms, duration_api_ms, total_cost_usd].join(' ');
}

/** Costs only grow, so the cost tells one row of a session from the next. */
function stateKey(session: string | null, { total_cost_usd }: ResultUse['said']): string {
  return `cost-state ${session} ${total_cost_usd}`;
}

function own(models: Readonly<Record<string, ModelUsage>> | null, name: string): ModelUsage | null {
  return models !== null && Object.hasOwn(models, name) ? (models[name] ?? null) : null;
}

const nothing: ModelUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_write_5m_tokens: 0,
  cache_write_1h_tokens: 0,
  cache_read_tokens: 0,
  web_search_requests: 0,
  cost_usd: 0,
  canonical_model: null,
  cost_basis: null,
};

const nothingSaid: ResultUse['said'] = {
  time: null,
  subtype: null,
  is_error: null,
  duration_ms: null,
  duration_api_ms: null,
  num_turns: null,
  result_index: null,
  after_reset: false,
  total_cost_usd: null,
  usage: null,
};
