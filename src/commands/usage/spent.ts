// Computes what each report adds: results and cost-state rows are cumulative, so each is compared with the last.
import type { ModelUsage, Tokens } from '../../core/event/usage-row.js';
import { canonicalModel, modelKey } from '../../core/prices/models.js';
import { minusPicos, type Picos, picosOf, plusPicos } from '../../core/prices/prices.js';
import { getOrCreate } from '../../core/record/json.js';
import {
  addTokens,
  covers,
  isNothing,
  minusTokens,
  noTokens,
  sumTokens,
  totalOf,
  wholeNumber,
  wholeTokens,
  writesOf,
} from '../../core/tables/usage/messages.js';
import { isReadBefore } from '../../core/tables/usage/sessions.js';
import type { ResultModel, ResultUse } from '../../core/tables/usage/usage.js';
import type { Left } from './parts.js';

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
  /** Its index among the reports that are settled together. What follows is found out while they are. */
  at: number;
  /** The final number of the turn that it ends. */
  turn: number | null;
  /** The time of the last streamed message that it includes. */
  latest: string | null;
  /** What no message accounts for, by the keys of its models. */
  readonly left: Map<string, Left>;
}

export interface ModelSpent extends Tokens {
  /** In picodollars; null if Claude Code does not say. */
  readonly cost: Picos | null;
  /** Claude Code did not know the model and charged its default. */
  readonly guess: boolean;
}

/** The usage so far, by modelKey. */
export type Cumulative = ReadonlyMap<string, ModelSpent>;

export const nothingSpent: ModelSpent = { ...noTokens(), cost: 0, guess: false };

/** The key of a result's cost beyond its models. */
export const restKey = ' ';

export interface Report {
  readonly session: string;
  readonly result: ResultUse;
  readonly hints: SessionHints;
}

/** What is known about a session besides its reports. */
export interface SessionHints {
  /** Some result of the session names models. */
  readonly named: boolean;
  /** What its first report carries over from its parent session. */
  readonly base: Cumulative | null;
  /** The model of its main conversation, by modelKey. */
  main(): string | null;
  /** What the main conversation is seen to use between a result and the one before it, by modelKey. */
  seenBefore(result: ResultUse): ReadonlyMap<string, Tokens> | null;
}

export function noHints(named: boolean): SessionHints {
  return { named, base: null, main: () => null, seenBefore: () => null };
}

/**
 * What each report adds, without zeroed reports. `modelUsage` and the cost are cumulative over a process, and on
 * 2.1.325 over resumes and forks too. If Claude Code says what is new since its last result, that is used. Reports are
 * ordered by their counters, so the order of files does not matter. Counters that fall in a file are of a new process.
 */
export function spentOf(reports: readonly Report[]): Spent[] {
  const isNamed = reports.every(({ hints }) => hints.named);
  const sorted = reports.toSorted(
    (a, b) =>
      (isNamed ? compareSize(countersOf(a.result), countersOf(b.result)) : 0) || compareEqual(a.result, b.result),
  );
  const tracker = new SpentTracker();
  const spent: Spent[] = [];
  for (const report of sorted) {
    const one = tracker.next(report);
    if (one !== null) spent.push(one);
  }
  spent.sort((a, b) => a.chain - b.chain);
  for (const [at, one] of spent.entries()) one.at = at;
  return spent;
}

/**
 * Whether a result used nothing itself and may repeat the figures of another session: after /clear, 2.1.140 has a new
 * session id, but its process and its figures continue.
 */
export function mayCarryOver(result: ResultUse): boolean {
  const { state, said, models } = result;
  return !state && said.num_turns === 0 && usedNothing(result) && models.size > 0 && !saysSince(result);
}

/**
 * Whether a result may include what another session used, and does not say how much: from 2.1.271 to 2.1.314 the first
 * result of a fork is such a one.
 */
export function mayInclude(result: ResultUse): boolean {
  const { state, said, models } = result;
  return !state && said.result_index === 0 && models.size > 0 && !saysSince(result);
}

/** The figures of a model as one text, which is equal only for equal figures. */
export function figuresKey(key: string, model: Tokens, cost: Picos | null = 0): string {
  const { input_tokens, output_tokens, cache_read_tokens } = model;
  return `${key} ${input_tokens} ${output_tokens} ${writesOf(model)} ${cache_read_tokens} ${cost}`;
}

/** The figures of each model before the turn's own usage, and after it: equal ones are of the same calls. */
export function figuresAround(result: ResultUse): [key: string, figures: Tokens][] {
  const own = result.said.usage === null ? null : spentAs(result.said.usage, null, false);
  const figures: [string, Tokens][] = [];
  for (const [key, model] of countersOf(result).now) {
    if (!isNothing(model)) figures.push([key, model]);
    const before = own !== null && covers(model, own) ? minusTokens(model, own) : model;
    if (before !== model && !isNothing(before)) figures.push([key, before]);
  }
  return figures;
}

/** Computes what each report adds, one report after the other. */
export class SpentTracker {
  readonly #sessions = new Map<string, { readonly tails: Tail[]; index: number | null }>();
  /** By their figures. Few results ask for these, so a report waits in `#reached` until one does. */
  readonly #totals = new Map<string, Tail>();
  readonly #reached: Tail[] = [];
  #runs = 0;
  #chains = 0;

  /** null for a zeroed report. */
  next({ session, result, hints }: Report): Spent | null {
    const known = getOrCreate(this.#sessions, session, () => ({ tails: [], index: null }));
    const { tails } = known;
    const { said } = result;
    const index = said.result_index;
    const follows = index !== null && known.index !== null && index === known.index + 1;
    if (!result.state) known.index = index;
    const fallen = hints.named ? null : lastTail(result, tails);
    const now = hints.named ? countersOf(result).now : namelessUsage(result, fallen?.now ?? null);
    if (isZero(now)) return null;
    const tail = hints.named ? this.#tailOf(tails, result, now, hints) : fallen;
    const before = tail?.now ?? (tails.length === 0 && (result.state || mayInclude(result)) ? hints.base : null);
    // A later result whose predecessors are not in the input includes them.
    const since = index === null || index === 0 || follows ? sinceOf(result) : null;
    const added = since !== null ? withRest(since, now, before) : before === null ? now : difference(now, before);
    const opens = index === null ? tail === null : !follows && !(index > 0 && tail !== null);
    const run = opens || tail === null ? this.#runs++ : tail.run;
    const chain = tail === null ? this.#chains++ : tail.chain;
    const reached: Tail = { result, now, run, chain };
    const at = tail === null ? -1 : tails.indexOf(tail);
    if (at >= 0) tails[at] = reached;
    else tails.push(reached);
    if (tails.length > mostTails) tails.shift();
    this.#reached.push(reached);
    const models = withLongWrites(added, wholeNumber(said.usage?.cache_write_1h_tokens ?? 0), hints);
    return { result, session, models, run, chain, at: 0, turn: null, latest: null, left: new Map() };
  }

  /** The chain that the result continues: the largest that fits in it together with its own usage. */
  #tailOf(tails: readonly Tail[], result: ResultUse, now: Cumulative, hints: SessionHints): Tail | null {
    if (result.said.after_reset) return null;
    const { usage } = result.said;
    let best: Tail | null = null;
    for (const tail of tails) {
      const hasRoom = coversAll(now, tail.now, usage) && hasRoomFor(hints.seenBefore(result), now, tail.now);
      const goesOn = hasRoom && !isFallen(result, tail.result) && !beganWith(usage, now, tail.now);
      if (!goesOn && !isSameSum(now, tail.now)) continue;
      if (best === null || compareSize(countersOf(best.result), countersOf(tail.result)) <= 0) best = tail;
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

/** Whether each model has room for its messages beside what it used before. Figures that do not hold them say nothing. */
function hasRoomFor(seen: ReadonlyMap<string, Tokens> | null, now: Cumulative, before: Cumulative): boolean {
  return [...(seen ?? [])].every(([key, used]) => {
    const model = now.get(key);
    if (model === undefined || !covers(model, used)) return true;
    return covers(model, sumTokens([before.get(key) ?? noTokens(), used]));
  });
}

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

/** The counters of a result, and their sums. */
export interface Counters {
  /** Its models, and the cost beyond them: Claude Code does not itemise everything. */
  readonly now: Cumulative;
  readonly cost: Picos;
  readonly tokens: number;
}

export function countersOf(result: ResultUse): Counters {
  const known = counters.get(result);
  if (known !== undefined) return known;
  const now = new Map<string, ModelSpent>();
  for (const [name, model] of result.models) if (model.total !== null) addModel(now, name, model, model.total);
  const total = result.said.total_cost_usd;
  let cost: Picos = 0;
  let tokens = 0;
  let isItemised = total !== null && now.size > 0;
  for (const model of now.values()) {
    if (model.cost === null) isItemised = false;
    else cost = plusPicos(cost, model.cost);
    tokens += totalOf(model);
  }
  const rest = isItemised ? minusPicos(asPicos(total ?? 0), cost) : 0;
  if (rest >= least) {
    now.set(restKey, { ...nothingSpent, cost: rest });
    cost = plusPicos(cost, rest);
  }
  const made = { now, cost, tokens };
  counters.set(result, made);
  return made;
}
/** A result is compared with several others; it is never changed, only replaced. */
const counters = new WeakMap<ResultUse, Counters>();
/** A smaller difference is a floating-point rounding error. */
const least = 1000;

/** Whether the counters include those before and, if known, what was used since. */
export function coversAll(now: Cumulative, before: Cumulative, own: Tokens | null): boolean {
  if (!coversModels(now, before)) return false;
  if (own === null) return true;
  const old = sumTokens(before.values());
  addTokens(old, own);
  return covers(sumTokens(now.values()), old);
}

/** Compared by cost, then by tokens. */
export function compareSize(a: Counters, b: Counters): number {
  return a.cost < b.cost ? -1 : a.cost > b.cost ? 1 : a.tokens - b.tokens;
}

/** Equal only for equal reports. */
export function totalsKey(sums: Cumulative): string {
  return Array.from(sums, ([key, model]) => figuresKey(key, model, model.cost))
    .sort()
    .join('\n');
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
  readonly run: number;
  readonly chain: number;
}

/** A session has at most one chain per process. Wrong figures may look like any number of chains. */
const mostTails = 100;

/** For results without models, only a lower cost shows that a new process began. */
function lastTail({ said }: ResultUse, tails: readonly Tail[]): Tail | null {
  const last = tails.at(-1) ?? null;
  const old = last?.now.get('')?.cost ?? null;
  const fell = old !== null && said.total_cost_usd !== null && asPicos(said.total_cost_usd) < old;
  return said.after_reset || fell ? null : last;
}

/** Results without models, as in hand-made streams, have the usage of their own turn but a cumulative cost. */
function namelessUsage({ said }: ResultUse, before: Cumulative | null): Cumulative {
  const sums = spentAs(said.usage ?? nothingSpent, null, false);
  const old = before?.get('');
  if (old !== undefined) addTokens(sums, old);
  sums.cost = said.total_cost_usd === null ? null : asPicos(said.total_cost_usd);
  return new Map([['', sums]]);
}

/** `since` does not include the cost beyond the models. A first result may have carried it over. */
function withRest(since: Cumulative, now: Cumulative, before: Cumulative | null): Cumulative {
  const rest = now.get(restKey)?.cost ?? 0;
  const old = before?.get(restKey)?.cost ?? 0;
  if (rest <= old || (before === null && !isSameSum(now, since))) return since;
  return new Map([...since, [restKey, { ...nothingSpent, cost: minusPicos(rest, old) }]]);
}

/**
 * Up to 2.1.140 models are reported without the split of their cache writes. The turn's own usage has the split, for
 * the main conversation.
 */
function withLongWrites(models: Cumulative, own: number, hints: SessionHints): Cumulative {
  let long = own;
  for (const model of models.values()) long -= model.cache_write_1h_tokens;
  if (long <= 0) return models;
  const main = hints.main();
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

/** Whether Claude Code says what is new since its last result. */
function saysSince({ models }: ResultUse): boolean {
  for (const { since } of models.values()) if (since === null) return false;
  return models.size > 0;
}

function sinceOf(result: ResultUse): Cumulative | null {
  if (!saysSince(result)) return null;
  const sums = new Map<string, ModelSpent>();
  for (const [name, model] of result.models) if (model.since !== null) addModel(sums, name, model, model.since);
  return sums;
}

function addModel(sums: Map<string, ModelSpent>, name: string, model: ResultModel, usage: ModelUsage): void {
  const key = keyOfModel(name, model);
  const added = spentAs(
    usage,
    usage.cost_usd === null ? null : asPicos(usage.cost_usd),
    usage.cost_basis === 'unknown',
  );
  const known = sums.get(key);
  if (known !== undefined) {
    addTokens(added, known);
    added.cost = known.cost === null || added.cost === null ? null : plusPicos(known.cost, added.cost);
    added.guess ||= known.guess;
  }
  sums.set(key, added);
}

function spentAs(
  said: Tokens,
  cost: Picos | null,
  guess: boolean,
): { -readonly [K in keyof ModelSpent]: ModelSpent[K] } {
  return {
    ...wholeTokens(said),
    cost,
    guess,
  };
}

function asPicos(usd: number): Picos {
  const picos = picosOf(usd);
  return picos > 0 && Number.isFinite(picos) ? picos : 0;
}

function isZero(sums: Cumulative): boolean {
  for (const model of sums.values()) if (!isNothing(model) || (model.cost ?? 0) > 0) return false;
  return true;
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
  const sums = new Map<string, ModelSpent>();
  for (const [key, model] of now) {
    const old = before.get(key) ?? nothingSpent;
    const cost = model.cost === null || old.cost === null ? null : minusPicos(model.cost, old.cost);
    sums.set(key, { ...minusTokens(model, old), cost: cost !== null && cost < 0 ? 0 : cost, guess: model.guess });
  }
  return sums;
}
