/**
 * Remembers which records, calls and blocks were seen, by a hash of 16 bytes instead of a string for each key.
 * It holds at least the newest million; an older key may be forgotten, so an endless stream takes bounded memory.
 */
export class Seen {
  #fresh = new Slots();
  #old = new Slots();

  constructor(saved: readonly number[] = []) {
    for (let at = 0; at + 2 < saved.length; at += 3) this.#put(saved[at] ?? 0, saved[at + 1] ?? 0, saved[at + 2] ?? 0);
  }

  /** True the first time a key is seen. */
  add(key: string): boolean {
    return this.raise(key, 1);
  }

  /** Everything remembered, as triples of numbers. */
  save(): number[] {
    return [...this.#old.triples(), ...this.#fresh.triples()];
  }

  has(key: string): boolean {
    const [high, low] = hash(key);
    return this.#fresh.get(high, low) > 0 || this.#old.get(high, low) > 0;
  }

  /** True if the value is larger than any seen with this key; then it is remembered. */
  raise(key: string, value: number): boolean {
    const [high, low] = hash(key);
    if (this.#fresh.get(high, low) >= value || this.#old.get(high, low) >= value) return false;
    this.#put(high, low, value);
    return true;
  }

  #put(high: number, low: number, value: number): void {
    if (this.#fresh.full) {
      this.#old = this.#fresh;
      this.#fresh = new Slots();
    }
    this.#fresh.set(high, low, value);
  }
}

const largest = 1 << 21;

/**
 * Open addressing over typed arrays; an empty slot has value 0. The 16 bytes of a slot, two halves of a key and a value, are
 * adjacent: every access misses the cache, and half as many misses take half the time.
 */
class Slots {
  #size = 0;
  #mask = smallest - 1;
  #keys = new Uint32Array(4 * smallest);
  #values = new Float64Array(this.#keys.buffer);

  /** One more key would make it grow beyond `largest`. */
  get full(): boolean {
    return this.#size >= largest / 2 - 1;
  }

  *triples(): Generator<number> {
    for (let slot = 0; slot <= this.#mask; slot++) {
      const value = this.#values[2 * slot + 1] ?? 0;
      if (value === 0) continue;
      yield this.#keys[4 * slot] ?? 0;
      yield this.#keys[4 * slot + 1] ?? 0;
      yield value;
    }
  }

  get(high: number, low: number): number {
    return this.#values[2 * this.#slot(high, low) + 1] ?? 0;
  }

  set(high: number, low: number, value: number): void {
    const slot = this.#slot(high, low);
    if (this.#values[2 * slot + 1] === 0 && ++this.#size > this.#mask / 2) {
      this.#grow();
      return this.set(high, low, value);
    }
    this.#keys[4 * slot] = high;
    this.#keys[4 * slot + 1] = low;
    this.#values[2 * slot + 1] = value;
  }

  #slot(high: number, low: number): number {
    let slot = low & this.#mask;
    while (this.#values[2 * slot + 1] !== 0 && (this.#keys[4 * slot] !== high || this.#keys[4 * slot + 1] !== low))
      slot = (slot + 1) & this.#mask;
    return slot;
  }

  #grow(): void {
    const keys = this.#keys;
    const values = this.#values;
    this.#mask = 2 * this.#mask + 1;
    this.#keys = new Uint32Array(2 * keys.length);
    this.#values = new Float64Array(this.#keys.buffer);
    this.#size = 0;
    for (let slot = 0; 4 * slot < keys.length; slot++) {
      const value = values[2 * slot + 1] ?? 0;
      if (value !== 0) this.set(keys[4 * slot] ?? 0, keys[4 * slot + 1] ?? 0, value);
    }
  }
}

const smallest = 1024;

/** 64 bits from two different multiplicative hashes: a collision among a million keys has a chance of one in thirty million. */
function hash(key: string): [number, number] {
  let high = 0x9e3779b9;
  let low = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b) + (high >>> 13);
  }
  return [high >>> 0, (low ^ (low >>> 16)) >>> 0];
}
