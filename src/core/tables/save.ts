// Saves a state as plain JSON, with a version and a digest that are checked on loading.
import { zodOf } from '../event/schema.js';
import { isObject, parseJson } from '../record/json.js';
import { Calls, type SavedCalls } from './calls/calls.js';
import { HashTable, type PackedHashTable } from './hash-table.js';
import { digest } from './order.js';
import { type SavedState, savedState, stateVersion } from './saved-state.js';
import { Table } from './table.js';

export type { SavedState } from './saved-state.js';

export const savedStateSchema = zodOf(savedState);

/** A state that cannot be continued; the message says why. */
export class StateError extends Error {
  override readonly name = 'StateError';
}

/** Turns a state into plain JSON. `change` may change its texts. */
export function saveSlices(state: object, change = (json: unknown) => json): SavedState {
  const slices = Object.fromEntries(Object.entries(state).map(([name, slice]) => [name, change(encode(slice))]));
  return { cct_state: stateVersion, digest: digestOf(slices), slices };
}

/**
 * Reads a saved state, as JSON text or parsed. It must have the slices of the empty state `initial`. Throws StateError.
 */
export function loadSlices<S extends object>(saved: unknown, initial: S): S {
  const value = typeof saved === 'string' ? parseJson(saved) : saved;
  const version = isObject(value) ? value.cct_state : undefined;
  if (typeof version !== 'number') throw new StateError('this is not a state of cct');
  if (version > stateVersion)
    throw new StateError(`the state was saved by a newer cct (version ${version}, this one reads ${stateVersion})`);
  if (version < stateVersion)
    throw new StateError(
      `the state was saved by an older cct (version ${version}, this one reads ${stateVersion}); remove it and read the whole input again to make a new one`,
    );
  const state = slicesIn(value);
  if (!isLike(state, initial)) throw new StateError('the state was saved by a different build of cct');
  return state;
}

/** The digest does not stop forgery: a forged state may be nested too deep for the stack, or call any text a number. */
function slicesIn(value: unknown): unknown {
  try {
    const read = savedStateSchema.safeParse(value);
    if (read.success && read.data.digest === digestOf(read.data.slices)) return valueOfSaved(read.data.slices);
  } catch {}
  throw new StateError('the state is damaged');
}

/**
 * Writes maps, sets, big integers and infinite numbers as objects with one key that begins with `$`. Other values stay
 * as they are. Throws if a slice holds a value that cannot be saved, which is a bug in the slice.
 */
function encode(value: unknown, depth = 0): unknown {
  // Anybody may write the metadata of a task, so it may be nested deeper than the stack allows.
  if (depth > deepestState) return '[nested too deep]';
  const inner = (item: unknown) => encode(item, depth + 1);
  const pairs = (entries: readonly (readonly [unknown, unknown])[]) =>
    entries.map(([key, item]) => [inner(key), inner(item)]);
  if (value instanceof Table) return { $table: pairs(value.entries()) };
  if (value instanceof HashTable) return { $hashes: inner(value.pack()) };
  if (value instanceof Calls) return { $calls: inner(value.save()) };
  if (value instanceof Map) return { $map: pairs([...value]) };
  if (value instanceof Set) return { $set: [...value].map(inner) };
  if (typeof value === 'bigint') return { $bigint: String(value) };
  // The input of a call may contain 1e999.
  if (value === Infinity || value === -Infinity) return { $number: String(value) };
  if (Array.isArray(value)) return value.map(inner);
  if (isObject(value) && isPlain(value)) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    // Data may have keys that begin with `$` too.
    if (entries.some(([key]) => key.startsWith('$'))) return { $object: pairs(entries) };
    return Object.fromEntries(entries.map(([key, item]) => [key, inner(item)]));
  }
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return value;
  throw new TypeError(`a state cannot hold ${String(value)}`);
}
const deepestState = 500;

function valueOfSaved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(valueOfSaved);
  if (!isObject(value)) return value;
  const [tag, inner] = Object.entries(value)[0] ?? [];
  const items = Array.isArray(inner) ? inner : [];
  const pairs = () => items.map(valueOfSaved).filter(isPair);
  const named = () => pairs().map(([key, item]): [string, unknown] => [String(key), item]);
  switch (tag) {
    case '$table':
      return new Table(named());
    case '$hashes':
      return HashTable.unpack(items.map(valueOfSaved).filter(isHashed));
    case '$calls':
      return callsIn(valueOfSaved(inner));
    case '$map':
      return new Map(pairs());
    case '$set':
      return new Set(items.map(valueOfSaved));
    case '$object':
      return Object.fromEntries(named());
    case '$bigint':
      return BigInt(String(inner));
    case '$number':
      return Number(inner);
    default:
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, valueOfSaved(item)]));
  }
}

/** A forged state may hold anything, so only what fits is taken. */
function callsIn(value: unknown): Calls {
  const calls = new Calls({ ids: true });
  if (isSavedCalls(value)) calls.load(value);
  return calls;
}

function isHashed(item: unknown): item is PackedHashTable<unknown>[number] {
  return Array.isArray(item) && item.length === 3 && Number.isInteger(item[0]) && Number.isInteger(item[1]);
}

function isSavedCalls(value: unknown): value is SavedCalls {
  return (
    isObject(value) &&
    Array.isArray(value.ids) &&
    Array.isArray(value.callers) &&
    Array.isArray(value.tools) &&
    isObject(value.columns)
  );
}

/** Sorts the keys first, because a store may return JSON with its keys in another order. */
function digestOf(slices: unknown): string {
  return digest(JSON.stringify(slices, (_, value) => (isObject(value) ? sorted(value) : value)));
}

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The digest checks the values. This checks that the slices are those of this build. */
function isLike<T>(value: unknown, model: T): value is T {
  if (model instanceof Table) return value instanceof Table;
  if (model instanceof HashTable) return value instanceof HashTable;
  if (model instanceof Calls) return value instanceof Calls;
  if (model === null) return true;
  if (!isObject(model)) return typeof value === typeof model && Array.isArray(value) === Array.isArray(model);
  if (!isObject(value)) return false;
  const names = Object.keys(model);
  return names.length === Object.keys(value).length && names.every((name) => isLike(value[name], model[name]));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isPair(item: unknown): item is [unknown, unknown] {
  return Array.isArray(item) && item.length === 2;
}
