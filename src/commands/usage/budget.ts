// Watches the budget of a live stream, and raises an alarm at the record that exceeds a limit.
import type { Event } from '../../core/event/event.js';
import type { PriceBook } from '../../core/prices/prices.js';
import { getOrCreate } from '../../core/record/json.js';
import type { AgentsState } from '../../core/state/agents.js';
import { resolveAgent } from '../../core/state/directory.js';
import { memoizeLast } from '../../core/state/order.js';
import { compact, money, thousands, visibleName } from '../../view/text.js';
import { messageKey, type ResultUse, sessionKey, type UsageState } from './fold.js';
import type { UsageChoice } from './grouping.js';
import { type MessageUse, totalOf } from './message-use.js';
import { type Amount, bytesOf, Meter, noAmount, plus } from './meter.js';
import { isUnsure, type Mode, type Part, visitParts } from './parts.js';

export interface Limits {
  readonly usd: number | null;
  readonly tokens: number | null;
  /** The limits apply to each agent separately. */
  readonly perAgent: boolean;
  /** A model without a price counts as free instead of raising an alarm. */
  readonly allowUnpriced: boolean;
}

export type Alarm =
  | {
      readonly kind: 'passed';
      readonly limit: 'usd' | 'tokens';
      readonly amount: number;
      /** Whose limit it is; null for the limit of all agents together. */
      readonly agent: string | null;
      /** Part of it is estimated from the length of the content. */
      readonly estimated: boolean;
      /** There may be more that no record shows: helper calls, agents that do not stream, hidden thinking. */
      readonly atLeast: boolean;
    }
  | { readonly kind: 'unpriced'; readonly model: string };

/** What the limits apply to; everything if nothing is chosen. */
export interface BudgetChoice extends Pick<UsageChoice, 'team' | 'includes'> {
  /** A function, because it may be known only after the session was read. */
  readonly session?: () => string | null;
  readonly mode?: Mode | undefined;
}

export interface Budget {
  /** Takes one event after the other. */
  next(step: Step): Alarm | null;
  /** Checks everything once more, including what only the whole input shows: rows read back, cost-state rows. */
  end(state: Known): Alarm | null;
  /** How much of the limits is used, and when they will be reached: `$0.19 of $5.00`, `at this pace 14 min`. */
  standing(state: Known, elapsed: number): readonly string[];
  /** The models without a price that counted as free. */
  readonly unpriced: ReadonlySet<string>;
  /** Whether anything was counted. */
  readonly isWatching: boolean;
}

/** Estimates need the length of what a message says. Nothing else needs these events. */
export const contentEvents = ['text:produced', 'thinking:produced', 'tool:called'] as const;

export function isLimited({ usd, tokens }: Limits): boolean {
  return usd !== null || tokens !== null;
}

/** The message for an alarm. `place` says where it happened and what was done: ` at line 4; reading stopped`. */
export function alarmText(alarm: Alarm, limits: Limits, place: string): string {
  if (alarm.kind === 'unpriced')
    return `--max-usd ${limits.usd}: no price for ${visibleName(alarm.model)}${place}; add a price with --prices, or use --allow-unpriced to count it as $0`;
  const flag = alarm.limit === 'usd' ? `--max-usd ${limits.usd}` : `--max-tokens ${limits.tokens}`;
  const amount = alarm.limit === 'usd' ? money(alarm.amount) : `${thousands(alarm.amount)} tokens`;
  const who = alarm.agent === null ? '' : `${visibleName(alarm.agent)} `;
  return `${who}passed ${flag} with ${alarm.atLeast ? 'at least ' : ''}${amount}${alarm.estimated ? ' (estimated)' : ''}${place}`;
}

/** One event, with the state before and after it. */
export interface Step {
  readonly event: Event;
  readonly before: Known;
  readonly after: Known;
}

interface Known {
  readonly usage: UsageState;
  readonly agents: AgentsState;
}

export function createBudget(limits: Limits, prices: PriceBook, choice: BudgetChoice = {}): Budget {
  const { session = anySession, team = null, includes, mode = 'auto' } = choice;
  const isWhole = session() === null && team === null && includes === undefined && mode === 'auto' && !limits.perAgent;
  const mayMove = limits.perAgent || team !== null;
  const lengths = new Lengths();
  const unpriced = new Set<string>();
  const view = createView(limits, prices, choice);
  let meter: Meter | undefined;
  let isWatching = false;
  let first: Pace | null = null;

  /** The first alarm for what the limits apply to. */
  function check(state: Known, at: Meter, who: string, grown: Amount): Alarm | null {
    if (!isWhole) return view.grow(who, grown) ? view.look(state, at) : null;
    const how = () => ({ agent: null, estimated: at.isEstimated, atLeast: !at.isReported });
    return alarmOf(limits, at.total, how);
  }

  return {
    unpriced,
    get isWatching() {
      return isWatching;
    },
    next({ event, before, after }) {
      if (meter === undefined) {
        meter = meterOf(before, prices);
        view.doubt(meter.total);
      }
      lengths.note(event);
      if (mayMove && before.agents !== after.agents) view.doubt(meter.total);
      if (event.event === 'session:ended') {
        const result = newResult(before.usage, after.usage, sessionKey(event.session_id));
        if (result === undefined) return null;
        isWatching = true;
        return check(after, meter, nobody, meter.result(event.session_id, result));
      }
      if (event.event !== 'usage:recorded') return null;
      const said = messageKey(event);
      const key = after.usage.ends.get(said) ?? said;
      const message = after.usage.messages.get(key);
      if (message === undefined || isUnsure(message)) return null;
      isWatching = true;
      const grown = meter.message(before.usage.messages.get(key), message, lengths.of(message, event));
      if (!isWhole && !view.selects(after, message)) return null;
      const model = message.origin.model ?? 'a model without a name';
      if (limits.usd !== null && totalOf(message) > 0 && meter.priceOf(message) === null) {
        if (!limits.allowUnpriced) return { kind: 'unpriced', model };
        unpriced.add(model);
      }
      return check(after, meter, agentOf(after.agents, message), grown);
    },
    end: (state) => view.look(state, meter ?? meterOf(state, prices)),
    standing(state, elapsed) {
      const at = meter ?? meterOf(state, prices);
      const whole = { agent: null, amount: at.total, isEstimated: at.isEstimated };
      const spent = isWhole ? [whole] : view.spent(state, at);
      const uses = (spent.length === 0 ? [nothing] : spent).flatMap((one) => usesOf(limits, one));
      const most = uses.reduce((a, b) => (b.share > a.share ? b : a));
      if (most.share > 0) first ??= { elapsed, share: most.share };
      // If each agent has a limit, shows the one who has used most of it.
      const shown = limits.perAgent ? [most] : uses;
      return [...shown.map(({ text }) => text), ...forecast(first, { elapsed, share: most.share })];
    },
  };
}

const anySession = () => null;
const nothing: Spent = { agent: null, amount: noAmount, isEstimated: false };

interface Use {
  readonly share: number;
  readonly text: string;
}

function usesOf({ usd, tokens }: Limits, { agent, amount, isEstimated }: Spent): Use[] {
  const dollars = amount.picos / 1e12;
  const who = agent === null ? '' : `${visibleName(agent)} `;
  const how = isEstimated ? ' (estimated)' : '';
  const decimals = usd !== null && usd < 1 ? 4 : 2;
  return [
    ...(usd === null
      ? []
      : [{ share: dollars / usd, text: `${who}${money(dollars, decimals)} of ${money(usd, decimals)}${how}` }]),
    ...(tokens === null
      ? []
      : [
          { share: amount.tokens / tokens, text: `${who}${compact(amount.tokens)} of ${compact(tokens)} tokens${how}` },
        ]),
  ];
}

/** The share of a limit that was used at some time. */
interface Pace {
  readonly elapsed: number;
  readonly share: number;
}

/**
 * Leaves out the first message: it pays for the prompt that later messages read from the cache. Too little time or
 * spending gives no forecast.
 */
function forecast(first: Pace | null, now: Pace): string[] {
  if (first === null || now.elapsed - first.elapsed < 10_000 || now.share <= first.share || now.share >= 1) return [];
  const minutes = ((1 - now.share) * (now.elapsed - first.elapsed)) / (now.share - first.share) / 60_000;
  const left =
    minutes < 1
      ? `${Math.ceil(minutes * 60)} s`
      : minutes < 90
        ? `${Math.round(minutes)} min`
        : `${Math.round(minutes / 60)} h`;
  return [`at this pace ${left}`];
}

/** The key of usage that belongs to no agent. */
const nobody = ' ';

function agentOf(agents: AgentsState, { origin }: MessageUse): string {
  return resolveAgent(agents, origin, origin.agent).agent;
}

/** What the limits apply to, if that is not simply everything. */
interface View {
  selects(state: Known, message: MessageUse): boolean;
  /** Something grew by at most this much. Returns true if a limit may now be exceeded. */
  grow(who: string, by: Amount): boolean;
  /** Agents or teams changed, so usage of one may now belong to another, at most `total`. */
  doubt(total: Amount): void;
  /** Adds up what is selected, which takes time. */
  look(state: Known, meter: Meter): Alarm | null;
  /** The sums; by agent if each agent has a limit. */
  spent(state: Known, meter: Meter): readonly Spent[];
}

interface Spent {
  readonly agent: string | null;
  readonly amount: Amount;
  readonly isEstimated: boolean;
}

/** Everything is added up only when an upper bound exceeds a limit, which is seldom a false alarm. */
function createView(limits: Limits, prices: PriceBook, choice: BudgetChoice): View {
  const { session = anySession, team = null, includes, mode } = choice;
  let bounds = new Map<string, Amount>();
  let all: Amount | null = null;
  const isPassed = (amount: Amount) => alarmOf(limits, amount, () => plain) !== null;
  const isHere = (at: string | null, its: string | null, time: () => boolean) => {
    const chosen = session();
    // Usage that belongs to no session is selected.
    return (
      (chosen === null || at === null || at === chosen) && (team === null || at === null || its === team) && time()
    );
  };
  const selects = ({ agents }: Known, { origin, time }: MessageUse) =>
    isHere(origin.session_id, resolveAgent(agents, origin, origin.agent).team, () => includes?.(time) ?? true);
  const keyOf = (agent: string | null) => (limits.perAgent ? (agent ?? nobody) : '');

  function sumsOf({ usage, agents }: Known, meter: Meter) {
    const sums = new Map<string, Sum>();
    let unpriced: string | null = null;
    const sumOf = (agent: string | null, name: string | null) =>
      getOrCreate(sums, keyOf(agent), () => newSum(limits.perAgent ? (name ?? agent ?? 'unattributed') : null));
    visitParts({ usage, agents, prices, mode }, { isSummed: includes === undefined }, (part) => {
      if (!isHere(part.session_id, part.who.team, () => includes?.(part.time) ?? true)) return;
      add(sumOf(part.who.agent, part.who.name), part);
      if (part.cost === null && totalOf(part.tokens) > 0) unpriced ??= part.model ?? 'a model without a name';
    });
    for (const [key, amount] of meter.estimates()) {
      const message = usage.messages.get(key);
      if (message === undefined || amount.tokens === 0 || !selects({ usage, agents }, message)) continue;
      const { agent, name } = resolveAgent(agents, message.origin, message.origin.agent);
      const sum = sumOf(agent, name);
      sum.estimated = plus(sum.estimated, amount);
    }
    return { sums, unpriced };
  }

  return {
    selects,
    spent: memoizeLast((state, meter) =>
      [...sumsOf(state, meter).sums.values()].map((sum) => ({
        agent: sum.agent,
        amount: amountOf(sum),
        isEstimated: sum.estimated.tokens > 0,
      })),
    ),
    grow(who, by) {
      const key = keyOf(who);
      const bound = plus(bounds.get(key) ?? noAmount, by);
      bounds.set(key, bound);
      if (all === null) return isPassed(bound);
      all = plus(all, by);
      return isPassed(all);
    },
    doubt(total) {
      all = total;
    },
    look(state, meter) {
      const { sums, unpriced } = sumsOf(state, meter);
      bounds = new Map([...sums].map(([key, sum]) => [key, amountOf(sum)]));
      all = null;
      if (limits.usd !== null && unpriced !== null && !limits.allowUnpriced)
        return { kind: 'unpriced', model: unpriced };
      for (const sum of sums.values()) {
        const { agent, isCertain, estimated } = sum;
        const isEstimated = estimated.tokens > 0;
        const how = { agent, estimated: isEstimated, atLeast: isEstimated || !isCertain };
        const alarm = alarmOf(limits, amountOf(sum), () => how);
        if (alarm !== null) return alarm;
      }
      return null;
    },
  };
}

interface Sum {
  readonly agent: string | null;
  picos: number;
  tokens: number;
  estimated: Amount;
  /** Claude Code reported all of it. */
  isCertain: boolean;
}

function newSum(agent: string | null): Sum {
  return { agent, picos: 0, tokens: 0, estimated: noAmount, isCertain: true };
}

function add(sum: Sum, { cost, tokens, unit }: Part): void {
  sum.picos += Number(cost ?? 0);
  sum.tokens += totalOf(tokens);
  if (unit === null) sum.isCertain = false;
}

function amountOf({ picos, tokens, estimated }: Sum): Amount {
  return plus({ picos, tokens }, estimated);
}

type How = Pick<Alarm & { kind: 'passed' }, 'agent' | 'estimated' | 'atLeast'>;
const plain: How = { agent: null, estimated: false, atLeast: false };

function alarmOf(limits: Limits, { picos, tokens }: Amount, how: () => How): Alarm | null {
  const usd = Math.round(picos) / 1e12;
  if (limits.usd !== null && usd > limits.usd) return { kind: 'passed', limit: 'usd', amount: usd, ...how() };
  if (limits.tokens !== null && tokens > limits.tokens)
    return { kind: 'passed', limit: 'tokens', amount: tokens, ...how() };
  return null;
}

/** The length of the content of each message whose output count may still grow. */
class Lengths {
  readonly #bytes = new Map<string, number>();
  /** The content of a message without an id, which is in a single record. */
  #nameless = { line: -1, bytes: 0 };

  note(event: Event): void {
    const content = contentOf(event);
    if (content === null) return;
    const bytes = bytesOf(content.text);
    if (content.id !== null) this.#bytes.set(content.id, (this.#bytes.get(content.id) ?? 0) + bytes);
    else if (this.#nameless.line === event.line) this.#nameless.bytes += bytes;
    else this.#nameless = { line: event.line ?? -1, bytes };
  }

  of({ key, final, origin }: MessageUse, { line }: Event): number {
    // An attempt inside a message has no content of its own.
    if (origin.iteration !== null) return 0;
    const bytes = this.#bytes.get(key) ?? (this.#nameless.line === line ? this.#nameless.bytes : 0);
    if (final) this.#bytes.delete(key);
    return bytes;
  }
}

function contentOf(event: Event): { readonly id: string | null; readonly text: string } | null {
  switch (event.event) {
    case 'text:produced':
    case 'thinking:produced':
      return { id: event.message_id, text: event.text ?? '' };
    case 'tool:called':
      return { id: event.message_id, text: `${event.tool ?? ''}${JSON.stringify(event.input ?? null)}` };
    default:
      return null;
  }
}

/** The usage of an earlier run counts too. */
function meterOf({ usage }: Known, prices: PriceBook): Meter {
  const meter = new Meter(prices);
  const counted = usage.messages.values().filter((message) => !isUnsure(message));
  const messages = counted.map((message) => ({
    place: message.place,
    count: () => void meter.message(undefined, message),
  }));
  const results = usage.sessions.values().flatMap(({ session_id, results }) => {
    const own = results.values().filter(({ state }) => !state);
    return own.map((result) => ({ place: result.place, count: () => void meter.result(session_id, result) }));
  });
  for (const { count } of [...messages, ...results].sort((a, b) => a.place - b.place)) count();
  return meter;
}

function newResult(before: UsageState, after: UsageState, session: string): ResultUse | undefined {
  const known = before.sessions.get(session)?.results.size ?? 0;
  const results = after.sessions.get(session)?.results;
  return results === undefined || results.size === known ? undefined : results.values().at(-1);
}
