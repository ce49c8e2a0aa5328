/**
 * A map that is a value to whoever holds it and still takes one Map.set per entry: all journals made from one share its log,
 * and each sees the log up to its own length. Only the newest may be continued in place; continuing an older one copies it first.
 * A Table would do the same for eight times the time, which is felt with 155,000 messages in a gigabyte (1.3 s against 0.15 s).
 */
export class Journal<V extends { readonly key: string }> {
  readonly #store: Store<V>;
  readonly #length: number;

  constructor(store: Store<V> = { log: [], before: [], last: new Map() }, length = 0) {
    this.#store = store;
    this.#length = length;
  }

  get(key: string): V | undefined {
    const { log, before, last } = this.#store;
    let at = last.get(key) ?? none;
    while (at >= this.#length) at = before[at] ?? none;
    return log[at];
  }

  set(value: V): Journal<V> {
    const { log, before, last } = this.#store;
    if (log.length !== this.#length) return this.#copy().set(value);
    before.push(last.get(value.key) ?? none);
    last.set(value.key, log.length);
    log.push(value);
    return new Journal(this.#store, log.length);
  }

  /** What was set last. */
  get latest(): V | undefined {
    return this.#store.log[this.#length - 1];
  }

  /** The latest that fits, by when it was set last. */
  findLast(fits: (value: V) => boolean): V | undefined {
    for (let at = this.#length - 1; at >= 0; at--) {
      const value = this.#store.log[at];
      if (value !== undefined && fits(value)) return this.get(value.key);
    }
    return undefined;
  }

  /** In the order in which keys were first set. */
  *values(): Iterable<V> {
    const { log, last } = this.#store;
    for (const at of log.length === this.#length ? last.values() : this.#copy().#store.last.values()) {
      const value = log[at];
      if (value !== undefined) yield value;
    }
  }

  get size(): number {
    return this.#store.log.length === this.#length ? this.#store.last.size : this.#copy().size;
  }

  #copy(): Journal<V> {
    const store: Store<V> = { log: [], before: [], last: new Map() };
    for (const value of this.#store.log.slice(0, this.#length)) {
      store.before.push(store.last.get(value.key) ?? none);
      store.last.set(value.key, store.log.length);
      store.log.push(value);
    }
    return new Journal(store, store.log.length);
  }
}

const none = -1;

interface Store<V> {
  /** Every value that was ever set. */
  readonly log: V[];
  /** For each of them, the place of the one it replaced. */
  readonly before: number[];
  readonly last: Map<string, number>;
}
