import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';

/**
 * stdout that is a file, written at once. Node's own stream asks the system once and takes a short write for a whole one:
 * on a disk that fills up the end of the output would be lost without a word.
 */
export class FileOutput extends Writable {
  readonly fd: number;

  constructor(fd: number) {
    super();
    this.fd = fd;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    try {
      for (let rest = chunk; rest.length > 0; ) rest = rest.subarray(writeSync(this.fd, rest));
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    done();
  }
}
