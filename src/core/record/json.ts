// Parses JSON, and reads fields whose type is uncertain: each reader returns null for a value of the wrong type.
import { byteLength } from './line.js';
import { ValueScanner } from './value-scanner.js';

export type JsonObject = { [key: string]: unknown };

/** Returns undefined for text that is not JSON; never throws. JSON.parse is called nowhere else. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON object at the start of a text: protocol messages often have advice in prose after it. */
export function leadingJson(text: string): JsonObject | null {
  const start = text.search(/\S/);
  if (text[start] !== '{') return null;
  const whole = parseJson(text);
  if (isObject(whole)) return whole;
  const scanner = new ValueScanner();
  const end = scanner.read(text, start);
  const value = scanner.status === 'whole' ? parseJson(text.slice(start, end)) : null;
  return isObject(value) ? value : null;
}

/** The JSON text of a value; fields nested too deep for the engine are replaced. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return isObject(value) ? JSON.stringify(withoutDepths(value)) : JSON.stringify(tooDeep);
  }
}

/** How many bytes the JSON of a field takes in UTF-8. */
export function jsonBytes(field: unknown): number {
  // Measured inside an object, as it is written: what is nested too deep is cut there.
  return byteLength(toJson({ field })) - '{"field":}'.length;
}

/** Replaces what is nested too deep for recursion. A list stays a list, so that the result can be read back. */
export function withoutDepths<T extends object>(value: T): T;
export function withoutDepths(value: unknown, left?: number): unknown;
export function withoutDepths(value: unknown, left = deepest): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return left === 0 ? [tooDeep] : value.map((inner) => withoutDepths(inner, left - 1));
  if (left === 0) return tooDeep;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutDepths(inner, left - 1)]));
}
const tooDeep = '[nested too deep]';
/** The depth limit of every recursion in cct; real data stays far below it. */
const deepest = 200;

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Reads an id or name: like textOf, but a number becomes text and the empty string null. */
export function idOf(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' ? String(value) : null;
}

export function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A count or a duration: whole, and not so large that sums of it are inexact. */
export function wholeOf(value: unknown): number | null {
  const number = countOf(value);
  return number === null ? null : Math.max(-largest, Math.min(Math.round(number), largest));
}
const largest = Number.MAX_SAFE_INTEGER;

/** US dollars. Nobody has spent more than the bound, and databases take no more. */
export function moneyOf(value: unknown): number | null {
  const number = countOf(value);
  return number === null ? null : Math.max(-mostDollars, Math.min(number, mostDollars));
}
const mostDollars = 1e15;

export function flagOf(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

export function objectOf(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}

export function listOf(value: unknown): unknown[] | null {
  return Array.isArray(value) ? value : null;
}

export function textsOf(value: unknown): string[] | null {
  return Array.isArray(value) ? value.map(idOf).filter((item) => item !== null) : null;
}

/** Reads ISO text, epoch seconds or epoch milliseconds as ISO 8601 UTC. */
export function timeOf(value: unknown): string | null {
  if (typeof value === 'string') return utcTime.test(value) ? value : isoOf(value);
  if (typeof value !== 'number' || !(value > 0)) return null;
  const epoch = value < 1e11 ? Math.round(value * 1000) : value;
  return epoch < yearTenThousand ? new Date(epoch).toISOString() : null;
}
/** The only format cct writes, so times can be compared as text. February 29 needs a closer look. */
const utcTime =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const yearTenThousand = 253_402_300_800_000;

export function getOrCreate<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** A time without a zone is taken as UTC, so the result does not depend on the machine. */
function isoOf(text: string): string | null {
  const [whole, date, clock = '00:00', hours = 'Z', minutes = ''] = anyTime.exec(text) ?? [];
  // Date.parse takes February 30 for March 2.
  if (whole === undefined || new Date(`${date}T00:00Z`).getUTCDate() !== Number(date?.slice(-2))) return null;
  const epoch = Date.parse(`${date}T${clock}${hours}${minutes && `:${minutes}`}`);
  return Number.isNaN(epoch) ? null : new Date(epoch).toISOString();
}
const anyTime = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(?:(Z|[+-]\d\d):?(\d\d)?)?)?$/;
