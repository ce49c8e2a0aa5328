/** One line that is safe on a terminal: whatever could act, reorder, hide or break a line is written out (`\n`, `\x1b`, `\u202e`). */
export function sanitize(text: string): string {
  return plain.test(text) ? text : text.replace(hidden, spellOut);
}

/** For cells of data files: as `sanitize`, but line ends, tabs and the two joiners that real scripts and emoji need stay. */
export function sanitizeData(text: string): string {
  return plain.test(text) ? text : text.replace(hiddenInData, spellOut);
}

const plain = /^[\x20-\x7e]*$/;

// Default_Ignorable_Code_Point is what renders as nothing: zero-width, bidi controls, fillers, tags, variation selectors.
// The two variation selectors that choose between text and emoji are kept where they do so: after a character that is both.
const stray = String.raw`(?<!\p{Emoji})[\uFE0E\uFE0F]`;
const invisible = String.raw`\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB`;
const hidden = new RegExp(String.raw`(?![\uFE0E\uFE0F])[${invisible}]|${stray}`, 'gu');
const hiddenInData = new RegExp(String.raw`(?![\uFE0E\uFE0F\n\t\u200C\u200D]|\r\n)[${invisible}]|${stray}`, 'gu');

/** `\\u202e` for the character of that code. */
export function spellOut(character: string): string {
  const short = shortEscapes.get(character);
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}

const shortEscapes = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);
