import { parseJson } from '../../core/record/json.js';
import { backslash, quote } from './bytes.js';

/** The values of a record, by where they stand in its line. Most are the same in the next record, and are then not made again. */
export class Values {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #lengths: Int32Array;
  readonly #values: unknown[];

  constructor(count: number) {
    this.starts = new Int32Array(count);
    this.ends = new Int32Array(count);
    this.#bytes = new Uint8Array(count * longestKept);
    this.#lengths = new Int32Array(count).fill(-1);
    this.#values = new Array(count).fill(undefined);
  }

  /** The value that was read last. */
  last(index: number): unknown {
    return this.#values[index];
  }

  /** undefined where it is no JSON. */
  read(line: Buffer, index: number): unknown {
    return this.isAsBefore(line, index) ? this.#values[index] : this.#readAnew(line, index);
  }

  isAsBefore(line: Buffer, index: number): boolean {
    const start = this.starts[index] ?? 0;
    const length = (this.ends[index] ?? 0) - start;
    if (length !== this.#lengths[index]) return false;
    const kept = index * longestKept;
    // From the end, where ids and counts differ.
    for (let at = length - 1; at >= 0; at--) if (line[start + at] !== this.#bytes[kept + at]) return false;
    return true;
  }

  #readAnew(line: Buffer, index: number): unknown {
    const start = this.starts[index] ?? 0;
    const end = this.ends[index] ?? 0;
    const length = end - start;
    const value = valueIn(line, start, end);
    // What is damaged, or too long to be kept, is another one each time.
    this.#lengths[index] = length > longestKept || value === undefined ? -1 : length;
    if (length <= longestKept)
      for (let at = 0; at < length; at++) this.#bytes[index * longestKept + at] = line[start + at] ?? 0;
    this.#values[index] = value;
    return value;
  }
}

const longestKept = 64;

/** What JSON.parse says; plain texts and counts without asking it. */
function valueIn(line: Buffer, start: number, end: number): unknown {
  if (line[start] === quote) {
    for (let at = start + 1; at < end - 1; at++) {
      const byte = line[at] ?? 0;
      if (byte === backslash || byte < space) return parseJson(line.toString('utf8', start, end));
    }
    return line.toString('utf8', start + 1, end - 1);
  }
  let count = 0;
  for (let at = start; at < end; at++) {
    const digit = (line[at] ?? 0) - zero;
    if (digit < 0 || digit > 9 || end - start > 15 || (at > start && count === 0))
      return parseJson(line.toString('latin1', start, end));
    count = count * 10 + digit;
  }
  return count;
}

const space = 0x20;
const zero = 0x30;
