import { wrap } from './wrap.js';

/** A man page; sections that are undefined are left out. */
export function man(
  page: { name: string; part?: 1 | 7; released: string; version: string },
  ...sections: (string | undefined)[]
): string {
  const title = literal(page.name.toUpperCase());
  const head = `.TH ${title} ${page.part ?? 1} "${page.released}" "cct ${page.version}" "cct manual"`;
  return `${lines('.\\" Made from the source by test/man.test.ts; do not edit.', head, ...sections)}\n`;
}

export function section(title: string, ...parts: string[]): string {
  // Where a paragraph break stands before the end or another heading it would mean nothing, and mandoc says so.
  return `.SH ${title}\n${lines(...parts)}`.replace(/(\n\.PP)+$/, '');
}

export function subsection(title: string, ...parts: string[]): string {
  return `.SS ${literal(title)}\n${lines(...parts)}`;
}

export function tagged(term: string, body: string): string {
  return lines('.TP', term, body);
}

export function lines(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join('\n');
}

export function bold(text: string): string {
  return `\\fB${literal(text)}\\fR`;
}

/** A paragraph: every sentence on a line of its own, or on several. */
export function prose(text: string): string {
  const sentences = text.split(/(?<=[.?!]) /).map((sentence) => wrap(literal(sentence), longestLine));
  return sentences.join('\n').split('\n').map(guarded).join('\n');
}

const longestLine = 79;

/** Text that roff prints as it is. */
export function literal(text: string): string {
  return guarded(
    text
      .replaceAll('\\', '\\e')
      .replaceAll('-', '\\-')
      .replaceAll("'", '\\(aq')
      .replaceAll('"', '\\(dq')
      .replaceAll('’', '\\(cq')
      .replaceAll('…', '...'),
  );
}

/** A dot at the beginning of a line would be a request. */
function guarded(line: string): string {
  return line.startsWith('.') ? `\\&${line}` : line;
}
