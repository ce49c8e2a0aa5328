// Small helpers for tables: compare times and names, make keys, group values.
import { versionOf } from './table.js';

/** False if a time is missing: then the later record wins. */
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
  return times.reduce(earliest, null);
}

export function groupBy<T>(values: Iterable<T>, keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

/** Binary search: the index of the first item that is not before, or the length. */
export function firstIndex<T>(sorted: readonly T[], isBefore: (one: T) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const one = sorted[middle];
    if (one !== undefined && isBefore(one)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the last answer again while the arguments are the same, and the tables in them have not changed. */
export function memoizeLast<A extends readonly unknown[], R>(make: (...args: A) => R): (...args: A) => R {
  let last: { readonly args: A; readonly versions: readonly number[]; readonly answer: R } | null = null;
  return (...args) => {
    const versions = args.map((arg) => (typeof arg === 'object' && arg !== null ? versionOf(arg) : 0));
    const isSame = (place: number) => args[place] === last?.args[place] && versions[place] === last?.versions[place];
    if (last === null || !args.every((_, place) => isSame(place))) last = { args, versions, answer: make(...args) };
    return last.answer;
  };
}

/** The session and the team that a record belongs to. */
export interface Place {
  readonly session_id: string | null;
  readonly team: string | null;
}

/** Joins several parts into one key. Different parts never give the same key. */
export function keyOf(...parts: (string | null)[]): string {
  let key = '';
  for (const part of parts) key += part === null ? '-' : `${part.length} ${part}`;
  return key;
}

/** A short hash to compare long texts by. Reads two characters at a time for speed. */
export function digest(text: string): string {
  let a = 0x811c9dc5 ^ text.length;
  let b = 0x9e3779b9;
  for (let at = 0; at < text.length; at += 2) {
    // V8 gives up its fast code when it reads past the end of a text, or when a sum leaves 32 bits.
    const next = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
    const code = text.charCodeAt(at) | (next << 16);
    a = Math.imul(a ^ code, 0x01000193);
    a ^= a >>> 15;
    b = (Math.imul(b ^ code, 0x85ebca6b) + (b >>> 13)) | 0;
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}

/** Turns `@writer` and `writer@crew` into `writer`. */
export function plainName(who: string): string {
  return who.replace(/^@/, '').replace(/(?<=.)@.*$/s, '');
}

/** The main conversation and the lead of its team are the same agent. */
export function isLeadName(who: string): boolean {
  const name = plainName(who);
  return name === 'main' || name === 'team-lead';
}

/** Whether an id is that of the main conversation. */
export function isLeadId(agent: string | null): boolean {
  return agent === null || agent === 'main' || agent.startsWith('team-lead@');
}

/** One name for all ways to write an agent's name. */
export function commonName(who: string): string {
  return isLeadName(who) ? 'main' : plainName(who);
}

export function hasSameFields<T extends object>(a: T, b: T): boolean {
  for (const name in a) if (a[name] !== b[name]) return false;
  return true;
}
