/**
 * Finds the row of a key by its 64-bit hash. The table that it is of keeps the hashes, in two columns; the index keeps only
 * rows, in open addressing, so it takes few bytes.
 */
export class HashIndex {
  /** Rows from 1; 0 is a free slot. */
  #slots = new Uint32Array(least);
  size = 0;

  get bytes(): number {
    return this.#slots.byteLength;
  }

  /** The row of a key; -1 if it has none. */
  find(hashes: Hashes, high: number, low: number): number {
    return (this.#slots[this.#slotOf(hashes, high, low)] ?? 0) - 1;
  }

  /** The row of a key. A new key gets the next row, and whoever asks writes down its hash. */
  place(hashes: Hashes, high: number, low: number): number {
    if (4 * this.size >= 3 * this.#slots.length) this.#grow(hashes);
    const at = this.#slotOf(hashes, high, low);
    const known = this.#slots[at] ?? 0;
    if (known !== 0) return known - 1;
    this.#slots[at] = ++this.size;
    return this.size - 1;
  }

  copyIndex(): HashIndex {
    const copy = new HashIndex();
    copy.#slots = this.#slots.slice();
    copy.size = this.size;
    return copy;
  }

  /** Where the key is, or would go. */
  #slotOf({ high: highs, low: lows }: Hashes, high: number, low: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const row = (slots[slot] ?? 0) - 1;
      if (row === -1 || (lows[row] === low && highs[row] === high)) return slot;
    }
  }

  #grow(hashes: Hashes): void {
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let row = 0; row < this.size; row++)
      this.#slots[this.#slotOf(hashes, hashes.high[row] ?? 0, hashes.low[row] ?? 0)] = row + 1;
  }
}

interface Hashes {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
}

/** Small: most inputs are. */
const least = 64;
