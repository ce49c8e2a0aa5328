// Reads sources line by line. The bytes go straight into the memory of the line index.

import { defaultMaxLineBytes } from '../core/record/line.js';
import { type IndexBytes, type IndexOptions, LineIndex } from '../core/record/line-index.js';
import { type Decoded, readDecoded } from '../io/decode.js';
import type { ByteSink, ByteSource } from '../io/sources.js';
import { leastScanned, scanAhead } from './scan-ahead.js';

export function openIndex(
  options: Omit<IndexOptions, 'open' | 'seed' | 'maxLineBytes'> & Partial<Pick<IndexOptions, 'seed' | 'maxLineBytes'>>,
): LineIndex {
  return new LineIndex({ maxLineBytes: defaultMaxLineBytes, seed: 0, ...options, open: bytesOf });
}

function bytesOf(memory: ArrayBufferLike): IndexBytes {
  const bytes = Buffer.from(memory);
  return {
    bytes,
    text: (from, to) => bytes.utf8Slice(from, to),
    ascii: (from, to) => bytes.latin1Slice(from, to),
  };
}

declare global {
  /** What toString calls for these encodings. For short texts it takes a third of the time. */
  interface Buffer {
    utf8Slice(from: number, to: number): string;
    latin1Slice(from: number, to: number): string;
  }
}

export interface ReadOptions {
  /** Stops reading at once: no more lines are delivered, and a pipe or stream is destroyed. */
  readonly signal: AbortSignal;
  /** Called after the lines of each chunk, and after the last line: the time to write. Reading waits for its promise. */
  chunkEnd?(bytes: number): Promise<void> | void;
  /** This many bytes of the source were read, compressed or not. */
  taken?(bytes: number): void;
  /** The program of a thread that reads large files ahead. */
  readonly scanner?: string | undefined;
  /** The size from which a file is large. */
  readonly scanFrom?: number;
}

export interface ReadResult extends Decoded {
  /** Lines read, blank ones included. */
  readonly lines: number;
}

/**
 * A function that reads sources through the index, one after the other. It reads a source to its end and closes it, and
 * rejects only with what a callback threw.
 */
export function lineReader(index: LineIndex, options: ReadOptions): (source: ByteSource) => Promise<ReadResult> {
  const { signal, chunkEnd, taken, scanner, scanFrom } = options;
  const stop = () => index.stop();
  // Made once: there may be thousands of small files.
  const sink: ByteSink = {
    most: index.most,
    room: (bytes) => index.room(bytes),
    taken: (bytes) => taken?.(bytes),
    helper(size) {
      if (scanner === undefined || size < leastAhead || size < (scanFrom ?? leastScanned())) return null;
      const afterChunk = (bytes: number) => {
        taken?.(bytes);
        return chunkEnd?.(bytes);
      };
      return scanAhead(scanner, index, { signal, chunkEnd: afterChunk });
    },
    filled(bytes) {
      index.push(bytes);
      return chunkEnd?.(bytes);
    },
    end() {
      index.end();
      return chunkEnd?.(0);
    },
  };
  return async (source) => {
    signal.addEventListener('abort', stop, once);
    index.begin();
    try {
      const { problem, damage } = await readDecoded(source, sink, signal);
      return { lines: index.lines, problem, damage };
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
}

/** Of a smaller file, scanning ahead never pays. */
const leastAhead = 24 * 1024 * 1024;

const once = { once: true };
