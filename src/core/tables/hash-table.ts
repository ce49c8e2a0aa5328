// A table whose entries are found by the hash of their key.
import { hashed, hashRest, startHigh, startLow } from '../record/hash.js';
import { HashIndex } from './calls/columns.js';

/** What a key is made of. */
export type KeyPart = string | number | boolean | null;

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

  get(key: readonly KeyPart[]): V | undefined {
    hashKey(key);
    return this.#list[this.#index.find(this.#hashes, hashed.high, hashed.low)];
  }

  set(key: readonly KeyPart[], value: V): void {
    const place = this.placeOf(key);
    if (this.at(place) !== value) this.put(place, value);
  }

  /** Where the entry of a key is. A new key gets the place after all others, where an entry has to be put. */
  placeOf(key: readonly KeyPart[]): number {
    hashKey(key);
    return this.#place(hashed.high, hashed.low);
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
    table.merge(entries);
    return table;
  }

  /** Adds what is new in another table. */
  merge(entries: PackedHashTable<V>): void {
    for (const [high, low, value] of entries) {
      const place = this.#place(high, low);
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

/** Leaves the hash in `hashed`. */
function hashKey(key: readonly KeyPart[]): void {
  let high = startHigh(0);
  let low = startLow(0);
  for (const part of key) {
    hashRest(high, low, typeof part === 'string' ? part : `\0${part}`);
    // A part that ends here is another one than a part that goes on.
    high = Math.imul(hashed.high ^ 0x5f356495, 0x85ebca6b);
    low = Math.imul(hashed.low ^ 0x3c6ef372, 0x01000193);
  }
  hashRest(high, low, '');
}
