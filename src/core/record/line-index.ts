// Finds lines in bytes, and in each line the positions of the wanted keys, without parsing it.
import { cutLetters, keptByte, startsWithBom } from './log-line.js';
import {
  carryBytes,
  type Engine,
  header,
  input,
  lentEnd,
  openEngine,
  readBytes,
  type ScanSetup,
  type Shape,
  slack,
  tape,
  type Values,
} from './scan-engine.js';

export type { Shape } from './scan-engine.js';

/** The bytes of the index, and how to read text from them. */
export interface IndexBytes {
  readonly bytes: Uint8Array;
  /** Decodes UTF-8. */
  text(from: number, to: number): string;
  /** Decodes bytes that are all ASCII. */
  ascii(from: number, to: number): string;
}

export interface IndexOptions {
  /** Without a shape, every line is odd. */
  readonly shape?: Shape | undefined;
  /** A longer line is not held in memory. */
  readonly maxLineBytes: number;
  readonly seed: number;
  /** Decodes bytes to text; the fastest way depends on the platform. */
  open(memory: ArrayBufferLike): IndexBytes;
  /** Called for each line that is not blank, with the index of its first word in the tape. */
  line(entry: number): void;
  /** Called for a line longer than the allowed bytes. */
  tooLong(number: number, bytes: number): void;
  /**
   * For a reader that must not lose a byte: lines include blank lines, line ends and a BOM. A line that is too long to
   * hold, or that does not end, comes in pieces instead of as `tooLong`. If the source ends right after a piece, an
   * empty last piece follows.
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
  /** All words and all bytes of its memory, for those who read many. Replaced when the memory grows. */
  words: Int32Array;
  all: Uint8Array;
  /** How many bytes wait for the end of their line, at the beginning of the input. */
  #held = 0;
  /** How many bytes of a line that is too long to hold have been read. */
  #torn = 0;
  #tornEndsInCR = false;
  #isStart = true;
  #stopped = false;
  #lendable: ScanSetup | null = null;

  constructor(options: IndexOptions) {
    this.#options = options;
    this.#engine = engineFor(options);
    const { buffer } = this.#engine;
    this.#view = options.open(buffer);
    this.all = this.#view.bytes;
    this.words = new Int32Array(buffer);
  }

  /** Another one of the same kind, for other lines. */
  another(line: (entry: number) => void): LineIndex {
    return new LineIndex({ ...this.#options, line });
  }

  /** Whether keys are found too, and not only line ends. False where WebAssembly or its SIMD is missing. */
  get isReading(): boolean {
    return this.#engine.layout !== null;
  }

  /** The word of an entry at which the slot of a key such as `message.id` begins. */
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

  /** The first item of an entry, and the one behind an item. */
  firstItem(entry: number): number {
    return entry + header.slots + (this.#engine.layout?.words ?? 0);
  }

  nextItem(item: number): number {
    return item + (this.#engine.layout?.itemWords ?? 0);
  }

  word(at: number): number {
    return this.words[at] ?? 0;
  }

  /** The first byte of a slot's value; 0 if the key is absent. */
  first(at: number): number {
    const from = this.words[at] ?? 0;
    return from === 0 ? 0 : (this.all[from] ?? 0);
  }

  /** The text of a slot's value, or of an item, exactly as it stands in the line; `most`: only so many bytes of it. */
  text(at: number, most = Number.POSITIVE_INFINITY): string {
    const from = this.word(at);
    return this.#view.text(from, Math.min(this.word(at + 1), from + most));
  }

  /** Says more about values, by their places in all bytes. */
  get values(): Values {
    return this.#engine;
  }

  /** The text of an id that has a hash, which is always ASCII without escapes. */
  id(at: number): string {
    return this.#view.ascii((this.words[at] ?? 0) + 1, (this.words[at + 1] ?? 0) - 1);
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

  /** Where a line begins in all bytes. */
  lineStart(entry: number): number {
    return this.word(entry + header.from);
  }

  /** The bytes of a line; valid only until the next line. */
  lineBytes(entry: number): Uint8Array {
    return this.bytes(this.lineStart(entry), this.word(entry + header.to));
  }

  /** All bytes, with words of the index as places in them; valid only until the next line. */
  get source(): IndexBytes {
    return this.#view;
  }

  bytes(from: number, to: number): Uint8Array {
    return this.#view.bytes.subarray(from, to);
  }

  /** Begins another source, or resumes one that was left. */
  begin({ held, torn, tornEndsInCR, isStart, lines }: IndexPlace = start): void {
    this.#torn = torn;
    this.#tornEndsInCR = tornEndsInCR;
    this.#isStart = isStart;
    this.#engine.lines = lines;
    this.#held = 0;
    if (held.length > 0) this.room(held.length).set(held);
    this.#held = held.length;
  }

  /** Where the source stands, to resume it later. No read may be under way. */
  leavePlace(): IndexPlace {
    return {
      // The slice of a Node buffer would not be a copy.
      held: new Uint8Array(this.held),
      torn: this.#torn,
      tornEndsInCR: this.#tornEndsInCR,
      isStart: this.#isStart,
      lines: this.#engine.lines,
    };
  }

  /** The bytes so far of a line whose end has not been read. */
  get held(): Uint8Array {
    return this.bytes(input, input + this.#held);
  }

  /** Lines begun so far in this source, blank ones included. */
  get lines(): number {
    return this.#engine.lines + (this.#held > 0 || this.#torn > 0 ? 1 : 0);
  }

  /** No line is delivered after this, not even from bytes that are being read. */
  stop(): void {
    this.#stopped = true;
  }

  /**
   * How many bytes to read at once. Fewer where every line is parsed, because a few bytes may produce much output,
   * which must be written first.
   */
  get most(): number {
    return this.isReading ? readBytes : fewBytes;
  }

  /** Room for this many more bytes. Call `push` to announce them before calling this again. */
  room(bytes: number): Uint8Array {
    if (this.#held < longBytes && this.all.length > hugeBytes) this.#shrink();
    const from = input + this.#held;
    this.#grow(from + bytes);
    return this.#view.bytes.subarray(from, from + bytes);
  }

  /** Takes the bytes that were written to the room, and delivers the lines that are complete. */
  push(count: number): void {
    const from = input + this.#held;
    const end = from + count;
    const start = this.#torn > 0 ? this.#passTorn(from, end) : input;
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
    this.#held = to - from;
    if (from !== input) this.#view.bytes.copyWithin(input, from, to);
  }

  #grow(end: number): void {
    if (this.#engine.grow(end + slack)) this.#openViews();
  }

  /** The same for bytes in another buffer. */
  write(bytes: Uint8Array): void {
    this.room(bytes.length).set(bytes);
    this.push(bytes.length);
  }

  /** The source has ended: the held bytes are its last line. */
  end(): void {
    if (this.#torn > 0) this.#endTorn(input, input);
    if (this.#held === 0) return;
    const from = input;
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
    const { piece } = this.#options;
    if (this.#isStart && from < end) {
      this.#isStart = false;
      if (piece === undefined && startsWithBom(this.#view.bytes, from)) from = this.#passBom(from);
    }
    while (from < end && !this.#stopped) {
      from = this.#engine.scan(from, end);
      this.deliver(tape, this.#engine.used);
    }
  }

  /** Delivers the entries of a tape, which may be that of another thread. */
  deliver(start: number, end: number): void {
    const { line, tooLong, maxLineBytes, piece } = this.#options;
    const used = end >>> 2;
    for (let entry = start >>> 2; entry < used && !this.#stopped; entry += this.word(entry)) {
      const length = this.word(entry + header.to) - this.word(entry + header.from);
      if (length > maxLineBytes && piece === undefined) tooLong(this.number(entry), length);
      else line(entry);
    }
  }

  /** What another thread needs to scan for this index; null if it cannot. */
  lendable(): ScanSetup | null {
    const { setup } = this.#engine;
    if (setup !== null) this.#grow(lentEnd);
    this.#lendable = setup;
    return setup;
  }

  /** Whether `lend` is possible now. Not after a long line, for which the memory was replaced. */
  get isLendable(): boolean {
    const isBetween = !this.#isStart && this.#torn === 0 && this.#held <= carryBytes;
    return isBetween && this.#lendable === this.#engine.setup;
  }

  /**
   * Lets another thread read and scan from here on: the lines so far, and the bytes of a line whose end was not read. Nothing
   * may be pushed until `takeBack`.
   */
  lend() {
    return { lines: this.#engine.lines, from: input, to: input + this.#held };
  }

  /** Goes on with what the other thread left. */
  takeBack({ lines, from, to }: ReturnType<LineIndex['lend']>): void {
    this.#engine.lines = lines;
    this.#held = to - from;
    this.#view.bytes.copyWithin(input, from, to);
  }

  /** Skips a BOM: it is not part of the text, but counts towards the length of its line. */
  #passBom(from: number): number {
    const end = this.#view.bytes.indexOf(LF, from);
    const length = end - from - (this.#view.bytes[end - 1] === CR ? 1 : 0);
    if (length <= this.#options.maxLineBytes) return from + 3;
    this.#engine.lines += 1;
    this.#options.tooLong(this.#engine.lines, length);
    return end + 1;
  }

  /** Finds the end of a line that is too long, and returns where the next line begins. */
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

  /** `to` is after the line end, if there is one. */
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

  /** WebAssembly memory that grew for a long line cannot be given back, so a new engine replaces it. */
  #shrink(): void {
    const { lines } = this.#engine;
    const held = this.#view.bytes.slice(input, input + this.#held);
    this.#engine = engineFor(this.#options);
    this.#engine.lines = lines;
    this.#engine.grow(input + held.length + slack);
    this.#openViews();
    this.#view.bytes.set(held, input);
  }

  #openViews(): void {
    const { buffer } = this.#engine;
    this.#view = this.#options.open(buffer);
    this.all = this.#view.bytes;
    this.words = new Int32Array(buffer);
  }
}

const fewBytes = 64 * 1024;
const longBytes = 4 * 1024 * 1024;
const hugeBytes = 24 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;

function placeIn(slots: ReadonlyMap<string, number> | undefined, path: string): number {
  return slots?.get(path) ?? 0;
}

function engineFor({ shape, seed, maxLineBytes, piece }: IndexOptions): Engine {
  return openEngine({ shape, seed, maxLineBytes, isRaw: piece !== undefined });
}
