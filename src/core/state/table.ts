/**
 * A map that is a value to whoever holds it: set() and delete() give a new table, and a reducer stays pure. All versions in a
 * row share one Map, which holds the one that was used last; what the others have instead is remembered, and the Map is
 * turned to them when they are asked (Baker's rerooting). So the newest costs hardly more than the Map alone.
 * Entries come back in the order in which their keys were first set.
 */
export class Table<V> {
  static of<V>(entries: Iterable<readonly [string, V]>): Table<V> {
    let table = new Table<V>();
    for (const [key, value] of entries) table = table.set(key, value);
    return table;
  }

  readonly size: number;
  /** null in a table that is empty from the start: it may live as long as the program, and must not hold what is made from it. */
  readonly #store: Store<V> | null;
  /** How many of the keys and of the changes of the store this version has seen. */
  readonly #keys: number;
  readonly #changes: number;

  constructor(store: Store<V> | null = null, keys = 0, changes = 0, size = 0) {
    this.#store = store;
    this.#keys = keys;
    this.#changes = changes;
    this.size = size;
  }

  get(key: string): V | undefined {
    const value = this.#map()?.get(key);
    return isThere(value) ? value : undefined;
  }

  has(key: string): boolean {
    const map = this.#map();
    const value = map?.get(key);
    return value === undefined ? (map?.has(key) ?? false) : value !== gone;
  }

  set(key: string, value: V): Table<V> {
    const store = this.#store;
    const map = this.#map();
    if (store === null || map === undefined) return this.#copy().set(key, value);
    const known = map.get(key);
    const isNew = known === undefined && !map.has(key);
    if (!isNew && Object.is(known, value)) return this;
    // A key set again after it was deleted stands last.
    if (known === gone || !this.#canGoOn(store)) return this.#copy().set(key, value);
    map.set(key, value);
    if (isNew) return new Table(store, store.keys.push(key), this.#changes, this.size + 1);
    store.at = store.changes.push({ key, value: known });
    return new Table(store, this.#keys, store.at, this.size);
  }

  delete(key: string): Table<V> {
    const store = this.#store;
    const map = this.#map();
    if (store === null || map === undefined || !this.has(key)) return this;
    if (!this.#canGoOn(store)) return this.#copy().delete(key);
    store.at = store.changes.push({ key, value: map.get(key) });
    map.set(key, gone);
    return new Table(store, this.#keys, store.at, this.size - 1);
  }

  entries(): [string, V][] {
    const entries: [string, V][] = [];
    for (const [key, value] of this.#map() ?? []) if (isThere(value)) entries.push([key, value]);
    return entries;
  }

  values(): V[] {
    const values: V[] = [];
    for (const value of this.#map()?.values() ?? []) if (isThere(value)) values.push(value);
    return values;
  }

  [Symbol.iterator](): Iterator<[string, V]> {
    return this.entries()[Symbol.iterator]();
  }

  /** The last value that fits, in the order of entries. Takes time in proportion to those behind it. */
  findLast(fits: (value: V) => boolean): V | undefined {
    const map = this.#map();
    for (let at = this.#keys - 1; at >= 0; at--) {
      const value = map?.get(this.#store?.keys[at] ?? '');
      if (isThere(value) && fits(value)) return value;
    }
    return undefined;
  }

  /** The Map as this version has it. */
  #map(): Map<string, Held<V>> | undefined {
    const store = this.#store;
    if (store === null) return undefined;
    if (store.at !== this.#changes || store.map.size !== this.#keys) turn(store, this.#keys, this.#changes);
    return store.map;
  }

  /** Only the newest version can, and only until there is much to remember, which is ended by a copy. */
  #canGoOn({ keys, changes }: Store<V>): boolean {
    return keys.length === this.#keys && changes.length === this.#changes && changes.length <= this.size / 2 + few;
  }

  #copy(): Table<V> {
    const map = new Map<string, Held<V>>();
    const keys: string[] = [];
    for (const [key, value] of this.#map() ?? []) {
      if (value === gone) continue;
      map.set(key, value);
      keys.push(key);
    }
    return new Table({ map, keys, changes: [], at: 0, ahead: [] }, map.size, 0, map.size);
  }
}

const few = 32;

/** In the place of a value that was deleted: the key keeps its place for older versions. */
const gone = Symbol('gone');
type Held<V> = V | undefined | typeof gone;

function isThere<V>(value: Held<V>): value is V {
  return value !== gone;
}

interface Store<V> {
  readonly map: Map<string, Held<V>>;
  /** All that were ever set; the Map has the first of them. */
  readonly keys: string[];
  /** Of values that were replaced: what the Map does not have, before its place among the changes the older, behind it the newer. */
  readonly changes: { readonly key: string; value: Held<V> }[];
  at: number;
  /** Values of the keys that the Map does not have, the next one last. */
  readonly ahead: Held<V>[];
}

function turn<V>(store: Store<V>, keys: number, changes: number): void {
  const { map, ahead } = store;
  while (store.at > changes) exchange(store, --store.at);
  while (map.size > keys) {
    const key = store.keys[map.size - 1] ?? '';
    ahead.push(map.get(key));
    map.delete(key);
  }
  while (map.size < keys) map.set(store.keys[map.size] ?? '', ahead.pop());
  while (store.at < changes) exchange(store, store.at++);
}

function exchange<V>({ map, changes }: Store<V>, at: number): void {
  const change = changes[at];
  if (change === undefined) return;
  const { key, value } = change;
  change.value = map.get(key);
  map.set(key, value);
}
