// The columns of the table of calls, and the index that finds a row by the hash of its id.

/** Callers and tools are numbers from 1; 0 while only a result or a hook is known. Times are milliseconds since 1970. */
export interface Columns {
  /** The hash of its id. */
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly caller: Uint32Array;
  readonly tool: Uint32Array;
  readonly flags: Uint8Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Durations in milliseconds, according to Claude Code and to a hook, plus 1; 0 if unknown. */
  readonly reported: Uint32Array;
  readonly hook: Uint32Array;
  readonly input_bytes: Uint32Array;
  readonly result_bytes: Uint32Array;
}

export function newColumns(rows: number): Columns {
  return {
    high: new Uint32Array(rows),
    low: new Uint32Array(rows),
    caller: new Uint32Array(rows),
    tool: new Uint32Array(rows),
    flags: new Uint8Array(rows),
    start: new Float64Array(rows),
    end: new Float64Array(rows),
    reported: new Uint32Array(rows),
    hook: new Uint32Array(rows),
    input_bytes: new Uint32Array(rows),
    result_bytes: new Uint32Array(rows),
  };
}

/** A copy with room for this many rows. */
export function withRoom(columns: Columns, rows: number): Columns {
  const { high, low, caller, tool, flags, start, end, reported, hook, input_bytes, result_bytes } = columns;
  const copy = newColumns(rows);
  copy.high.set(high);
  copy.low.set(low);
  copy.caller.set(caller);
  copy.tool.set(tool);
  copy.flags.set(flags);
  copy.start.set(start);
  copy.end.set(end);
  copy.reported.set(reported);
  copy.hook.set(hook);
  copy.input_bytes.set(input_bytes);
  copy.result_bytes.set(result_bytes);
  return copy;
}

/** How many calls somebody made. */
export interface CallCounts {
  readonly calls: number;
  readonly errors: number;
  readonly open: number;
}

export const noCalls: CallCounts = { calls: 0, errors: 0, open: 0 };

/** In the columns of times. */
export const unknownTime = Number.POSITIVE_INFINITY;

export function millis(time: string | null): number {
  const at = time === null ? Number.NaN : Date.parse(time);
  return Number.isNaN(at) ? unknownTime : at;
}

export function bounded(count: number): number {
  return Math.min(Math.max(Math.trunc(count) || 0, 0), 2 ** 32 - 1);
}

/** Plus 1, as the columns keep it; 0 if it cannot be one. */
export function durationOf(said: number | null): number {
  const ms = said === null ? -1 : Math.round(said);
  return ms >= 0 && ms < 2 ** 32 - 1 ? ms + 1 : 0;
}

/** Gives things numbers from 1. */
export class Numbered<T> {
  readonly all: T[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(key: string): number | undefined {
    return this.#numbers.get(key);
  }

  add(key: string, thing: T): number {
    const number = this.all.push(thing);
    this.#numbers.set(key, number);
    return number;
  }

  /** Takes over the numbers of another. */
  take(other: Numbered<T>): void {
    this.all.push(...other.all);
    for (const [key, number] of other.#numbers) this.#numbers.set(key, number);
  }
}

/** What the slots of a hash depend on. */
let factors = { high: 0x9e3779b1, low: 0x85ebca6b };

/** Makes the slots of later indexes unpredictable, because somebody could craft keys that crowd a few. `random`: two words. */
export function scatter(random: { readonly high: number; readonly low: number }): void {
  factors = { high: random.high | 1, low: random.low | 1 };
}

/**
 * Finds the row of a key by its 64-bit hash. The table that it is of keeps the hashes, in two columns; the index keeps only
 * rows, in open addressing, so it takes few bytes.
 */
export class HashIndex {
  /** Rows from 1; 0 is a free slot. */
  #slots = new Uint32Array(leastSlots);
  #factors = factors;
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
    copy.#factors = this.#factors;
    copy.size = this.size;
    return copy;
  }

  /** Where the key is, or would go. */
  #slotOf({ high: highs, low: lows }: Hashes, high: number, low: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    // The highest bits, on which all others have an effect.
    const mixed = Math.imul(high, this.#factors.high) + Math.imul(low, this.#factors.low);
    for (let slot = (mixed | 0) >>> Math.clz32(mask); ; slot = (slot + 1) & mask) {
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
const leastSlots = 64;
