// Finds armoured private keys: whole ones, and ones whose beginning or end was cut off.

import { charactersOf, runEnd } from './keys.js';
import type { Span } from './secrets.js';

const title = '[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?';
const mark = new RegExp(`-{4,5} ?(BEGIN|END) ${title} ?-{4,5}|Private-Lines: ?[0-9]{1,4}`, 'g');

/** Each character is read only a few times: from each mark forwards to the next, or backwards to the one before. */
export function privateKeysIn(text: string): Span[] {
  if (!text.includes('PRIVATE KEY') && !text.includes('Private-Lines')) return [];
  const found: Span[] = [];
  let begin: RegExpExecArray | null = null;
  let from = 0;
  const add = (start: number, end: number) => {
    found.push({ kind: 'private-key', start, end });
    from = end;
  };
  const cutOff = (marked: RegExpExecArray, limit: number) =>
    add(marked.index, bodyEnd(text, marked.index + marked[0].length, limit));
  mark.lastIndex = 0;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    const end = match.index + match[0].length;
    if (match[1] === 'END') {
      add(begin?.index ?? bodyStart(text, from, match.index), end);
      begin = null;
    } else {
      if (begin !== null) cutOff(begin, match.index);
      begin = match;
    }
  }
  if (begin !== null) cutOff(begin, text.length);
  return found;
}

/** Where a key without its last line ends. */
function bodyEnd(text: string, from: number, limit: number): number {
  let end = from;
  let at = from;
  let lengthBefore = 0;
  for (;;) {
    const line = lineAt(text, at, limit, lengthBefore);
    if (line === null) return end;
    lengthBefore = line.end - at;
    at = line.end;
    // After an empty line, more of the key has to follow.
    if (!line.isEmpty) end = at;
  }
}

// What precedes a line of the key: a line end, perhaps written as \n; then a number, a file with a number, a diff mark.
const gutter =
  /(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n|[ \t])(?:[^\s:]{1,160}[:-][0-9]{1,7}[:-])?[ \t]{0,12}(?:[0-9]{1,7}(?:→|\t|:|-| ?\|))?[ \t]{0,24}[>+|<"'-]?[ \t]{0,24}/y;
const header = /[A-Z][A-Za-z-]{2,24}: [^\r\n\\]{1,120}/y;
const body = charactersOf('A-Za-z0-9+/=');

/** The end of the key line that begins after `from`; null if something else follows. Only the last line may be short. */
function lineAt(
  text: string,
  from: number,
  limit: number,
  lengthBefore: number,
): { end: number; isEmpty: boolean } | null {
  if (from >= limit) return null;
  gutter.lastIndex = from;
  const before = gutter.exec(text);
  if (before === null || before[0] === '') return null;
  const start = from + before[0].length;
  if (start >= limit) return null;
  header.lastIndex = start;
  const said = header.exec(text);
  if (said !== null) return { end: Math.min(limit, start + said[0].length), isEmpty: false };
  const end = Math.min(limit, runEnd(text, start, body));
  const length = end - start;
  if (length === 0)
    return /^(?:\r?\n|\\{1,4}n)/.test(text.slice(start, start + 6)) ? { end: start, isEmpty: true } : null;
  const next = text[end];
  const isWhole = next === undefined || /[\s\\"'`,]/.test(next);
  const isBody =
    length >= 32 || (isWhole && (length >= 16 || text[end - 1] === '=' || (lengthBefore >= 60 && next === undefined)));
  return isBody ? { end, isEmpty: false } : null;
}

/** Where a key without its first line begins. Lines are read backwards, each once. */
function bodyStart(text: string, from: number, mark: number): number {
  let start = mark;
  let end = mark;
  while (end > from) {
    const line = lineBefore(text, from, end);
    if (line === null) break;
    start = line.start;
    end = line.before;
  }
  return start;
}

function lineBefore(text: string, from: number, end: number): { start: number; before: number } | null {
  // Between the two lines is the gutter of the later one: a number, a mark.
  const lineEnd = lastBreak(text, Math.max(from, end - longestGutter), end);
  if (lineEnd === null) return null;
  let start = lineEnd;
  while (start > from && body[text.charCodeAt(start - 1)] === 1) start -= 1;
  // The n of \n is not part of the key.
  if (text[start - 1] === '\\' && text[start] === 'n') start += 1;
  return lineEnd - start >= 16 ? { start, before: start } : null;
}
const longestGutter = 200;

/** The end of the line before the one that contains `end`. */
function lastBreak(text: string, low: number, end: number): number | null {
  for (let at = end - 1; at >= low; at -= 1) {
    if (text[at] === '\n') return text[at - 1] === '\r' ? at - 1 : at;
    if (text[at] === 'n' && text[at - 1] === '\\') {
      let back = at - 1;
      while (text[back - 1] === '\\') back -= 1;
      return back;
    }
  }
  return null;
}
