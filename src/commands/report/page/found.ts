// Marks found words in what is drawn, without changing it.
const name = 'found';

/** Marks all places of the words below an element. Browsers without highlights show none. */
export function markWords(root: HTMLElement, words: readonly RegExp[]): void {
  if (!('highlights' in CSS)) return;
  const ranges = words.length === 0 ? [] : placesOf(root, words, mostMarks);
  if (ranges.length === 0) CSS.highlights.delete(name);
  else CSS.highlights.set(name, new Highlight(...ranges));
}

/** The first place of a word below an element. */
export function firstPlace(root: HTMLElement, words: readonly RegExp[]): Range | null {
  return placesOf(root, words, 1)[0] ?? null;
}

const mostMarks = 500;

function placesOf(root: HTMLElement, words: readonly RegExp[], most: number): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < most; node = walker.nextNode())
    for (const word of words)
      for (const match of (node.nodeValue ?? '').matchAll(new RegExp(word.source, 'gi'))) {
        if (ranges.length >= most) break;
        const range = new Range();
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        ranges.push(range);
      }
  return ranges;
}
