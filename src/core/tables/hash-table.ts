// A table whose entries are found by the hash of their key.
import { HashIndex } from './calls/columns.js';

/** What a key is made of. */
export type KeyPart = string | number | boolean | null;
type Key = readonly KeyPart[];

/** The key of an entry. It is compared, because somebody could craft keys with the same hash. */
type KeyOf<V> = (entry: V) => Key;

/**
 * Entries in the order in which their keys came, like a `Table`. It keeps no texts of keys, which would take more memory
 * than small entries do. Its entries are replaced, never changed.
 */
export class HashTable<V> {
  /** Grows with every change. */
  version = 0;
  #list: V[] = [];
  #index = new HashIndex();
  #hashes = { high: new Uint32Array(least), low: new Uint32Array(least) };

  get size(): number {
    return this.#list.length;
  }

  get(key: Key, keyOf: KeyOf<V>): V | undefined {
    for (let tries = 0; ; tries++) {
      hashKey(key, tries);
      const entry = this.#list[this.#index.find(this.#hashes, hashed.high, hashed.low)];
      if (entry === undefined || isSameKey(keyOf(entry), key)) return entry;
    }
  }

  set(key: Key, value: V, keyOf: KeyOf<V>): void {
    const place = this.placeOf(key, keyOf);
    if (this.at(place) !== value) this.put(place, value);
  }

  /** Where the entry of a key is. A new key gets the place after all others, where an entry has to be put. */
  placeOf(key: Key, keyOf: KeyOf<V>): number {
    for (let tries = 0; ; tries++) {
      hashKey(key, tries);
      const place = this.#place(hashed.high, hashed.low);
      const entry = this.#list[place];
      if (entry === undefined || isSameKey(keyOf(entry), key)) return place;
    }
  }

  at(place: number): V | undefined {
    return this.#list[place];
  }

  put(place: number, value: V): void {
    this.#list[place] = value;
    this.version++;
  }

  values(): readonly V[] {
    return this.#list;
  }

  copy(): HashTable<V> {
    return HashTable.unpack(this.pack());
  }

  /** As plain values. */
  pack(): PackedHashTable<V> {
    const { high, low } = this.#hashes;
    return this.#list.map((value, place) => [high[place] ?? 0, low[place] ?? 0, value]);
  }

  static unpack<V>(entries: PackedHashTable<V>): HashTable<V> {
    const table = new HashTable<V>();
    for (const [high, low, value] of entries) table.put(table.#place(high, low), value);
    return table;
  }

  /** Adds what is new in another table. */
  merge(entries: PackedHashTable<V>, keyOf: KeyOf<V>): void {
    for (const [, , value] of entries) {
      const place = this.placeOf(keyOf(value), keyOf);
      if (this.at(place) === undefined) this.put(place, value);
    }
  }

  #place(high: number, low: number): number {
    const place = this.#index.place(this.#hashes, high, low);
    if (place < this.size) return place;
    if (place === this.#hashes.high.length) this.#grow();
    this.#hashes.high[place] = high;
    this.#hashes.low[place] = low;
    return place;
  }

  #grow(): void {
    const { high, low } = this.#hashes;
    this.#hashes = { high: new Uint32Array(2 * high.length), low: new Uint32Array(2 * low.length) };
    this.#hashes.high.set(high);
    this.#hashes.low.set(low);
  }
}

/** The hash of each key, and its entry. */
export type PackedHashTable<V> = readonly (readonly [high: number, low: number, value: V])[];

const least = 16;

/** The last hash, as two halves: a pair would be an object for each. */
const hashed = { high: 0, low: 0 };

function isSameKey(a: Key, b: Key): boolean {
  return a.length === b.length && a.every((part, at) => part === b[at]);
}

/** Like `digest`, it reads two characters at a time. `tries`: how many other keys have had the hashes before. */
function hashKey(key: Key, tries: number): void {
  let high = 0x9e3779b9 ^ tries;
  let low = 0x811c9dc5;
  for (const part of key) {
    const text = typeof part === 'string' ? part : textOf(part);
    const { length } = text;
    // The length, so that a part does not run into the next one; and a number is not its text.
    low = Math.imul(low ^ (typeof part === 'string' ? length : ~length), 0x01000193);
    for (let at = 0; at < length; at += 2) {
      const code = text.charCodeAt(at) | (at + 1 < length ? text.charCodeAt(at + 1) << 16 : 0);
      low = Math.imul(low ^ code, 0x01000193);
      low ^= low >>> 15;
      high = (Math.imul(high ^ code, 0x85ebca6b) + (high >>> 13)) | 0;
    }
  }
  hashed.high = high >>> 0;
  hashed.low = (low ^ (low >>> 16)) >>> 0;
}

function textOf(part: number | boolean | null): string {
  if (part === null) return 'null';
  return typeof part === 'number' ? String(part) : part ? 'true' : 'false';
}
