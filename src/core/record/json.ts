import { ValueScanner } from './value-scanner.js';

export type JsonObject = { [key: string]: unknown };

/** What a JSON text says, undefined when it is no JSON; never throws. The program's only JSON.parse. */
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

/** The JSON object a text begins with: bodies of protocol messages are often followed by advice in prose. */
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

/** JSON text of any value that came out of JSON; what is nested too deep for the engine is named instead. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return isObject(value) ? JSON.stringify(withoutDepths(value)) : JSON.stringify(tooDeep);
  }
}

/** The same object, with the fields that no recursion could get through named instead; a list stays one, to be read back. */
export function withoutDepths<T extends object>(value: T): T {
  const named = (inner: unknown) => (Array.isArray(inner) ? [tooDeep] : tooDeep);
  const flat = Object.entries(value).map(([key, inner]) => [key, isTooDeep(inner) ? named(inner) : inner]);
  return Object.fromEntries(flat);
}
const tooDeep = '[nested too deep]';

function isTooDeep(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return false;
  } catch {
    return true;
  }
}

// Readers of single fields whose type nobody promises: the value when it has the right type, else null.

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** An id or name: like textOf, but numbers are spelled out and the empty string is no id. */
export function idOf(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' ? String(value) : null;
}

export function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

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

/** ISO 8601 UTC from what records write: ISO text, epoch seconds or epoch milliseconds. */
export function timeOf(value: unknown): string | null {
  if (typeof value === 'string') return utcTime.test(value) ? value : isoOf(value);
  if (typeof value !== 'number' || !(value > 0)) return null;
  const epoch = value < 1e11 ? Math.round(value * 1000) : value;
  return epoch < yearTenThousand ? new Date(epoch).toISOString() : null;
}
/** The one spelling we write, so that times compare as text. */
const utcTime = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const yearTenThousand = 253_402_300_800_000;

/** What names no zone is UTC: it must not depend on where it is read. */
function isoOf(text: string): string | null {
  const [whole, date, clock = '00:00', hours = 'Z', minutes = ''] = anyTime.exec(text) ?? [];
  const epoch = whole === undefined ? Number.NaN : Date.parse(`${date}T${clock}${hours}${minutes && `:${minutes}`}`);
  return Number.isNaN(epoch) ? null : new Date(epoch).toISOString();
}
const anyTime = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(?:(Z|[+-]\d\d):?(\d\d)?)?)?$/;

/** What a map holds for a key, made when it is first asked for. */
export function getOrCreate<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
