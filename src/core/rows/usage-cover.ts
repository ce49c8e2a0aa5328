import type { MessageUse } from '../state/usage/message-use.js';
import { once } from './once.js';
import type { Told } from './usage-part.js';
import type { Spent } from './usage-spent.js';
import { addTokens, noTokens, type Tally, writesOf } from './usage-tokens.js';

/** For each message the index of the result that accounts for it; onTop for one that nothing reported holds. */
export type Cover = readonly number[];
export const onTop = -1;

export interface Covered {
  readonly spent: readonly Spent[];
  readonly messages: readonly Told[];
  keyOf(told: Told): string;
  turnOf(message: MessageUse): number | null;
}

/**
 * Messages of a transcript are part of what its session reported. Those of a stream are if a result of their process follows:
 * none does after the last one, and where a process was killed and the session resumed, the new one's figures do not hold them.
 */
export function coverOf(covered: Covered): Cover {
  const { spent, messages, turnOf } = covered;
  const places = spent.map(({ result }) => result.place);
  const ofTurn = new Map<number | null, number>();
  const cover: number[] = [];
  let next = 0;
  for (const { message } of messages) {
    if (message.stream) {
      // Most messages stand before the same result as the one before them.
      if (!isFirstAfter(places, message.place, next)) next = firstAfter(places, message.place);
      cover.push(next === places.length ? onTop : next);
      continue;
    }
    const turn = turnOf(message);
    cover.push(once(ofTurn, turn, () => resultOfTurn(spent, turn)));
  }
  for (const orphan of orphansOf(covered, cover)) cover[orphan] = onTop;
  return cover;
}

/** In place; most messages come in their order already. */
export function sortByPlace<T extends { readonly place: number }>(list: T[]): T[] {
  for (let at = 1; at < list.length; at++)
    if ((list[at]?.place ?? 0) < (list[at - 1]?.place ?? 0)) return list.sort((a, b) => a.place - b.place);
  return list;
}

function isFirstAfter(places: readonly number[], place: number, at: number): boolean {
  return (at === 0 || (places[at - 1] ?? 0) < place) && (at === places.length || (places[at] ?? 0) >= place);
}

function firstAfter(places: readonly number[], place: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

function resultOfTurn(spent: readonly Spent[], turn: number | null): number {
  const at = turn === null ? -1 : spent.findIndex(({ result }) => result.turn !== null && result.turn >= turn);
  return at === -1 ? spent.length - 1 : at;
}

/**
 * Messages before the first result of a process that it did not send itself: going back from that result, those for which
 * the process' figures have no room left. Only counters that are exact while a message streams are compared.
 */
function orphansOf({ spent, messages, keyOf }: Covered, cover: Cover): number[] {
  const rooms: Map<string, Tally>[] = [];
  /** For each result the rooms of its process. */
  const roomsAt = spent.map(({ opens, models }, at) => {
    if (opens || at === 0) rooms.push(new Map());
    const room = rooms.at(-1) ?? new Map<string, Tally>();
    for (const [key, model] of models) addTokens(once(room, key, noTokens), model);
    return room;
  });
  const early: Early[] = [];
  for (let index = 0; index < messages.length; index++) {
    const told = messages[index];
    if (told === undefined || !told.message.stream) continue;
    const { message } = told;
    const at = cover[index] ?? onTop;
    if (at === onTop) continue;
    const room = roomsAt[at]?.get(keyOf(told));
    if (room === undefined) continue;
    if (at > 0 && roomsAt[at] === roomsAt[at - 1]) take(room, message);
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
