// Finds the lines in bytes, and in each line the places of the keys that somebody wants, without parsing it.
import { cutLetters, keptByte } from './log-line.js';
import { type Engine, header, input, openEngine, type Shape, slack, tape } from './scan-engine.js';

export type { Shape } from './scan-engine.js';

/** The bytes of the index, and texts from them. */
export interface IndexBytes {
  readonly bytes: Uint8Array;
  /** Decodes UTF-8. */
  text(from: number, to: number): string;
  /** Decodes bytes of which all are ASCII. */
  ascii(from: number, to: number): string;
}

export interface IndexOptions {
  /** Without one every line is odd. */
  readonly shape?: Shape | undefined;
  /** A line of more bytes is not held in memory. */
  readonly maxLineBytes: number;
  readonly seed: number;
  /** Makes texts of bytes; how that is fast depends on the platform. */
  open(memory: ArrayBuffer): IndexBytes;
  /** A line that is not blank: the number of its first word in the tape. */
  line(entry: number): void;
  /** A line of more than the allowed bytes. */
  tooLong(number: number, bytes: number): void;
  /**
   * For a reader that must not lose a byte: blank lines, line ends and a BOM belong to the lines, and a line that cannot be held,
   * or does not end, comes in pieces instead of `tooLong`. The last piece is empty if the source ends behind the one before.
   */
  piece?(from: number, to: number, number: number, continues: boolean, isEnd: boolean): void;
}

/** How far a source was read. */
export interface IndexPlace {
  readonly held: Uint8Array;
  readonly torn: number;
  readonly tornEndsInCR: boolean;
  readonly isStart: boolean;
  readonly lines: number;
}

const start: IndexPlace = { held: new Uint8Array(0), torn: 0, tornEndsInCR: false, isStart: true, lines: 0 };

export class LineIndex {
  readonly #options: IndexOptions;
  #engine: Engine;
  #view: IndexBytes;
  #words: Int32Array;
  /** Bytes that wait for the end of their line, and where they are. */
  #held = 0;
  #base = areas[0];
  /** Where bytes are being written meanwhile, 0 for nowhere; they will follow those that are held. */
  #ahead = 0;
  /** Where bytes were written that do not follow those that are held, since these are too many to be moved there. */
  #apart = 0;
  /** Bytes so far of a line that is too long to be held. */
  #torn = 0;
  #tornEndsInCR = false;
  #isStart = true;
  #stopped = false;

  constructor(options: IndexOptions) {
    this.#options = options;
    this.#engine = engineFor(options);
    [this.#view, this.#words] = this.#openViews();
  }

  /** Whether anything but the ends of lines is found: WebAssembly may be missing, or its SIMD. */
  get isReading(): boolean {
    return this.#engine.layout !== null;
  }

  /** The number of the word in an entry at which the slot of a key begins, such as `message.id`. */
  slot(path: string): number {
    return placeIn(this.#engine.layout?.slots, path);
  }

  /** The same for a key in the items of the list. */
  itemSlot(path: string): number {
    return placeIn(this.#engine.layout?.itemSlots, path);
  }

  /** The bit of a mark. */
  mark(name: string): number {
    return placeIn(this.#engine.layout?.marks, name);
  }

  isOdd(entry: number): boolean {
    return this.word(entry + header.odd) !== 0;
  }

  number(entry: number): number {
    return this.word(entry + header.number);
  }

  marks(entry: number): number {
    return this.word(entry + header.marks);
  }

  items(entry: number): number {
    return this.word(entry + header.items);
  }

  /** The first item of an entry, and the one behind an item. */
  firstItem(entry: number): number {
    return entry + header.slots + (this.#engine.layout?.words ?? 0);
  }

  nextItem(item: number): number {
    return item + (this.#engine.layout?.itemWords ?? 0);
  }

  word(at: number): number {
    return this.#words[at] ?? 0;
  }

  /** The first byte of the value of a slot; 0 if the key is not there. */
  first(at: number): number {
    const from = this.word(at);
    return from === 0 ? 0 : (this.#view.bytes[from] ?? 0);
  }

  /** The text of the value of a slot, or of an item, as it stands in the line. */
  text(at: number): string {
    return this.#view.text(this.word(at), this.word(at + 1));
  }

  /** Whether the value of a slot has the bytes that JSON.stringify would write; false also where that is hard to tell. */
  isCanonical(at: number): boolean {
    return this.#engine.isCanonical(this.word(at), this.word(at + 1));
  }

  /** The text of an id that has a hash: only ASCII, without escapes. */
  id(at: number): string {
    return this.#view.ascii(this.word(at) + 1, this.word(at + 1) - 1);
  }

  byte(at: number): number {
    return this.#view.bytes[at] ?? 0;
  }

  lineText(entry: number): string {
    const text = this.text(entry + header.from);
    const first = text.charCodeAt(0);
    return first >= 0x30 && first <= 0x39 ? this.#withCutLetters(entry, text) : text;
  }

  #withCutLetters(entry: number, text: string): string {
    const bytes = this.lineBytes(entry);
    const cut = cutLetters(text, bytes);
    if (cut === null) return text;
    const [from, to] = [this.word(entry + header.from), this.word(entry + header.to)];
    const kept = (part: Uint8Array) => Array.from(part, keptByte).join('');
    const { head, first, last } = cut;
    const middle = this.#view.text(from + head + first, to - last);
    return `${text.slice(0, head)}${kept(bytes.subarray(head, head + first))}${middle}${kept(bytes.subarray(bytes.length - last))}`;
  }

  /** The bytes of a line; valid only until the next line. */
  lineBytes(entry: number): Uint8Array {
    return this.bytes(this.word(entry + header.from), this.word(entry + header.to));
  }

  bytes(from: number, to: number): Uint8Array {
    return this.#view.bytes.subarray(from, to);
  }

  /** Another source begins, or one goes on that was left. */
  begin({ held, torn, tornEndsInCR, isStart, lines }: IndexPlace = start): void {
    this.#base = areas[0];
    this.#ahead = 0;
    this.#apart = 0;
    this.#torn = torn;
    this.#tornEndsInCR = tornEndsInCR;
    this.#isStart = isStart;
    this.#engine.lines = lines;
    this.#held = 0;
    if (held.length > 0) this.room(held.length).set(held);
    this.#held = held.length;
  }

  /** Where the source stands, to go on with it later. Nothing may be being read. */
  leave(): IndexPlace {
    return {
      // The slice of a Node buffer would be no copy.
      held: new Uint8Array(this.held),
      torn: this.#torn,
      tornEndsInCR: this.#tornEndsInCR,
      isStart: this.#isStart,
      lines: this.#engine.lines,
    };
  }

  /** The bytes so far of a line whose end was not read yet. */
  get held(): Uint8Array {
    return this.bytes(this.#base, this.#base + this.#held);
  }

  /** Lines begun so far in this source, blank ones included. */
  get lines(): number {
    return this.#engine.lines + (this.#held > 0 || this.#torn > 0 ? 1 : 0);
  }

  /** No line is delivered after this, not even of the bytes that are being read. */
  stop(): void {
    this.#stopped = true;
  }

  /** So many bytes should be read at once: where every line is parsed, much may come of little, and has to be written first. */
  get most(): number {
    return this.isReading ? aheadBytes : fewBytes;
  }

  /** Room for so many bytes more, which have to be announced by `push` before it is called again. */
  room(bytes: number): Uint8Array {
    if (this.#held < longBytes && this.#engine.size > hugeBytes) this.#shrink();
    const from = this.#base + this.#held;
    this.#grow(from + bytes);
    return this.#view.bytes.subarray(from, from + bytes);
  }

  /** Room that may be written to while `push` takes what was written before; null if there is none now. */
  ahead(bytes: number): Uint8Array | null {
    if (this.#held > carryBytes || bytes > aheadBytes) return null;
    this.#ahead = this.#base < areas[1] - carryBytes ? areas[1] : areas[0];
    this.#grow(this.#ahead + bytes);
    return this.#view.bytes.subarray(this.#ahead, this.#ahead + bytes);
  }

  /** So many bytes were written to the room: delivers the lines that are complete. */
  push(count: number): void {
    if (this.#apart !== 0) this.#append(count);
    const from = this.#base + this.#held;
    const end = from + count;
    const start = this.#torn > 0 ? this.#passTorn(from, end) : this.#base;
    const last = this.#view.bytes.subarray(Math.max(from, start), end).lastIndexOf(LF);
    const rest = last === -1 ? start : Math.max(from, start) + last + 1;
    this.#deliver(start, rest);
    if (end - rest <= this.#options.maxLineBytes + 1) this.#hold(rest, end);
    else {
      this.#tear(rest, end);
      this.#hold(end, end);
    }
  }

  /** Keeps the beginning of a line where its rest will follow. */
  #hold(from: number, to: number): void {
    const next = this.#ahead === 0 ? areas[0] + to - from : this.#ahead;
    this.#held = to - from;
    if (this.#ahead !== 0 && this.#held > carryBytes) {
      this.#base = from;
      this.#apart = this.#ahead;
    } else if (this.#ahead !== 0 || from !== this.#base) {
      this.#base = next - this.#held;
      this.#view.bytes.copyWithin(this.#base, from, to);
    }
    this.#ahead = 0;
  }

  /** Moves what was written apart behind what is held. */
  #append(count: number): void {
    const from = this.#apart;
    this.#apart = 0;
    this.#grow(this.#base + this.#held + count);
    this.#view.bytes.copyWithin(this.#base + this.#held, from, from + count);
  }

  #grow(end: number): void {
    if (this.#engine.grow(end + slack)) [this.#view, this.#words] = this.#openViews();
  }

  /** The same for bytes that are elsewhere. */
  write(bytes: Uint8Array): void {
    this.room(bytes.length).set(bytes);
    this.push(bytes.length);
  }

  /** The source has ended: what is left is its last line. */
  end(): void {
    if (this.#torn > 0) this.#endTorn(this.#base, this.#base);
    if (this.#held === 0) return;
    const from = this.#base;
    const end = from + this.#held;
    this.#held = 0;
    if (this.#options.piece !== undefined) {
      this.#engine.lines += 1;
      if (!this.#stopped) this.#options.piece(from, end, this.#engine.lines, false, true);
      return;
    }
    this.#view.bytes[end] = LF;
    this.#deliver(from, end + 1);
  }

  #deliver(start: number, end: number): void {
    let from = start;
    const { line, tooLong, maxLineBytes, piece } = this.#options;
    if (this.#isStart && from < end) {
      this.#isStart = false;
      if (piece === undefined && startsWithBom(this.#view.bytes, from)) from = this.#passBom(from);
    }
    while (from < end && !this.#stopped) {
      from = this.#engine.scan(from, end);
      const used = this.#engine.used >>> 2;
      for (let entry = tape >>> 2; entry < used && !this.#stopped; entry += this.word(entry)) {
        const length = this.word(entry + header.to) - this.word(entry + header.from);
        if (length > maxLineBytes && piece === undefined) tooLong(this.number(entry), length);
        else line(entry);
      }
    }
  }

  /** A BOM is no part of the text, but counts for the length of its line. */
  #passBom(from: number): number {
    const end = this.#view.bytes.indexOf(LF, from);
    const length = end - from - (this.#view.bytes[end - 1] === CR ? 1 : 0);
    if (length <= this.#options.maxLineBytes) return from + 3;
    this.#engine.lines += 1;
    this.#options.tooLong(this.#engine.lines, length);
    return end + 1;
  }

  /** The end of a line that is too long, and where the next one begins. */
  #passTorn(from: number, end: number): number {
    const found = this.#view.bytes.subarray(from, end).indexOf(LF);
    if (found === -1) {
      this.#tear(from, end);
      return end;
    }
    this.#endTorn(from, from + found + 1);
    return from + found + 1;
  }

  #tear(from: number, to: number): void {
    if (from === to) return;
    if (!this.#stopped) this.#options.piece?.(from, to, this.#engine.lines + 1, this.#torn > 0, false);
    this.#isStart = false;
    this.#torn += to - from;
    this.#tornEndsInCR = this.#view.bytes[to - 1] === CR;
  }

  /** `to` is behind the line end, if there is one. */
  #endTorn(from: number, to: number): void {
    const rest = Math.max(0, to - from - 1);
    const endsInCR = rest === 0 ? this.#tornEndsInCR : this.#view.bytes[to - 2] === CR;
    const bytes = this.#torn + rest - (endsInCR ? 1 : 0);
    this.#torn = 0;
    this.#engine.lines += 1;
    if (this.#stopped) return;
    if (this.#options.piece === undefined) this.#options.tooLong(this.#engine.lines, bytes);
    else this.#options.piece(from, to, this.#engine.lines, true, true);
  }

  /** Memory that has grown for a long line cannot be given back, only left behind. */
  #shrink(): void {
    const { lines } = this.#engine;
    const held = this.#view.bytes.slice(this.#base, this.#base + this.#held);
    this.#engine = engineFor(this.#options);
    this.#engine.lines = lines;
    this.#base = areas[0];
    this.#engine.grow(this.#base + held.length + slack);
    [this.#view, this.#words] = this.#openViews();
    this.#view.bytes.set(held, this.#base);
  }

  #openViews(): [IndexBytes, Int32Array] {
    const { buffer } = this.#engine;
    return [this.#options.open(buffer), new Int32Array(buffer)];
  }
}

// Two areas for what is read, each with room before it for the beginning of a line. A long line may go over both.
const carryBytes = 256 * 1024;
const aheadBytes = 1024 * 1024;
const areas = [input + carryBytes, input + carryBytes + aheadBytes + carryBytes] as const;

const fewBytes = 64 * 1024;
const longBytes = 4 * 1024 * 1024;
const hugeBytes = 24 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;

function startsWithBom(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf;
}

function placeIn(slots: ReadonlyMap<string, number> | undefined, path: string): number {
  return slots?.get(path) ?? 0;
}

function engineFor({ shape, seed, maxLineBytes, piece }: IndexOptions): Engine {
  return openEngine({ shape, seed, maxLineBytes, isRaw: piece !== undefined });
}
