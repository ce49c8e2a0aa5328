export { getOrCreate } from '../record/fields.js';

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
