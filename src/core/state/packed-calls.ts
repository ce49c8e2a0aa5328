// Keeps millions of calls in few bytes. Calls are packed in batches, which are never searched or changed: if there is
// news about a packed call, a later batch has the call again. Reading them joins all that belongs to one call.
//
// Bytes of each call, 17 to 20 in all:
//   8    11 flags, and 53 bits of the hash of its id; the number of its bucket is the other 11 bits
//   1-2  who made it, as the difference from the call before it
//   1    its tool
//   3-4  when it began, also as a difference
//   1-3  how long it took: as reported, else by its end
//   1-2  the length of its input
//   1-3  the length of its result
import { hash, hashed } from '../record/hash.js';
import type { CallDetails } from './calls.js';

/** What is known of a call. */
export interface Call {
  /** Numbers of who made it and of its tool, from 1; 0 while only a result or a hook is known. */
  caller: number;
  tool: number;
  /** A sum of `is`. */
  flags: number;
  /** Times of the call and its result, in milliseconds since 1970; infinity if unknown. */
  start: number;
  end: number;
  /** Durations in milliseconds, according to Claude Code and to a hook; -1 if unknown. */
  reported: number;
  hook: number;
  input_bytes: number;
  result_bytes: number;
  /** Not packed; null unless details are kept. */
  details: CallDetails | null;
}

export const is = { returned: 1, failed: 2, denied: 4, retracted: 8, repeated: 16 } as const;
/** Flags of packed calls: which numbers follow, and whether differences are negative. */
const has = { start: 32, end: 64, reported: 128, hook: 256, earlierStart: 512, earlierEnd: 1024 } as const;

export function newCall(): Call {
  return {
    caller: 0,
    tool: 0,
    flags: 0,
    start: Number.POSITIVE_INFINITY,
    end: Number.POSITIVE_INFINITY,
    reported: -1,
    hook: -1,
    input_bytes: 0,
    result_bytes: 0,
    details: null,
  };
}

export class PackedCalls {
  readonly #seed: number;
  readonly #join: (known: Call, news: Call) => void;
  #batches: Uint8Array[] = [];
  /** The different calls of the first bucket, and how often they were packed: a sample that shows how many are copies. */
  readonly #sample = new Set<number>();
  #sampled = 0;

  /** The seed makes the hashes unpredictable. `join` adds news to what is known of a call. */
  constructor(seed: number, join: (known: Call, news: Call) => void) {
    this.#seed = seed;
    this.#join = join;
  }

  get bytes(): number {
    return this.#batches.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Adds calls by their ids. */
  add(calls: ReadonlyMap<string, Call>): void {
    const buckets = this.#bucketsOf(calls);
    this.#batches.push(pack(buckets));
    for (const [rest] of buckets[0] ?? []) this.#sample.add(rest);
    this.#sampled += buckets[0]?.length ?? 0;
    if (this.#sampled <= 2 * this.#sample.size + fewCopies) return;
    this.#batches = [pack(this.#joined(this.#batches))];
    this.#sampled = this.#sample.size;
  }

  /** All calls, and `recent` ones that were not added yet. */
  *with(recent: ReadonlyMap<string, Call>): Generator<Call> {
    if (this.#batches.length === 0) yield* recent.values();
    else for (const calls of this.#joined([...this.#batches, pack(this.#bucketsOf(recent))])) yield* calls.values();
  }

  /** Bucket by bucket, so that no more than one bucket is unpacked at a time. */
  *#joined(batches: readonly Uint8Array[]): Generator<Map<number, Call>> {
    const readers = batches.map((bytes) => new Packing(bytes));
    for (let number = 0; number < bucketCount; number++) {
      const calls = new Map<number, Call>();
      for (const reader of readers)
        for (let left = reader.read(); left > 0; left--) {
          const [rest, call] = reader.readCall();
          const known = calls.get(rest);
          if (known === undefined) calls.set(rest, call);
          else this.#join(known, call);
        }
      yield calls;
    }
  }

  #bucketsOf(calls: ReadonlyMap<string, Call>): [rest: number, call: Call][][] {
    const buckets: [number, Call][][] = Array.from({ length: bucketCount }, () => []);
    for (const [id, call] of calls) {
      hash(id, this.#seed);
      buckets[hashed.high >>> 21]?.push([(hashed.high & 0x1fffff) * 2 ** 32 + hashed.low, call]);
    }
    return buckets;
  }
}

/** As many as leave 53 bits of the hash, which is what a number can hold. */
const bucketCount = 2 ** 11;
/** Copies in the sample that are not worth packing everything again. */
const fewCopies = 16;

function pack(buckets: Iterable<Iterable<readonly [rest: number, call: Call]>>): Uint8Array {
  const writer = new Packing(new Uint8Array(2 ** 16));
  for (const bucket of buckets) {
    const calls = [...bucket];
    writer.write(calls.length);
    for (const [rest, call] of calls) writer.writeCall(rest, call);
  }
  return writer.written();
}

/** Writes a batch, or reads one. */
class Packing {
  #bytes: Uint8Array;
  #at = 0;
  /** Of the last call. */
  #caller = 0;
  #start = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  written(): Uint8Array {
    return this.#bytes.slice(0, this.#at);
  }

  writeCall(rest: number, call: Call): void {
    const { start, end, reported, hook } = call;
    let bits = call.flags;
    if (start < Number.POSITIVE_INFINITY) bits |= has.start | (start < this.#start ? has.earlierStart : 0);
    // Only the best of its durations will ever be shown.
    if (reported >= 0) bits |= has.reported;
    else if (hook >= 0) bits |= has.hook;
    const needsEnd = (bits & has.start) === 0 || (bits & (has.reported | has.hook)) === 0;
    const base = bits & has.start ? start : this.#start;
    if (end < Number.POSITIVE_INFINITY && needsEnd) bits |= has.end | (end < base ? has.earlierEnd : 0);
    this.#makeRoom();
    this.#writeWord(rest);
    this.#writeWord((Math.floor(rest / 2 ** 32) << 11) | bits);
    const step = call.caller - this.#caller;
    this.write(step < 0 ? -2 * step - 1 : 2 * step);
    this.write(call.tool);
    if (bits & has.start) this.write(Math.abs(start - this.#start));
    if (bits & has.end) this.write(Math.abs(end - base));
    this.#caller = call.caller;
    this.#start = base;
    if (bits & has.reported) this.write(reported);
    if (bits & has.hook) this.write(hook);
    this.write(call.input_bytes);
    if (bits & is.returned) this.write(call.result_bytes);
  }

  readCall(): [rest: number, call: Call] {
    const low = this.#readWord();
    const bits = this.#readWord();
    const call = newCall();
    call.flags = bits & (has.start - 1);
    const step = this.read();
    call.caller = this.#caller += step % 2 === 0 ? step / 2 : -(step + 1) / 2;
    call.tool = this.read();
    if (bits & has.start) call.start = this.#start += bits & has.earlierStart ? -this.read() : this.read();
    if (bits & has.end) call.end = this.#start + (bits & has.earlierEnd ? -this.read() : this.read());
    if (bits & has.reported) call.reported = this.read();
    if (bits & has.hook) call.hook = this.read();
    call.input_bytes = this.read();
    if (bits & is.returned) call.result_bytes = this.read();
    return [(bits >>> 11) * 2 ** 32 + low, call];
  }

  /** Seven bits in each byte. */
  write(number: number): void {
    this.#makeRoom();
    let left = number;
    for (; left >= 128; left = Math.floor(left / 128)) this.#bytes[this.#at++] = 128 | (left % 128);
    this.#bytes[this.#at++] = left;
  }

  read(): number {
    let number = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.#at++] ?? 0;
      number += (byte & 127) * factor;
      if (byte < 128) return number;
    }
  }

  /** For one number or two words. */
  #makeRoom(): void {
    if (this.#at + 8 <= this.#bytes.length) return;
    const bytes = new Uint8Array(2 * this.#bytes.length);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }

  #writeWord(word: number): void {
    for (let shift = 0; shift < 32; shift += 8) this.#bytes[this.#at++] = word >>> shift;
  }

  #readWord(): number {
    let word = 0;
    for (let shift = 0; shift < 32; shift += 8) word |= (this.#bytes[this.#at++] ?? 0) << shift;
    return word >>> 0;
  }
}
