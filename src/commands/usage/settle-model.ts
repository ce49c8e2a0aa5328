// Settles one model: compares what was reported with what messages account for.
import type { CostSource, Tokens } from '../../core/event/usage-row.js';
import {
  baseCostOf,
  costOf,
  type ModelPrice,
  minusPicos,
  type Picos,
  picosOf,
  plusPicos,
} from '../../core/prices/prices.js';
import {
  addTokens,
  isLead,
  isNothing,
  minusTokens,
  noTokens,
  type Tally,
  totalOf,
} from '../../core/tables/usage/messages.js';
import { type Cost, isUnsure, type MessagePart, type Mode, type Part, type Pricing, type Unit } from './parts.js';
import { type ModelSpent, nothingSpent, type Spent } from './spent.js';

/** Gives each message its cost and its unit, and each report what is left of the model. Visits the messages. */
export function settleModel(
  key: string,
  entries: readonly MessagePart[],
  spent: readonly Spent[],
  pricing: Pricing,
  visit: (part: Part) => void,
): void {
  const spelling = pricing.spelling.get(key) ?? null;
  const price = pricing.book.priceOf(spelling);
  const reported = spent.map(({ models }) => models.get(key) ?? nothingSpent);
  const left = reported.map((one) => minusTokens(one, nothingSpent));
  const parts = spent.map(({ models }): number => (models.has(key) ? 1 : 0));
  const listed = spent.map((): Picos => 0);
  for (const part of entries) {
    const { message, report } = part;
    part.key = key;
    part.model = spelling ?? part.model;
    part.cost = messageCost(part, pricing, price);
    const tokens = left[report];
    const by = spent[report];
    if (tokens === undefined || by === undefined) continue;
    // A result without models counts only the tokens of the main loop.
    if (key !== '' || isLead(message.origin)) addTokens(tokens, message, -1);
    listed[report] = plusPicos(listed[report] ?? 0, part.cost ?? 0);
    parts[report] = (parts[report] ?? 0) + 1;
    const { stream, time } = message;
    if (stream && time !== null && time > (by.latest ?? '')) by.latest = time;
  }
  const { beyond, clean } = spreadTokens(left);
  const money = costModes[pricing.mode]({ reported, entries, price, listed, left, beyond });
  const { source, unpriced } = money;
  // One unit per result if each covers its own messages, else one unit for all.
  const all: Unit = { parts: parts.reduce((sum, count) => sum + count, 0), source, unpriced };
  const units = parts.map((count): Unit | null => {
    if (source === 'unpriced') return null;
    return clean && money.clean ? { parts: count, source, unpriced } : all;
  });
  for (const [at, { models, left: rests }] of spent.entries()) {
    const tokens = left[at];
    if (tokens === undefined || !models.has(key)) continue;
    const cost = money.left[at] ?? null;
    const source = cost === null ? 'unpriced' : money.leftSource(tokens);
    rests.set(key, { tokens, cost, source, unit: units[at] ?? null });
  }
  for (const part of entries) {
    part.unit = units[part.report] ?? null;
    visit(part);
  }
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
  /** What the messages of each report cost at the price table. */
  readonly listed: readonly Picos[];
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
function asReported({ reported, entries, price, listed, beyond }: Figures): Money {
  const differences = reported.map(({ cost }, at) => minusPicos(cost ?? 0, listed[at] ?? 0));
  const extra = baseCost(price, beyond) ?? 0;
  const last = reported.findLastIndex((model) => model !== nothingSpent);
  differences[last] = plusPicos(differences[last] ?? 0, extra);
  const word = sourceOf(reported);
  const common = {
    leftSource: () => word,
    source:
      isNothing(beyond) || word === 'guess'
        ? word
        : entries.every(({ message }) => message.final)
          ? 'calculated'
          : 'lower_bound',
    unpriced: price === null ? totalOf(beyond) : 0,
  } as const;
  const found = spread(differences);
  if (found.beyond <= 0) return { ...common, left: found.left, clean: found.clean };
  // An older version had lower prices, so each message takes its share of what was paid.
  const paid = reported.reduce<Picos>((sum, { cost }) => plusPicos(sum, cost ?? 0), extra);
  const whole = BigInt(plusPicos(paid, found.beyond));
  let rest = paid;
  for (const part of entries) {
    if (part.cost === null) continue;
    part.cost = (BigInt(part.cost) * BigInt(paid)) / whole;
    rest = minusPicos(rest, part.cost);
  }
  return { ...common, left: reported.map((_, at) => (at === last ? rest : 0)), clean: false };
}

function sourceOf(reported: readonly ModelSpent[]): CostSource {
  return reported.some(({ guess }) => guess) ? 'guess' : 'reported';
}

function baseCost(price: ModelPrice | null, tokens: Tokens): number | null {
  if (isNothing(tokens)) return 0;
  return price === null ? null : baseCostOf(price, tokens);
}

/**
 * The surplus of one account over another, step by step. What one step lacks is taken from the steps before, because a
 * message may stream before a result that does not count it yet.
 */
interface Spread {
  /** Never negative. The sum is the final surplus of the first account. */
  readonly left: readonly Picos[];
  /** The final surplus of the second account. */
  readonly beyond: Picos;
  /** No step lacks anything. */
  readonly clean: boolean;
}

function spread(differences: readonly Picos[]): Spread {
  if (differences.every((difference) => difference >= 0)) return { left: differences, beyond: 0, clean: true };
  let total: Picos = 0;
  const sums = differences.map((difference) => {
    total = plusPicos(total, difference);
    return total;
  });
  const left = [...differences];
  let next = atLeastZero(total);
  for (let at = differences.length - 1; at >= 0; at--) {
    const sum = atLeastZero(sums[at - 1] ?? 0);
    const before = sum < next ? sum : next;
    left[at] = minusPicos(next, before);
    next = before;
  }
  return { left, beyond: atLeastZero(minusPicos(0, total)), clean: false };
}

/** The same for tokens, counter by counter: `left` has the differences, and then what is left. */
function spreadTokens(left: readonly Tally[]) {
  const beyond = noTokens();
  let clean = true;
  let long = 0;
  // Versions that report cache writes without a split count all of them as short. Messages know which were long.
  for (const tokens of left) {
    long += tokens.cache_write_1h_tokens;
    tokens.cache_write_5m_tokens += tokens.cache_write_1h_tokens;
  }
  for (const field of counters) {
    if (left.every((tokens) => tokens[field] >= 0)) continue;
    const found = spread(left.map((tokens) => tokens[field]));
    for (const [at, tokens] of left.entries()) tokens[field] = Number(found.left[at]);
    beyond[field] = Number(found.beyond);
    clean = false;
  }
  let longLeft = Math.max(0, long);
  for (const tokens of left) {
    const taken = Math.min(tokens.cache_write_5m_tokens, longLeft);
    longLeft -= taken;
    tokens.cache_write_1h_tokens = taken;
    tokens.cache_write_5m_tokens -= taken;
  }
  beyond.cache_write_1h_tokens = Math.min(beyond.cache_write_5m_tokens, Math.max(0, -long));
  beyond.cache_write_5m_tokens -= beyond.cache_write_1h_tokens;
  return { beyond, clean };
}

/** All writes are counted as short while they are spread. */
const counters = [
  ...(['input_tokens', 'output_tokens', 'cache_write_5m_tokens'] as const),
  ...(['cache_read_tokens', 'web_search_requests'] as const),
] as const;

function atLeastZero(amount: Picos): Picos {
  return amount < 0 ? 0 : amount;
}
