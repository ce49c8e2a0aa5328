// What the reports of the program add up to: results and cost-state rows are cumulative, so what one adds is worked out from the one before it.
import type { ModelUsage, Tokens } from '../../core/event/usage-row.js';
import { canonicalModel, modelKey } from '../../core/prices/models.js';
import { picosOf } from '../../core/prices/prices.js';
import { getOrCreate } from '../../core/state/order.js';
import type { ResultModel, ResultUse } from './fold.js';
import { covers, isNothing, minusTokens, noTokens, sumTokens, totalOf, writesOf } from './message-use.js';

/** What one report says was spent since the one before it. */
export interface Spent {
  readonly result: ResultUse;
  /** The session that says so, by its key. */
  readonly session: string;
  /** By modelKey; '' for a result that names no models, restKey for what its models do not add up to. */
  readonly models: Cumulative;
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

export const nothingSpent: ModelSpent = { ...noTokens(), cost: 0n, guess: false };

/** The key of what a result says it cost beyond what its models did. */
export const restKey = ' ';

export interface Report {
  readonly session: string;
  readonly result: ResultUse;
}

/** What is known of a session beside its reports. */
export interface SessionHints {
  /** Some result of it names its models. */
  readonly named: boolean;
  /** What its first cost-state carries over from the session it was forked from. */
  readonly base: Cumulative | null;
  /** The model of its main conversation, by modelKey. */
  readonly main: string | null;
}

/**
 * What each report adds, zeroed ones left out. `modelUsage` and the cost are cumulative over a process, and over resumes and
 * forks on 2.1.325; where the program says what is new since its last result, that is taken. Reports are ordered by their
 * counters, so it does not matter in which order they were read.
 */
export function spentOf(reports: readonly Report[], hintsOf: (session: string) => SessionHints): Spent[] {
  const sized = reports.map((report) => ({ ...report, size: sizeOf(cumulativeOf(report.result)) }));
  const isNamed = reports.every(({ session }) => hintsOf(session).named);
  sized.sort((a, b) => (isNamed ? compareSize(a.size, b.size) : 0) || compareEqual(a.result, b.result));
  const tracker = new SpentTracker();
  const spent = sized.flatMap(({ session, result }) => tracker.next(session, result, hintsOf(session)) ?? []);
  return spent.sort((a, b) => a.chain - b.chain);
}

/** Of those that say the same, the one that used something comes first, and a transcript's after the results. */
function compareEqual(a: ResultUse, b: ResultUse): number {
  if (a.state !== b.state) return a.state ? 1 : -1;
  if (usedNothing(a) !== usedNothing(b)) return usedNothing(a) ? 1 : -1;
  return (a.said.result_index ?? 0) - (b.said.result_index ?? 0) || a.place - b.place;
}

function usedNothing({ said }: ResultUse): boolean {
  return said.usage !== null && isNothing(said.usage);
}

/**
 * A result that used nothing itself and says what another session's said: after /clear 2.1.140 has a new session id, but its
 * process and its figures go on.
 */
export function mayCarryOver(result: ResultUse): boolean {
  const { state, said, models } = result;
  return !state && said.num_turns === 0 && usedNothing(result) && models.size > 0 && sinceOf(result) === null;
}

/** Where a chain of reports stands. */
interface Tail {
  readonly now: Cumulative;
  readonly size: Size;
  readonly run: number;
  readonly chain: number;
}

/** A session has one chain for each of its processes, at most; made-up figures may look like any number of them. */
const mostTails = 100;

/** Works out report by report what each adds. */
export class SpentTracker {
  readonly #tails = new Map<string, Tail[]>();
  readonly #totals = new Map<string, Tail>();
  /** The number of each session's last result. */
  readonly #index = new Map<string, number | null>();
  #runs = 0;
  #chains = 0;

  /** null for a zeroed one. */
  next(session: string, result: ResultUse, hints: SessionHints): Spent | null {
    const { result_index: index } = result.said;
    const last = this.#index.get(session) ?? null;
    const follows = index !== null && last !== null && index === last + 1;
    if (!result.state) this.#index.set(session, index);
    const tails = getOrCreate(this.#tails, session, () => []);
    const fallen = hints.named ? null : lastTail(result, tails);
    const now = hints.named ? cumulativeOf(result) : namelessUsage(result, fallen?.now ?? null);
    if (isZero(now)) return null;
    const tail = hints.named ? this.#tailOf(tails, result, now) : fallen;
    const before = tail?.now ?? (tails.length === 0 && result.state ? hints.base : null);
    const since = sinceOf(result);
    // A result that is not the first, whose predecessors are not in the input, speaks for them too.
    const isWhole = since !== null && ((index ?? 0) === 0 || follows);
    const added = isWhole ? withRest(since, now, before) : before === null ? now : difference(now, before);
    const opens = index === null ? tail === null : !follows && !(index > 0 && tail !== null);
    const reached: Tail = {
      now,
      size: sizeOf(now),
      run: opens || tail === null ? this.#runs++ : tail.run,
      chain: tail?.chain ?? this.#chains++,
    };
    if (tail !== null && tails.includes(tail)) tails[tails.indexOf(tail)] = reached;
    else tails.push(reached);
    if (tails.length > mostTails) tails.shift();
    this.#totals.set(totalsKey(now), reached);
    const models = withLongWrites(added, result.said.usage, hints.main);
    return { result, session, models, run: reached.run, chain: reached.chain };
  }

  /** The chain it goes on from: of those it holds with what it used itself, the largest. */
  #tailOf(tails: readonly Tail[], result: ResultUse, now: Cumulative): Tail | null {
    if (result.said.after_reset) return null;
    let best: Tail | null = null;
    for (const tail of tails) {
      if (!isSame(now, tail.now) && !coversAll(now, tail.now, result.said.usage)) continue;
      if (best === null || compareSize(best.size, tail.size) <= 0) best = tail;
    }
    if (best !== null || tails.length > 0 || !mayCarryOver(result)) return best;
    return this.#totals.get(totalsKey(now)) ?? null;
  }
}

/** Of results that name no models only a cost that fell shows that a new process began. */
function lastTail({ said }: ResultUse, tails: readonly Tail[]): Tail | null {
  const last = tails.at(-1) ?? null;
  const old = last?.now.get('')?.cost ?? null;
  const fell = old !== null && said.total_cost_usd !== null && bigPicos(said.total_cost_usd) < old;
  return said.after_reset || fell ? null : last;
}

/** Results that name no models, as in hand-made streams: each has the usage of its own turn, but a cost that is cumulative. */
function namelessUsage({ said }: ResultUse, before: Cumulative | null): Cumulative {
  const tokens = sumTokens([before?.get('') ?? nothingSpent, said.usage ?? nothingSpent]);
  const cost = said.total_cost_usd === null ? null : bigPicos(said.total_cost_usd);
  return new Map([['', { ...tokens, cost, guess: false }]]);
}

/** `since` has no part of what the models do not add up to; a first result may have carried it over. */
function withRest(since: Cumulative, now: Cumulative, before: Cumulative | null): Cumulative {
  const rest = now.get(restKey)?.cost ?? 0n;
  const old = before?.get(restKey)?.cost ?? 0n;
  if (rest <= old || (before === null && !isSame(now, since))) return since;
  return new Map([...since, [restKey, { ...nothingSpent, cost: rest - old }]]);
}

/**
 * Up to 2.1.140 models are reported without the split of their cache writes. The turn's own usage has it, for the main
 * conversation.
 */
function withLongWrites(models: Cumulative, own: Tokens | null, main: string | null): Cumulative {
  let long = own?.cache_write_1h_tokens ?? 0;
  for (const model of models.values()) long -= model.cache_write_1h_tokens;
  if (long <= 0) return models;
  const byWrites = [...models].sort(([a, x], [b, y]) => {
    if (a === main || b === main) return a === main ? -1 : 1;
    return y.cache_write_5m_tokens - x.cache_write_5m_tokens;
  });
  const split = new Map(models);
  for (const [key, model] of byWrites) {
    const moved = Math.min(long, model.cache_write_5m_tokens);
    long -= moved;
    split.set(key, {
      ...model,
      cache_write_5m_tokens: model.cache_write_5m_tokens - moved,
      cache_write_1h_tokens: model.cache_write_1h_tokens + moved,
    });
  }
  return split;
}

/** The key by which messages find a model of a result. The program may know better than we what a name means. */
export function keyOfModel(name: string, { total, since }: ResultModel): string {
  const canonical = total?.canonical_model ?? since?.canonical_model ?? null;
  return canonicalModel(name) ?? (canonical === null ? null : canonicalModel(canonical)) ?? modelKey(name);
}

/** Its models, and what it cost beyond them: the program says more than it itemises. */
export function cumulativeOf(result: ResultUse): Cumulative {
  const sums = sumByModel(result, ({ total }) => total);
  const costs = [...sums.values()].map(({ cost }) => cost);
  const total = result.said.total_cost_usd;
  if (total === null || costs.length === 0 || costs.includes(null)) return sums;
  const rest = costs.reduce<bigint>((left, cost) => left - (cost ?? 0n), bigPicos(total));
  return rest < least ? sums : sums.set(restKey, { ...nothingSpent, cost: rest });
}
/** Less than this is what adding floating numbers leaves. */
const least = 1000n;

function sinceOf(result: ResultUse): Cumulative | null {
  const models = [...result.models.values()];
  if (models.length === 0 || models.some(({ since }) => since === null)) return null;
  return sumByModel(result, ({ since }) => since);
}

function sumByModel(
  { models }: ResultUse,
  usageOf: (model: ResultModel) => ModelUsage | null,
): Map<string, ModelSpent> {
  const sums = new Map<string, ModelSpent>();
  for (const [name, model] of models) {
    const usage = usageOf(model);
    if (usage === null) continue;
    const key = keyOfModel(name, model);
    const known = sums.get(key) ?? nothingSpent;
    sums.set(key, {
      ...sumTokens([known, usage]),
      cost: known.cost === null || usage.cost_usd === null ? null : known.cost + bigPicos(usage.cost_usd),
      guess: known.guess || usage.cost_basis === 'unknown',
    });
  }
  return sums;
}

function bigPicos(usd: number): bigint {
  const picos = picosOf(usd);
  return Number.isFinite(picos) ? BigInt(picos) : 0n;
}

function isZero(sums: Cumulative): boolean {
  return [...sums.values()].every((model) => isNothing(model) && (model.cost ?? 0n) === 0n);
}

function isSame(a: Cumulative, b: Cumulative): boolean {
  const keys = new Set([...a.keys(), ...b.keys()]);
  return coversModels(a, b, keys) && coversModels(b, a, keys);
}

function coversModels(now: Cumulative, before: Cumulative, keys: Iterable<string> = before.keys()): boolean {
  for (const key of keys) if (!covers(now.get(key) ?? nothingSpent, before.get(key) ?? nothingSpent)) return false;
  return true;
}

/** The counters hold what was there before and what was used since, so far as that is known. */
export function coversAll(now: Cumulative, before: Cumulative, own: Tokens | null): boolean {
  if (!coversModels(now, before)) return false;
  return covers(sumTokens(now.values()), sumTokens([...before.values(), own ?? nothingSpent]));
}

function difference(now: Cumulative, before: Cumulative): Cumulative {
  return new Map(
    [...now].map(([key, model]) => {
      const old = before.get(key) ?? nothingSpent;
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
    return `${key} ${input_tokens} ${output_tokens} ${writesOf(model)} ${cache_read_tokens} ${cost}`;
  });
  return lines.sort().join('\n');
}
