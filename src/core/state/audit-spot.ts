import type { Event } from '../event/event.js';

/** Where and when something was seen. */
export interface Spot {
  readonly session_id: string | null;
  readonly team: string | null;
  readonly agent: string | null;
  readonly time: string | null;
  /** Its time or, where it has none, that of what stands before it in the same file: frames and results have no times. */
  readonly at: string | null;
  readonly line: number | null;
  readonly source: string | null;
  readonly seq: number;
}

/** `at`: when it happened, as near as can be told. */
export function spotOf({ session_id, team, agent, time, line, source, seq }: Event, at: string | null): Spot {
  return { session_id, team, agent, time, at, line, source: source ?? null, seq };
}

/** Tells one spot from another, and is the same when the same input is read again. */
export function spotKey({
  time,
  source,
  line,
}: Pick<Spot, 'time' | 'line'> & { source?: string | null | undefined }): string {
  return time ?? `${source ?? ''}:${line}`;
}

/** By time where both have one, else in the order of reading. */
export function isBefore(a: Spot, b: Spot): boolean {
  return a.at !== null && b.at !== null && a.at !== b.at ? a.at < b.at : a.seq < b.seq;
}
