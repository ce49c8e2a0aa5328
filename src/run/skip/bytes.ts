// Finding words in the bytes of a line. A call into Node costs from 25 ns (one byte) to a microsecond (several) before it begins,
// which is felt when each of a hundred thousand lines is looked at ten times.

/** A word to look for, with how far to go on when the last byte under it is another one. */
export interface Word {
  readonly bytes: Uint8Array;
  readonly steps: Uint8Array;
}

export function wordOf(text: string | Uint8Array): Word {
  const bytes = typeof text === 'string' ? Buffer.from(text) : Uint8Array.from(text);
  const last = bytes.length - 1;
  const steps = new Uint8Array(256).fill(bytes.length);
  for (let at = 0; at < last; at++) steps[bytes[at] ?? 0] = last - at;
  return { bytes, steps };
}

/** Where the word stands in [from, to), -1 where it does not. */
export function find(line: Buffer, word: Word, from: number, to: number): number {
  if (to - from < short) return findNear(line, word, from, to);
  // It may go beyond the line, but not far: the next one is much like it.
  const at = line.indexOf(word.bytes, from);
  return at === -1 || at + word.bytes.length > to ? -1 : at;
}
const short = 1024;

/** After Horspool, which reads one byte in as many as the word has. */
function findNear(line: Uint8Array, { bytes: word, steps }: Word, from: number, to: number): number {
  const last = word.length - 1;
  const end = word[last];
  for (let at = from + last; at < to; ) {
    const byte = line[at] ?? 0;
    if (byte === end && startsAt(line, word, at - last)) return at - last;
    at += steps[byte] ?? 1;
  }
  return -1;
}

/**
 * Where the next object of a record opens, in [from, to). It is never inside a text, whose quotes are escaped, so that most lines have
 * few and the search for them is the quickest way through.
 */
export function findObject(line: Buffer, from: number, to: number): number {
  for (let at = nextOpening(line, from, to); at !== -1; at = nextOpening(line, at + 2, to))
    if (!isEnd(line[at + 2])) return at;
  return -1;
}

function nextOpening(line: Buffer, from: number, to: number): number {
  if (to - from > long) return find(line, object, from, to);
  for (let at = line.indexOf(curly, from); at !== -1 && at < to - 1; at = line.indexOf(curly, at + 1))
    if (line[at + 1] === quote) return at;
  return -1;
}

/** The quote before it ends a text, whose last character is a brace. */
function isEnd(byte: number | undefined): boolean {
  return byte === 0x2c || byte === 0x7d || byte === 0x5d || byte === 0x3a;
}

const curly = 0x7b;
const long = 4096;

/** Whether the word stands just there. Reading beyond the end of the bytes gives undefined, which is in no word. */
export function startsAt(line: Uint8Array, word: Uint8Array, at: number): boolean {
  for (let index = 0; index < word.length; index++) if (line[at + index] !== word[index]) return false;
  return true;
}

/** The text up to the next quote; null when it is not that of an id or a name. */
export function textAt(line: Buffer, from: number): string | null {
  const to = quoteAt(line, from);
  return to === -1 ? null : line.toString('latin1', from, to);
}

/** The next quote, if there is one near enough to end an id or a name without escapes. */
export function quoteAt(line: Uint8Array, from: number): number {
  for (let at = from; at < from + longestId; at++) {
    const byte = line[at];
    if (byte === quote) return at;
    if (byte === backslash || byte === undefined) return -1;
  }
  return -1;
}
const longestId = 100;

export const quote = 0x22;
export const backslash = 0x5c;
export const brace = 0x7d;
const object = wordOf('{"');
