import { findNear, textAt, wordOf } from './bytes.js';

/**
 * Whether a record says of its message what the one before said, as the blocks of a message do one after the other: the same
 * bytes up to its content and behind it, up to its session, and no earlier. Two of three records of a usage report end here.
 */
export function sameMessageCheck(): (line: Buffer, from: number, to: number, session: number) => boolean {
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let time = '';
  return (line, from, to, session) => {
    const now = timeIn(line, session);
    if (
      from === head.length &&
      session - to === tail.length &&
      line.compare(head, 0, from, 0, from) === 0 &&
      line.compare(tail, 0, tail.length, to, session) === 0 &&
      now >= time
    )
      return true;
    head = Buffer.from(line.subarray(0, from));
    tail = Buffer.from(line.subarray(to, session));
    time = now;
    return false;
  };
}

const timestamp = wordOf('"timestamp":"', 'm');

function timeIn(line: Buffer, from: number): string {
  const at = findNear(line, timestamp, from);
  return at === -1 ? '' : (textAt(line, at + timestamp.bytes.length) ?? '');
}
