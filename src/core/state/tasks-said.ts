import { latest } from './time.js';

/** A value that changes over time, as it was said last. All times are of events; null is an event without one. */
export interface Said<V> {
  readonly value: V;
  /** When this value was first and last said. */
  readonly first: string | null;
  readonly last: string | null;
  /** Up to when another value was said. */
  readonly before: string | null;
  /** Number of the event that said it last, to compare what has no time. */
  readonly seq: number;
}

export interface When {
  readonly time: string | null;
  readonly seq: number;
}

/** The last word counts, by time: what is older than it changes no value. Without a time, what arrives last is last. */
export function say<V>(known: Said<V> | null, value: V, when: When): Said<V> {
  const { time, seq } = when;
  if (known === null) return { value, first: time, last: time, before: null, seq };
  if (same(known.value, value)) return repeated(known, when);
  if (time === null) return { value, first: null, last: known.last, before: known.last, seq };
  if (known.last === null || time >= known.last) return { value, first: time, last: time, before: known.last, seq };
  const before = latest(known.before, time);
  return before === known.before ? known : { ...known, before };
}

/** Since when the value holds. */
export function sinceOf(said: Said<unknown> | null): string | null {
  if (said === null || said.first === null) return null;
  return said.before === null || said.first > said.before ? said.first : said.last;
}

/** What two places say of the same thing. */
export function mergeSaid<V>(a: Said<V> | null, b: Said<V> | null): Said<V> | null {
  if (a === null || b === null) return a ?? b;
  const last = latest(a.last, b.last);
  const before = latest(a.before, b.before);
  if (same(a.value, b.value))
    return { value: a.value, first: earlier(a.first, b.first), last, before, seq: Math.max(a.seq, b.seq) };
  const [winner, loser] = isLater(b, a) ? [b, a] : [a, b];
  return { ...winner, last, before: latest(before, loser.last) };
}

export function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

function repeated<V>(known: Said<V>, { time, seq }: When): Said<V> {
  const holds = time !== null && (known.before === null || time > known.before);
  const first = holds ? earlier(known.first, time) : known.first;
  const last = latest(known.last, time);
  const newest = Math.max(known.seq, seq);
  if (first === known.first && last === known.last && newest === known.seq) return known;
  return { ...known, first, last, seq: newest };
}

function isLater(b: Said<unknown>, a: Said<unknown>): boolean {
  const dated = a.first !== null && b.first !== null && a.last !== null && b.last !== null;
  return dated && a.last !== b.last ? b.last > a.last : b.seq > a.seq;
}

function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  return typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b);
}
