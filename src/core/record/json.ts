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
