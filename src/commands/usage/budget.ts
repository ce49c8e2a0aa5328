// Watches the budget of a live stream: raises an alarm when a limit is passed.
import type { Event } from '../../core/event/event.js';
import type { Tokens } from '../../core/event/usage-row.js';
import { modelKey } from '../../core/prices/models.js';
import { baseCostOf, costOf, type ModelPrice, type PriceBook } from '../../core/prices/prices.js';
import { getOrCreate } from '../../core/record/json.js';
import type { AgentsState } from '../../core/state/agents.js';
import { resolveAgent } from '../../core/state/directory.js';

import { messageKey, type ResultUse, sessionKey, type UsageState } from './fold.js';
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
import { isUnsure } from './parts.js';
import { type Spent, SpentTracker } from './spent.js';

export interface Limits {
  readonly usd: number | null;
  readonly tokens: number | null;
  /** The limits apply to each agent separately. */
  readonly perAgent: boolean;
  /** A model without a price costs nothing, instead of raising an alarm. */
  readonly allowUnpriced: boolean;
}

export type Alarm =
  | {
      readonly kind: 'passed';
      readonly limit: 'usd' | 'tokens';
      readonly amount: number;
      readonly agent: string | null;
    }
  | { readonly kind: 'unpriced'; readonly model: string | null };

/** Takes one event after the other and returns an alarm as soon as a limit is passed. */
export function createBudget(limits: Limits, prices: PriceBook): (step: Step) => Alarm | null {
  let meter: Meter | undefined;
  return ({ event, before, after }) => {
    meter ??= meterOf(before, prices);
    if (before.usage === after.usage) return null;
    if (event.event === 'session:ended') {
      const result = newResult(before.usage, after.usage, sessionKey(event.session_id));
      if (result !== undefined) meter.result(event.session_id, result);
      return limits.perAgent ? null : passed(limits, meter.total, null);
    }
    if (event.event !== 'usage:recorded') return null;
    const key = messageKey(event);
    const message = after.usage.messages.get(key);
    if (message === undefined || isUnsure(message)) return null;
    const { agent, name } = agentOf(after.agents, message);
    const used = meter.message(before.usage.messages.get(key), message, agent);
    if (limits.usd !== null && meter.unpriced !== null && !limits.allowUnpriced)
      return { kind: 'unpriced', model: meter.unpriced };
    return limits.perAgent ? passed(limits, used, name) : passed(limits, meter.total, null);
  };
}

/** Also checks the final report, whose total decides in the end. */
export function alarmOf(limits: Limits, usd: number, tokens: number, agent: string | null): Alarm | null {
  if (limits.usd !== null && usd > limits.usd) return { kind: 'passed', limit: 'usd', amount: usd, agent };
  if (limits.tokens !== null && tokens > limits.tokens)
    return { kind: 'passed', limit: 'tokens', amount: tokens, agent };
  return null;
}

/**
 * The running total of a live stream, in constant time per record: messages at the price table until a result comes, then the
 * result and the messages after it. The report computes the same from the whole input, with more care for detail.
 */
export class Meter {
  readonly #prices: PriceBook;
  readonly #sessions = new Map<string, SessionMeter>();
  readonly #tracker = new SpentTracker();
  readonly #agents = new Map<string, Amount>();
  #total: Amount = noAmount;
  #unpriced: string | null = null;

  constructor(prices: PriceBook) {
    this.#prices = prices;
  }

  get total(): Amount {
    return this.#total;
  }

  /** The first used model that has no price. */
  get unpriced(): string | null {
    return this.#unpriced;
  }

  /** Adds a message, or what is new in it, and returns what its agent has used so far. */
  message(before: MessageUse | undefined, message: MessageUse, agent: string): Amount {
    const { session_id, model } = message.origin;
    const session = this.#session(session_id);
    const line = this.#line(session, model === null ? '' : modelKey(model), model);
    if (line.price === null && totalOf(message) > 0) this.#unpriced ??= model ?? 'one without a name';
    const more = minusTokens(message, before ?? noTokens());
    const picos = messageCost(line.price, message) - (before === undefined ? 0 : messageCost(line.price, before));
    this.#change([line], () => {
      // The reports of a session include its transcripts.
      const isOpen = message.stream || session.named === null;
      addTokens(isOpen ? line.open : line.held, more);
      if (isOpen) line.openPicos += picos;
    });
    const used = plus(this.#agents.get(agent) ?? noAmount, { picos, tokens: totalOf(more) });
    this.#agents.set(agent, used);
    return used;
  }

  result(session_id: string | null, result: ResultUse): void {
    const session = this.#session(session_id);
    session.named ??= result.models.size > 0;
    const hints = { named: session.named, base: null, main: null };
    const spent = this.#tracker.next(sessionKey(session_id), result, hints);
    if (spent === null) return;
    for (const model of spent.models.keys()) this.#line(session, model, model);
    this.#change([...session.lines.values()], () => holdOpen(session, spent));
  }

  #session(id: string | null): SessionMeter {
    return getOrCreate(this.#sessions, sessionKey(id), () => ({ named: null, lines: new Map() }));
  }

  #line({ lines }: SessionMeter, key: string, model: string | null): Line {
    return getOrCreate(lines, key, () => newLine(this.#prices.priceOf(model)));
  }

  #change(lines: readonly Line[], change: () => void): void {
    const before = lines.map(amountOf).reduce(plus, noAmount);
    change();
    const after = lines.map(amountOf).reduce(plus, this.#total);
    this.#total = { picos: after.picos - before.picos, tokens: after.tokens - before.tokens };
  }
}

interface Known {
  readonly usage: UsageState;
  readonly agents: AgentsState;
}

/** One event, with the state before and after it. */
interface Step {
  readonly event: Event;
  readonly before: Known;
  readonly after: Known;
}

/** The usage of an earlier run counts too. */
function meterOf({ usage, agents }: Known, prices: PriceBook): Meter {
  const meter = new Meter(prices);
  const counted = usage.messages.values().filter((message) => !isUnsure(message));
  const messages = counted.map((message) => ({
    place: message.place,
    count: () => void meter.message(undefined, message, agentOf(agents, message).agent),
  }));
  const results = usage.sessions.values().flatMap(({ session_id, results }) => {
    const own = results.values().filter(({ state }) => !state);
    return own.map((result) => ({ place: result.place, count: () => meter.result(session_id, result) }));
  });
  for (const { count } of [...messages, ...results].sort((a, b) => a.place - b.place)) count();
  return meter;
}

/** Each agent of each session has its own budget. */
function agentOf(agents: AgentsState, { origin }: MessageUse) {
  const { agent, name } = resolveAgent(agents, origin, origin.agent);
  return { agent: `${origin.session_id} ${agent}`, name };
}

function newResult(before: UsageState, after: UsageState, session: string): ResultUse | undefined {
  const known = before.sessions.get(session)?.results.size ?? 0;
  const results = after.sessions.get(session)?.results;
  return results === undefined || results.size === known ? undefined : results.values().at(-1);
}

function passed(limits: Limits, { picos, tokens }: Amount, agent: string | null): Alarm | null {
  return alarmOf(limits, Math.round(picos) / 1e12, tokens, agent);
}

interface Amount {
  readonly picos: number;
  readonly tokens: number;
}

const noAmount: Amount = { picos: 0, tokens: 0 };

function plus(a: Amount, b: Amount): Amount {
  return { picos: a.picos + b.picos, tokens: a.tokens + b.tokens };
}

interface SessionMeter {
  /** Whether its first result names models; null before it. */
  named: boolean | null;
  readonly lines: Map<string, Line>;
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

/** Like the report: a model that no result names joins the only reported model that has room for it. */
function hostOf(line: Line, nameless: Line | undefined, hosts: readonly Line[]): Line {
  if (nameless !== undefined) return nameless;
  if (hosts.includes(line)) return line;
  const [host, ...others] = hosts.filter(({ reported, held }) => covers(minusTokens(reported, held), line.open));
  return host === undefined || others.length > 0 ? line : host;
}

function amountOf({ price, reported, reportedPicos, held, open, openPicos }: Line): Amount {
  // Like the report, compares cache writes as one sum: a program may report them without their split.
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
