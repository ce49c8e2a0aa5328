import { constants } from 'node:buffer';
import type { Readable } from 'node:stream';
import { readFile, readPipe, readStream } from './read.js';

/** Where bytes come from: a descriptor of a regular file, one of a pipe or socket, or any other stream. */
export type ByteSource =
  | { readonly kind: 'file'; readonly fd: number; readonly keepOpen?: boolean }
  | { readonly kind: 'pipe'; readonly fd: number }
  | { readonly kind: 'stream'; readonly stream: Readable };

export interface ChunkedLineSink extends LineSink {
  /** After the lines of each chunk of so many bytes, and after the last line: the moment to write. Reading waits for a promise. */
  chunkEnd(bytes: number): Promise<void> | void;
}

export interface ReadOptions {
  /** A longer line is skipped without being held in memory. */
  readonly maxLineBytes?: number;
  /** Stops reading at once: no further line is delivered, a pipe or stream is destroyed. */
  readonly signal?: AbortSignal;
}

export interface ReadResult {
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
  const chunks: ChunkSink = {
    chunk(bytes) {
      splitter.push(bytes);
      return sink.chunkEnd(bytes.length);
    },
    end() {
      splitter.end();
      return sink.chunkEnd(0);
    },
  };
  const stop = () => splitter.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return { problem: await readBytes(source, chunks, signal), lines: splitter.lines };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const neverAborted = new AbortController().signal;

/** Receives the bytes of one source; the next chunk waits for a promise. */
export interface ChunkSink {
  /** Valid only during the call. */
  chunk(bytes: Buffer): Promise<void> | void;
  end(): Promise<void> | void;
}

/** Reads a source to its end, chunk by chunk, and closes it. Comes back with why it ended too early, null otherwise. */
export function readBytes(source: ByteSource, sink: ChunkSink, signal: AbortSignal): Promise<string | null> {
  switch (source.kind) {
    case 'file':
      return readFile(source.fd, source.keepOpen ?? false, sink, signal);
    case 'pipe':
      return readPipe(source.fd, sink, signal);
    case 'stream':
      return readStream(source.stream, sink, signal);
  }
}

/** Receives the lines of one source. */
export interface LineSink {
  /** One line that is not blank, `bytes[start, end)`: a view into a reused buffer, valid only during the call. */
  line(bytes: Buffer, start: number, end: number, number: number): void;
  /** A line of more than the allowed bytes, which was not kept. */
  tooLong(number: number, bytes: number): void;
}

/**
 * Cuts bytes into lines wherever the chunks begin and end.
 * LF ends a line; a CR before it and a BOM at the start of the source are not part of it; blank lines only count.
 */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #maxLineBytes: number;
  /** The beginning of a line whose end has not come yet. */
  #carry = Buffer.allocUnsafeSlow(initialCarryBytes);
  #held = 0;
  /** Bytes so far of a line that is already too long to be kept. */
  #dropped = 0;
  #droppedEndsInCR = false;
  #number = 0;
  #stopped = false;

  constructor(sink: LineSink, maxLineBytes: number) {
    this.#sink = sink;
    this.#maxLineBytes = maxLineBytes;
  }

  /** Lines begun so far, blank ones included. */
  get lines(): number {
    return this.#held > 0 || this.#dropped > 0 ? this.#number + 1 : this.#number;
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
        this.#hold(chunk, start, chunk.length);
        return;
      }
      if (this.#held === 0 && this.#dropped === 0) {
        this.#deliver(chunk, start, end);
      } else {
        this.#hold(chunk, start, end);
        this.#deliverHeld();
      }
      start = end + 1;
    }
  }

  /** The source has ended: what is left is its last line. */
  end(): void {
    if (!this.#stopped && (this.#held > 0 || this.#dropped > 0)) this.#deliverHeld();
  }

  #hold(chunk: Buffer, start: number, end: number): void {
    if (start === end) return;
    const bytes = end - start;
    // One byte more than the limit may be a CR that is not part of the line.
    if (this.#dropped > 0 || this.#held + bytes > this.#maxLineBytes + 1) {
      this.#dropped += this.#held + bytes;
      this.#droppedEndsInCR = chunk[end - 1] === CR;
      this.#forget(this.#held);
      return;
    }
    if (this.#held + bytes > this.#carry.length) this.#grow(this.#held + bytes);
    chunk.copy(this.#carry, this.#held, start, end);
    this.#held += bytes;
  }

  // In few steps: what is copied once more costs twice, what is never written to is no memory.
  #grow(needed: number): void {
    const grown = Math.min(this.#carry.length * growth, this.#maxLineBytes + 1);
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, grown));
    this.#carry.copy(larger, 0, 0, this.#held);
    this.#carry = larger;
  }

  #deliverHeld(): void {
    if (this.#dropped > 0) {
      const bytes = this.#dropped - (this.#droppedEndsInCR ? 1 : 0);
      this.#dropped = 0;
      this.#number += 1;
      this.#sink.tooLong(this.#number, bytes);
      return;
    }
    const held = this.#held;
    this.#held = 0;
    // Whoever looks beyond the line should not find what was there before.
    this.#deliver(this.#carry.subarray(0, held), 0, held);
    this.#forget(held);
  }

  #forget(held: number): void {
    this.#held = 0;
    // One long line must not cost memory until the end of the stream, nor should each of many need its own.
    if (held > hugeBytes || (held < longBytes && this.#carry.length > longBytes))
      this.#carry = Buffer.allocUnsafeSlow(initialCarryBytes);
  }

  #deliver(bytes: Buffer, lineStart: number, lineEnd: number): void {
    this.#number += 1;
    let start = lineStart;
    const end = lineEnd > start && bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd;
    if (end - start > this.#maxLineBytes) {
      this.#sink.tooLong(this.#number, end - start);
      return;
    }
    if (this.#number === 1 && startsWithBom(bytes, start, end)) start += 3;
    if (!isBlank(bytes, start, end)) this.#sink.line(bytes, start, end, this.#number);
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
