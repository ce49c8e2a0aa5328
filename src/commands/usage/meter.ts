// The running total of a live stream.
import type { Tokens } from '../../core/event/usage-row.js';
import { modelKey } from '../../core/prices/models.js';
import { baseCostOf, costOf, type ModelPrice, type PriceBook } from '../../core/prices/prices.js';
import { getOrCreate } from '../../core/record/json.js';

import { type ResultUse, sessionKey } from './fold.js';
import {
  addTokens,
  covers,
  isNothing,
  type MessageUse,
  minusTokens,
  noTokens,
  type Tally,
  totalOf,
  writesOf,
} from './message-use.js';
import { type Spent, SpentTracker } from './spent.js';

/** Money in picodollars, and tokens. */
export interface Amount {
  readonly picos: number;
  readonly tokens: number;
}

export const noAmount: Amount = { picos: 0, tokens: 0 };

export function plus(a: Amount, b: Amount): Amount {
  return { picos: a.picos + b.picos, tokens: a.tokens + b.tokens };
}

/**
 * Adds up in constant time per record: messages at the price table until a result comes, then the result and the
 * messages after it. The report computes the same from the whole input, in more detail. A message whose output count is
 * partial counts with an estimate from the length of its content, until its final count or a result comes.
 */
export class Meter {
  readonly #prices: PriceBook;
  readonly #sessions = new Map<string, SessionMeter>();
  readonly #tracker = new SpentTracker();
  readonly #estimates = new Map<string, Estimate>();
  #total: Amount = noAmount;
  #estimated: Amount = noAmount;

  constructor(prices: PriceBook) {
    this.#prices = prices;
  }

  /** Including what is estimated. */
  get total(): Amount {
    return plus(this.#total, this.#estimated);
  }

  get isEstimated(): boolean {
    return this.#estimated.tokens > 0;
  }

  /** Whether results report all of it. */
  get isReported(): boolean {
    const lines = [...this.#sessions.values()].flatMap((session) => [...session.lines.values()]);
    return !this.isEstimated && lines.every(({ open }) => isNothing(open));
  }

  /** The estimated part of each message, by its key. */
  *estimates(): Generator<[key: string, amount: Amount]> {
    for (const [key, estimate] of this.#estimates) yield [key, pendingOf(estimate)];
  }

  priceOf({ origin }: MessageUse): ModelPrice | null {
    return this.#prices.priceOf(origin.model);
  }

  /** Adds what is new in a message; returns by how much the total grew. `bytes` is the length of its content so far. */
  message(before: MessageUse | undefined, message: MessageUse, bytes = 0): Amount {
    const { session_id, model } = message.origin;
    const session = this.#session(session_id);
    const line = this.#line(session, model === null ? '' : modelKey(model), model);
    const more = minusTokens(message, before ?? noTokens());
    const picos = messageCost(line.price, message) - (before === undefined ? 0 : messageCost(line.price, before));
    const old = this.total;
    this.#change([line], () => {
      // The reports of a session include its transcripts.
      const isOpen = message.stream || session.named === null;
      addTokens(isOpen ? line.open : line.held, more);
      if (isOpen) line.openPicos += picos;
    });
    this.#estimate(session, line.price, message, bytes);
    return growth(old, this.total);
  }

  /** Returns by how much it raised what is known without estimates. */
  result(session_id: string | null, result: ResultUse): Amount {
    const session = this.#session(session_id);
    session.named ??= result.models.size > 0;
    const hints = { named: session.named, base: null, main: null };
    const spent = this.#tracker.next(sessionKey(session_id), result, hints);
    if (spent === null) return noAmount;
    for (const model of spent.models.keys()) this.#line(session, model, model);
    const old = this.#total;
    this.#change([...session.lines.values()], () => holdOpen(session, spent));
    // What was estimated is part of what the result reports.
    this.#estimated = minus(this.#estimated, session.estimated);
    session.estimated = noAmount;
    session.results += 1;
    return growth(old, this.#total);
  }

  #estimate(session: SessionMeter, price: ModelPrice | null, message: MessageUse, bytes: number): void {
    const known = this.#estimates.get(message.key);
    const missing = message.final ? 0 : Math.ceil(bytes / bytesPerToken) - message.output_tokens;
    if (missing <= 0 && known === undefined) return;
    const whole = { ...message, output_tokens: message.output_tokens + Math.max(0, missing) };
    const amount: Amount = {
      tokens: Math.max(0, missing),
      picos: messageCost(price, whole) - messageCost(price, message),
    };
    const before = known === undefined ? noAmount : pendingOf(known);
    const reported = known === undefined ? noAmount : reportedOf(known);
    const next: Estimate = { amount, reported, session, results: session.results };
    const change = minus(pendingOf(next), before);
    session.estimated = plus(session.estimated, change);
    this.#estimated = plus(this.#estimated, change);
    if (message.final) this.#estimates.delete(message.key);
    else this.#estimates.set(message.key, next);
  }

  #session(id: string | null): SessionMeter {
    return getOrCreate(this.#sessions, sessionKey(id), () => ({
      named: null,
      lines: new Map(),
      estimated: noAmount,
      results: 0,
    }));
  }

  #line({ lines }: SessionMeter, key: string, model: string | null): Line {
    return getOrCreate(lines, key, () => newLine(this.#prices.priceOf(model)));
  }

  #change(lines: readonly Line[], change: () => void): void {
    const before = lines.map(amountOf).reduce(plus, noAmount);
    change();
    this.#total = minus(lines.map(amountOf).reduce(plus, this.#total), before);
  }
}

/** A token of English or code has 3 to 4 bytes. In other languages it has fewer letters, which have more bytes. */
const bytesPerToken = 3.5;

/** The length of a text in UTF-8. */
export function bytesOf(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Each half of a surrogate pair stands for two of its four bytes.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

interface Estimate {
  /** What is missing from the message's output count. */
  readonly amount: Amount;
  /** How much of that results had already reported. */
  readonly reported: Amount;
  readonly session: SessionMeter;
  /** How many results its session had when it was made. A later result reports all of it. */
  readonly results: number;
}

function reportedOf({ amount, reported, session, results }: Estimate): Amount {
  return session.results === results ? reported : amount;
}

/** The part that no result has reported. */
function pendingOf(estimate: Estimate): Amount {
  return growth(reportedOf(estimate), estimate.amount);
}

function minus(a: Amount, b: Amount): Amount {
  return { picos: a.picos - b.picos, tokens: a.tokens - b.tokens };
}

function growth(old: Amount, now: Amount): Amount {
  return { picos: Math.max(0, now.picos - old.picos), tokens: Math.max(0, now.tokens - old.tokens) };
}

interface SessionMeter {
  /** Whether its first result names models; null before that result. */
  named: boolean | null;
  readonly lines: Map<string, Line>;
  /** The estimates of messages since its last result. */
  estimated: Amount;
  results: number;
}

/** One model of one session. */
interface Line {
  readonly price: ModelPrice | null;
  readonly reported: Tally;
  reportedPicos: number;
  /** Messages that results include. */
  readonly held: Tally;
  /** Messages since the last result. */
  readonly open: Tally;
  openPicos: number;
}

function newLine(price: ModelPrice | null): Line {
  return { price, reported: noTokens(), reportedPicos: 0, held: noTokens(), open: noTokens(), openPicos: 0 };
}

/** A result includes everything streamed before it, under any name. A result without models includes all models. */
function holdOpen({ lines }: SessionMeter, { models }: Spent): void {
  for (const [key, line] of lines) {
    const usage = models.get(key);
    if (usage === undefined) continue;
    addTokens(line.reported, usage);
    line.reportedPicos += usage.cost === null ? baseCost(line.price, usage) : Number(usage.cost);
  }
  const hosts = [...lines.values()].filter(({ reported }) => !isNothing(reported));
  for (const line of lines.values()) {
    addTokens(hostOf(line, models.has('') ? lines.get('') : undefined, hosts).held, line.open);
    Object.assign(line.open, noTokens());
    line.openPicos = 0;
  }
}

/** As in the report: a model that no result names joins the only reported model that has room for it. */
function hostOf(line: Line, nameless: Line | undefined, hosts: readonly Line[]): Line {
  if (nameless !== undefined) return nameless;
  if (hosts.includes(line)) return line;
  const [host, ...others] = hosts.filter(({ reported, held }) => covers(minusTokens(reported, held), line.open));
  return host === undefined || others.length > 0 ? line : host;
}

function amountOf({ price, reported, reportedPicos, held, open, openPicos }: Line): Amount {
  // As in the report, cache writes are compared as one sum, because some versions report them without a split.
  const writes = Math.max(0, writesOf(held) - writesOf(reported));
  const beyond = { ...minusTokens(held, reported), cache_write_5m_tokens: writes, cache_write_1h_tokens: 0 };
  return {
    picos: reportedPicos + baseCost(price, beyond) + openPicos,
    tokens: totalOf(reported) + totalOf(beyond) + totalOf(open),
  };
}

function messageCost(price: ModelPrice | null, message: MessageUse): number {
  return price === null ? 0 : costOf(price, message, message.origin);
}

function baseCost(price: ModelPrice | null, tokens: Tokens): number {
  return price === null ? 0 : baseCostOf(price, tokens);
}
