// Tables, maps, sets, big integers and endless numbers as JSON: objects with one key that begins with `$`. Everything else stays as it is.
import { isObject } from '../record/json.js';
import { Table } from './table.js';

/** Throws where a slice holds what cannot be saved, which is a mistake in the slice. */
export function encode(value: unknown, depth = 0): unknown {
  // Metadata of tasks is anybody's, and may be nested until the stack ends.
  if (depth > deepest) return '[nested too deep]';
  const inner = (item: unknown) => encode(item, depth + 1);
  const pairs = (entries: readonly (readonly [unknown, unknown])[]) =>
    entries.map(([key, item]) => [inner(key), inner(item)]);
  if (value instanceof Table) return { $table: pairs(value.entries()) };
  if (value instanceof Map) return { $map: pairs([...value]) };
  if (value instanceof Set) return { $set: [...value].map(inner) };
  if (typeof value === 'bigint') return { $bigint: String(value) };
  // The input of a call may say 1e999.
  if (value === Infinity || value === -Infinity) return { $number: String(value) };
  if (Array.isArray(value)) return value.map(inner);
  if (isObject(value) && isPlain(value)) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    // Data may have such keys too.
    if (entries.some(([key]) => key.startsWith('$'))) return { $object: pairs(entries) };
    return Object.fromEntries(entries.map(([key, item]) => [key, inner(item)]));
  }
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return value;
  throw new TypeError(`a state cannot hold ${String(value)}`);
}
const deepest = 500;

/** What encode made JSON of. */
export function decode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (!isObject(value)) return value;
  const [tag, inner] = Object.entries(value)[0] ?? [];
  const items = Array.isArray(inner) ? inner : [];
  const pairs = () => items.map(decode).filter(isPair);
  const named = () => pairs().map(([key, item]): [string, unknown] => [String(key), item]);
  switch (tag) {
    case '$table':
      return Table.of(named());
    case '$map':
      return new Map(pairs());
    case '$set':
      return new Set(items.map(decode));
    case '$object':
      return Object.fromEntries(named());
    case '$bigint':
      return BigInt(String(inner));
    case '$number':
      return Number(inner);
    default:
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, decode(item)]));
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isPair(item: unknown): item is [unknown, unknown] {
  return Array.isArray(item) && item.length === 2;
}
