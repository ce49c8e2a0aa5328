// Settles one model: compares what was reported with what messages account for.
import type { CostSource, Tokens } from '../../core/event/usage-row.js';
import { baseCostOf, costOf, type ModelPrice, MoneySum, picosOf } from '../../core/prices/prices.js';
import {
  addTokens,
  isLead,
  isNothing,
  noTokens,
  type Tally,
  totalOf,
  writesOf,
} from '../../core/tables/usage/messages.js';
import { type Cost, isUnsure, type MessagePart, type Mode, type Pricing, type Unit } from './parts.js';
import { type ModelSpent, nothingSpent, type Spent } from './spent.js';

/** The remainder of a model in a report. */
export interface Left {
  readonly tokens: Tokens;
  readonly cost: Cost;
  readonly source: CostSource;
  readonly unit: Unit | null;
}

/** Gives each message its cost and its unit. Returns the remainder of each report. */
export function settleModel(
  key: string,
  entries: readonly MessagePart[],
  spent: readonly Spent[],
  pricing: Pricing,
): Left[] {
  const reported = spent.map(({ models }) => models.get(key) ?? nothingSpent);
  const attributed = spent.map(noTokens);
  // A result without models counts only the tokens of the main loop.
  for (const { message, report } of entries)
    if (key !== '' || isLead(message.origin)) addTokens(attributed[report] ?? noTokens(), message);
  const { left, beyond, clean } = spreadTokens(reported, attributed);
  const price = pricing.book.priceOf(pricing.spelling.get(key) ?? null);
  for (const part of entries) part.cost = messageCost(part, pricing, price);
  const money = costModes[pricing.mode]({ reported, entries, price, left, beyond });
  const units = unitsOf(key, entries, spent, clean && money.clean, money);
  for (const part of entries) part.unit = units[part.report] ?? null;
  return left.map((tokens, at) => {
    const cost = money.left[at] ?? null;
    const source = cost === null ? 'unpriced' : money.leftSource(tokens);
    return { tokens, cost, source, unit: units[at] ?? null };
  });
}

/** `other` is the price of the model it was reported under, for a model without a price of its own. */
export function messageCost(part: MessagePart, { mode }: Pricing, other: ModelPrice | null = null): Cost {
  const { message } = part;
  if (message.said_usd !== null && mode !== 'calculated') return picosOf(message.said_usd);
  const price = part.resolved.price ?? other;
  if (price === null || mode === 'reported') return null;
  // The API does not charge for an answer that was declined before it began.
  if (isUnsure(message) && message.output_tokens === 0) return 0;
  return costOf(price, message, message.origin);
}

interface Figures {
  readonly reported: readonly ModelSpent[];
  /** With the cost of each message at the price table. */
  readonly entries: readonly MessagePart[];
  readonly price: ModelPrice | null;
  readonly left: readonly Tokens[];
  readonly beyond: Tokens;
}

interface Money {
  readonly left: readonly Cost[];
  leftSource(tokens: Tokens): CostSource;
  readonly clean: boolean;
  /** The source of the whole cost. */
  readonly source: CostSource;
  readonly unpriced: number;
}

const costModes: Readonly<Record<Mode, (figures: Figures) => Money>> = {
  auto: (figures) => (isCostKnown(figures.reported) ? asReported(figures) : calculated(figures)),
  reported: reportedOnly,
  calculated,
};

function isCostKnown(reported: readonly ModelSpent[]): boolean {
  return reported.every(({ cost }) => cost !== null);
}

/**
 * Usage that no message shows is priced as a plain request: nobody knows how it was served, and every other way costs
 * more. The price is certain only for the rest of the output of known messages, if all of them were plain.
 */
function calculated({ entries, price, left, beyond }: Figures): Money {
  let plain: boolean | undefined;
  const isPlain = () => {
    plain ??= entries.length > 0 && entries.every((part) => isBase(part, price));
    return plain;
  };
  const leftSource = (tokens: Tokens) => {
    if (isNothing(tokens)) return 'calculated';
    return isNothing({ ...tokens, output_tokens: 0 }) && isPlain() ? 'calculated' : 'lower_bound';
  };
  const isWhole = isNothing(beyond) || entries.every(({ message }) => message.final);
  const isSure = isWhole && left.every((tokens) => leftSource(tokens) === 'calculated');
  return {
    left: left.map((tokens) => baseCost(price, tokens)),
    leftSource,
    clean: true,
    source: price === null ? 'unpriced' : isSure ? 'calculated' : 'lower_bound',
    unpriced: 0,
  };
}

function isBase({ message, resolved, cost }: MessagePart, other: ModelPrice | null): boolean {
  const price = resolved.price ?? other;
  return price === null || cost === baseCostOf(price, message);
}

function reportedOnly({ reported, beyond }: Figures): Money {
  const source = sourceOf(reported);
  return {
    left: reported.map(({ cost }) => cost),
    leftSource: () => source,
    clean: true,
    source: isCostKnown(reported) ? source : 'unpriced',
    unpriced: totalOf(beyond),
  };
}

/** Divides the reported sum: each message takes its cost at the price table. */
function asReported({ reported, entries, price, beyond }: Figures): Money {
  const sums = reported.map(() => new MoneySum());
  for (const { report, cost } of entries) sums[report]?.add(cost ?? 0);
  const extra = BigInt(baseCost(price, beyond) ?? 0);
  const differences = reported.map(({ cost }, at) => (cost ?? 0n) - (sums[at]?.total ?? 0n));
  const last = reported.findLastIndex((model) => model !== nothingSpent);
  differences[last] = (differences[last] ?? 0n) + extra;
  const word = sourceOf(reported);
  const final = entries.every(({ message }) => message.final);
  const common = {
    leftSource: () => word,
    source: isNothing(beyond) || word === 'guess' ? word : final ? 'calculated' : 'lower_bound',
    unpriced: price === null ? totalOf(beyond) : 0,
  } as const;
  const found = spread(differences);
  if (found.beyond === 0n) return { ...common, left: found.left, clean: found.clean };
  // An older version had lower prices, so each message takes its share of what was paid.
  const paid = reported.reduce((sum, { cost }) => sum + (cost ?? 0n), extra);
  const listed = paid + found.beyond;
  let rest = paid;
  for (const part of entries) {
    if (part.cost === null) continue;
    const share = (BigInt(part.cost) * paid) / listed;
    part.cost = share;
    rest -= share;
  }
  return { ...common, left: reported.map((_, at) => (at === last ? rest : 0n)), clean: false };
}

function sourceOf(reported: readonly ModelSpent[]): CostSource {
  return reported.some(({ guess }) => guess) ? 'guess' : 'reported';
}

function baseCost(price: ModelPrice | null, tokens: Tokens): number | null {
  if (isNothing(tokens)) return 0;
  return price === null ? null : baseCostOf(price, tokens);
}

/** One unit per result if each covers its own messages, else one unit for all. */
function unitsOf(
  key: string,
  entries: readonly MessagePart[],
  spent: readonly Spent[],
  clean: boolean,
  { source, unpriced }: Money,
): Unit[] {
  if (source === 'unpriced') return [];
  const newUnit = (): Unit => ({ parts: 0, source, unpriced });
  const shared = newUnit();
  const units = spent.map(() => (clean ? newUnit() : shared));
  const count = (unit: Unit | undefined) => {
    if (unit !== undefined) unit.parts++;
  };
  spent.forEach(({ models }, at) => {
    if (models.has(key)) count(units[at]);
  });
  for (const { report } of entries) count(units[report]);
  return units;
}

/**
 * The surplus of one account over another, step by step. What one step lacks is taken from the steps before, because a
 * message may stream before a result that does not count it yet.
 */
interface Spread {
  /** Never negative. The sum is the final surplus of the first account. */
  readonly left: readonly bigint[];
  /** The final surplus of the second account. */
  readonly beyond: bigint;
  /** No step lacks anything. */
  readonly clean: boolean;
}

function spread(differences: readonly bigint[]): Spread {
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
function spreadTokens(reported: readonly Tokens[], attributed: readonly Tokens[]) {
  const left = reported.map(noTokens);
  const beyond = noTokens();
  let clean = true;
  const compare = (amountOf: (tokens: Tokens) => number): Spread => {
    const found = spread(
      reported.map((one, at) => BigInt(amountOf(one)) - BigInt(amountOf(attributed[at] ?? nothingSpent))),
    );
    clean &&= found.clean;
    return found;
  };
  for (const field of plainFields) {
    const found = compare((tokens) => tokens[field]);
    for (const [at, amount] of found.left.entries()) putAmount(left[at], field, Number(amount));
    beyond[field] = Number(found.beyond);
  }
  // Versions that report cache writes without a split count all of them as short. Messages know which were long.
  const writes = compare(writesOf);
  const long = longWritesIn(reported) - longWritesIn(attributed);
  let longLeft = Math.max(0, long);
  writes.left.forEach((amount, at) => {
    const taken = Math.min(Number(amount), longLeft);
    longLeft -= taken;
    putAmount(left[at], 'cache_write_1h_tokens', taken);
    putAmount(left[at], 'cache_write_5m_tokens', Number(amount) - taken);
  });
  beyond.cache_write_1h_tokens = Math.min(Number(writes.beyond), Math.max(0, -long));
  beyond.cache_write_5m_tokens = Number(writes.beyond) - beyond.cache_write_1h_tokens;
  return { left, beyond, clean };
}

const plainFields = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'web_search_requests'] as const;

function putAmount(tally: Tally | undefined, field: keyof Tally, amount: number): void {
  if (tally !== undefined) tally[field] = amount;
}

function longWritesIn(list: readonly Tokens[]): number {
  return list.reduce((sum, tokens) => sum + tokens.cache_write_1h_tokens, 0);
}

function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}
