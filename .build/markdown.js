// Turns the texts in man/text into data, so that the bundle has them and nothing is read or parsed at run time.
import { readFileSync } from 'node:fs';

/** A plugin for rolldown and vite: `import { page } from '….md'` gives what `readPage` returns. */
export const markdown = {
  name: 'markdown',
  load(id) {
    if (!id.endsWith('.md')) return null;
    return { code: `export const page = ${JSON.stringify(readPage(readFileSync(id, 'utf8')))}`, moduleType: 'js' };
  },
};

/**
 * `# name: summary`, then `## TITLE` for each section. A section has paragraphs, lists of "- `term`: meaning", and
 * examples: a paragraph that says what it does, and a fenced block, which may have a name after its language.
 * Backticks in a paragraph are only for readers of the Markdown.
 */
export function readPage(text) {
  const [, name = '', summary = ''] = /^# (.*?): (.*)$/m.exec(text) ?? [];
  const sections = [{ title: '', parts: [] }];
  for (const [block, title, label, run] of text.matchAll(
    /^## (.*)$|^```\w*(?: (.*))?\n([\s\S]*?)\n```$|^(?!#).+(?:\n(?!```).+)*/gm,
  )) {
    const { parts } = sections.at(-1);
    if (title !== undefined) sections.push({ title, parts: [] });
    else if (run !== undefined) parts.push({ does: parts.pop(), run, ...(label && { name: label }) });
    else parts.push(block.startsWith('- ') ? block.split(/\n(?=- )/).map(entry) : plain(block));
  }
  return { name, summary, sections: sections.filter(({ parts }) => parts.length > 0) };
}

function entry(item) {
  const [, term, meaning] = /^- `(.*?)`: ([\s\S]*)$/.exec(item) ?? [];
  if (term === undefined) throw new Error(`not an entry of a list: ${item}`);
  return [term, plain(meaning)];
}

function plain(text) {
  return text.replaceAll(/\n */g, ' ').replaceAll('`', '');
}
