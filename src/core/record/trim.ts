/** Without white space, control characters and byte order marks at both ends; indentation is left alone. */
export function trimLine(text: string): string {
  // By hand: a regular expression anchored at the end takes quadratic time over long runs of blanks.
  let end = text.length;
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end -= 1;
  let start = Math.min(skipBlanks(text, 0), end);
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start -= 1;
  return text.slice(start, end);
}

/** Past white space, control characters and byte order marks. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

/** Past what may stand between two values in a row: blanks and commas. */
export function skipSeparators(text: string, from: number): number {
  let at = from;
  while (at < text.length && (text[at] === ',' || isBlank(text.charCodeAt(at)))) at += 1;
  return at;
}

function isBlank(code: number): boolean {
  return code <= 0x20 || code === 0x7f || code === 0xfeff;
}
