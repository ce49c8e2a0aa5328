import { constants } from 'node:buffer';
import type { Readable } from 'node:stream';
import { type LineSink, LineSplitter } from './line-splitter.js';
import { readFile } from './read-file.js';
import { readPipe, readStream } from './read-stream.js';

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
