// Finds armoured private keys: whole ones, and ones whose beginning or end was cut off.
import { charactersOf, runEnd } from './keys.js';
import type { Span } from './secrets.js';
import { matchAt } from './values.js';

const title = '[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?';
const armour = new RegExp(`-{4,5} ?(BEGIN|END) ${title} ?-{4,5}|Private-Lines: ?[0-9]{1,4}`, 'g');

/** Each character is read only a few times: from each mark forwards to the next, or backwards to the one before. */
export function privateKeysIn(text: string): Span[] {
  if (!text.includes('PRIVATE KEY') && !text.includes('Private-Lines')) return [];
  const found: Span[] = [];
  let begin: RegExpExecArray | null = null;
  let from = 0;
  const addKey = (start: number, end: number) => {
    found.push({ kind: 'private-key', start, end });
    from = end;
  };
  const cutOff = ({ 0: said, index }: RegExpExecArray, limit: number) =>
    addKey(index, bodyEnd(text, index + said.length, limit));
  for (const match of text.matchAll(armour)) {
    const end = match.index + match[0].length;
    if (match[1] === 'END') {
      addKey(begin?.index ?? bodyStart(text, from, match.index), end);
      begin = null;
    } else {
      if (begin !== null) cutOff(begin, match.index);
      begin = match;
    }
  }
  if (begin !== null) cutOff(begin, text.length);
  return found;
}

/** What is between two lines of a key: the quotes of a list, the blanks of a block. */
const gap = /[\s"',]{1,40}/y;
const header = /[A-Z][A-Za-z-]{2,24}: [^\r\n]{1,120}/y;
const body = charactersOf('A-Za-z0-9+/=');

/** Where a key without its last line ends. Only the last line may be short. */
function bodyEnd(text: string, from: number, limit: number): number {
  let [end, lengthBefore] = [from, 0];
  for (;;) {
    const start = end + (matchAt(gap, text, end)?.length ?? 0);
    if (start === end || start >= limit) return end;
    const said = matchAt(header, text, start);
    const last = said === null ? Math.min(limit, runEnd(text, start, body)) : Math.min(limit, start + said.length);
    const [length, next] = [last - start, text[last]];
    const isWhole = next === undefined || /[\s"'`,\\]/.test(next);
    const isShort = isWhole && (length >= 16 || text[last - 1] === '=' || (lengthBefore >= 60 && next === undefined));
    if (length === 0 || (said === null && length < 32 && !isShort)) return end;
    [end, lengthBefore] = [last, length];
  }
}

/** Where a key without its first line begins. */
function bodyStart(text: string, from: number, end: number): number {
  let start = end;
  for (;;) {
    let last = start;
    while (last > from && start - last < 40 && /[\s"',]/.test(text[last - 1] ?? '')) last -= 1;
    let first = last;
    while (first > from && body[text.charCodeAt(first - 1)] === 1) first -= 1;
    if (last === start || last - first < 16) return start;
    start = first;
  }
}
