// Where everything is in the memory of the scanner.

// Memory layout: the table of keys, from 48 KB room for isCanonical, the tape, the input. Address 0 means absent.
export const table = 1024;
export const tape = 64 * 1024;
export const input = 1024 * 1024;
/** The scanner reads 64 bytes at once, so it may read past the end. */
export const slack = 256;

/** How much is read at once where lines are indexed. */
export const readBytes = 1024 * 1024;
/** The longest beginning of a line that another thread goes on with. */
export const carryBytes = 256 * 1024;

/** A place for bytes of another thread and for their tape. The beginning of a line goes before `bytes`. */
export interface LentPlace {
  readonly tape: number;
  readonly tapeEnd: number;
  readonly bytes: number;
}

const tapeBytes = 4 * 1024 * 1024;
const lentBytes = tapeBytes + carryBytes + readBytes + slack;
const lentStart = input + carryBytes + readBytes + slack;

/** The other thread has two places behind ours: it fills one while we read the other. */
export function lentPlace(number: number): LentPlace {
  const place = lentStart + (number & 1) * lentBytes;
  return { tape: place, tapeEnd: place + tapeBytes, bytes: place + tapeBytes + carryBytes };
}

/** How much memory two threads need. */
export const lentEnd = lentStart + 2 * lentBytes;
