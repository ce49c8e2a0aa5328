import type { Tokens } from '../../core/event/usage-row.js';
import { getOrCreate } from '../../core/state/order.js';
import type { ResultUse } from './result-use.js';
import {
  addTokens,
  bigPicos,
  type Cumulative,
  compareSize,
  coversAll,
  cumulativeOf,
  difference,
  isNothing,
  isSame,
  isZero,
  type ModelSpent,
  noTokens,
  nothing,
  restKey,
  type Size,
  type Spent,
  sinceOf,
  sizeOf,
  totalsKey,
} from './spent.js';

/** What is known of a session beside its reports. */
export interface SessionHints {
  /** Some result of it names its models. */
  readonly named: boolean;
  /** What its first cost-state carries over from the session it was forked from. */
  readonly base: Cumulative | null;
  /** The model of its main conversation, by modelKey. */
  readonly main: string | null;
}

export interface Report {
  readonly session: string;
  readonly result: ResultUse;
}

/**
 * What each report adds, zeroed ones left out. `modelUsage` and the cost are cumulative over a process, and over resumes and
 * forks on 2.1.325; where the program says what is new since its last result, that is taken. Reports are ordered by their
 * counters, so it does not matter in which order they were read.
 */
export function spentOf(reports: readonly Report[], hintsOf: (session: string) => SessionHints): Spent[] {
  const sized = reports.map((report) => ({ report, size: sizeOf(cumulativeOf(report.result)) }));
  const isNamed = reports.every(({ session }) => hintsOf(session).named);
  sized.sort((a, b) => (isNamed ? compareSize(a.size, b.size) : 0) || compareEqual(a.report, b.report));
  const tracker = new SpentTracker();
  const spent = sized.flatMap(
    ({ report: { session, result } }) => tracker.next(session, result, hintsOf(session)) ?? [],
  );
  return spent.sort((a, b) => a.chain - b.chain);
}

/** Of those that say the same, the one that used something comes first, and a transcript's after the results. */
function compareEqual(a: Report, b: Report): number {
  if (a.result.state !== b.result.state) return a.result.state ? 1 : -1;
  if (usedNothing(a.result) !== usedNothing(b.result)) return usedNothing(a.result) ? 1 : -1;
  const [first, second] = [a.result.said.result_index, b.result.said.result_index];
  return (first ?? 0) - (second ?? 0) || a.result.place - b.result.place;
}

function usedNothing({ said }: ResultUse): boolean {
  return said.usage !== null && isNothing(said.usage);
}

/**
 * A result that used nothing itself and says what another session's said: after /clear 2.1.140 has a new session id, but its
 * process and its figures go on.
 */
export function mayCarryOver(result: ResultUse): boolean {
  const { state, said, models } = result;
  return !state && said.num_turns === 0 && usedNothing(result) && models.size > 0 && sinceOf(result) === null;
}

/** Where a chain of reports stands. */
interface Tail {
  readonly now: Cumulative;
  readonly size: Size;
  readonly run: number;
  readonly chain: number;
}

/** A session has one chain for each of its processes, at most; made-up figures may look like any number of them. */
const mostTails = 100;

/** Works out report by report what each adds. */
export class SpentTracker {
  readonly #tails = new Map<string, Tail[]>();
  readonly #totals = new Map<string, Tail>();
  /** The number of each session's last result. */
  readonly #index = new Map<string, number | null>();
  #runs = 0;
  #chains = 0;

  /** null for a zeroed one. */
  next(session: string, result: ResultUse, hints: SessionHints): Spent | null {
    const { result_index: index } = result.said;
    const last = this.#index.get(session) ?? null;
    const follows = index !== null && last !== null && index === last + 1;
    if (!result.state) this.#index.set(session, index);
    const tails = getOrCreate(this.#tails, session, () => []);
    const fallen = hints.named ? null : lastTail(result, tails);
    const now = hints.named ? cumulativeOf(result) : namelessUsage(result, fallen?.now ?? null);
    if (isZero(now)) return null;
    const tail = hints.named ? this.#tailOf(tails, result, now) : fallen;
    const before = tail?.now ?? (tails.length === 0 && result.state ? hints.base : null);
    const since = sinceOf(result);
    // A result that is not the first, whose predecessors are not in the input, speaks for them too.
    const isWhole = since !== null && ((index ?? 0) === 0 || follows);
    const added = isWhole ? withRest(since, now, before) : before === null ? now : difference(now, before);
    const opens = index === null ? tail === null : !follows && !(index > 0 && tail !== null);
    const reached: Tail = {
      now,
      size: sizeOf(now),
      run: opens || tail === null ? this.#runs++ : tail.run,
      chain: tail?.chain ?? this.#chains++,
    };
    if (tail !== null && tails.includes(tail)) tails[tails.indexOf(tail)] = reached;
    else tails.push(reached);
    if (tails.length > mostTails) tails.shift();
    this.#totals.set(totalsKey(now), reached);
    const models = withLongWrites(added, result.said.usage, hints.main);
    return { result, session, models, run: reached.run, chain: reached.chain };
  }

  /** The chain it goes on from: of those it holds with what it used itself, the largest. */
  #tailOf(tails: readonly Tail[], result: ResultUse, now: Cumulative): Tail | null {
    if (result.said.after_reset) return null;
    let best: Tail | null = null;
    for (const tail of tails) {
      if (!isSame(now, tail.now) && !coversAll(now, tail.now, result.said.usage)) continue;
      if (best === null || compareSize(best.size, tail.size) <= 0) best = tail;
    }
    if (best !== null || tails.length > 0 || !mayCarryOver(result)) return best;
    return this.#totals.get(totalsKey(now)) ?? null;
  }
}

/** `since` has no part of what the models do not add up to; a first result may have carried it over. */
function withRest(since: Cumulative, now: Cumulative, before: Cumulative | null): Cumulative {
  const rest = now.get(restKey)?.cost ?? 0n;
  const old = before?.get(restKey)?.cost ?? 0n;
  if (rest <= old || (before === null && !isSame(now, since))) return since;
  return new Map([...since, [restKey, { ...nothing, cost: rest - old }]]);
}

/**
 * Up to 2.1.140 models are reported without the split of their cache writes. The turn's own usage has it, for the main
 * conversation.
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

/** Results that name no models, as in hand-made streams: each has the usage of its own turn, but a cost that is cumulative. */
function namelessUsage({ said }: ResultUse, before: Cumulative | null): Cumulative {
  const tally = noTokens();
  addTokens(tally, before?.get('') ?? nothing);
  if (said.usage !== null) addTokens(tally, said.usage);
  const cost = said.total_cost_usd === null ? null : bigPicos(said.total_cost_usd);
  return new Map<string, ModelSpent>([['', { ...tally, cost, guess: false }]]);
}

/** Of these only a cost that fell shows that a new process began. */
function lastTail({ said }: ResultUse, tails: readonly Tail[]): Tail | null {
  const last = tails.at(-1) ?? null;
  const old = last?.now.get('')?.cost ?? null;
  const fell = old !== null && said.total_cost_usd !== null && bigPicos(said.total_cost_usd) < old;
  return said.after_reset || fell ? null : last;
}
