import type { MessageUse } from '../state/usage/message-use.js';
import { once } from './once.js';
import type { Spent } from './usage-spent.js';
import { addTokens, noTokens, type Tally, writesOf } from './usage-tokens.js';

/** For each message the index of the result that accounts for it; onTop for one that nothing reported holds. */
export type Cover = (message: MessageUse) => number;
export const onTop = -1;

export interface Covered {
  readonly spent: readonly Spent[];
  readonly messages: readonly MessageUse[];
  keyOf(message: MessageUse): string;
  turnOf(message: MessageUse): number | null;
}

/**
 * Messages of a transcript are part of what its session reported. Those of a stream are if a result of their process follows:
 * none does after the last one, and where a process was killed and the session resumed, the new one's figures do not hold them.
 */
export function coverOf(covered: Covered): Cover {
  const { spent, turnOf } = covered;
  const places = spent.map(({ result }) => result.place);
  const next = (message: MessageUse) => firstAfter(places, message.place);
  const orphans = orphansOf(covered, next);
  const ofTurn = new Map<number | null, number>();
  return (message) => {
    if (message.stream) return orphans.has(message) ? onTop : next(message);
    const turn = turnOf(message);
    return once(ofTurn, turn, () => resultOfTurn(spent, turn));
  };
}

function firstAfter(places: readonly number[], place: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low === places.length ? onTop : low;
}

function resultOfTurn(spent: readonly Spent[], turn: number | null): number {
  const at = turn === null ? -1 : spent.findIndex(({ result }) => result.turn !== null && result.turn >= turn);
  return at === -1 ? spent.length - 1 : at;
}

/**
 * Messages before the first result of a process that it did not send itself: going back from that result, those for which
 * the process' figures have no room left. Only counters that are exact while a message streams are compared.
 */
function orphansOf({ spent, messages, keyOf }: Covered, next: Cover): ReadonlySet<MessageUse> {
  const rooms: Map<string, Tally>[] = [];
  /** For each result the rooms of its process. */
  const roomsAt = spent.map(({ opens, models }, at) => {
    if (opens || at === 0) rooms.push(new Map());
    const room = rooms.at(-1) ?? new Map<string, Tally>();
    for (const [key, model] of models) addTokens(once(room, key, noTokens), model);
    return room;
  });
  const early: [MessageUse, Tally][] = [];
  for (const message of messages) {
    const at = message.stream ? next(message) : onTop;
    const room = roomsAt[at]?.get(keyOf(message));
    if (room === undefined) continue;
    if (roomsAt[at] === roomsAt[at - 1]) take(room, message);
    else early.push([message, room]);
  }
  const orphans = new Set<MessageUse>();
  for (const [message, room] of early.sort(([a], [b]) => b.place - a.place)) {
    if (fits(room, message)) take(room, message);
    else orphans.add(message);
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

function take(room: Tally, message: MessageUse): void {
  room.input_tokens -= message.input_tokens;
  room.cache_write_5m_tokens -= message.cache_write_5m_tokens;
  room.cache_write_1h_tokens -= message.cache_write_1h_tokens;
  room.cache_read_tokens -= message.cache_read_tokens;
}
