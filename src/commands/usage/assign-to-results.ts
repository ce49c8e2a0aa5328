// Finds the report that accounts for each message, and the turns of both.
import type { Tokens } from '../../core/event/usage-row.js';
import { getOrCreate } from '../../core/record/json.js';
import { earliest, firstIndex } from '../../core/tables/order.js';
import {
  addTokens,
  isLead,
  type MessageUse,
  noTokens,
  type Tally,
  writesOf,
} from '../../core/tables/usage/messages.js';
import { isReadBefore, type TurnStart } from '../../core/tables/usage/sessions.js';
import type { ResultUse } from '../../core/tables/usage/usage.js';
import { type MessagePart, unreported } from './parts.js';
import type { SessionParts } from './settle.js';
import type { Spent } from './spent.js';

/**
 * Gives each message the index of the report that accounts for it. The reports of a session include the messages of its
 * transcript. They include a message of a stream only if a result of its run follows: not after the last result, and
 * not where a run was killed and the session resumed, nor if no result has room for it. A cost-state row includes what
 * its transcript has before it.
 */
export function assignToResults(
  sessions: readonly SessionParts[],
  messages: readonly MessagePart[],
  spent: readonly Spent[],
): void {
  const reported = new Map<string, SessionReports>();
  for (const one of spent) getOrCreate(reported, one.session, () => new SessionReports()).add(one);
  for (const { key, messages: own } of sessions) {
    const reports = reported.get(key);
    reports?.order(own);
    for (const part of own) {
      const { message } = part;
      // Messages of a session without reports are reported by the other sessions of the account.
      if (reports === undefined) part.report = message.stream ? unreported : spent.length - 1;
      else if (message.stream) part.report = reports.resultAfter(message);
      else part.report = reports.resultOfTurn(part.turn) ?? reports.stateHolding(message) ?? reports.last;
    }
  }
  leaveOrphans(messages, spent);
  for (const { key, messages: own } of sessions) {
    const reports = reported.get(key);
    if (reports === undefined) continue;
    for (const part of own) {
      const { message } = part;
      if (message.stream && message.row && part.report === unreported)
        part.report = reports.stateHolding(message) ?? unreported;
    }
  }
}

export function byPlace(a: { readonly place: number }, b: { readonly place: number }): number {
  return a.place - b.place;
}

/**
 * Gives each message of a session its turn. In a stream it is the turn that contains the message. A message that is only in
 * transcripts is in the last turn that began before it, in whichever files both are. If there are results, it gets that of
 * the next message, because a result counts everything before it, even what happened while the main conversation waited.
 */
export function numberTurns(parts: readonly MessagePart[], starts: readonly TurnStart[]): NumberOfTurn {
  const streamed =
    starts.some(({ transcript }) => !transcript) ||
    parts.some(({ message }) => message.stream && message.turn !== null);
  return streamed
    ? numberStreamed(
        parts,
        starts.filter(({ transcript }) => !transcript),
      )
    : numberByTime(parts, starts);
}

/** The turns of a session that only transcripts show. */
function numberByTime(parts: readonly MessagePart[], starts: readonly TurnStart[]): NumberOfTurn {
  const moments = momentsOf(starts);
  for (const part of parts) {
    const { time, origin } = part.message;
    // A row that is read back already has its final number.
    if (time === null || origin.who !== null || moments.length === 0) continue;
    const before = moments[firstIndex(moments, (moment) => moment.time <= time) - 1];
    part.turn = (before ?? (isLead(origin) ? null : moments[0]))?.turn ?? null;
  }
  return (turn) => turn;
}

/** When each turn began, by time; empty if none has a time. */
function momentsOf(starts: readonly TurnStart[]): Moment[] {
  const timed = starts.flatMap(({ time, turn }) => (time === null ? [] : [{ time, turn }])).sort(compareMoments);
  // The numbers they had when they were read may have begun late, in a piece of a session.
  const numbers = timed.map(({ turn }) => turn).sort((a, b) => a - b);
  let last = Number.NEGATIVE_INFINITY;
  return timed.map(({ time }, at) => {
    last = Math.max(numbers[at] ?? last, last + 1);
    return { time, turn: last };
  });
}

function numberStreamed(parts: readonly MessagePart[], starts: readonly TurnStart[]): NumberOfTurn {
  const loose = new Set<MessagePart>();
  /** When each turn began. */
  const times = new Map<number, string>();
  // A row that is read back already has its final number.
  let isFinal = false;
  let last: number | null = null;
  let since = '';
  for (const part of parts) {
    const { time, turn, stream, origin } = part.message;
    if (origin.who !== null) isFinal = true;
    if (time === null) continue;
    if (!stream && origin.who === null) loose.add(part);
    else if (turn !== null && (turn !== last || time < since)) {
      last = turn;
      since = earliest(times.get(turn) ?? null, time) ?? time;
      times.set(turn, since);
    }
  }
  const numbers = isFinal ? null : numbersOf(times, starts);
  const numberOf: NumberOfTurn = (turn) => (turn === null ? null : (numbers?.get(turn) ?? turn));
  if (numbers !== null) for (const part of parts) part.turn = numberOf(part.turn);
  if (loose.size === 0) return numberOf;
  const moments: Moment[] = [];
  for (const part of parts) {
    const { turn } = part;
    const { time } = part.message;
    if (time !== null && turn !== null && !loose.has(part)) moments.push({ time, turn });
  }
  moments.sort(compareMoments);
  for (const part of loose) {
    const time = part.message.time ?? '';
    const nearest = moments[firstIndex(moments, (moment) => moment.time < time)] ?? moments.at(-1);
    part.turn = nearest?.turn ?? part.turn;
  }
  return numberOf;
}

/** Gives the final number of a turn, given the number it had when it was read. */
export type NumberOfTurn = (turn: number | null) => number | null;

/**
 * Finds the turn that each result ends, by the number it had when it was read. Versions that number their results write
 * one per turn, sometimes late: the last of a run ends the turn that contains it, the one before it the turn before that.
 */
export function endTurns(spent: readonly Spent[], numberOf: (session: string) => NumberOfTurn): void {
  const last: (ResultUse | undefined)[] = [];
  for (const { result, run } of spent)
    if ((result.said.result_index ?? -1) > (last[run]?.said.result_index ?? -1)) last[run] = result;
  for (const one of spent) {
    const { result, run, session } = one;
    const index = result.said.result_index;
    const { turn = null, said } = last[run] ?? result;
    const later = (said.result_index ?? 0) - (index ?? 0);
    one.turn = numberOf(session)(turn === null || index === null ? result.turn : Math.max(1, turn - later));
  }
}

/** The reports of one session. */
class SessionReports {
  readonly #results: Spent[] = [];
  #byTurn: Spent[] | null = null;
  /** When they began, by the first message that their file has before them, in that order. */
  #begun: readonly { readonly at: number; readonly began: string }[] = [];
  /** Ordered by their figures. */
  readonly #states: Spent[] = [];
  /** When the transcript continues after the last of them. */
  #end: string | null = null;
  last = unreported;

  add(spent: Spent): void {
    (spent.result.state ? this.#states : this.#results).push(spent);
    this.last = spent.at;
  }

  order(messages: readonly MessagePart[]): void {
    this.#results.sort(byResult);
    const begins = new Map<number, string>();
    for (const { message } of messages) {
      const { stream, place, time } = message;
      const next = stream && time !== null ? this.#nextTo(place) : undefined;
      if (next === undefined || time === null || !isReadBefore(place, next.result.place)) continue;
      begins.set(next.at, earliest(begins.get(next.at) ?? null, time) ?? time);
    }
    this.#begun = Array.from(begins, ([at, began]) => ({ at, began })).sort((a, b) => (a.began < b.began ? -1 : 1));
    const time = this.#states.at(-1)?.result.said.time ?? null;
    if (time === null) return;
    for (const { message } of messages)
      if (message.row && isLead(message.origin) && message.time !== null && message.time > time)
        this.#end = earliest(this.#end, message.time);
  }

  /** If its file has no result after it, the next run by time may include it, whichever file was read first. */
  resultAfter({ place, time }: MessageUse): number {
    const next = this.#nextTo(place);
    if (next !== undefined && isReadBefore(place, next.result.place)) return next.at;
    const later = time === null ? undefined : this.#begun[firstIndex(this.#begun, ({ began }) => began <= time)];
    return later?.at ?? next?.at ?? unreported;
  }

  #nextTo(place: number): Spent | undefined {
    return this.#results[firstIndex(this.#results, ({ result }) => result.place < place)];
  }

  resultOfTurn(turn: number | null): number | null {
    if (turn === null) return null;
    this.#byTurn ??= this.#results
      .filter((one) => one.turn !== null)
      .sort((a, b) => (a.turn ?? 0) - (b.turn ?? 0) || byResult(a, b));
    return this.#byTurn[firstIndex(this.#byTurn, (one) => (one.turn ?? 0) < turn)]?.at ?? null;
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

function byResult(a: Spent, b: Spent): number {
  return byPlace(a.result, b.result);
}

/** What the results of a run report, by the keys of their models, without what the messages after the first took of it. */
interface Room {
  readonly models: Map<string, Tally>;
  /** The place of its first result. */
  first: number;
}

/**
 * Messages before the first result of a run that the run did not send: going back from that result, those that exceed
 * its figures. Only counters that are exact while a message streams are compared.
 */
function leaveOrphans(messages: readonly MessagePart[], spent: readonly Spent[]): void {
  const rooms: Room[] = [];
  for (const { result, run, models } of spent) {
    rooms[run] ??= { models: new Map(), first: Infinity };
    const room = rooms[run];
    for (const [key, model] of models) addTokens(getOrCreate(room.models, key, noTokens), model);
    if (!result.state) room.first = Math.min(room.first, result.place);
  }
  const early: MessagePart[] = [];
  const roomOf = (part: MessagePart) => rooms[spent[part.report]?.run ?? unreported]?.models.get(part.key);
  for (const part of messages) {
    const by = part.message.stream ? spent[part.report] : undefined;
    const room = by && roomOf(part);
    if (by === undefined || room === undefined) continue;
    if (by.result.place === rooms[by.run]?.first) early.push(part);
    addTokens(room, part.message, -1);
  }
  if (rooms.every(({ models }) => [...models.values()].every((room) => fits(room, nothing)))) return;
  const byRoom = new Map<Tally, MessagePart[]>();
  for (const part of early.sort(byPlace).reverse())
    getOrCreate(byRoom, roomOf(part) ?? noTokens(), () => []).push(part);
  for (const [room, own] of byRoom) for (const part of orphansOf(room, own)) part.report = unreported;
}

/** `own`: the last one first. `room` is what they leave. */
function orphansOf(room: Tally, own: readonly MessagePart[]): readonly MessagePart[] {
  const left = { ...room };
  for (const { message } of own) addTokens(left, message);
  const orphans = own.filter(({ message }) => {
    if (!fits(left, message)) return true;
    addTokens(left, message, -1);
    return false;
  });
  if (isEmpty(left)) return orphans;
  // A message that the end of the run cut off is in no result.
  const end = own.findIndex(({ message }) => {
    addTokens(room, message);
    return isEmpty(room);
  });
  return end === -1 ? orphans : own.slice(0, end + 1);
}

const nothing = noTokens();

function fits(room: Tally, message: Tokens): boolean {
  return (
    room.input_tokens >= message.input_tokens &&
    writesOf(room) >= writesOf(message) &&
    room.cache_read_tokens >= message.cache_read_tokens
  );
}

function isEmpty(room: Tally): boolean {
  return fits(room, nothing) && fits(nothing, room);
}

/**
 * Turns are numbered in reading order. The runs of a session may be read in any order, so their turns are numbered
 * again by the time of their first messages. null if they are already in order, which is the usual case.
 */
function numbersOf(
  times: ReadonlyMap<number, string>,
  starts: readonly TurnStart[],
): ReadonlyMap<number, number> | null {
  const known = [...times].sort(([a], [b]) => a - b);
  if (known.every(([, time], at) => at === 0 || (known[at - 1]?.[1] ?? '') <= time)) return null;
  const all = new Set([...times.keys(), ...starts.map(({ turn }) => turn)]);
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

interface Moment {
  readonly time: string;
  readonly turn: number;
}

function compareMoments(a: Moment, b: Moment): number {
  return a.time === b.time ? a.turn - b.turn : a.time < b.time ? -1 : 1;
}
