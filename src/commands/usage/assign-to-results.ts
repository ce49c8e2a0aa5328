import { getOrCreate } from '../../core/state/order.js';
import { sessionKey } from './fold.js';
import { isLead, type MessageUse } from './message-use.js';
import type { Told } from './parts.js';
import type { ResultUse } from './result-use.js';
import { addTokens, noTokens, type Spent, type Tally, writesOf } from './spent.js';

/** For each message the index of the report that accounts for it; onTop for one that nothing reported holds. */
export type Cover = readonly number[];
export const onTop = -1;

export interface Covered {
  readonly spent: readonly Spent[];
  readonly messages: readonly Told[];
  keyOf(told: Told): string;
  turnOf(message: MessageUse): number | null;
  turnOfResult(session: string, result: ResultUse): number | null;
}

/**
 * Messages of a transcript are part of what its session reported. Those of a stream are if a result of their run follows:
 * none does after the last one, and where a run was killed and the session resumed, the new one's figures do not hold them.
 * A cost-state row holds what its transcript has before it.
 */
export function coverOf(covered: Covered): Cover {
  const { messages, turnOf } = covered;
  const sessions = sessionsOf(covered);
  const cover: number[] = [];
  for (const { message } of messages) {
    const session = sessions.get(sessionKey(message.origin.session_id));
    // A session of the account that reports nothing itself is part of what the others report.
    if (session === undefined) cover.push(message.stream ? onTop : covered.spent.length - 1);
    else if (message.stream) cover.push(session.resultAfter(message.place));
    else cover.push(session.resultOfTurn(turnOf(message)) ?? session.stateHolding(message) ?? session.last);
  }
  for (const orphan of orphansOf(covered, cover)) cover[orphan] = onTop;
  messages.forEach(({ message }, at) => {
    if (!message.stream || !message.row || cover[at] !== onTop) return;
    cover[at] = sessions.get(sessionKey(message.origin.session_id))?.stateHolding(message) ?? onTop;
  });
  return cover;
}

/** In place; most messages come in their order already. */
export function sortByPlace<T extends { readonly place: number }>(list: T[]): T[] {
  for (let at = 1; at < list.length; at++)
    if ((list[at]?.place ?? 0) < (list[at - 1]?.place ?? 0)) return list.sort((a, b) => a.place - b.place);
  return list;
}

function sessionsOf({ spent, messages, turnOfResult }: Covered): ReadonlyMap<string, SessionReports> {
  const lists = new Map<string, Placed[]>();
  spent.forEach((one, at) => {
    const { place, state, said } = one.result;
    const turn = turnOfResult(one.session, one.result);
    getOrCreate(lists, one.session, () => []).push({ at, place, turn, state, time: said.time });
  });
  const sessions = new Map([...lists].map(([key, list]) => [key, new SessionReports(list)]));
  for (const { message } of messages)
    if (message.row && message.time !== null && isLead(message.origin))
      sessions.get(sessionKey(message.origin.session_id))?.spoke(message.time);
  return sessions;
}

/** A report, by its index. */
interface Placed {
  readonly at: number;
  readonly place: number;
  readonly turn: number | null;
  readonly state: boolean;
  readonly time: string | null;
}

/** The reports of one session. */
class SessionReports {
  readonly #results: readonly Placed[];
  readonly #byTurn: readonly Placed[];
  readonly #ofTurn = new Map<number, number | null>();
  /** In the order of what they say. */
  readonly #states: readonly Placed[];
  /** When the transcript goes on after the last of them. */
  #end: string | null = null;
  #next = 0;
  readonly last: number;

  constructor(list: readonly Placed[]) {
    this.#results = list.filter(({ state }) => !state).sort((a, b) => a.place - b.place);
    this.#byTurn = this.#results
      .filter(({ turn }) => turn !== null)
      .sort((a, b) => (a.turn ?? 0) - (b.turn ?? 0) || a.place - b.place);
    this.#states = list.filter(({ state }) => state);
    this.last = list.at(-1)?.at ?? onTop;
  }

  /** A message of its main conversation was written. */
  spoke(time: string): void {
    const last = this.#states.at(-1)?.time ?? null;
    if (last !== null && time > last && (this.#end === null || time < this.#end)) this.#end = time;
  }

  resultAfter(place: number): number {
    // Most messages stand before the same result as the one before them.
    if (!this.#isFirstAfter(place)) this.#next = firstAfter(this.#results, place);
    return this.#results[this.#next]?.at ?? onTop;
  }

  resultOfTurn(turn: number | null): number | null {
    if (turn === null) return null;
    return getOrCreate(this.#ofTurn, turn, () => this.#byTurn.find((result) => (result.turn ?? 0) >= turn)?.at ?? null);
  }

  /** onTop for a message after the last one; null without any. */
  stateHolding({ time }: MessageUse): number | null {
    const last = this.#states.at(-1);
    if (last === undefined) return null;
    if (time !== null && this.#end !== null && time >= this.#end) return onTop;
    return this.#states.find((state) => time !== null && state.time !== null && state.time >= time)?.at ?? last.at;
  }

  #isFirstAfter(place: number): boolean {
    const before = this.#results[this.#next - 1];
    const after = this.#results[this.#next];
    return (before === undefined || before.place < place) && (after === undefined || after.place >= place);
  }
}

function firstAfter(results: readonly Placed[], place: number): number {
  let low = 0;
  let high = results.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((results[middle]?.place ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Messages before the first result of a run that it did not send itself: going back from that result, those for which
 * its figures have no room left. Only counters that are exact while a message streams are compared.
 */
function orphansOf({ spent, messages, keyOf }: Covered, cover: Cover): number[] {
  const rooms = new Map<number, Map<string, Tally>>();
  /** Of each run the place of its first result. */
  const first = new Map<number, number>();
  for (const { result, run, models } of spent) {
    const room = getOrCreate(rooms, run, () => new Map<string, Tally>());
    for (const [key, model] of models) addTokens(getOrCreate(room, key, noTokens), model);
    if (!result.state) first.set(run, Math.min(first.get(run) ?? result.place, result.place));
  }
  const early: Early[] = [];
  for (let index = 0; index < messages.length; index++) {
    const told = messages[index];
    const by = spent[cover[index] ?? onTop];
    if (told === undefined || !told.message.stream || by === undefined) continue;
    const { message } = told;
    const room = rooms.get(by.run)?.get(keyOf(told));
    if (room === undefined) continue;
    if (by.result.place !== first.get(by.run)) take(room, message);
    else early.push({ message, room, index, place: message.place });
  }
  sortByPlace(early);
  const orphans: number[] = [];
  for (let at = early.length - 1; at >= 0; at--) {
    const one = early[at];
    if (one === undefined) continue;
    if (fits(one.room, one.message)) take(one.room, one.message);
    else orphans.push(one.index);
  }
  return orphans;
}

interface Early {
  readonly message: MessageUse;
  readonly room: Tally;
  readonly index: number;
  readonly place: number;
}

function fits(room: Tally, message: MessageUse): boolean {
  return (
    room.input_tokens >= message.input_tokens &&
    writesOf(room) >= writesOf(message) &&
    room.cache_read_tokens >= message.cache_read_tokens
  );
}

function take(room: Tally, message: MessageUse): void {
  room.input_tokens -= message.input_tokens;
  room.cache_write_5m_tokens -= message.cache_write_5m_tokens;
  room.cache_write_1h_tokens -= message.cache_write_1h_tokens;
  room.cache_read_tokens -= message.cache_read_tokens;
}
