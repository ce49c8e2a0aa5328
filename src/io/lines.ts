import { constants } from 'node:buffer';
import { type ByteSource, readBytes } from './sources.js';

/** Receives the lines of one source. */
interface LineSink {
  /** One line that is not blank, `bytes[start, end)`: a view into a reused buffer, valid only during the call. */
  line(bytes: Buffer, start: number, end: number, number: number): void;
  /** A line of more than the allowed bytes, which was not kept. */
  tooLong(number: number, bytes: number): void;
}

export interface ChunkedLineSink extends LineSink {
  /** After the lines of each chunk of so many bytes, and after the last line: the moment to write. Reading waits for a promise. */
  chunkEnd(bytes: number): Promise<void> | void;
}

interface ReadOptions {
  /** A longer line is skipped without being held in memory. */
  readonly maxLineBytes?: number;
  /** Stops reading at once: no further line is delivered, a pipe or stream is destroyed. */
  readonly signal?: AbortSignal;
}

interface ReadResult {
  /** Lines read, blank ones included. */
  readonly lines: number;
  /** Why reading ended before the end of the source (`input/output error`), null otherwise. */
  readonly problem: string | null;
}

export const defaultMaxLineBytes = 256 * 1024 * 1024;

/** A longer line could be no string. */
export const mostLineBytes = constants.MAX_STRING_LENGTH;

/** Reads a source to its end, line by line, and closes it. Rejects only with what the sink threw. */
export async function readLines(
  source: ByteSource,
  sink: ChunkedLineSink,
  { maxLineBytes = defaultMaxLineBytes, signal = neverAborted }: ReadOptions = {},
): Promise<ReadResult> {
  const splitter = new LineSplitter(sink, maxLineBytes);
  const stop = () => splitter.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const problem = await readBytes(
      source,
      {
        chunk(bytes) {
          splitter.push(bytes);
          return sink.chunkEnd(bytes.length);
        },
        end() {
          splitter.end();
          return sink.chunkEnd(0);
        },
      },
      signal,
    );
    return { problem, lines: splitter.lines };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const neverAborted = new AbortController().signal;

/**
 * Cuts bytes into lines wherever the chunks begin and end. LF ends a line, and is the last byte of its piece.
 * Nothing is lost: the pieces put together are the bytes that were pushed.
 */
export abstract class LineCutter {
  readonly #mostHeld: number;
  /** The beginning of a line whose end has not come yet. */
  #carry = Buffer.allocUnsafeSlow(initialCarryBytes);
  #held = 0;
  /** Of the line that comes next. */
  #number = 1;
  /** The line is too long to be held, and its beginning was given away already. */
  #isTorn = false;
  #stopped = false;

  /** Of a line of more than so many bytes, LF not counted, the pieces are given as they come. */
  constructor(mostHeld: number) {
    this.#mostHeld = mostHeld;
  }

  /**
   * A line, `bytes[start, end)`: a view into a reused buffer. A line that is too long comes in several pieces:
   * all but the first continue it. The last is empty where the source ends without LF.
   */
  protected abstract piece(
    bytes: Buffer,
    start: number,
    end: number,
    number: number,
    continues: boolean,
    isEnd: boolean,
  ): void;

  /** Lines begun so far, blank ones included. */
  get lines(): number {
    return this.#held > 0 || this.#isTorn ? this.#number : this.#number - 1;
  }

  /** No line is delivered after this, not even of the chunk that is being read. */
  stop(): void {
    this.#stopped = true;
  }

  push(chunk: Buffer): void {
    let start = 0;
    while (!this.#stopped) {
      const end = chunk.indexOf(LF, start);
      if (end === -1) {
        this.#hold(chunk, start);
        return;
      }
      if (this.#held === 0) this.#give(chunk, start, end + 1, true);
      else if (this.#held + end - start > this.#mostHeld) {
        this.#giveHeld(false);
        this.#give(chunk, start, end + 1, true);
      } else {
        this.#keep(chunk, start, end + 1);
        this.#giveHeld(true);
      }
      start = end + 1;
    }
  }

  /** The source has ended: what is left is its last line. */
  end(): void {
    if (this.#stopped) return;
    if (this.#held > 0 || this.#isTorn) this.#giveHeld(true);
  }

  /** Keeps what the chunk ends with, if that is not too long to be kept. */
  #hold(chunk: Buffer, start: number): void {
    if (start === chunk.length) return;
    if (!this.#isTorn && this.#held + chunk.length - start <= this.#mostHeld) {
      this.#keep(chunk, start, chunk.length);
      return;
    }
    if (this.#held > 0) this.#giveHeld(false);
    this.#give(chunk, start, chunk.length, false);
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    const needed = this.#held + end - start;
    if (needed > this.#carry.length) this.#grow(needed);
    chunk.copy(this.#carry, this.#held, start, end);
    this.#held = needed;
  }

  // In few steps: what is copied once more costs twice, what is never written to is no memory.
  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(this.#carry.length * growth, this.#mostHeld)));
    this.#carry.copy(larger, 0, 0, this.#held);
    this.#carry = larger;
  }

  #giveHeld(isEnd: boolean): void {
    const held = this.#held;
    this.#held = 0;
    // Whoever looks beyond the line should not find what was there before.
    this.#give(this.#carry.subarray(0, held), 0, held, isEnd);
    // One long line must not cost memory until the end of the stream, nor should each of many need its own.
    if (held > hugeBytes || (held < longBytes && this.#carry.length > longBytes))
      this.#carry = Buffer.allocUnsafeSlow(initialCarryBytes);
  }

  #give(bytes: Buffer, start: number, end: number, isEnd: boolean): void {
    const number = this.#number;
    const continues = this.#isTorn;
    this.#isTorn = !isEnd;
    if (isEnd) this.#number += 1;
    this.piece(bytes, start, end, number, continues, isEnd);
  }
}

/** The lines to be read: without LF, CR before it and a BOM at the start of the source; blank lines only count. */
export class LineSplitter extends LineCutter {
  readonly #sink: LineSink;
  readonly #maxLineBytes: number;
  /** Bytes so far of a line that is too long to be kept. */
  #dropped = 0;
  #droppedEndsInCR = false;

  constructor(sink: LineSink, maxLineBytes: number) {
    // One byte more than the limit may be a CR that is not part of the line.
    super(maxLineBytes + 1);
    this.#sink = sink;
    this.#maxLineBytes = maxLineBytes;
  }

  protected override piece(
    bytes: Buffer,
    start: number,
    end: number,
    number: number,
    continues: boolean,
    isEnd: boolean,
  ): void {
    let to = bytes[end - 1] === LF ? end - 1 : end;
    if (continues || !isEnd) {
      if (to > start) this.#droppedEndsInCR = bytes[to - 1] === CR;
      this.#dropped += to - start;
      if (!isEnd) return;
      const dropped = this.#dropped - (this.#droppedEndsInCR ? 1 : 0);
      this.#dropped = 0;
      this.#sink.tooLong(number, dropped);
      return;
    }
    if (to > start && bytes[to - 1] === CR) to -= 1;
    if (to - start > this.#maxLineBytes) {
      this.#sink.tooLong(number, to - start);
      return;
    }
    const from = number === 1 && startsWithBom(bytes, start, to) ? start + 3 : start;
    if (!isBlank(bytes, from, to)) this.#sink.line(bytes, from, to, number);
  }
}

const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;

const growth = 8;
const initialCarryBytes = 64 * 1024;
const longBytes = 4 * 1024 * 1024;
const hugeBytes = 16 * 1024 * 1024;

function startsWithBom(bytes: Buffer, start: number, end: number): boolean {
  return end - start >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte !== SPACE && byte !== TAB && byte !== CR) return false;
  }
  return true;
}
