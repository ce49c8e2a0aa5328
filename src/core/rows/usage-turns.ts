import type { MessageUse } from '../state/usage/message-use.js';
import { isLead } from '../state/usage/message-use.js';

/**
 * The turn of each message of a session. In a stream it is the turn in which the message stands. Files of agents stand beside
 * the main conversation: a message that is only there falls into the turn that was under way at its time.
 */
export function turnsOf(messages: readonly MessageUse[]): (message: MessageUse) => number | null {
  const streamed = messages.some(({ stream, turn }) => stream && turn !== null);
  const isFixed = (message: MessageUse) =>
    message.origin.who !== null || message.stream || (!streamed && isLead(message.origin));
  const known: { time: string; turn: number }[] = [];
  for (const message of messages)
    if (message.turn !== null && message.time !== null && isFixed(message))
      known.push({ time: message.time, turn: message.turn });
  known.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : a.turn - b.turn));
  const first = known[0]?.turn ?? null;
  return (message) => {
    if (isFixed(message)) return message.turn;
    if (message.time === null) return message.turn;
    return known[lastBefore(known, message.time)]?.turn ?? first ?? message.turn;
  };
}

function lastBefore(known: readonly { time: string }[], time: string): number {
  let low = 0;
  let high = known.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((known[middle]?.time ?? '') <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
