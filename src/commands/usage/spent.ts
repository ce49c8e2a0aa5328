import type { ModelUsage, Tokens } from '../../core/event/usage-row.js';
import { canonicalModel, modelKey } from '../../core/prices/model-name.js';
import { picosOf } from '../../core/prices/prices.js';
import type { ResultUse } from './result-use.js';

/** What one report says was spent since the one before it. */
export interface Spent {
  readonly result: ResultUse;
  /** The session that says so, by its key. */
  readonly session: string;
  /** By modelKey; '' for a result that names no models, restKey for what its models do not add up to. */
  readonly models: ReadonlyMap<string, ModelSpent>;
  /** Reports with the same number are of one run of the program. */
  readonly run: number;
  /** Reports with the same number go on from each other: over a resume too, where the program carries its figures over. */
  readonly chain: number;
}

export interface ModelSpent extends Tokens {
  /** In picodollars; null where the program does not say. */
  readonly cost: bigint | null;
  /** The program did not know the model and charged its default. */
  readonly guess: boolean;
}

/** modelKey → what was used of it so far. */
export type Cumulative = ReadonlyMap<string, ModelSpent>;

/** The key of what a result says it cost beyond what its models did. */
export const restKey = ' ';

/** The key by which messages find a model of a result. The program may know better than we what a name means. */
export function reportedKey(name: string, canonical: string | null): string {
  const known = canonicalModel(name) ?? (canonical === null ? null : canonicalModel(canonical));
  return known ?? modelKey(name);
}

export function keyOfModel(
  name: string,
  { total, since }: { total: ModelUsage | null; since: ModelUsage | null },
): string {
  return reportedKey(name, total?.canonical_model ?? since?.canonical_model ?? null);
}

/** Its models, and what it cost beyond them: the program says more than it itemises. */
export function cumulativeOf(result: ResultUse): Cumulative {
  const models = [...result.models].map(([name, model]): [string, ModelUsage | null] => [
    keyOfModel(name, model),
    model.total,
  ]);
  const sums = sumOf(models);
  const costs = [...sums.values()].map(({ cost }) => cost);
  const total = result.said.total_cost_usd;
  if (total === null || costs.length === 0 || costs.includes(null)) return sums;
  const rest = costs.reduce<bigint>((left, cost) => left - (cost ?? 0n), bigPicos(total));
  return rest < least ? sums : new Map([...sums, [restKey, { ...nothing, cost: rest }]]);
}
/** Less than this is what adding floating numbers leaves. */
const least = 1000n;

export function sinceOf(result: ResultUse): Cumulative | null {
  const models = [...result.models];
  if (models.length === 0 || models.some(([, { since }]) => since === null)) return null;
  return sumOf(models.map(([name, model]) => [keyOfModel(name, model), model.since]));
}

function sumOf(models: [string, ModelUsage | null][]): Map<string, ModelSpent> {
  const sums = new Map<string, ModelSpent>();
  for (const [key, usage] of models) {
    if (usage === null) continue;
    const known = sums.get(key) ?? nothing;
    const tally = noTokens();
    addTokens(tally, known);
    addTokens(tally, usage);
    sums.set(key, {
      ...tally,
      cost: known.cost === null || usage.cost_usd === null ? null : known.cost + bigPicos(usage.cost_usd),
      guess: known.guess || usage.cost_basis === 'unknown',
    });
  }
  return sums;
}

export const nothing: ModelSpent = { ...noTokens(), cost: 0n, guess: false };

export function bigPicos(usd: number): bigint {
  const picos = picosOf(usd);
  return Number.isFinite(picos) ? BigInt(picos) : 0n;
}

export function isZero(sums: Cumulative): boolean {
  return [...sums.values()].every((model) => isNothing(model) && (model.cost ?? 0n) === 0n);
}

export function isSame(a: Cumulative, b: Cumulative): boolean {
  const keys = new Set([...a.keys(), ...b.keys()]);
  return [...keys].every(
    (key) =>
      covers(a.get(key) ?? nothing, b.get(key) ?? nothing) && covers(b.get(key) ?? nothing, a.get(key) ?? nothing),
  );
}

/** The counters hold what was there before and what was used since, so far as that is known. */
export function coversAll(now: Cumulative, before: Cumulative, own: Tokens | null): boolean {
  for (const [key, model] of before) if (!covers(now.get(key) ?? nothing, model)) return false;
  const whole = tallyOf(now);
  const part = tallyOf(before);
  if (own !== null) addTokens(part, own);
  return covers(whole, part);
}

function tallyOf(sums: Cumulative): Tally {
  const tally = noTokens();
  for (const model of sums.values()) addTokens(tally, model);
  return tally;
}

export function difference(now: Cumulative, before: Cumulative): Map<string, ModelSpent> {
  return new Map(
    [...now].map(([key, model]) => {
      const old = before.get(key) ?? nothing;
      const cost = model.cost === null || old.cost === null ? null : model.cost - old.cost;
      return [key, { ...minusTokens(model, old), cost: cost !== null && cost < 0n ? 0n : cost, guess: model.guess }];
    }),
  );
}

/** How much it is: by what it cost, then by its tokens. */
export interface Size {
  readonly cost: bigint;
  readonly tokens: number;
}

export function sizeOf(sums: Cumulative): Size {
  let cost = 0n;
  let tokens = 0;
  for (const model of sums.values()) {
    cost += model.cost ?? 0n;
    tokens += totalOf(model);
  }
  return { cost, tokens };
}

export function compareSize(a: Size, b: Size): number {
  if (a.cost !== b.cost) return a.cost < b.cost ? -1 : 1;
  return a.tokens - b.tokens;
}

/** The same for reports that say the same, and for no others. */
export function totalsKey(sums: Cumulative): string {
  const lines = [...sums].map(([key, model]) => {
    const { input_tokens, output_tokens, cache_read_tokens, cost } = model;
    const writes = model.cache_write_5m_tokens + model.cache_write_1h_tokens;
    return `${key} ${input_tokens} ${output_tokens} ${writes} ${cache_read_tokens} ${cost}`;
  });
  return lines.sort().join('\n');
}

/** Tokens that can be added up in place. */
export type Tally = { -readonly [K in keyof Tokens]: number };

export function noTokens(): Tally {
  return {
    input_tokens: 0,
    output_tokens: 0,
    cache_write_5m_tokens: 0,
    cache_write_1h_tokens: 0,
    cache_read_tokens: 0,
    web_search_requests: 0,
  };
}

/** `times` -1 takes them away again. */
export function addTokens(sum: Tally, more: Tokens, times: 1 | -1 = 1): void {
  sum.input_tokens += times * more.input_tokens;
  sum.output_tokens += times * more.output_tokens;
  sum.cache_write_5m_tokens += times * more.cache_write_5m_tokens;
  sum.cache_write_1h_tokens += times * more.cache_write_1h_tokens;
  sum.cache_read_tokens += times * more.cache_read_tokens;
  sum.web_search_requests += times * more.web_search_requests;
}

export function totalOf(tokens: Tokens): number {
  return tokens.input_tokens + tokens.output_tokens + writesOf(tokens) + tokens.cache_read_tokens;
}

export function writesOf(tokens: Tokens): number {
  return tokens.cache_write_5m_tokens + tokens.cache_write_1h_tokens;
}

export function isNothing(tokens: Tokens): boolean {
  return totalOf(tokens) === 0 && tokens.web_search_requests === 0;
}

export function minusTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input_tokens: Math.max(0, a.input_tokens - b.input_tokens),
    output_tokens: Math.max(0, a.output_tokens - b.output_tokens),
    cache_write_5m_tokens: Math.max(0, a.cache_write_5m_tokens - b.cache_write_5m_tokens),
    cache_write_1h_tokens: Math.max(0, a.cache_write_1h_tokens - b.cache_write_1h_tokens),
    cache_read_tokens: Math.max(0, a.cache_read_tokens - b.cache_read_tokens),
    web_search_requests: Math.max(0, a.web_search_requests - b.web_search_requests),
  };
}

/**
 * `whole` is at least `part`, token for token. Cache writes are compared as one: older programs report them without their
 * split. Searches are left out: a turn's own usage may count them otherwise.
 */
export function covers(whole: Tokens, part: Tokens): boolean {
  return (
    whole.input_tokens >= part.input_tokens &&
    whole.output_tokens >= part.output_tokens &&
    writesOf(whole) >= writesOf(part) &&
    whole.cache_read_tokens >= part.cache_read_tokens
  );
}
