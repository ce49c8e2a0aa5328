export { getOrCreate } from '../record/json.js';

/** Times decide where both are known; without them the later record does. */
export function isOlder(time: string | null, than: string | null): boolean {
  return time !== null && than !== null && time < than;
}

export function earliest(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return b < a ? b : a;
}

export function latest(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? b : a;
}

// Small choices rows make among what several records say.

export function compare(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}

export function first<T>(values: readonly (T | null)[]): T | null {
  return values.find((value) => value !== null) ?? null;
}

export function last<T>(values: readonly (T | null)[]): T | null {
  return values.findLast((value) => value !== null) ?? null;
}

export function earliestOf(times: readonly (string | null)[]): string | null {
  return times.reduce<string | null>(
    (time, other) => (time === null || (other !== null && other < time) ? other : time),
    null,
  );
}

export function groupBy<T>(values: Iterable<T>, keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return groups;
}

/** The same answer while it is asked about the same things, as a state is after an event that left them alone. */
export function memoizeLast<A extends readonly unknown[], R>(make: (...about: A) => R): (...about: A) => R {
  let last: { readonly about: A; readonly answer: R } | null = null;
  return (...about) => {
    if (last === null || about.some((one, at) => one !== last?.about[at])) last = { about, answer: make(...about) };
    return last.answer;
  };
}

/** Where something is said: in which session, and for which team. */
export interface Place {
  readonly session_id: string | null;
  readonly team: string | null;
}

/** One key of several parts, none of which can run into the next. */
export function keyOf(...parts: (string | null)[]): string {
  return JSON.stringify(parts);
}

/** A short stand-in for a long text, to compare by. Takes two characters at a time: texts may be long. */
export function digest(text: string): string {
  let a = 0x811c9dc5 ^ text.length;
  let b = 0x9e3779b9;
  // Behind the end there is NaN, which is 0 as a bit pattern.
  for (let at = 0; at < text.length; at += 2) {
    const code = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
    a = Math.imul(a ^ code, 0x01000193);
    a ^= a >>> 15;
    b = Math.imul(b ^ code, 0x85ebca6b) + (b >>> 13);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}

/** `@writer` and `writer@crew` are writer. */
export function plainName(who: string): string {
  return who.replace(/^@/, '').replace(/(?<=.)@.*$/s, '');
}

/** The main conversation and the lead of its team are one. */
export function isLeadName(who: string): boolean {
  const name = plainName(who);
  return name === 'main' || name === 'team-lead';
}

/** One name for all ways to write the name of an agent. */
export function commonName(who: string): string {
  return isLeadName(who) ? 'main' : plainName(who);
}

/** Two versions of one entry say the same. */
export function hasSameFields<T extends object>(a: T, b: T): boolean {
  for (const name in a) if (a[name] !== b[name]) return false;
  return true;
}
