/**
 * Entries by key, in the order in which their keys came. A table is changed in place, but its entries never are: they are
 * replaced. So a copy is cheap, and stays as it is while the table goes on.
 */
export class Table<V> {
  readonly #entries: Map<string, V>;
  /** Grows with every change. */
  version = 0;

  constructor(entries: Iterable<readonly [string, V]> = []) {
    this.#entries = new Map(entries);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** The same value changes nothing. */
  set(key: string, value: V): void {
    if (this.#entries.get(key) !== value || value === undefined) this.put(key, value);
  }

  /** For a value that is known to be another one than before. */
  put(key: string, value: V): void {
    this.#entries.set(key, value);
    this.version++;
  }

  delete(key: string): void {
    if (this.#entries.delete(key)) this.version++;
  }

  keys(): string[] {
    return [...this.#entries.keys()];
  }

  values(): V[] {
    return [...this.#entries.values()];
  }

  entries(): [string, V][] {
    return [...this.#entries];
  }

  [Symbol.iterator](): Iterator<[string, V]> {
    return this.#entries[Symbol.iterator]();
  }

  copy(): Table<V> {
    return new Table(this.#entries);
  }

  /** A Map can be sent to another thread. */
  toMap(): Map<string, V> {
    return this.#entries;
  }
}

/** A copy of a slice of a state: an object of tables, and of values that are never changed in place. */
export function copySlice<S extends object>(slice: S): S {
  const copy = { ...slice };
  for (const name in copy) {
    const value = copy[name];
    // A copy of a table is of the same type.
    if (value instanceof Table) Object.assign(copy, { [name]: value.copy() });
  }
  return copy;
}

/** How often the tables of a slice have changed. */
export function versionOf(slice: object): number {
  let sum = 0;
  for (const value of Object.values(slice)) if (value instanceof Table) sum += value.version;
  return sum;
}
