import type { Event } from '../event/event.js';
import { usdOf } from '../prices/money.js';
import type { PriceBook } from '../prices/price-book.js';
import { type AgentsState, resolveAgent } from '../state/agents.js';
import { messageKey, sessionKey, type UsageState } from '../state/usage/usage.js';
import { type Amount, Meter } from './usage-meter.js';
import { isUnsure } from './usage-part.js';

export interface Limits {
  readonly usd: number | null;
  readonly tokens: number | null;
  /** For each agent by itself. */
  readonly perAgent: boolean;
  /** A model without a price counts as nothing instead of refusing. */
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

interface Known {
  readonly usage: UsageState;
  readonly agents: AgentsState;
}

/** One event, and what was known before and after it. */
export interface Step {
  readonly event: Event;
  readonly before: Known;
  readonly after: Known;
}

/** Watches a budget record by record: an alarm as soon as there is reason for one. */
export function createBudget(limits: Limits, prices: PriceBook): (step: Step) => Alarm | null {
  let meter: Meter | undefined;
  return ({ event, before, after }) => {
    meter ??= meterOf(before, prices);
    if (before.usage === after.usage) return null;
    if (event.event === 'session:ended') {
      const result = newResult(before.usage, after.usage, event.session_id);
      if (result !== undefined) meter.result(event.session_id, result);
      return limits.perAgent ? null : passed(limits, meter.total, null);
    }
    if (event.event !== 'usage:recorded') return null;
    const key = messageKey(event);
    const message = after.usage.messages.get(key);
    if (message === undefined || isUnsure(message)) return null;
    const { agent, name } = resolveAgent(after.agents, message.origin, message.origin.agent);
    const known = before.usage.messages.get(key);
    const used = meter.message(known, message, `${message.origin.session_id} ${agent}`);
    if (limits.usd !== null && meter.unpriced !== null && !limits.allowUnpriced)
      return { kind: 'unpriced', model: meter.unpriced };
    return limits.perAgent ? passed(limits, used, name) : passed(limits, meter.total, null);
  };
}

/** What an earlier run has used counts too. */
function meterOf({ usage, agents }: Known, prices: PriceBook): Meter {
  const meter = new Meter(prices);
  const counted = usage.messages.values().filter((message) => !isUnsure(message));
  const messages = counted.map((message) => ({
    place: message.place,
    count: () => {
      const { agent } = resolveAgent(agents, message.origin, message.origin.agent);
      meter.message(undefined, message, `${message.origin.session_id} ${agent}`);
    },
  }));
  const results = usage.sessions.values().flatMap(({ session_id, results }) =>
    results
      .values()
      .filter(({ state }) => !state)
      .map((result) => ({ place: result.place, count: () => meter.result(session_id, result) })),
  );
  for (const { count } of [...messages, ...results].sort((a, b) => a.place - b.place)) count();
  return meter;
}

function newResult(before: UsageState, after: UsageState, session_id: string | null) {
  if (before === after) return undefined;
  const known = before.sessions.get(sessionKey(session_id))?.results.size ?? 0;
  const results = after.sessions.get(sessionKey(session_id))?.results;
  return results === undefined || results.size === known ? undefined : results.values().at(-1);
}

function passed(limits: Limits, { picos, tokens }: Amount, agent: string | null): Alarm | null {
  return alarmOf(limits, usdOf(BigInt(Math.round(picos))), tokens, agent);
}

/** Also for the report itself: what it adds up to is what counts in the end. */
export function alarmOf(limits: Limits, usd: number, tokens: number, agent: string | null): Alarm | null {
  if (limits.usd !== null && usd > limits.usd) return { kind: 'passed', limit: 'usd', amount: usd, agent };
  if (limits.tokens !== null && tokens > limits.tokens)
    return { kind: 'passed', limit: 'tokens', amount: tokens, agent };
  return null;
}
