// Finds words in everything a story tells, also in what is folded.
import type { Entry } from './story.js';
import { statusWords, wordsOfEntry } from './story.js';

export interface Hit {
  readonly entry: Entry;
  /** The text around the first word found. */
  readonly excerpt: string;
}

/** Every word has to be in the entry, in any of its texts; upper and lower case are the same. */
export function findIn(entries: readonly Entry[], query: string, most = mostHits): { hits: Hit[]; count: number } {
  const words = wordsIn(query);
  const hits: Hit[] = [];
  let count = 0;
  if (words.length === 0) return { hits, count };
  for (const entry of entries) {
    const texts = textsOf(entry);
    if (!words.every((word) => texts.some((text) => word.test(text)))) continue;
    count += 1;
    if (hits.length < most) hits.push({ entry, excerpt: excerptOf(texts, words[0]) });
  }
  return { hits, count };
}

const mostHits = 500;

export function wordsIn(query: string): RegExp[] {
  return query
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => new RegExp(word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'i'));
}

/** Everything that an entry says. */
export function textsOf(entry: Entry): string[] {
  const { line, found } = entry;
  const { mark, about, said, facts } = wordsOfEntry(entry);
  const head = `${line?.name ?? found[0]?.finding.agent ?? ''} ${mark} ${about} ${facts.join(' ')}`;
  const texts = [head, said, ...found.map(({ finding: { rule, detail } }) => `${statusWords(rule)} ${detail}`)];
  for (const { text, changes } of line?.parts ?? []) {
    if (text !== '') texts.push(text);
    for (const change of changes ?? []) texts.push(change.text);
  }
  return texts;
}

function excerptOf(texts: readonly string[], word: RegExp | undefined): string {
  for (const text of texts) {
    const place = word === undefined ? -1 : text.search(word);
    if (place === -1) continue;
    const from = Math.max(0, place - lettersBefore);
    const piece = text.slice(from, place + lettersAfter).replace(/\s+/g, ' ');
    return `${from > 0 ? '…' : ''}${piece.trim()}${place + lettersAfter < text.length ? '…' : ''}`;
  }
  return '';
}
const lettersBefore = 40;
const lettersAfter = 120;
