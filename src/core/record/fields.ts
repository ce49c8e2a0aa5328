// Readers of single fields whose type nobody promises: the value when it has the right type, else null.
import { isObject, type JsonObject } from './json.js';

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

/** The first of several spellings of one field that has a value. */
export function coalesce<T>(...values: (T | null)[]): T | null {
  for (const value of values) if (value !== null) return value;
  return null;
}

/** ISO 8601 UTC from what records write: ISO text, epoch seconds or epoch milliseconds. */
export function timeOf(value: unknown): string | null {
  if (typeof value === 'string') {
    if (utcTime.test(value)) return value;
    const epoch = Date.parse(value);
    return Number.isNaN(epoch) ? null : new Date(epoch).toISOString();
  }
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return null;
  const epoch = value < 1e11 ? Math.round(value * 1000) : value;
  return epoch < 8.64e15 ? new Date(epoch).toISOString() : null;
}
/** The one spelling we write, so that times compare as text. */
const utcTime = /^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z$/;
