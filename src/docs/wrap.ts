/** Paragraphs of at most `width` columns, every line behind `indent`. A line that begins with a space stays as it is. */
export function wrap(text: string, width: number, indent = ''): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith(' ') || line === '' ? `${indent}${line}`.trimEnd() : wrapLine(line, width, indent)))
    .join('\n');
}

/** Two columns: a term, and what it means, wrapped beside it or, where the term is long, below it. */
export function definitions(entries: readonly (readonly [term: string, meaning: string])[], width: number): string {
  const terms = entries.map(([term]) => term.length).filter((length) => length <= longestBeside);
  const column = Math.max(...terms, 0) + 4;
  const indent = ' '.repeat(column);
  const lines = entries.map(([term, meaning]) => {
    const body = wrap(meaning, width, indent);
    return term.length <= longestBeside ? `  ${term.padEnd(column - 2)}${body.slice(column)}` : `  ${term}\n${body}`;
  });
  return lines.map((line) => line.trimEnd()).join('\n');
}

const longestBeside = 28;

function wrapLine(line: string, width: number, indent: string): string {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && indent.length + current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else {
      current = current === '' ? word : `${current} ${word}`;
    }
  }
  lines.push(current);
  return lines.map((each) => indent + each).join('\n');
}
