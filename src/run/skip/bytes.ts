// Finding words in the bytes of a line. Node's search for a single byte is as fast as the memory; its search for several
// costs close to a microsecond before it begins, which is felt when each of a hundred thousand lines is looked at ten times.

/** A word, and the byte of it to look for: the rarest. */
export interface Word {
  readonly bytes: Buffer;
  readonly at: number;
  readonly byte: number;
}

export function wordOf(text: string, rarest = text[0] ?? ''): Word {
  const at = text.indexOf(rarest);
  return { bytes: Buffer.from(text), at, byte: text.charCodeAt(at) };
}

/** Where the word stands; long lines are worth a real search. */
export function find(bytes: Buffer, word: Word, from: number): number {
  return bytes.length - from > long ? bytes.indexOf(word.bytes, from) : findNear(bytes, word, from);
}
const long = 8 * 1024;

/** The same for a word that stands near, or whose rarest byte is rare indeed. */
export function findNear(
  bytes: Buffer,
  { bytes: word, at: within, byte }: Word,
  from: number,
  to = bytes.length,
): number {
  for (let at = bytes.indexOf(byte, from + within); at !== -1 && at < to; at = bytes.indexOf(byte, at + 1))
    if (startsAt(bytes, word, at - within)) return at - within;
  return -1;
}

/** The last place before `end`; for words that stand a few hundred bytes before it. */
export function findBack(bytes: Buffer, { bytes: word }: Word, end: number, start: number): number {
  for (let at = end - word.length; at >= start; at--) if (startsAt(bytes, word, at)) return at;
  return -1;
}

export function startsAt(bytes: Buffer, word: Buffer, at: number): boolean {
  if (at < 0 || at + word.length > bytes.length) return false;
  for (let index = 0; index < word.length; index++) if (bytes[at + index] !== word[index]) return false;
  return true;
}

/** The text up to the next quote; null when it is not that of an id or a name. */
export function textAt(bytes: Buffer, from: number): string | null {
  const to = bytes.indexOf(0x22, from);
  return to === -1 || to - from > 100 ? null : bytes.toString('latin1', from, to);
}
