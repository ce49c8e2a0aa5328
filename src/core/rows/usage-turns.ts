import { isLead, type MessageUse } from '../state/usage/message-use.js';
import type { ResultUse } from '../state/usage/result-use.js';
import type { SessionUse } from '../state/usage/usage.js';
import type { Told } from './usage-part.js';
import type { Spent } from './usage-spent.js';

/** The turns of one session. */
export interface Turns {
  of(message: MessageUse): number | null;
  /** The number of a turn, by the one it had when it was read. */
  numberOf(turn: number | null): number | null;
}

/**
 * The turn of each message of a session. In a stream it is the turn in which the message stands. Files of agents stand beside
 * the main conversation: a message that is only there goes with the main conversation's next one, since a result counts what
 * came before it, also while the main conversation waited.
 */
export function turnsOf(messages: readonly Told[], session: SessionUse | undefined): Turns {
  const streamed = messages.some(({ message }) => message.stream && message.turn !== null);
  const isFixed = ({ origin, stream }: MessageUse) => stream || origin.who !== null || (!streamed && isLead(origin));
  const numbers = numbersOf(messages, isFixed, session?.begun ?? 0);
  const numberOf = (turn: number | null) => (turn === null ? null : (numbers?.get(turn) ?? turn));
  let known: Moment[] | undefined;
  return {
    numberOf,
    of(message) {
      if (message.time === null || isFixed(message)) return numberOf(message.turn);
      known ??= momentsOf(messages.map((told) => told.message).filter(isFixed), numberOf);
      return (known[firstFrom(known, message.time)] ?? known.at(-1))?.turn ?? numberOf(message.turn);
    },
  };
}

/**
 * The turn each result ends, by the number it had when it was read. Versions that number their results write one for every
 * turn, if late: the last of a run ends the turn in which it stands, the one before it the turn before, and so on.
 */
export function turnsEnded(spent: readonly Spent[]): ReadonlyMap<ResultUse, number | null> {
  const last = new Map<number, ResultUse>();
  for (const { result, run } of spent) {
    const known = last.get(run);
    if (indexOf(result) !== null && (indexOf(known) ?? -1) < (indexOf(result) ?? -1)) last.set(run, result);
  }
  return new Map(
    spent.map(({ result, run }) => {
      const end = last.get(run);
      const [index, lastIndex] = [indexOf(result), indexOf(end)];
      if (index === null || lastIndex === null || end?.turn == null) return [result, result.turn];
      return [result, Math.max(1, end.turn - (lastIndex - index))];
    }),
  );
}

function indexOf(result: ResultUse | undefined): number | null {
  return result?.said.result_index ?? null;
}

/**
 * Turns are numbered as they are read. Runs of one session may be read in any order: their turns are numbered again by the
 * time of their first messages. null where they are in order already, as they nearly always are.
 */
function numbersOf(
  messages: readonly Told[],
  isFixed: (message: MessageUse) => boolean,
  begun: number,
): ReadonlyMap<number, number> | null {
  const times = new Map<number, string>();
  for (const { message } of messages) {
    const { time, turn, origin } = message;
    // A row read back has the number it is to have.
    if (origin.who !== null) return null;
    if (time === null || turn === null || !isFixed(message)) continue;
    const first = times.get(turn);
    if (first === undefined || time < first) times.set(turn, time);
  }
  if (times.size < 2 || isAscending([...times].sort(([a], [b]) => a - b))) return null;
  const all = new Set(times.keys());
  if (begun < mostTurns) for (let turn = 1; turn <= begun; turn++) all.add(turn);
  const turns = [...all].sort((a, b) => a - b);
  const filled = fillTimes(turns.map((turn) => times.get(turn) ?? null));
  const order = turns.map((turn, at) => ({ turn, time: filled[at] ?? '' }));
  order.sort((a, b) => (a.time === b.time ? a.turn - b.turn : a.time < b.time ? -1 : 1));
  return new Map(order.map(({ turn }, at) => [turn, turns[at] ?? turn]));
}
const mostTurns = 100_000;

function isAscending(times: readonly (readonly [number, string])[]): boolean {
  return times.every(([, time], at) => at === 0 || (times[at - 1]?.[1] ?? '') <= time);
}

/** A turn without a time has that of the one before it, else of the one after it. */
function fillTimes(times: readonly (string | null)[]): (string | null)[] {
  let last = times.find((time) => time !== null) ?? null;
  return times.map((time) => {
    last = time ?? last;
    return last;
  });
}

interface Moment {
  readonly time: string;
  readonly turn: number;
}

function momentsOf(messages: readonly MessageUse[], numberOf: Turns['numberOf']): Moment[] {
  const moments: Moment[] = [];
  for (const { time, turn } of messages) {
    const number = numberOf(turn);
    if (time !== null && number !== null) moments.push({ time, turn: number });
  }
  return moments.sort((a, b) => (a.time === b.time ? a.turn - b.turn : a.time < b.time ? -1 : 1));
}

function firstFrom(moments: readonly Moment[], time: string): number {
  let low = 0;
  let high = moments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moments[middle]?.time ?? '') < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
