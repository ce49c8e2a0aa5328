import type { Writable } from 'node:stream';
import { describeSystemError, systemErrorCode } from './system-error.js';

/** Batched text output. Rows of one input chunk leave in one write, so nothing waits for the next chunk. */
export interface Output {
  /** Cheap: appends to the batch. Ignored once the reader is gone. */
  write(text: string): void;
  /** Hands the batch to the stream; a promise when the reader is slower than we are. */
  flush(): Promise<void> | void;
  /** Writes bytes behind the batch; comes back when they have left, so that their buffer may be used again. */
  send(bytes: Uint8Array): Promise<void>;
  /** Comes back when everything has left, or it is known that it never will. */
  finish(): Promise<void>;
  /** The reader went away, or writing failed: there is no point in reading on. */
  readonly closed: boolean;
  /** Why writing failed (`no space left on device`); null also when the reader just went away. */
  readonly problem: string | null;
}

/** `onClosed` is called once, as soon as nothing can be written any more. */
export function createOutput(stream: Writable, onClosed: () => void = () => {}): Output {
  let batch = '';
  let closed = false;
  let problem: string | null = null;
  /** Those who wait until what they wrote has left. */
  const waiting = new Set<() => void>();
  let last = Promise.resolve();

  const close = (error: unknown) => {
    if (closed) return;
    closed = true;
    batch = '';
    if (!isReaderGone(error)) problem = describeSystemError(error);
    for (const leave of waiting) leave();
    waiting.clear();
    onClosed();
  };
  const put = (chunk: string | Uint8Array) => {
    if (closed || chunk.length === 0) return;
    last = new Promise((resolve) => {
      // The error comes as an event too, but later: nobody may think meanwhile that all is well.
      const left = (error?: unknown) => {
        if (error != null) close(error);
        waiting.delete(resolve);
        resolve();
      };
      waiting.add(resolve);
      try {
        stream.write(chunk, left);
      } catch (error) {
        // Node's stream of a device is written synchronously, and throws.
        left(error);
      }
    });
  };
  const putBatch = () => {
    const text = batch;
    batch = '';
    put(text);
  };

  stream.on('error', close);
  return {
    write(text) {
      if (closed) return;
      batch += text;
      if (batch.length >= batchLength) putBatch();
    },
    flush() {
      putBatch();
      return !closed && stream.writableNeedDrain ? last : undefined;
    },
    send(bytes) {
      putBatch();
      put(bytes);
      return last;
    },
    finish() {
      putBatch();
      return last;
    },
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
