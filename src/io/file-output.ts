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

  override write(chunk: string | Uint8Array): boolean {
    let rest = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    while (rest.length > 0) rest = rest.subarray(writeSync(this.fd, rest));
    return true;
  }
}
