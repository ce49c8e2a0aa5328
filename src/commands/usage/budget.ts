// Watches the budget of a live stream, and raises an alarm at the record that exceeds a limit.
import type { Event, EventMap } from '../../core/event/event.js';
import { baseCostOf, costOf, type ModelPrice, type PriceBook, picosOf } from '../../core/prices/prices.js';
import { getOrCreate } from '../../core/record/json.js';
import type { AgentsState } from '../../core/tables/agents.js';
import { resolveAgent } from '../../core/tables/directory.js';
import { memoizeLast } from '../../core/tables/order.js';
import { versionOf } from '../../core/tables/table.js';
import { type MessageUse, totalOf } from '../../core/tables/usage/messages.js';
import { messageKey, type ResultUse, sessionKey, type UsageState } from '../../core/tables/usage/usage.js';
import { compact, money, thousands, visibleName } from '../../view/text.js';
import { type Amount, Estimates, growth, noAmount, plus } from './estimates.js';
import { saysUsage, type UsageChoice } from './grouping.js';
import { isUnsure, type Mode, type Part, visitParts } from './parts.js';
import { type ModelSpent, noHints, SpentTracker } from './spent.js';

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
  /** Takes each event, before and after it changes the tables. */
  before(event: Event, state: Known): void;
  after(event: Event, state: Known): Alarm | null;
  /** Checks everything once more, including what only the whole input shows: rows read back, cost-state rows. */
  end(state: Known): Alarm | null;
  /** How much of the limits is used, and when they will be reached: `$0.19 of $5.00`, `at this pace 14 min`. */
  standing(state: Known, elapsed: number): readonly string[];
  /** The models without a price that counted as free. */
  readonly unpriced: ReadonlySet<string>;
  /** Whether anything was counted. */
  readonly isWatching: boolean;
}

export function isLimited({ usd, tokens }: Limits): boolean {
  return usd !== null || tokens !== null;
}

/** The message for an alarm. `place` says where it happened and what was done: ` at line 4; reading stopped`. */
export function alarmText(alarm: Alarm, limits: Limits, place: string): string {
  if (alarm.kind === 'unpriced')
    return `--max-usd ${limits.usd}: no price for ${visibleName(alarm.model)}${place}; add a price with --prices, or use --allow-unpriced to count it as $0`;
  const flag = alarm.limit === 'usd' ? `--max-usd ${limits.usd}` : `--max-tokens ${limits.tokens}`;
  const amount = alarm.limit === 'usd' ? money(alarm.amount, 4) : `${thousands(alarm.amount)} tokens`;
  const who = alarm.agent === null ? '' : `${visibleName(alarm.agent)} `;
  return `${who}passed ${flag} with ${alarm.atLeast ? 'at least ' : ''}${amount}${alarm.estimated ? ' (estimated)' : ''}${place}`;
}

interface Known {
  readonly usage: UsageState;
  readonly agents: AgentsState;
}

/** Everything is added up only when an upper bound passes a limit, which is seldom a false alarm. */
export function createBudget(limits: Limits, prices: PriceBook, choice: BudgetChoice = {}): Budget {
  const { session = () => null, team = null, includes, mode } = choice;
  const mayMove = limits.perAgent || team !== null;
  const estimates = new Estimates();
  const reports = new SpentTracker();
  const unpriced = new Set<string>();
  /** At most what each agent has spent, or all together if the agents have no limits of their own. */
  let bounds = new Map<string, Amount>();
  /** At most what was spent, whatever the limits apply to. */
  let most: Amount | null = null;
  /** Agents or teams changed, so usage of one may now belong to another. */
  let hasMoved = false;
  let isWatching = false;
  /** Estimates change without the tables. */
  let noted = 0;
  /** What was known before the event. */
  let known: Before = { agents: 0, results: 0, message: undefined };
  let first: Pace | null = null;

  const spenderKey = (agent: string | null) => (limits.perAgent ? (agent ?? nobody) : '');
  const isPassed = (amount: Amount) => alarmOf(limits, amount, certain) !== null;
  // Usage that belongs to no session is selected.
  const isHere = (at: string | null, teamOf: () => string | null, time: string | null) =>
    (at === null || (at === (session() ?? at) && (team === null || teamOf() === team))) && (includes?.(time) ?? true);
  const selects = ({ agents }: Known, { origin, time }: MessageUse) =>
    isHere(origin.session_id, () => resolveAgent(agents, origin, origin.agent).team, time);

  /** Adds up what the limits apply to, by agent if each agent has a limit. This takes time. */
  function measure({ usage, agents }: Known) {
    const sums = new Map<string, Sum>();
    let priceless: string | null = null;
    const sumOf = (agent: string | null, name: string | null) =>
      getOrCreate(sums, spenderKey(agent), () => newSum(limits.perAgent ? (name ?? agent ?? 'unattributed') : null));
    const whole = newSum(null);
    visitParts({ usage, agents, prices, mode }, false, (part) => {
      add(whole, part);
      if (!isHere(part.session_id, () => part.who.team, part.time)) return;
      add(sumOf(part.who.agent, part.who.name), part);
      if (part.cost === null && totalOf(part.tokens) > 0) priceless ??= modelName(part.model);
    });
    for (const [key, amount] of estimates.pending()) {
      const message = usage.messages.get(key);
      if (message === undefined || amount.tokens === 0) continue;
      whole.estimated = plus(whole.estimated, amount);
      if (!selects({ usage, agents }, message)) continue;
      const { agent, name } = resolveAgent(agents, message.origin, message.origin.agent);
      const sum = sumOf(agent, name);
      sum.estimated = plus(sum.estimated, amount);
    }
    return { sums, priceless, whole };
  }
  const spentIn = memoizeLast((usage: UsageState, agents: AgentsState, _noted: number) => [
    ...measure({ usage, agents }).sums.values(),
  ]);

  function newAlarm(state: Known): Alarm | null {
    const { sums, priceless, whole } = measure(state);
    bounds = new Map([...sums].map(([key, sum]) => [key, amountOf(sum)]));
    most = amountOf(whole);
    hasMoved = false;
    if (limits.usd !== null && priceless !== null && !limits.allowUnpriced)
      return { kind: 'unpriced', model: priceless };
    for (const sum of sums.values()) {
      const { agent, isCertain } = sum;
      const estimated = sum.estimated.tokens > 0;
      const alarm = alarmOf(limits, amountOf(sum), { agent, estimated, atLeast: estimated || !isCertain });
      if (alarm !== null) return alarm;
    }
    return null;
  }

  /** Something of this agent grew by at most this much. */
  function grow(state: Known, agent: string, by: Amount): Alarm | null {
    const bound = plus(bounds.get(spenderKey(agent)) ?? noAmount, by);
    bounds.set(spenderKey(agent), bound);
    return isPassed(hasMoved ? (most ?? bound) : bound) ? newAlarm(state) : null;
  }

  return {
    unpriced,
    get isWatching() {
      return isWatching;
    },
    before(event, state) {
      // The usage of an earlier run counts too.
      if (most === null) newAlarm(state);
      known = {
        agents: mayMove ? versionOf(state.agents) : 0,
        results: event.event === 'session:ended' ? resultsIn(state.usage, event.session_id).length : 0,
        message: event.event === 'usage:recorded' ? messageOf(state.usage, event) : undefined,
      };
    },
    after(event, after) {
      noted++;
      estimates.note(event);
      if (mayMove && known.agents !== versionOf(after.agents)) hasMoved = true;
      if (event.event === 'session:ended') {
        const results = resultsIn(after.usage, event.session_id);
        const result = results.length === known.results ? undefined : results.at(-1);
        if (result === undefined) return null;
        isWatching ||= saysUsage(result);
        estimates.reported(event.session_id);
        const hints = noHints(result.models.size > 0);
        const spent = reports.next({ session: sessionKey(event.session_id), result, hints });
        const by = [...(spent?.models ?? [])].map(([model, usage]) => reportedAmount(usage, prices.priceOf(model)));
        const sum = by.reduce(plus, noAmount);
        most = plus(most ?? noAmount, sum);
        return grow(after, nobody, sum);
      }
      if (event.event !== 'usage:recorded') return null;
      const message = messageOf(after.usage, event);
      if (message === undefined || isUnsure(message)) return null;
      isWatching = true;
      const { origin } = message;
      const price = prices.priceOf(origin.model);
      const more = growthOf(known.message, message, price);
      const by = plus(more, estimates.message(message, event, price));
      most = plus(most ?? noAmount, by);
      if (!selects(after, message)) return null;
      if (limits.usd !== null && totalOf(message) > 0 && price === null && message.said_usd === null) {
        if (!limits.allowUnpriced) return { kind: 'unpriced', model: modelName(origin.model) };
        unpriced.add(modelName(origin.model));
      }
      return grow(after, resolveAgent(after.agents, origin, origin.agent).agent, by);
    },
    end: newAlarm,
    standing(state, elapsed) {
      const spent = spentIn(state.usage, state.agents, noted);
      const uses = (spent.length === 0 ? [newSum(null)] : spent).flatMap((one) => usesOf(limits, one));
      const used = uses.reduce((a, b) => (b.share > a.share ? b : a));
      if (used.share > 0) first ??= { elapsed, share: used.share };
      // If each agent has a limit, shows the one who has used most of it.
      const shown = limits.perAgent ? [used] : uses;
      return [...shown.map(({ text }) => text), ...forecast(first, { elapsed, share: used.share })];
    },
  };
}

/** The key of usage that belongs to no agent. */
const nobody = ' ';

interface Use {
  readonly share: number;
  readonly text: string;
}

function usesOf({ usd, tokens }: Limits, sum: Sum): Use[] {
  const { agent, estimated } = sum;
  const amount = amountOf(sum);
  const dollars = amount.picos / 1e12;
  const who = agent === null ? '' : `${visibleName(agent)} `;
  const how = estimated.tokens > 0 ? ' (estimated)' : '';
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
const certain: How = { agent: null, estimated: false, atLeast: false };

function alarmOf(limits: Limits, { picos, tokens }: Amount, how: How): Alarm | null {
  const usd = Math.round(picos) / 1e12;
  if (limits.usd !== null && usd > limits.usd) return { kind: 'passed', limit: 'usd', amount: usd, ...how };
  if (limits.tokens !== null && tokens > limits.tokens)
    return { kind: 'passed', limit: 'tokens', amount: tokens, ...how };
  return null;
}

/** What a message adds at the price table. */
function growthOf(before: MessageUse | undefined, message: MessageUse, price: ModelPrice | null): Amount {
  return growth(before === undefined ? noAmount : listed(before, price), listed(message, price));
}

function listed(message: MessageUse, price: ModelPrice | null): Amount {
  const { origin, said_usd } = message;
  const listed = price === null ? 0 : costOf(price, message, origin);
  return { picos: said_usd === null ? listed : picosOf(said_usd), tokens: totalOf(message) };
}

function reportedAmount(usage: ModelSpent, price: ModelPrice | null): Amount {
  const picos = usage.cost ?? (price === null ? 0 : baseCostOf(price, usage));
  return { picos: Number(picos), tokens: totalOf(usage) };
}

function modelName(model: string | null): string {
  return model ?? 'a model without a name';
}

interface Before {
  /** The version of the agents. */
  readonly agents: number;
  /** How many results the session of the event had. */
  readonly results: number;
  readonly message: MessageUse | undefined;
}

function resultsIn({ sessions }: UsageState, session_id: string | null): ResultUse[] {
  return sessions.get(sessionKey(session_id))?.results.values() ?? [];
}

function messageOf({ ends, messages }: UsageState, event: EventMap['usage:recorded']): MessageUse | undefined {
  const key = messageKey(event);
  return messages.get(ends.get(key) ?? key);
}
