/** Lines in pieces as large as a pipe delivers them. */
export function* chunks(lines: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < 1 << 16) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
