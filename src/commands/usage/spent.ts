// Computes what each report adds: results and cost-state rows are cumulative, so each is compared with the last.
import type { ModelUsage, Tokens } from '../../core/event/usage-row.js';
import { canonicalModel, modelKey } from '../../core/prices/models.js';
import { picosOf } from '../../core/prices/prices.js';
import { getOrCreate } from '../../core/record/json.js';
import {
  covers,
  isNothing,
  minusTokens,
  noTokens,
  sumTokens,
  totalOf,
  wholeTokens,
  writesOf,
} from '../../core/tables/usage/messages.js';
import { isReadBefore } from '../../core/tables/usage/sessions.js';
import type { ResultModel, ResultUse } from '../../core/tables/usage/usage.js';

/** What was spent between one report and the report before it. */
export interface Spent {
  readonly result: ResultUse;
  /** The key of its session. */
  readonly session: string;
  /** By modelKey; '' for a result that names no models, restKey for the cost beyond its models. */
  readonly models: Cumulative;
  /** Reports with the same number belong to one run of Claude Code. */
  readonly run: number;
  /** Reports with the same number continue each other, even across a resume that carries figures over. */
  readonly chain: number;
}

export interface ModelSpent extends Tokens {
  /** In picodollars; null if Claude Code does not say. */
  readonly cost: bigint | null;
  /** Claude Code did not know the model and charged its default. */
  readonly guess: boolean;
}

/** The usage so far, by modelKey. */
export type Cumulative = ReadonlyMap<string, ModelSpent>;

export const nothingSpent: ModelSpent = { ...noTokens(), cost: 0n, guess: false };

/** The key of a result's cost beyond its models. */
export const restKey = ' ';

export interface Report {
  readonly session: string;
  readonly result: ResultUse;
}

/** What is known about a session besides its reports. */
export interface SessionHints {
  /** Some result of the session names models. */
  readonly named: boolean;
  /** What its first report carries over from its parent session. */
  readonly base: Cumulative | null;
  /** The model of its main conversation, by modelKey. */
  readonly main: string | null;
  /** What the main conversation is seen to use between a result and the one before it. */
  readonly seen?: ReadonlyMap<ResultUse, Tokens>;
}

/**
 * What each report adds, without zeroed reports. `modelUsage` and the cost are cumulative over a process, and on
 * 2.1.325 over resumes and forks too. If Claude Code says what is new since its last result, that is used. Reports are
 * ordered by their counters, so the order of files does not matter. Counters that fall in a file are of a new process.
 */
export function spentOf(reports: readonly Report[], hintsOf: (session: string) => SessionHints): Spent[] {
  const sized = reports.map((report) => ({ ...report, size: sizeOf(cumulativeOf(report.result)) }));
  const isNamed = reports.every(({ session }) => hintsOf(session).named);
  sized.sort((a, b) => (isNamed ? compareSize(a.size, b.size) : 0) || compareEqual(a.result, b.result));
  const tracker = new SpentTracker();
  const spent = sized.flatMap(({ session, result }) => tracker.next(session, result, hintsOf(session)) ?? []);
  return spent.sort((a, b) => a.chain - b.chain);
}

/**
 * Whether a result used nothing itself and may repeat the figures of another session: after /clear, 2.1.140 has a new
 * session id, but its process and its figures continue.
 */
export function mayCarryOver(result: ResultUse): boolean {
  const { state, said, models } = result;
  return !state && said.num_turns === 0 && usedNothing(result) && models.size > 0 && sinceOf(result) === null;
}

/**
 * Whether a result may include what another session used, and does not say how much: from 2.1.271 to 2.1.314 the first
 * result of a fork is such a one.
 */
export function mayInclude(result: ResultUse): boolean {
  const { state, said, models } = result;
  return !state && said.result_index === 0 && models.size > 0 && sinceOf(result) === null;
}

/** The figures of each model, and if wanted those before the turn's own usage: equal ones are of the same calls. */
export function figuresOf(result: ResultUse, isBefore = false): string[] {
  const own = isBefore && result.said.usage !== null ? wholeTokens(result.said.usage) : null;
  return [...cumulativeOf(result)].flatMap(([key, model]) => {
    const list = own !== null && covers(model, own) ? [model, minusTokens(model, own)] : [model];
    return list
      .filter((one) => !isNothing(one))
      .map((one) => totalsKey(new Map([[key, { ...nothingSpent, ...one, cost: 0n }]])));
  });
}

/** Computes what each report adds, one report after the other. */
export class SpentTracker {
  readonly #tails = new Map<string, Tail[]>();
  /** By their figures. Few results ask for these, so a report waits in `#reached` until one does. */
  readonly #totals = new Map<string, Tail>();
  readonly #reached: Tail[] = [];
  readonly #index = new Map<string, number | null>();
  #runs = 0;
  #chains = 0;

  /** null for a zeroed report. */
  next(session: string, result: ResultUse, hints: SessionHints): Spent | null {
    const { result_index: index } = result.said;
    const last = this.#index.get(session) ?? null;
    const follows = index !== null && last !== null && index === last + 1;
    if (!result.state) this.#index.set(session, index);
    const tails = getOrCreate(this.#tails, session, () => []);
    const fallen = hints.named ? null : lastTail(result, tails);
    const now = hints.named ? cumulativeOf(result) : namelessUsage(result, fallen?.now ?? null);
    if (isZero(now)) return null;
    const tail = hints.named ? this.#tailOf(tails, result, now, hints.seen?.get(result)) : fallen;
    const before = tail?.now ?? (tails.length === 0 && (result.state || mayInclude(result)) ? hints.base : null);
    const since = sinceOf(result);
    // A later result whose predecessors are not in the input includes them.
    const isWhole = since !== null && ((index ?? 0) === 0 || follows);
    const added = isWhole ? withRest(since, now, before) : before === null ? now : difference(now, before);
    const opens = index === null ? tail === null : !follows && !(index > 0 && tail !== null);
    const reached: Tail = {
      result,
      now,
      size: sizeOf(now),
      run: opens || tail === null ? this.#runs++ : tail.run,
      chain: tail?.chain ?? this.#chains++,
    };
    if (tail !== null && tails.includes(tail)) tails[tails.indexOf(tail)] = reached;
    else tails.push(reached);
    if (tails.length > mostTails) tails.shift();
    this.#reached.push(reached);
    const models = withLongWrites(added, result.said.usage && wholeTokens(result.said.usage), hints.main);
    return { result, session, models, run: reached.run, chain: reached.chain };
  }

  /** The chain that the result continues: the largest that fits in it together with its own usage. */
  #tailOf(tails: readonly Tail[], result: ResultUse, now: Cumulative, seen: Tokens = nothingSpent): Tail | null {
    if (result.said.after_reset) return null;
    let best: Tail | null = null;
    for (const tail of tails) {
      const { usage } = result.said;
      const hasRoom =
        coversAll(now, tail.now, usage) && (coversAll(now, tail.now, seen) || !coversAll(now, none, seen));
      const goesOn = hasRoom && !isFallen(result, tail.result) && !beganWith(usage, now, tail.now);
      if (!goesOn && !isSameSum(now, tail.now)) continue;
      if (best === null || compareSize(best.size, tail.size) <= 0) best = tail;
    }
    if (best !== null || tails.length > 0 || !mayCarryOver(result)) return best;
    return this.#withTotals(now);
  }

  /** The last report with these figures. */
  #withTotals(now: Cumulative): Tail | null {
    for (const tail of this.#reached.splice(0)) this.#totals.set(totalsKey(tail.now), tail);
    return this.#totals.get(totalsKey(now)) ?? null;
  }
}

const none: Cumulative = new Map();

/**
 * Whether the larger counters come first in a file: then a new process began between them. Programs that number their
 * results carry figures over, so that only the order of the files may be wrong.
 */
function isFallen(larger: ResultUse, smaller: ResultUse): boolean {
  const isOld = !larger.state && !smaller.state && larger.said.result_index === null;
  return isOld && isReadBefore(larger.place, smaller.place);
}

/** The key by which messages find a model of a result. Claude Code may know better than cct what a name means. */
export function keyOfModel(name: string, { total, since }: ResultModel): string {
  const canonical = total?.canonical_model ?? since?.canonical_model ?? null;
  return canonicalModel(name) ?? (canonical === null ? null : canonicalModel(canonical)) ?? modelKey(name);
}

/** The models of a result, and the cost beyond them: Claude Code does not itemise everything. */
export function cumulativeOf(result: ResultUse): Cumulative {
  const known = cumulatives.get(result);
  if (known !== undefined) return known;
  const sums = cumulativeSums(result);
  cumulatives.set(result, sums);
  return sums;
}
/** A result is compared with several others; it is never changed, only replaced. */
const cumulatives = new WeakMap<ResultUse, Cumulative>();

function cumulativeSums(result: ResultUse): Cumulative {
  const sums = sumByModel(result, ({ total }) => total);
  const costs = [...sums.values()].map(({ cost }) => cost);
  const total = result.said.total_cost_usd;
  if (total === null || costs.length === 0 || costs.includes(null)) return sums;
  const rest = costs.reduce<bigint>((left, cost) => left - (cost ?? 0n), bigPicos(total));
  return rest < least ? sums : sums.set(restKey, { ...nothingSpent, cost: rest });
}
/** A smaller difference is a floating-point rounding error. */
const least = 1000n;

/** Whether the counters include those before and, if known, what was used since. */
export function coversAll(now: Cumulative, before: Cumulative, own: Tokens | null): boolean {
  if (!coversModels(now, before)) return false;
  return covers(sumTokens(now.values()), sumTokens([...before.values(), own ?? nothingSpent]));
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

/** Equal only for equal reports. */
export function totalsKey(sums: Cumulative): string {
  const lines = [...sums].map(([key, model]) => {
    const { input_tokens, output_tokens, cache_read_tokens, cost } = model;
    return `${key} ${input_tokens} ${output_tokens} ${writesOf(model)} ${cache_read_tokens} ${cost}`;
  });
  return lines.sort().join('\n');
}

/** Orders equal reports: results before cost-state rows, and results that used something first. */
function compareEqual(a: ResultUse, b: ResultUse): number {
  if (a.state !== b.state) return a.state ? 1 : -1;
  if (usedNothing(a) !== usedNothing(b)) return usedNothing(a) ? 1 : -1;
  return (a.said.result_index ?? 0) - (b.said.result_index ?? 0) || a.place - b.place;
}

function usedNothing({ said }: ResultUse): boolean {
  return said.usage !== null && isNothing(said.usage);
}

/** The last report of a chain. */
interface Tail {
  readonly result: ResultUse;
  readonly now: Cumulative;
  readonly size: Size;
  readonly run: number;
  readonly chain: number;
}

/** A session has at most one chain per process. Wrong figures may look like any number of chains. */
const mostTails = 100;

/** For results without models, only a lower cost shows that a new process began. */
function lastTail({ said }: ResultUse, tails: readonly Tail[]): Tail | null {
  const last = tails.at(-1) ?? null;
  const old = last?.now.get('')?.cost ?? null;
  const fell = old !== null && said.total_cost_usd !== null && bigPicos(said.total_cost_usd) < old;
  return said.after_reset || fell ? null : last;
}

/** Results without models, as in hand-made streams, have the usage of their own turn but a cumulative cost. */
function namelessUsage({ said }: ResultUse, before: Cumulative | null): Cumulative {
  const tokens = sumTokens([before?.get('') ?? nothingSpent, wholeTokens(said.usage ?? nothingSpent)]);
  const cost = said.total_cost_usd === null ? null : bigPicos(said.total_cost_usd);
  return new Map([['', { ...tokens, cost, guess: false }]]);
}

/** `since` does not include the cost beyond the models. A first result may have carried it over. */
function withRest(since: Cumulative, now: Cumulative, before: Cumulative | null): Cumulative {
  const rest = now.get(restKey)?.cost ?? 0n;
  const old = before?.get(restKey)?.cost ?? 0n;
  if (rest <= old || (before === null && !isSameSum(now, since))) return since;
  return new Map([...since, [restKey, { ...nothingSpent, cost: rest - old }]]);
}

/**
 * Up to 2.1.140 models are reported without the split of their cache writes. The turn's own usage has the split, for
 * the main conversation.
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
      ...sumTokens([known, wholeTokens(usage)]),
      cost: known.cost === null || usage.cost_usd === null ? null : known.cost + bigPicos(usage.cost_usd),
      guess: known.guess || usage.cost_basis === 'unknown',
    });
  }
  return sums;
}

function bigPicos(usd: number): bigint {
  const picos = picosOf(usd);
  return picos > 0 && Number.isFinite(picos) ? BigInt(picos) : 0n;
}

function isZero(sums: Cumulative): boolean {
  return [...sums.values()].every((model) => isNothing(model) && (model.cost ?? 0n) === 0n);
}

function isSameSum(a: Cumulative, b: Cumulative): boolean {
  const keys = new Set([...a.keys(), ...b.keys()]);
  return coversModels(a, b, keys) && coversModels(b, a, keys);
}

/** Whether a turn's own usage is all that its model ever used: then the turn was the first, and nothing came before it. */
function beganWith(own: Tokens | null, now: Cumulative, before: Cumulative): boolean {
  if (own === null || isNothing(own)) return false;
  return [...now].some(
    ([key, all]) => covers(all, own) && covers(own, all) && !isNothing(before.get(key) ?? nothingSpent),
  );
}

function coversModels(now: Cumulative, before: Cumulative, keys: Iterable<string> = before.keys()): boolean {
  for (const key of keys) if (!covers(now.get(key) ?? nothingSpent, before.get(key) ?? nothingSpent)) return false;
  return true;
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

/** Compared by cost, then by tokens. */
interface Size {
  readonly cost: bigint;
  readonly tokens: number;
}
