import type { Event } from '../event/event.js';

/** Where and when something was seen. */
export interface Spot {
  readonly session_id: string | null;
  readonly team: string | null;
  readonly agent: string | null;
  readonly time: string | null;
  readonly line: number | null;
  readonly source: string | null;
  readonly seq: number;
}

export function spotOf({ session_id, team, agent, time, line, source, seq }: Event): Spot {
  return { session_id, team, agent, time, line, source: source ?? null, seq };
}

/** Tells one spot from another, and is the same when the same input is read again. */
export function spotKey({ time, source, line }: Pick<Event, 'time' | 'source' | 'line'>): string {
  return time ?? `${source ?? ''}:${line}`;
}

/** By time where both have one, else in the order of reading. */
export function isBefore(a: Spot, b: Spot): boolean {
  return a.time !== null && b.time !== null && a.time !== b.time ? a.time < b.time : a.seq < b.seq;
}
