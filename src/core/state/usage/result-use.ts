import type { EventMap } from '../../event/event.js';
import type { MessageRow, ModelUsage, Reported } from '../../event/usage-row.js';

/** One result: what the program says the session has used. */
export interface ResultUse {
  readonly key: string;
  readonly id: string | null;
  readonly place: number;
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
  return { key: keyOf(event.session_id, event.result_id, said), id: event.result_id, said, models: new Map(models) };
}

/** A row holds one model of a result; the others come in rows of their own. */
export function resultOfRow(row: MessageRow, reported: Reported): ResultNews {
  const { model_usage: total, since_last_result: since, ...said } = reported;
  const models = new Map(row.model === null ? [] : [[row.model, { total, since }]]);
  return { key: keyOf(row.session_id, row.result_id, said), id: row.result_id, said, models, turn: row.turn };
}

/** `known` itself when the other brings nothing new. */
export function mergeResult(known: ResultUse, news: ResultNews): ResultUse {
  const added = [...news.models].filter(([name]) => !known.models.has(name));
  return added.length === 0 ? known : { ...known, models: new Map([...known.models, ...added]) };
}

/** A result without uuid is known by its figures. */
function keyOf(session: string | null, id: string | null, said: ResultUse['said']): string {
  const { result_index, num_turns, duration_ms, duration_api_ms, total_cost_usd } = said;
  return id ?? [session, result_index, num_turns, duration_ms, duration_api_ms, total_cost_usd].join(' ');
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
