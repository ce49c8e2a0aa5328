import { find, startsAt, textAt, wordOf } from './bytes.js';

/**
 * Whether a line names no session or the current one: whose records come next may depend on a line of another, which must not be
 * dropped. It is looked for first as far from the end as in the line before.
 */
export function sessionCheck(
  follows: (sessionId: string) => boolean,
): (line: Buffer, start: number, end: number) => boolean {
  let known: Uint8Array = key.bytes;
  let id = '';
  let distance = 0;
  return (line, start, end) => {
    if (id !== '' && end - distance >= start && startsAt(line, known, end - distance)) return follows(id);
    let at = -1;
    for (let next = find(line, key, start, end); next !== -1; next = find(line, key, next + 1, end)) at = next;
    if (at === -1) return true;
    const found = textAt(line, at + key.bytes.length);
    if (found === null) return false;
    id = found;
    known = Buffer.from(`"session_id":"${id}"`);
    distance = end - at;
    return follows(id);
  };
}

const key = wordOf('"session_id":"');
