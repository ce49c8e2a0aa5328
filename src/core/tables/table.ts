import { HashTable } from './hash-table.js';

/**
 * Entries by key, in the order in which their keys came. A table is changed in place, but its entries never are: they are
 * replaced. So a copy is cheap, and stays as it is while the table goes on.
 */
export class Table<V> {
  /** null while it is empty, as most tables of a session stay. */
  #entries: Map<string, V> | null = null;
  /** Grows with every change. */
  version = 0;

  constructor(entries?: Iterable<readonly [string, V]>) {
    if (entries !== undefined) this.#entries = new Map(entries);
  }

  get size(): number {
    return this.#entries?.size ?? 0;
  }

  get(key: string): V | undefined {
    return this.#entries?.get(key);
  }

  has(key: string): boolean {
    return this.#entries?.has(key) ?? false;
  }

  /** The same value changes nothing. */
  set(key: string, value: V): void {
    if (this.get(key) !== value || value === undefined) this.put(key, value);
  }

  /** For a value that is known to be another one than before. */
  put(key: string, value: V): void {
    this.#entries ??= new Map();
    this.#entries.set(key, value);
    this.version++;
  }

  delete(key: string): void {
    if (this.#entries?.delete(key)) this.version++;
  }

  keys(): string[] {
    return this.#entries === null ? [] : [...this.#entries.keys()];
  }

  values(): V[] {
    return this.#entries === null ? [] : [...this.#entries.values()];
  }

  entries(): [string, V][] {
    return this.#entries === null ? [] : [...this.#entries];
  }

  [Symbol.iterator](): Iterator<[string, V]> {
    return this.toMap()[Symbol.iterator]();
  }

  copy(): Table<V> {
    return new Table(this.#entries ?? undefined);
  }

  /** A Map can be sent to another thread. */
  toMap(): ReadonlyMap<string, V> {
    return this.#entries ?? new Map();
  }
}

/** A copy of a slice of a state: an object of tables, and of values that are never changed in place. */
export function copySlice<S extends object>(slice: S): S {
  const copy = { ...slice };
  for (const name in copy) {
    const value = copy[name];
    // A copy of a table is of the same type.
    if (isTable(value)) Object.assign(copy, { [name]: value.copy() });
  }
  return copy;
}

/** How often a table, or the tables of a slice, have changed. */
export function versionOf(slice: object): number {
  if (isTable(slice)) return slice.version;
  let sum = 0;
  for (const value of Object.values(slice)) if (isTable(value)) sum += value.version;
  return sum;
}

function isTable(value: unknown): value is Table<unknown> | HashTable<unknown> {
  return value instanceof Table || value instanceof HashTable;
}
