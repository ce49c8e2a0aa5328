import { closeSync, openSync, writeSync } from 'node:fs';
import { describeSystemError, systemErrorCode } from './exit.js';

/** The part of a Writable of Node that is used. */
export interface WriteStream {
  write(chunk: string | Uint8Array, left?: (error?: Error | null) => void): boolean;
  on(event: string, listener: (error: Error) => void): WriteStream;
  off(event: string, listener: (error: Error) => void): WriteStream;
  readonly writableNeedDrain: boolean;
  readonly fd?: number;
}

export interface TextOutput {
  /** Cheap: appends to the batch. Ignored once the reader is gone. */
  write(text: string): void;
}

/** Batched text output. The rows of one input chunk leave in one write, so nothing waits for the next chunk. */
export interface Output extends TextOutput {
  /** Passes the batch to the stream. Returns a promise if the reader is slower than we are. */
  flush(): Promise<void> | void;
  /** Writes bytes after the batch. Resolves when they have left, so that their buffer can be used again. */
  send(bytes: Uint8Array): Promise<void>;
  /** Resolves when everything has left, or never will. */
  finish(): Promise<void>;
  /** The reader went away or writing failed, so there is no point in reading on. */
  readonly closed: boolean;
  /** Why writing failed (`no space left on device`). null also when the reader just went away. */
  readonly problem: string | null;
}

/** `onClosed` is called once, as soon as nothing can be written any more. */
export function createOutput(stream: WriteStream, onClosed: () => void = () => {}): Output {
  let batch = '';
  let closed = false;
  let problem: string | null = null;
  let writes = 0;
  /** How many writes are known to have left. */
  let settled = 0;
  /** Resolvers of promises that wait for a write to leave. */
  const waiting = new Set<() => void>();

  const close = (error: unknown) => {
    if (closed) return;
    closed = true;
    batch = '';
    if (!isReaderGone(error)) problem = describeSystemError(error);
    for (const resolve of waiting) resolve();
    waiting.clear();
    onClosed();
  };
  const put = (chunk: string | Uint8Array, left?: (error?: Error | null) => void) => {
    writes += 1;
    try {
      stream.write(chunk, left);
    } catch (error) {
      // What is written to a file or a device is written at once, and throws.
      close(error);
    }
  };
  const takeBatch = () => {
    const text = batch;
    batch = '';
    return text;
  };
  const putBatch = () => {
    const text = takeBatch();
    if (text !== '') put(text);
  };
  /** Resolves when this and everything before it has left. */
  const keepForLater = (chunk: string | Uint8Array) =>
    new Promise<void>((resolve) => {
      // A full disk refuses even an empty write.
      if (closed || (chunk.length === 0 && settled === writes)) return resolve();
      const place = writes + 1;
      waiting.add(resolve);
      put(chunk, (error) => {
        settled = place;
        // The error also comes as an event, but later. Until then nobody may think that all is well.
        if (error != null) close(error);
        waiting.delete(resolve);
        resolve();
      });
    });

  stream.on('error', close);
  return {
    write(text) {
      if (closed) return;
      batch += text;
      if (batch.length >= batchLength) putBatch();
    },
    flush() {
      putBatch();
      return !closed && stream.writableNeedDrain ? keepForLater('') : undefined;
    },
    send(bytes) {
      putBatch();
      return keepForLater(bytes);
    },
    finish: () => keepForLater(takeBatch()),
    get closed() {
      return closed;
    },
    get problem() {
      return problem;
    },
  };
}

const batchLength = 64 * 1024;

function isReaderGone(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED';
}

/**
 * stdout to a file, written at once. Node's own stream calls write once and takes a short write for a complete one: on
 * a disk that fills up, the end of the output would be lost silently. It also takes two milliseconds to load.
 */
export class FileOutput implements WriteStream {
  readonly writableNeedDrain = false;

  constructor(readonly fd: number) {}

  write(chunk: string | Uint8Array, left?: (error?: Error | null) => void): boolean {
    writeAll(this.fd, typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    left?.();
    return true;
  }

  on(): this {
    return this;
  }

  off(): this {
    return this;
  }
}

/** A file written from its beginning, each piece at once. Its methods say what went wrong, or null. */
export function createFile(path: string) {
  let fd: number;
  try {
    fd = openSync(path, 'w');
  } catch (error) {
    return { ok: false as const, problem: describeSystemError(error) };
  }
  const attempt = (act: () => void) => {
    try {
      act();
      return null;
    } catch (error) {
      return describeSystemError(error);
    }
  };
  return {
    ok: true as const,
    write: (bytes: Uint8Array) => attempt(() => writeAll(fd, bytes)),
    close: () => attempt(() => closeSync(fd)),
  };
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(writeSync(fd, rest));
}
