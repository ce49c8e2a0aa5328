// A text as people see it: without colours, backslashes, %3D and line numbers. So the finders need to know only plain text.
import type { Span } from './secrets.js';

export type Finder = (text: string) => Span[];

interface Lens {
  /** Only a text with this is seen differently. */
  readonly needs?: RegExp;
  /** What is seen as something else. */
  readonly sign: RegExp;
  readonly seen: (sign: string) => string;
  /** How many times it is put on at most. */
  readonly most: number;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
const entityNames: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&', equals: '=' };

const colours: Lens = {
  sign: /(?:\u001b|\\{1,31}(?:u001b|x1b|033|e))\[[0-9;:]{0,20}[A-Za-z]/gi,
  seen: () => '',
  most: 1,
};

/** In the order in which they are put on. */
const lenses: readonly Lens[] = [
  // A text in a text in a text: the quotes around it are the ends of its first and last line.
  {
    needs: /":[ \t]?"|\\(?:["nrt\\]|u00[2-7])/,
    sign: /\\(?:["'`\\/nrt]|u00[2-7][0-9a-f])|"/gi,
    seen: (sign) =>
      sign === '"' ? '\n' : sign.length > 2 ? fromHex(sign.slice(4)) : (escapes[sign[1] ?? ''] ?? sign.slice(1)),
    most: 5,
  },
  {
    sign: /%[2-7][0-9a-f]|&(?:quot|apos|lt|gt|amp|equals|#(?:x[0-9a-f]{2}|[0-9]{2}));/gi,
    seen: (sign) => (sign[0] === '%' ? fromHex(sign.slice(1)) : entity(sign.slice(1, -1))),
    most: 1,
  },
  // A line that continues in the next.
  { sign: /\\\r?\n[ \t]{0,40}/g, seen: () => ' ', most: 1 },
  // Numbers of lines, files with them, marks of a diff or of a quotation.
  {
    sign: /^(?:[^\s:]{1,160}[:-][0-9]{1,7}[:-]|[ \t]{0,12}[>+-]?[ \t]{0,8}[0-9]{1,7}(?:→|\t|[:)-]| {0,2}[|│]| {1,4}(?=[+-]))|[+<>-])[+-]?/gm,
    seen: () => '',
    most: 1,
  },
];

function fromHex(digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}

function entity(name: string): string {
  if (name[0] !== '#') return entityNames[name] ?? ' ';
  return name[1] === 'x' ? fromHex(name.slice(2)) : String.fromCharCode(Number(name.slice(1)));
}

/** What is found in a text, and in every view of it. */
export function searched(text: string, find: Finder): Span[] {
  const plain = viewed(text, colours);
  return plain === null ? through(text, find, 0, 0) : plain.spans(through(plain.text, find, 0, 0));
}

/** `worn`: how many times the first of the lenses left was put on already. */
function through(text: string, find: Finder, first: number, worn: number): Span[] {
  const found = find(text);
  for (let index = first; index < lenses.length; index += 1) {
    const lens = lenses[index];
    const times = index === first ? worn : 0;
    const view = lens === undefined || times === lens.most ? null : viewed(text, lens);
    if (view !== null) for (const span of view.spans(through(view.text, find, index, times + 1))) found.push(span);
  }
  return found;
}

/** null if nothing is seen differently. */
function viewed(text: string, { needs, sign, seen }: Lens): { text: string; spans: (found: Span[]) => Span[] } | null {
  if (text.search(needs ?? sign) === -1) return null;
  const parts: string[] = [];
  // A piece of the view: where it begins there and in the text. A piece that was changed is `wide` in the text.
  const pieces: { readonly shown: number; readonly at: number; readonly wide: number }[] = [];
  let [shown, from] = [0, 0];
  const addPiece = (part: string, at: number, wide: number) => {
    if (part === '') return;
    pieces.push({ shown, at, wide });
    parts.push(part);
    shown += part.length;
  };
  for (const match of text.matchAll(sign)) {
    addPiece(text.slice(from, match.index), from, 0);
    addPiece(seen(match[0]), match.index, match[0].length);
    from = match.index + match[0].length;
  }
  addPiece(text.slice(from), from, 0);

  const spans = (found: Span[]): Span[] => {
    let last = 0;
    const pieceAt = (index: number) => {
      while (last > 0 && (pieces[last]?.shown ?? 0) > index) last -= 1;
      while ((pieces[last + 1]?.shown ?? Number.POSITIVE_INFINITY) <= index) last += 1;
      return pieces[last] ?? { shown: 0, at: 0, wide: 0 };
    };
    return found
      .toSorted((a, b) => a.start - b.start)
      .map(({ kind, start, end }) => {
        const begin = pieceAt(start);
        const close = pieceAt(end - 1);
        return {
          kind,
          start: begin.at + start - begin.shown,
          end: close.wide > 0 ? close.at + close.wide : close.at + end - close.shown,
        };
      });
  };
  return { text: parts.join(''), spans };
}
