import { findNear, startsAt, textAt, wordOf } from './bytes.js';

/**
 * Whether a record says of its message what the one before said, as the blocks of a message do one after the other: the same
 * bytes up to its content and behind it, up to its session, and no earlier. Two of three records of a usage report end here.
 */
export function sameMessageCheck(): (line: Buffer, from: number, to: number, session: number) => boolean {
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let time: string | null = null;
  return (line, from, to, session) => {
    const now = timeIn(line, session);
    if (
      from === head.length &&
      session - to === tail.length &&
      isNoEarlier(now, time) &&
      line.compare(head, 0, from, 0, from) === 0 &&
      line.compare(tail, 0, tail.length, to, session) === 0
    )
      return true;
    head = Buffer.from(line.subarray(0, from));
    tail = Buffer.from(line.subarray(to, session));
    // A message without an id of its own is one with its record.
    time = hasId(head) ? now : null;
    return false;
  };
}

function isNoEarlier(now: string | null, time: string | null): boolean {
  if (now === null || time === null) return false;
  return time === '' ? now === '' : now >= time;
}

const timeKey = wordOf('"timestamp":', 'm');
const timestamp = wordOf('"timestamp":"', 'm');
const id = wordOf('"id":"');

/** '' where the record has none, null where it is not spelled so that it compares as text. */
function timeIn(line: Buffer, from: number): string | null {
  const key = findNear(line, timeKey, from);
  if (key === -1) return '';
  const text = startsAt(line, timestamp.bytes, key) ? textAt(line, key + timestamp.bytes.length) : null;
  return text !== null && text.length === 24 && text.endsWith('Z') ? text : null;
}

function hasId(head: Buffer): boolean {
  const at = findNear(head, id, 0);
  return at !== -1 && head[at + id.bytes.length] !== 0x22;
}
