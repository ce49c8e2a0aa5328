import { close, read } from 'node:fs';
import type { ChunkSink } from './lines.js';
import { describeSystemError } from './system-error.js';

/**
 * Reads a regular file through one buffer, 2 to 3 times cheaper than a ReadStream; the answer is a problem or null.
 * Not for pipes: a read of an idle one would sit in a thread and keep the process from ending.
 */
export async function readFile(
  fd: number,
  keepOpen: boolean,
  sink: ChunkSink,
  signal: AbortSignal,
): Promise<string | null> {
  const buffer = Buffer.allocUnsafeSlow(readOffset + chunkBytes);
  try {
    while (!signal.aborted) {
      const bytes = await readInto(buffer, fd).catch(describeSystemError);
      const written =
        typeof bytes === 'number' && bytes > 0
          ? sink.chunk(buffer.subarray(readOffset, readOffset + bytes))
          : sink.end();
      if (written !== undefined) await written;
      if (typeof bytes === 'string') return bytes;
      if (bytes === 0) break;
    }
    return null;
  } finally {
    if (!keepOpen) close(fd);
  }
}

const chunkBytes = 1024 * 1024;

/**
 * A large Buffer begins 16 bytes into a page, the one place to which AMD's Zen processors copy slowly:
 * reading 1 GB costs 0.53 s of CPU there and 0.17 s a little further on.
 */
export const readOffset = 48;

function readInto(buffer: Buffer, fd: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(fd, buffer, readOffset, chunkBytes, null, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });
}
