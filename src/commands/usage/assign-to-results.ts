// Finds the report that accounts for each message, and the turns of both.
import { getOrCreate } from '../../core/record/json.js';
import { firstIndex } from '../../core/tables/order.js';
import {
  addTokens,
  isLead,
  type MessageUse,
  noTokens,
  type Tally,
  writesOf,
} from '../../core/tables/usage/messages.js';
import { type ResultUse, type SessionUse, sessionKey } from '../../core/tables/usage/usage.js';
import { type MessagePart, unreported } from './parts.js';
import type { Spent } from './spent.js';

/**
 * Gives each message the index of the report that accounts for it. The reports of a session include the messages of its
 * transcript. They include a message of a stream only if a result of its run follows: not after the last result, and
 * not where a run was killed and the session resumed, nor if no result has room for it. A cost-state row includes what
 * its transcript has before it.
 */
export function assignToResults(
  messages: readonly MessagePart[],
  spent: readonly Spent[],
  turnOfResult: (session: string, result: ResultUse) => number | null,
): void {
  const sessions = reportsBySession(messages, spent, turnOfResult);
  const sessionOfPart = ({ message }: MessagePart) => sessions.get(sessionKey(message.origin.session_id));
  for (const part of messages) {
    const { message, turn } = part;
    const session = sessionOfPart(part);
    // Messages of a session without reports are reported by the other sessions of the account.
    if (session === undefined) part.report = message.stream ? unreported : spent.length - 1;
    else if (message.stream) part.report = session.resultAfter(message.place);
    else part.report = session.resultOfTurn(turn) ?? session.stateHolding(message) ?? session.last;
  }
  for (const orphan of orphansOf(messages, spent)) orphan.report = unreported;
  for (const part of messages) {
    const { message } = part;
    if (message.stream && message.row && part.report === unreported)
      part.report = sessionOfPart(part)?.stateHolding(message) ?? unreported;
  }
}

export function byPlace(a: { readonly place: number }, b: { readonly place: number }): number {
  return a.place - b.place;
}

/**
 * The turn of each message of a session. In a stream it is the turn that contains the message. A message that is only
 * in an agent's file gets the turn of the main conversation's last message before it. If there are results, it gets that
 * of the next message, because a result counts everything before it, even what happened while the main conversation
 * waited.
 */
export function turnsOf(parts: readonly MessagePart[], session: SessionUse | undefined): Turns {
  const streamed = parts.some(({ message }) => message.stream && message.turn !== null);
  const isFixed = ({ origin, stream }: MessageUse) => stream || origin.who !== null || (!streamed && isLead(origin));
  const numbers = numbersOf(parts, isFixed, session?.begun ?? 0);
  const numberOf = (turn: number | null) => (turn === null ? null : (numbers?.get(turn) ?? turn));
  let moments: Moment[] | undefined;
  return {
    numberOf,
    of(message) {
      const { time, turn } = message;
      if (time === null || isFixed(message)) return numberOf(turn);
      moments ??= momentsOf(parts, isFixed, numberOf);
      const next = firstIndex(moments, (moment) => moment.time < time);
      const nearest = streamed ? (moments[next] ?? moments.at(-1)) : (moments[next - 1] ?? moments[0]);
      return nearest?.turn ?? numberOf(turn);
    },
  };
}

/**
 * The turn that each result ends, by the number it had when it was read. Versions that number their results write one
 * per turn, sometimes late: the last of a run ends the turn that contains it, the one before it the turn before that.
 */
export function turnsEnded(spent: readonly Spent[]): ReadonlyMap<ResultUse, number | null> {
  const indexOf = (result: ResultUse | undefined) => result?.said.result_index ?? null;
  const last = new Map<number, ResultUse>();
  for (const { result, run } of spent)
    if ((indexOf(result) ?? -1) > (indexOf(last.get(run)) ?? -1)) last.set(run, result);
  return new Map(
    spent.map(({ result, run }) => {
      const end = last.get(run);
      const [index, lastIndex] = [indexOf(result), indexOf(end)];
      if (index === null || lastIndex === null || end?.turn == null) return [result, result.turn];
      return [result, Math.max(1, end.turn - (lastIndex - index))];
    }),
  );
}

function reportsBySession(
  messages: readonly MessagePart[],
  spent: readonly Spent[],
  turnOfResult: (session: string, result: ResultUse) => number | null,
): ReadonlyMap<string, SessionReports> {
  const lists = new Map<string, PlacedReport[]>();
  spent.forEach(({ session, result }, at) => {
    getOrCreate(lists, session, () => []).push({ at, result, turn: turnOfResult(session, result) });
  });
  const sessions = new Map([...lists].map(([key, list]) => [key, new SessionReports(list)]));
  for (const { message } of messages)
    if (message.row && message.time !== null && isLead(message.origin))
      sessions.get(sessionKey(message.origin.session_id))?.spoke(message.time);
  return sessions;
}

interface PlacedReport {
  readonly at: number;
  readonly result: ResultUse;
  readonly turn: number | null;
}

class SessionReports {
  readonly #results: readonly PlacedReport[];
  readonly #byTurn: readonly PlacedReport[];
  /** Ordered by their figures. */
  readonly #states: readonly PlacedReport[];
  /** When the transcript continues after the last of them. */
  #end: string | null = null;
  readonly last: number;

  constructor(list: readonly PlacedReport[]) {
    this.#results = list.filter(({ result }) => !result.state).sort((a, b) => byPlace(a.result, b.result));
    this.#byTurn = this.#results
      .filter(({ turn }) => turn !== null)
      .sort((a, b) => (a.turn ?? 0) - (b.turn ?? 0) || byPlace(a.result, b.result));
    this.#states = list.filter(({ result }) => result.state);
    this.last = list.at(-1)?.at ?? unreported;
  }

  /** Notes the time of a message of the main conversation. */
  spoke(time: string): void {
    const last = this.#states.at(-1)?.result.said.time ?? null;
    if (last !== null && time > last && (this.#end === null || time < this.#end)) this.#end = time;
  }

  resultAfter(place: number): number {
    return this.#results[firstIndex(this.#results, ({ result }) => result.place < place)]?.at ?? unreported;
  }

  resultOfTurn(turn: number | null): number | null {
    if (turn === null) return null;
    return this.#byTurn[firstIndex(this.#byTurn, (result) => (result.turn ?? 0) < turn)]?.at ?? null;
  }

  /** `unreported` for a message after the last cost-state row; null if there is no such row. */
  stateHolding({ time }: MessageUse): number | null {
    const last = this.#states.at(-1);
    if (last === undefined) return null;
    if (time !== null && this.#end !== null && time >= this.#end) return unreported;
    const state = this.#states.find(({ result: { said } }) => time !== null && said.time !== null && said.time >= time);
    return (state ?? last).at;
  }
}

/**
 * Messages before the first result of a run that the run did not send: going back from that result, those that exceed
 * its figures. Only counters that are exact while a message streams are compared.
 */
function orphansOf(messages: readonly MessagePart[], spent: readonly Spent[]): MessagePart[] {
  const rooms = new Map<number, Map<string, Tally>>();
  /** The place of the first result of each run. */
  const first = new Map<number, number>();
  for (const { result, run, models } of spent) {
    const room = getOrCreate(rooms, run, () => new Map<string, Tally>());
    for (const [key, model] of models) addTokens(getOrCreate(room, key, noTokens), model);
    if (!result.state) first.set(run, Math.min(first.get(run) ?? result.place, result.place));
  }
  const early: { readonly part: MessagePart; readonly room: Tally; readonly place: number }[] = [];
  for (const part of messages) {
    const by = spent[part.report];
    if (!part.message.stream || by === undefined) continue;
    const room = rooms.get(by.run)?.get(part.key);
    if (room === undefined) continue;
    if (by.result.place !== first.get(by.run)) addTokens(room, part.message, -1);
    else early.push({ part, room, place: part.place });
  }
  const orphans: MessagePart[] = [];
  for (const { part, room } of early.sort(byPlace).reverse()) {
    if (fits(room, part.message)) addTokens(room, part.message, -1);
    else orphans.push(part);
  }
  return orphans;
}

function fits(room: Tally, message: MessageUse): boolean {
  return (
    room.input_tokens >= message.input_tokens &&
    writesOf(room) >= writesOf(message) &&
    room.cache_read_tokens >= message.cache_read_tokens
  );
}

interface Turns {
  of(message: MessageUse): number | null;
  /** The final number of a turn, given the number it had when it was read. */
  numberOf(turn: number | null): number | null;
}

/**
 * Turns are numbered in reading order. The runs of a session may be read in any order, so their turns are numbered
 * again by the time of their first messages. null if they are already in order, which is the usual case.
 */
function numbersOf(
  parts: readonly MessagePart[],
  isFixed: (message: MessageUse) => boolean,
  begun: number,
): ReadonlyMap<number, number> | null {
  const times = new Map<number, string>();
  for (const { message } of parts) {
    const { time, turn, origin } = message;
    // A row that is read back already has its final number.
    if (origin.who !== null) return null;
    if (time === null || turn === null || !isFixed(message)) continue;
    const first = times.get(turn);
    if (first === undefined || time < first) times.set(turn, time);
  }
  const known = [...times].sort(([a], [b]) => a - b);
  if (known.every(([, time], at) => at === 0 || (known[at - 1]?.[1] ?? '') <= time)) return null;
  const all = new Set(times.keys());
  if (begun < mostTurns) for (let turn = 1; turn <= begun; turn++) all.add(turn);
  const turns = [...all].sort((a, b) => a - b);
  // A turn without a time takes the time of the turn before it, else of the turn after it.
  let last = known[0]?.[1] ?? '';
  const order = turns.map((turn) => {
    last = times.get(turn) ?? last;
    return { turn, time: last };
  });
  order.sort(compareMoments);
  return new Map(order.map(({ turn }, at) => [turn, turns[at] ?? turn]));
}
const mostTurns = 100_000;

interface Moment {
  readonly time: string;
  readonly turn: number;
}

function momentsOf(
  parts: readonly MessagePart[],
  isFixed: (message: MessageUse) => boolean,
  numberOf: Turns['numberOf'],
): Moment[] {
  const moments: Moment[] = [];
  for (const { message } of parts) {
    const turn = numberOf(message.turn);
    if (message.time !== null && turn !== null && isFixed(message)) moments.push({ time: message.time, turn });
  }
  return moments.sort(compareMoments);
}

function compareMoments(a: Moment, b: Moment): number {
  return a.time === b.time ? a.turn - b.turn : a.time < b.time ? -1 : 1;
}
