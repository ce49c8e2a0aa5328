import type { CostSource, Tokens } from '../../core/event/usage-row.js';
import { baseCostOf, costOf, type ModelPrice, MoneySum } from '../../core/prices/prices.js';
import { type Cost, isUnsure, type Mode, type Pricing, type Told, type Unit } from './parts.js';
import {
  addTokens,
  covers,
  isNothing,
  type ModelSpent,
  minusTokens,
  noTokens,
  type Spent,
  type Tally,
  totalOf,
  writesOf,
} from './spent.js';

/** A message that reports hold, and the index of the result that does. */
export interface Entry extends Told {
  readonly at: number;
  /** Its tokens are among the reported ones: of a result without models, only those of the main loop are. */
  readonly counted: boolean;
}

/** One model of one session: what was reported against what messages account for. */
export interface Settled {
  /** For each entry. */
  readonly costs: readonly Cost[];
  /** For each result: what it leaves over. */
  readonly left: readonly Left[];
  readonly units: readonly (Unit | null)[];
}

export interface Left {
  readonly tokens: Tokens;
  readonly cost: Cost;
  readonly source: CostSource;
}

export function settle(key: string, entries: readonly Entry[], spent: readonly Spent[], pricing: Pricing): Settled {
  const reported = spent.map(({ models }) => models.get(key) ?? nothing);
  const attributed = spent.map(noTokens);
  for (const { message, at, counted } of entries) if (counted) addTokens(attributed[at] ?? noTokens(), message);
  const { left, beyond, clean } = spreadTokens(reported, attributed);
  const price = pricing.book.priceOf(pricing.spelling.get(key) ?? null);
  const costs = entries.map((told) => messageCost(told, pricing, price));
  const money = ways[pricing.mode]({ reported, entries, costs, price, left, beyond });
  return {
    costs: money.costs,
    left: left.map((tokens, at) => {
      const cost = money.left[at] ?? null;
      return { tokens, cost, source: cost === null ? 'unpriced' : money.leftSource(tokens) };
    }),
    units: unitsOf(key, entries, spent, clean && money.clean, money),
  };
}

/** `other`: the price of the model it was reported under, for one that has none by its own name. */
export function messageCost(
  { message, view }: Told,
  { mode }: Pricing,
  other: ModelPrice | null = null,
): number | null {
  const price = view.price ?? other;
  if (price === null || mode === 'reported') return null;
  // The API does not charge for an answer that was declined before it began.
  if (isUnsure(message) && message.output_tokens === 0) return 0;
  return costOf(price, message, message.origin);
}

const nothing: ModelSpent = { ...noTokens(), cost: 0n, guess: false };

interface Account {
  readonly reported: readonly ModelSpent[];
  readonly entries: readonly Entry[];
  /** What each entry costs at the price table. */
  readonly costs: readonly (number | null)[];
  readonly price: ModelPrice | null;
  readonly left: readonly Tokens[];
  readonly beyond: Tokens;
}

interface Money {
  readonly costs: readonly Cost[];
  readonly left: readonly Cost[];
  leftSource(tokens: Tokens): CostSource;
  readonly clean: boolean;
  /** For all of it together. */
  readonly source: CostSource;
  readonly unpriced: number;
}

/** Where the money comes from. */
const ways: Readonly<Record<Mode, (account: Account) => Money>> = {
  auto: (account) => (account.reported.every(({ cost }) => cost !== null) ? asReported(account) : calculated(account)),
  reported: reportedOnly,
  calculated,
};

/**
 * What no message shows is priced as a plain request: nobody knows how it was served, and any other way costs more. It is
 * certain only for the rest of the output of messages that are there, if all of them were plain.
 */
function calculated({ entries, costs, price, left, beyond }: Account): Money {
  const isPlain = once(
    () => entries.length > 0 && entries.every((entry, at) => isBase(entry, costs[at] ?? null, price)),
  );
  const leftSource = (tokens: Tokens) => {
    if (isNothing(tokens)) return 'calculated';
    return isNothing({ ...tokens, output_tokens: 0 }) && isPlain() ? 'calculated' : 'lower_bound';
  };
  const isWhole = isNothing(beyond) || entries.every(({ message }) => message.final);
  const isSure = isWhole && left.every((tokens) => leftSource(tokens) === 'calculated');
  return {
    costs,
    left: left.map((tokens) => baseCost(price, tokens)),
    leftSource,
    clean: true,
    source: price === null ? 'unpriced' : isSure ? 'calculated' : 'lower_bound',
    unpriced: 0,
  };
}

function isBase({ message, view }: Entry, cost: number | null, other: ModelPrice | null): boolean {
  const price = view.price ?? other;
  return price === null || cost === baseCostOf(price, message);
}

function once(make: () => boolean): () => boolean {
  let made: boolean | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function reportedOnly({ reported, entries, beyond }: Account): Money {
  const source = wordFor(reported);
  const told = reported.every(({ cost }) => cost !== null);
  return {
    costs: entries.map(() => null),
    left: reported.map(({ cost }) => cost),
    leftSource: () => source,
    clean: true,
    source: told ? source : 'unpriced',
    unpriced: totalOf(beyond),
  };
}

/** The reported sum, of which each message takes what it costs by the price table. */
function asReported({ reported, entries, costs, price, beyond }: Account): Money {
  const sums = reported.map(() => new MoneySum());
  let index = 0;
  for (const { at } of entries) sums[at]?.add(costs[index++] ?? 0);
  const extra = BigInt(baseCost(price, beyond) ?? 0);
  const differences = reported.map(({ cost }, at) => (cost ?? 0n) - (sums[at]?.total ?? 0n));
  const last = reported.findLastIndex((model) => model !== nothing);
  differences[last] = (differences[last] ?? 0n) + extra;
  const word = wordFor(reported);
  const final = entries.every(({ message }) => message.final);
  const common = {
    leftSource: () => word,
    source: isNothing(beyond) || word === 'guess' ? word : final ? 'calculated' : 'lower_bound',
    unpriced: price === null ? totalOf(beyond) : 0,
  } as const;
  const found = spread(differences);
  if (found.beyond === 0n) return { ...common, costs, left: found.left, clean: found.clean };
  // An older program had lower prices: each message takes its share of what was paid.
  const paid = reported.reduce((sum, { cost }) => sum + (cost ?? 0n), extra);
  const listed = paid + found.beyond;
  const shares = costs.map((cost) => (cost === null ? null : (BigInt(cost) * paid) / listed));
  const rest = shares.reduce((sum: bigint, share) => sum - (share ?? 0n), paid);
  return { ...common, costs: shares, left: reported.map((_, at) => (at === last ? rest : 0n)), clean: false };
}

function wordFor(reported: readonly ModelSpent[]): CostSource {
  return reported.some(({ guess }) => guess) ? 'guess' : 'reported';
}

function baseCost(price: ModelPrice | null, tokens: Tokens): number | null {
  if (isNothing(tokens)) return 0;
  return price === null ? null : baseCostOf(price, tokens);
}

/** One for each result where each covers its own messages, else one for all of them. */
function unitsOf(
  key: string,
  entries: readonly Entry[],
  spent: readonly Spent[],
  clean: boolean,
  { source, unpriced }: Money,
): (Unit | null)[] {
  if (source === 'unpriced') return spent.map(() => null);
  const newUnit = (): Unit => ({ parts: 0, source, unpriced });
  const shared = newUnit();
  const units = spent.map(() => (clean ? newUnit() : shared));
  spent.forEach(({ models }, at) => {
    const unit = units[at];
    if (unit !== undefined && models.has(key)) unit.parts++;
  });
  for (const { at } of entries) {
    const unit = units[at];
    if (unit !== undefined) unit.parts++;
  }
  return units;
}

/**
 * What one account has over another, step by step. What one step lacks is taken from those before it: a message may stream
 * before a result that does not count it yet.
 */
export interface Spread {
  /** Never negative; together what the first account has more in the end. */
  readonly left: readonly bigint[];
  /** What the second has more in the end. */
  readonly beyond: bigint;
  /** No step lacks anything. */
  readonly clean: boolean;
}

export function spread(differences: readonly bigint[]): Spread {
  const sums: bigint[] = [];
  for (const difference of differences) sums.push((sums.at(-1) ?? 0n) + difference);
  const total = sums.at(-1) ?? 0n;
  const left = new Array<bigint>(differences.length).fill(0n);
  let next = atLeastZero(total);
  for (let at = differences.length - 1; at >= 0; at--) {
    const sum = at === 0 ? 0n : atLeastZero(sums[at - 1] ?? 0n);
    const before = sum < next ? sum : next;
    left[at] = next - before;
    next = before;
  }
  return { left, beyond: atLeastZero(-total), clean: differences.every((difference) => difference >= 0n) };
}

/** The same for tokens, counter by counter. */
export interface TokenSpread {
  readonly left: readonly Tokens[];
  readonly beyond: Tokens;
  readonly clean: boolean;
}

export function spreadTokens(reported: readonly Tokens[], attributed: readonly Tokens[]): TokenSpread {
  const left = reported.map(noTokens);
  const beyond = noTokens();
  let clean = true;
  const compare = (amountOf: (tokens: Tokens) => number): Spread => {
    const found = spread(reported.map((one, at) => BigInt(amountOf(one)) - BigInt(amountOf(attributed[at] ?? none))));
    clean &&= found.clean;
    return found;
  };
  for (const field of plainFields) {
    const found = compare((tokens) => tokens[field]);
    for (const [at, amount] of found.left.entries()) put(left[at], field, Number(amount));
    beyond[field] = Number(found.beyond);
  }
  // Programs that report writes without a split call them all short; messages know which were long.
  const writes = compare(writesOf);
  const long = sumOf(reported) - sumOf(attributed);
  let longLeft = Math.max(0, long);
  writes.left.forEach((amount, at) => {
    const taken = Math.min(Number(amount), longLeft);
    longLeft -= taken;
    put(left[at], 'cache_write_1h_tokens', taken);
    put(left[at], 'cache_write_5m_tokens', Number(amount) - taken);
  });
  beyond.cache_write_1h_tokens = Math.min(Number(writes.beyond), Math.max(0, -long));
  beyond.cache_write_5m_tokens = Number(writes.beyond) - beyond.cache_write_1h_tokens;
  return { left, beyond, clean };
}

const plainFields = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'web_search_requests'] as const;
const none: Tokens = noTokens();

function put(tally: Tally | undefined, field: keyof Tally, amount: number): void {
  if (tally !== undefined) tally[field] = amount;
}

function sumOf(list: readonly Tokens[]): number {
  return list.reduce((sum, tokens) => sum + tokens.cache_write_1h_tokens, 0);
}

function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}

/** A message that a result holds by its place, but no reported model by its name. */
export interface Stranger extends Told {
  readonly key: string;
  readonly at: number;
}

/**
 * A gateway may answer under another name than it was asked by, and an inference profile hides the model: reports then name the
 * request, messages the answer. All messages of a name join the one reported model that has room for them; where there is none,
 * or more than one, they are left over.
 */
export function joinStrangers(
  strangers: readonly Stranger[],
  entries: ReadonlyMap<string, Entry[]>,
  spent: readonly Spent[],
): Told[] {
  const left: Told[] = [];
  for (const key of new Set(strangers.map((stranger) => stranger.key))) {
    const own = strangers.filter((stranger) => stranger.key === key);
    const used = noTokens();
    for (const { message } of own) addTokens(used, message);
    const [host, ...others] = [...entries].filter(([name, list]) => covers(roomIn(name, list, spent), used));
    if (host === undefined || others.length > 0) left.push(...own);
    else host[1].push(...own.map(({ message, view, at }) => ({ message, view, at, counted: true })));
  }
  return left;
}

function roomIn(name: string, list: readonly Entry[], spent: readonly Spent[]) {
  const reported = noTokens();
  const held = noTokens();
  for (const { models } of spent) addTokens(reported, models.get(name) ?? noTokens());
  for (const { message } of list) addTokens(held, message);
  return minusTokens(reported, held);
}
