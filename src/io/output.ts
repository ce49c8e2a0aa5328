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
  let drained: Promise<void> | null = null;
  let release: () => void = () => {};

  const close = (error: unknown) => {
    if (closed) return;
    closed = true;
    batch = '';
    if (!isReaderGone(error)) problem = describeSystemError(error);
    release();
    onClosed();
  };
  const send = () => {
    const text = batch;
    batch = '';
    if (text === '' || closed) return;
    try {
      if (stream.write(text) || closed) return;
    } catch (error) {
      // stdout that is a file is written synchronously, and throws instead of emitting.
      close(error);
      return;
    }
    drained ??= new Promise((resolve) => {
      release = () => {
        drained = null;
        release = () => {};
        resolve();
      };
      stream.once('drain', () => release());
    });
  };

  stream.on('error', close);
  return {
    write(text) {
      if (closed) return;
      batch += text;
      if (batch.length >= batchLength) send();
    },
    flush() {
      send();
      return drained ?? undefined;
    },
    send(bytes) {
      send();
      return new Promise((resolve) => {
        if (closed || bytes.length === 0) return resolve();
        try {
          // The error itself comes as an event.
          stream.write(bytes, () => resolve());
        } catch (error) {
          close(error);
          resolve();
        }
      });
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
