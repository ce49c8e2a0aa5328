// Remembers which records, calls and blocks were seen.
import { type HashStart, hash, hashed, hashRest, hashStart } from '../record/hash.js';

/**
 * Suffixes of the keys under which calls and results count as seen. The id comes first: the line index can hash it. They
 * are short, because they are hashed for every call.
 */
export const wasCalled = '\u0001';
export const wasReturned = '\u0002';

export function calledKey(id: string): string {
  return id + wasCalled;
}

export function returnedKey(id: string): string {
  return id + wasReturned;
}

/**
 * A set of keys, and a map of values by key, that store hashes instead of texts. Each holds at least the newest million
 * entries. Older ones may be forgotten, so an endless stream takes bounded memory.
 */
export class Seen {
  readonly seed: number;
  #keys = new Table(2);
  #oldKeys = new Table(2);
  #values = new Table(4);
  #oldValues = new Table(4);

  /** A saved state needs the same seed again. */
  constructor(seed: number, saved: readonly number[] = []) {
    this.seed = seed;
    for (let at = 0; at + 2 < saved.length; at += 3) {
      const [high = 0, low = 0, value = 0] = saved.slice(at, at + 3);
      if (value === 0) this.#add(high, low);
      else this.#raise(high, low, value);
    }
  }

  /** True the first time a key is seen. */
  add(key: string): boolean {
    hash(key, this.seed);
    return this.#add(hashed.high, hashed.low);
  }

  has(key: string): boolean {
    hash(key, this.seed);
    return this.#keys.hasHash(hashed.high, hashed.low) || this.#oldKeys.hasHash(hashed.high, hashed.low);
  }

  /** The same for a key that begins with an id that the line index has hashed. */
  addId(high: number, low: number, rest: string): boolean {
    hashRest(high, low, rest);
    return this.#add(hashed.high, hashed.low);
  }

  /**
   * Remembers the value and returns true if it is larger than any seen with this key. Values are larger than 0. Many keys
   * begin alike, so that beginning is hashed once.
   */
  raise(start: HashStart, rest: string, value: number): boolean {
    hashRest(start.high, start.low, rest);
    return this.#raise(hashed.high, hashed.low, value);
  }

  /** The beginning of keys for `raise`. */
  keyStart(text: string): HashStart {
    return hashStart(text, this.seed);
  }

  /** Everything remembered, as triples of numbers. A key without a value has 0. */
  save(): number[] {
    return [this.#oldKeys, this.#keys, this.#oldValues, this.#values].flatMap((table) => table.triples());
  }

  #add(high: number, low: number): boolean {
    if (this.#oldKeys.hasHash(high, low)) return false;
    if (this.#keys.isFull) {
      this.#oldKeys = this.#keys;
      this.#keys = new Table(2);
      if (this.#oldKeys.hasHash(high, low)) return false;
    }
    return this.#keys.add(high, low);
  }

  #raise(high: number, low: number, value: number): boolean {
    if (this.#values.valueAt(high, low) >= value || this.#oldValues.valueAt(high, low) >= value) return false;
    if (this.#values.isFull) {
      this.#oldValues = this.#values;
      this.#values = new Table(4);
    }
    this.#values.setValue(high, low, value);
    return true;
  }
}

/**
 * Open addressing over typed arrays. The words of a slot are adjacent (two halves of a hash, and perhaps a value of two
 * words), because nearly every access misses the cache. An empty slot has the hash 0, which no key has.
 */
class Table {
  readonly #words: 2 | 4;
  #size = 0;
  /** One less than the number of slots. There are none before the first key: most tables of a short file stay empty. */
  #mask = -1;
  #slots: Uint32Array = noSlots;
  #values: Float64Array = noValues;

  constructor(words: 2 | 4) {
    this.#words = words;
  }

  /** Whether one more key would make it grow beyond `largest`. */
  get isFull(): boolean {
    return this.#size >= largest / 2 - 1;
  }

  hasHash(high: number, low: number): boolean {
    return this.#size > 0 && this.#slots[this.#slotOf(high, low || 1) + 1] !== 0;
  }

  /** False if the key is already present. */
  add(high: number, low: number): boolean {
    if (3 * this.#size > 2 * this.#mask) this.#grow();
    const own = low || 1;
    const place = this.#slotOf(high, own);
    if (this.#slots[place + 1] !== 0) return false;
    this.#slots[place] = high;
    this.#slots[place + 1] = own;
    this.#size++;
    return true;
  }

  /** 0 if the key is absent. */
  valueAt(high: number, low: number): number {
    return this.#size === 0 ? 0 : (this.#values[(this.#slotOf(high, low || 1) >>> 1) + 1] ?? 0);
  }

  setValue(high: number, low: number, value: number): void {
    this.add(high, low);
    this.#values[(this.#slotOf(high, low || 1) >>> 1) + 1] = value;
  }

  triples(): number[] {
    const all: number[] = [];
    for (let place = 0; place < this.#slots.length; place += this.#words) {
      const low = this.#slots[place + 1] ?? 0;
      if (low === 0) continue;
      all.push(this.#slots[place] ?? 0, low, this.#words === 4 ? (this.#values[(place >>> 1) + 1] ?? 0) : 0);
    }
    return all;
  }

  /** Where the key is, or would go. Its low half is never 0. */
  #slotOf(high: number, low: number): number {
    const slots = this.#slots;
    const words = this.#words;
    for (let slot = low & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const place = words * slot;
      const foundHigh = slots[place] ?? 0;
      const foundLow = slots[place + 1] ?? 0;
      if (foundLow === 0 || ((foundLow ^ low) | (foundHigh ^ high)) === 0) return place;
    }
  }

  #grow(): void {
    const before = this.#slots;
    const values = this.#values;
    // Kept full: the fewer bytes it has, the fewer accesses miss the cache. That takes longer than placing keys again.
    this.#mask = Math.max(smallest, 2 * (this.#mask + 1)) - 1;
    this.#slots = new Uint32Array(this.#words * (this.#mask + 1));
    if (this.#words === 4) this.#values = new Float64Array(this.#slots.buffer);
    for (let place = 0; place < before.length; place += this.#words) {
      const low = before[place + 1] ?? 0;
      if (low === 0) continue;
      const high = before[place] ?? 0;
      const next = this.#slotOf(high, low);
      this.#slots[next] = high;
      this.#slots[next + 1] = low;
      if (this.#words === 4) this.#values[(next >>> 1) + 1] = values[(place >>> 1) + 1] ?? 0;
    }
  }
}

const noSlots = new Uint32Array(0);
const noValues = new Float64Array(0);

/** Small, because each of many small files has its own tables. */
const smallest = 64;
const largest = 1 << 21;
