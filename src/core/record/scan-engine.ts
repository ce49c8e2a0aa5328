// Finds lines in memory and, with WebAssembly, the keys that a shape names. Writes an entry for each line to a tape.
import { startHigh, startLow } from './hash.js';
import { scanWasm } from './scan-wasm.js';

// Memory layout: the table of keys, from 48 KB room for isCanonical, the tape, the input. Address 0 means absent.
export const table = 1024;
export const tape = 64 * 1024;
export const input = 1024 * 1024;
/** The scanner reads 64 bytes at once, so it may read past the end. */
export const slack = 256;

/** How much is read at once where lines are indexed. */
export const readBytes = 1024 * 1024;
/** The longest beginning of a line that another thread goes on with. */
export const carryBytes = 256 * 1024;

const tapeBytes = 4 * 1024 * 1024;
const lentBytes = tapeBytes + carryBytes + readBytes + slack;
const lentStart = input + carryBytes + readBytes + slack;

/**
 * The other thread has two places for bytes and their tape behind ours: it fills one while we read the other. The beginning
 * of a line goes before `bytes`.
 */
export function lentPlace(number: number) {
  const place = lentStart + (number & 1) * lentBytes;
  return { tape: place, tapeEnd: place + tapeBytes, bytes: place + tapeBytes + carryBytes };
}

/** How much memory two threads need. */
export const lentEnd = lentStart + 2 * lentBytes;

/**
 * The wanted keys, by name. `place`: where the value begins and ends. `hash`: also a hash of its bytes. `shared`: that
 * hash is also part of the entry's hash of all shared values. `id`: also the hash of its text, which `hashEnd` finishes.
 * `count`: also its value, if it is a whole number below a billion. `time`: also whether it is certainly one, as ISO 8601
 * in milliseconds. `mark`: only whether a key with this mark is present. `object`: its own
 * keys, and perhaps a hash of its bytes. A shape may have one list; an item may be any value. Marks of items are separate from the other marks.
 */
export interface Shape {
  readonly [key: string]:
    | 'place'
    | 'hash'
    | 'shared'
    | 'id'
    | 'count'
    | 'time'
    | { readonly mark: string }
    | { readonly object: Shape; readonly hash?: true }
    | { readonly list: Shape };
}

/**
 * Words of an entry before its slots. A slot has two words, from and to. A hash or id has two more, 0 for none; a count
 * its value, then 1 if there is one; a time has 1 if it is one, and a word that is not used.
 */
export const header = {
  words: 0,
  from: 1,
  to: 2,
  odd: 3,
  items: 4,
  number: 5,
  /** The hash of the shared values has two words. */
  shared: 6,
  marks: 8,
  slots: 9,
} as const;
/** Words of an item before its slots. */
const itemHeader = { from: 0, to: 1, marks: 2, slots: 3 } as const;

const LF = 0x0a;
const CR = 0x0d;

/** What can be said of values in lines that are not odd without parsing them. */
export interface Values {
  /** Whether JSON.stringify would write a value with the same bytes. Also false if that is hard to tell. */
  isCanonical(from: number, end: number): boolean;
  /** The place after a value. */
  endOf(from: number): number;
  /** How many lines a text has. A line end at its end begins no other line. */
  linesIn(from: number, end: number): number;
}

/** What finds lines in memory. */
export interface Engine extends Values {
  readonly layout: Layout | null;
  readonly buffer: ArrayBufferLike;
  /** What another thread needs to scan the same memory; null if it cannot. */
  readonly setup: ScanSetup | null;
  /** Lines so far, blank ones included. */
  lines: number;
  /** Where the entries of the last scan end. */
  readonly used: number;
  /** Makes the memory at least this long; returns true if the buffer was replaced. */
  grow(size: number): boolean;
  scan(from: number, end: number): number;
}

/** Everything a scanner is made from. It can be sent to another thread. */
export interface ScanSetup {
  readonly module: object;
  readonly memory: ScanMemory;
  readonly seed: number;
  readonly layout: Pick<Layout, 'keys' | 'words' | 'itemWords'>;
  readonly maxLineBytes: number;
}

interface ScanMemory {
  readonly buffer: ArrayBufferLike;
  grow(pages: number): number;
}

/** Writes the entries of lines to a tape. Several threads may have one for the same memory. */
export class Scanner {
  protected readonly exports: ScanExports;
  readonly #setup: ScanSetup;

  constructor(setup: ScanSetup) {
    const { exports } = new WebAssembly.Instance(setup.module, { env: { memory: setup.memory } });
    exports.setSeed(setup.seed, startHigh(setup.seed), startLow(setup.seed));
    this.exports = exports;
    this.#setup = setup;
  }

  /** Returns where it stopped, before the end if the tape is full. */
  scan(from: number, end: number, tapeStart = tape, tapeEnd = input - slack): number {
    const { layout, maxLineBytes } = this.#setup;
    const { keys, words, itemWords } = layout;
    return this.exports.scan(from, end, tapeStart, tapeEnd, keys, words, itemWords, maxLineBytes);
  }

  get used(): number {
    return this.exports.used.value;
  }

  get lines(): number {
    return this.exports.lines.value;
  }

  set lines(count: number) {
    this.exports.lines.value = count;
  }
}

interface EngineOptions {
  /** Without a shape, only line ends are found. */
  readonly shape: Shape | undefined;
  readonly seed: number;
  readonly maxLineBytes: number;
  /** Lines include blank lines and line ends; only without a shape. */
  readonly isRaw: boolean;
}

export function openEngine({ shape, seed, maxLineBytes, isRaw }: EngineOptions): Engine {
  const shared = shape === undefined ? null : openShared();
  if (shared === null || shape === undefined) return new PlainEngine(maxLineBytes, isRaw);
  growTo(shared.memory, input + slack);
  const layout = writeTable(shared.memory.buffer, shape);
  const { keys, words, itemWords } = layout;
  return new ScanEngine({ ...shared, seed, layout: { keys, words, itemWords }, maxLineBytes }, layout);
}

class ScanEngine extends Scanner implements Engine {
  constructor(
    readonly setup: ScanSetup,
    readonly layout: Layout,
  ) {
    super(setup);
  }

  get buffer(): ArrayBufferLike {
    return this.setup.memory.buffer;
  }

  grow(size: number): boolean {
    return growTo(this.setup.memory, size);
  }

  isCanonical(from: number, end: number): boolean {
    return this.exports.isCanonical(from, end) !== 0;
  }

  endOf(from: number): number {
    return this.exports.valueEnd(from);
  }

  linesIn(from: number, end: number): number {
    return this.exports.linesIn(from, end);
  }
}

function growTo(memory: ScanMemory, size: number): boolean {
  const now = memory.buffer.byteLength;
  if (size <= now) return false;
  // Memory that was never written to costs nothing.
  memory.grow(Math.ceil(Math.max(size - now, now / 4) / pageBytes));
  return true;
}

const pageBytes = 64 * 1024;

/** Finds only line ends. `isRaw`: lines include blank lines and line ends. */
class PlainEngine implements Engine {
  readonly layout = null;
  readonly setup = null;
  readonly #maxLineBytes: number;
  readonly #isRaw: boolean;
  lines = 0;
  used = 0;
  buffer = new ArrayBuffer(input + slack);
  #bytes = new Uint8Array(this.buffer);
  #words = new Int32Array(this.buffer);

  constructor(maxLineBytes: number, isRaw: boolean) {
    this.#maxLineBytes = maxLineBytes;
    this.#isRaw = isRaw;
  }

  grow(size: number): boolean {
    const now = this.buffer.byteLength;
    if (size <= now) return false;
    const larger = new ArrayBuffer(Math.ceil(Math.max(size, now * 1.25) / 8) * 8);
    new Uint8Array(larger).set(this.#bytes);
    this.buffer = larger;
    this.#bytes = new Uint8Array(larger);
    this.#words = new Int32Array(larger);
    return true;
  }

  scan(from: number, end: number): number {
    const words = this.#words;
    let start = from;
    let entry = tape >>> 2;
    for (; start < end && (entry + header.slots) * 4 < input; ) {
      const at = this.#bytes.indexOf(LF, start);
      const to = this.#isRaw ? at + 1 : this.#bytes[at - 1] === CR && at > start ? at - 1 : at;
      this.lines += 1;
      if (this.#isRaw || to - start > this.#maxLineBytes || !this.#isBlank(start, to)) {
        words[entry] = header.slots;
        words[entry + header.from] = start;
        words[entry + header.to] = to;
        words[entry + header.odd] = 1;
        words[entry + header.number] = this.lines;
        entry += header.slots;
      }
      start = at + 1;
    }
    this.used = entry * 4;
    return start;
  }

  // To it every line is odd, so nobody asks.
  isCanonical(): boolean {
    return false;
  }

  endOf(from: number): number {
    return from;
  }

  linesIn(): number {
    return 0;
  }

  #isBlank(from: number, to: number): boolean {
    for (let at = from; at < to; at++) {
      const byte = this.#bytes[at];
      if (byte !== 0x20 && byte !== 0x09 && byte !== CR) return false;
    }
    return true;
  }
}

/** Where the keys of a shape are in the table, and where their slots will be in an entry. */
type Layout = ReturnType<typeof writeTable>;

const kindCodes = {
  place: 0,
  object: 1,
  list: 2,
  hash: 3,
  id: 4,
  mark: 5,
  hashed: 6,
  count: 7,
  shared: 8,
  time: 9,
} as const;
const longSlots: ReadonlySet<string> = new Set(['hash', 'id', 'hashed', 'count', 'shared', 'time']);
const keyBytes = 64;
const nameAt = 32;
const longestName = 32;

/** Writes the table that .build/scan/scan.ts describes. */
function writeTable(memory: ArrayBufferLike, shape: Shape) {
  const view = new DataView(memory);
  const encoder = new TextEncoder();
  const slots = new Map<string, number>();
  const itemSlots = new Map<string, number>();
  const marks = new Map<string, number>();
  /** The words of all slots of an entry, and of an item. */
  const sizes = { words: 0, itemWords: 0 };
  let free = table;

  function keysOf(node: Shape, prefix: string, inItem: boolean): number {
    const keys = free;
    free += 4 * (longestName + 1);
    for (const [name, want] of Object.entries(node)) {
      const key = free;
      free += keyBytes;
      const text = encoder.encode(name);
      const byLength = keys + 4 * text.length;
      view.setUint32(key, view.getUint32(byLength, true), true);
      view.setUint32(byLength, key, true);
      new Uint8Array(memory, key + nameAt, longestName).set(text);
      const kind = kindOf(want);
      view.setUint32(key + 8, kindCodes[kind], true);
      if (typeof want === 'object' && 'mark' in want) {
        const bit = marks.get(want.mark) ?? 1 << marks.size;
        marks.set(want.mark, bit);
        view.setUint32(key + 4, bit, true);
        continue;
      }
      const word = inItem ? sizes.itemWords : sizes.words;
      sizes[inItem ? 'itemWords' : 'words'] += longSlots.has(kind) ? 4 : 2;
      view.setUint32(key + 4, word, true);
      if (inItem) itemSlots.set(prefix + name, word + itemHeader.slots);
      else slots.set(prefix + name, word + header.slots);
      if (typeof want === 'string') continue;
      const inner = 'object' in want ? keysOf(want.object, `${prefix}${name}.`, inItem) : keysOf(want.list, '', true);
      view.setUint32(key + 12, inner, true);
    }
    return keys;
  }

  const keys = keysOf(shape, '', false);
  return { keys, slots, itemSlots, marks, words: sizes.words, itemWords: sizes.itemWords + itemHeader.slots };
}

function kindOf(want: Shape[string]): keyof typeof kindCodes {
  if (typeof want === 'string') return want;
  if ('object' in want) return want.hash ? 'hashed' : 'object';
  return 'mark' in want ? 'mark' : 'list';
}

interface ScanExports {
  readonly used: { readonly value: number };
  readonly lines: { value: number };
  setSeed(seed: number, high: number, low: number): void;
  scan(
    from: number,
    end: number,
    tape: number,
    tapeEnd: number,
    keys: number,
    slotWords: number,
    itemWords: number,
    longest: number,
  ): number;
  isCanonical(from: number, end: number): number;
  valueEnd(from: number): number;
  linesIn(from: number, end: number): number;
}

/** The parts of WebAssembly we use. TypeScript has its types only in the browser library. */
interface WebAssemblyApi {
  readonly Memory: new (size: { initial: number; maximum: number; shared: true }) => ScanMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: ScanExports };
}
declare const WebAssembly: WebAssemblyApi;

let compiled: object | null | undefined;

/** null where WebAssembly, its SIMD or its threads are missing. */
function openShared(): Pick<ScanSetup, 'module' | 'memory'> | null {
  if (compiled === null || typeof WebAssembly === 'undefined') return null;
  try {
    compiled ??= new WebAssembly.Module(Uint8Array.from(atob(scanWasm), (char) => char.charCodeAt(0)));
    // Only what is written to takes memory.
    return { module: compiled, memory: new WebAssembly.Memory({ initial: 1, maximum: mostPages, shared: true }) };
  } catch {
    compiled = null;
    return null;
  }
}

/** As .build/scan/build.js says. */
const mostPages = 32_768;
