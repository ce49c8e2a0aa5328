/**
 * An immutable map: set() and delete() return a new map, so reducers stay pure. Successive versions share one list of
 * values, which holds the values of the version used last. Other versions are kept as changes, which are swapped in
 * when such a version is used (Baker's rerooting). So the newest version costs hardly more than a Map. Entries are in
 * the order in which their keys were first set.
 */
export class PersistentMap<V> {
  static of<V>(entries: Iterable<readonly [string, V]>): PersistentMap<V> {
    let map = new PersistentMap<V>();
    for (const [key, value] of entries) map = map.set(key, value);
    return map;
  }

  readonly size: number;
  /** null in a map created empty: it may live as long as the program, and must not keep alive what is made from it. */
  readonly #store: Store<V> | null;
  /** How many keys and changes of the store belong to this version. */
  readonly #length: number;
  readonly #changes: number;

  constructor(store: Store<V> | null = null, length = 0, changes = 0, size = 0) {
    this.#store = store;
    this.#length = length;
    this.#changes = changes;
    this.size = size;
  }

  // get and set run for every event. They read the store directly, because calling a method takes twice as long.
  get(key: string): V | undefined {
    const store = this.#store;
    const at = store?.places.get(key);
    if (store === null || at === undefined || at >= this.#length) return undefined;
    if (store.at !== this.#changes) reroot(store, this.#changes);
    const value = store.values[at];
    return value === gone ? undefined : value;
  }

  has(key: string): boolean {
    const at = this.#store?.places.get(key);
    return at !== undefined && at < this.#length && this.#values()[at] !== gone;
  }

  set(key: string, value: V): PersistentMap<V> {
    const store = this.#store;
    if (store === null) return PersistentMap.#with(key, value);
    if (store.at !== this.#changes) reroot(store, this.#changes);
    const at = store.places.get(key);
    const isNew = at === undefined || at >= this.#length;
    if (!isNew && Object.is(store.values[at], value)) return this;
    // A key that is set again after it was deleted moves to the end.
    const isBack = !isNew && store.values[at] === gone;
    if (isBack || !isNewest(store, this.#length, this.#changes)) return this.#copy().set(key, value);
    if (!isNew) return this.#change(store, at, value, this.size);
    store.places.set(key, this.#length);
    store.values.push(value);
    return new PersistentMap(store, store.keys.push(key), this.#changes, this.size + 1);
  }

  /** Sets the value that `change` returns for the known one, with a single lookup. The same value changes nothing. */
  update(key: string, change: (known: V | undefined) => V): PersistentMap<V> {
    const store = this.#store;
    if (store === null || !isNewest(store, this.#length, this.#changes)) return this.set(key, change(this.get(key)));
    if (store.at !== this.#changes) reroot(store, this.#changes);
    const at = store.places.get(key);
    if (at === undefined) {
      const value = change(undefined);
      store.places.set(key, this.#length);
      store.values.push(value);
      return new PersistentMap(store, store.keys.push(key), this.#changes, this.size + 1);
    }
    const known = store.values[at];
    if (known === gone) return this.set(key, change(undefined));
    const value = change(known);
    return Object.is(known, value) ? this : this.#change(store, at, value, this.size);
  }

  delete(key: string): PersistentMap<V> {
    const store = this.#store;
    const at = store?.places.get(key);
    if (store === null || at === undefined || !this.has(key)) return this;
    const isSparse = this.#length > 2 * this.size + slack;
    if (isSparse || !isNewest(store, this.#length, this.#changes)) return this.#copy().delete(key);
    return this.#change(store, at, gone, this.size - 1);
  }

  entries(): [string, V][] {
    const entries: [string, V][] = [];
    const values = this.#values();
    for (let at = 0; at < this.#length; at++) {
      const value = values[at];
      if (isPresent(value)) entries.push([this.#store?.keys[at] ?? '', value]);
    }
    return entries;
  }

  values(): V[] {
    return this.#values().slice(0, this.#length).filter(isPresent);
  }

  [Symbol.iterator](): Iterator<[string, V]> {
    return this.entries()[Symbol.iterator]();
  }

  /** The last matching value, in the order of entries. Takes time proportional to the number of values after it. */
  findLast(fits: (value: V) => boolean): V | undefined {
    const values = this.#values();
    for (let at = this.#length - 1; at >= 0; at--) {
      const value = values[at];
      if (isPresent(value) && fits(value)) return value;
    }
    return undefined;
  }

  /** The values of this version. Those beyond its length belong to newer versions. */
  #values(): readonly Held<V>[] {
    const store = this.#store;
    if (store === null) return [];
    if (store.at !== this.#changes) reroot(store, this.#changes);
    return store.values;
  }

  #change(store: Store<V>, at: number, value: Held<V>, size: number): PersistentMap<V> {
    // The list of changes stays small compared to the values, whether older versions are still used or not. A map of a
    // few values has no such list: thousands of sessions have one each, which would keep all their old values.
    const isLong = this.#changes >= Math.floor(this.size / 8);
    const next = isLong ? { ...store, values: store.values.slice(), changes: [], at: 0 } : store;
    if (!isLong) next.at = next.changes.push({ at, value: next.values[at] });
    next.values[at] = value;
    return new PersistentMap(next, this.#length, next.at, size);
  }

  /** Lists of one item. A list that grows from nothing gets room for seventeen. */
  static #with<V>(key: string, value: V): PersistentMap<V> {
    const store = { places: new Map([[key, 0]]), keys: [key], values: [value], changes: [], at: 0 };
    return new PersistentMap<V>(store, 1, 0, 1);
  }

  #copy(): PersistentMap<V> {
    const entries = this.entries();
    const keys = entries.map(([key]) => key);
    const values = entries.map(([, value]) => value);
    const places = new Map(keys.map((key, at) => [key, at]));
    return new PersistentMap<V>({ places, keys, values, changes: [], at: 0 }, keys.length, 0, keys.length);
  }
}

const slack = 64;

/** Marks a deleted value. The key keeps its place for older versions. */
const gone = Symbol('gone');
type Held<V> = V | undefined | typeof gone;

function isPresent<V>(value: Held<V>): value is V {
  return value !== gone;
}

interface Store<V> {
  readonly places: Map<string, number>;
  /** Like `places`, this only grows. */
  readonly keys: string[];
  readonly values: Held<V>[];
  /** For an applied change, the value before it; for the others, the value after it. */
  readonly changes: { readonly at: number; value: Held<V> }[];
  /** How many of the changes are currently applied. */
  at: number;
}

/** Only the newest version can be changed in place. */
function isNewest<V>({ keys, changes }: Store<V>, length: number, changed: number): boolean {
  return keys.length === length && changes.length === changed;
}

function reroot<V>(store: Store<V>, changes: number): void {
  while (store.at > changes) swapChange(store, --store.at);
  while (store.at < changes) swapChange(store, store.at++);
}

function swapChange<V>({ values, changes }: Store<V>, place: number): void {
  const change = changes[place];
  if (change === undefined) return;
  const { at, value } = change;
  change.value = values[at];
  values[at] = value;
}
