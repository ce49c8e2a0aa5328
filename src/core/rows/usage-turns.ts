import { isLead, type MessageUse } from '../state/usage/message-use.js';
import type { Told } from './usage-part.js';

/**
 * The turn of each message of a session. In a stream it is the turn in which the message stands. Files of agents stand beside
 * the main conversation: a message that is only there goes with the main conversation's next one, since a result counts what
 * came before it, also while the main conversation waited.
 */
export function turnsOf(messages: readonly Told[]): (message: MessageUse) => number | null {
  const streamed = messages.some(({ message }) => message.stream && message.turn !== null);
  const isFixed = ({ origin, stream }: MessageUse) => stream || origin.who !== null || (!streamed && isLead(origin));
  let known: Moment[] | undefined;
  return (message) => {
    if (message.time === null || isFixed(message)) return message.turn;
    known ??= momentsOf(messages.map((told) => told.message).filter(isFixed));
    return (known[firstFrom(known, message.time)] ?? known.at(-1))?.turn ?? message.turn;
  };
}

interface Moment {
  readonly time: string;
  readonly turn: number;
}

function momentsOf(messages: readonly MessageUse[]): Moment[] {
  const moments: Moment[] = [];
  for (const { time, turn } of messages) if (time !== null && turn !== null) moments.push({ time, turn });
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
