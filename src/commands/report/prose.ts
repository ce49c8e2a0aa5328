// Reads Markdown into a tree of elements, which the page draws. HTML is text, images are not loaded, and only links to the
// web and to mail are links. By hand, because libraries give HTML or are larger than all panels. Takes linear time.
export type Node = string | Element;

/** Only these exist, and only a link has an address, which is safe. */
export interface Element {
  readonly tag: Tag;
  readonly attributes: { readonly [name in 'class' | 'href' | 'title' | 'rel' | 'target' | 'scope']?: string } & {
    readonly start?: number;
  };
  readonly inside: readonly Node[];
}

type Tag =
  | ('p' | 'pre' | 'blockquote' | 'ul' | 'ol' | 'li' | 'hr' | 'div' | 'table' | 'tbody' | 'tr' | 'th' | 'td')
  | ('code' | 'strong' | 'em' | 's' | 'a' | 'br');

function element(tag: Tag, inside: readonly Node[] = [], attributes: Element['attributes'] = {}): Element {
  return { tag, attributes, inside };
}

export function blocksOf(markdown: string): Node[] {
  return readBlocks(markdown.replace(/\r\n?/g, '\n').split('\n'), 0);
}

/** What is nested deeper is text. */
const deepestBlock = 8;

function readBlocks(lines: readonly string[], depth: number): Node[] {
  const blocks: Node[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (line.trim() === '') at += 1;
    else {
      const { block, next } =
        (depth < deepestBlock ? structureAt(lines, at, depth) : null) ?? paragraphAt(lines, at, depth);
      blocks.push(block);
      at = next;
    }
  }
  return blocks;
}

interface BlockRead {
  readonly block: Element;
  readonly next: number;
}

/** Anything but a paragraph. */
function structureAt(lines: readonly string[], at: number, depth: number): BlockRead | null {
  const line = lines[at] ?? '';
  return (
    codeAt(lines, at) ??
    headingIn(line, at) ??
    (isRule(line) ? { block: element('hr'), next: at + 1 } : null) ??
    quoteAt(lines, at, depth) ??
    listAt(lines, at, depth) ??
    tableAt(lines, at)
  );
}

function codeAt(lines: readonly string[], at: number): BlockRead | null {
  const [, fence, info = ''] = fenceOpening.exec(lines[at] ?? '') ?? [];
  if (fence === undefined || (fence.startsWith('`') && info.includes('`'))) return null;
  let end = at + 1;
  while (end < lines.length && !isClosing(lines[end] ?? '', fence)) end += 1;
  return { block: element('pre', [lines.slice(at + 1, end).join('\n')]), next: end + 1 };
}
const fenceOpening = /^ {0,3}(`{3,}|~{3,})(.*)$/;

function isClosing(line: string, fence: string): boolean {
  const bare = line.trim();
  return bare.length >= fence.length && bare === (fence[0] ?? '').repeat(bare.length);
}

function headingIn(line: string, at: number): BlockRead | null {
  const [start, marks] = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line) ?? [];
  if (start === undefined || marks === undefined) return null;
  let text = line.slice(start.length).trim();
  while (text.endsWith('#')) text = text.slice(0, -1);
  const attributes = { class: `heading level${Math.min(marks.length, 3)}` };
  return { block: element('p', inlineOf(text.trim()), attributes), next: at + 1 };
}

function isRule(line: string): boolean {
  const bare = line.replace(/[ \t]/g, '');
  return bare.length >= 3 && /^(?:-+|\*+|_+)$/.test(bare);
}

function quoteAt(lines: readonly string[], at: number, depth: number): BlockRead | null {
  let end = at;
  while (end < lines.length && /^ {0,3}>/.test(lines[end] ?? '')) end += 1;
  if (end === at) return null;
  const inner = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, ''));
  return { block: element('blockquote', readBlocks(inner, depth + 1)), next: end };
}

const bullet = /^( {0,12})([-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;

function listAt(lines: readonly string[], at: number, depth: number): BlockRead | null {
  const first = bullet.exec(lines[at] ?? '');
  if (first === null) return null;
  const margin = first[1]?.length ?? 0;
  const kind = listKind(first[2]);
  const items: Element[] = [];
  let end = at;
  for (;;) {
    const found = bullet.exec(lines[end] ?? '');
    const ownMargin = found?.[1]?.length ?? 0;
    if (found === null || listKind(found[2]) !== kind || ownMargin < margin || isRule(lines[end] ?? '')) break;
    const indent = Math.min(found[0].length, ownMargin + (found[2]?.length ?? 0) + 4);
    const own = [(lines[end] ?? '').slice(found[0].length)];
    end += 1;
    for (; end < lines.length; end++) {
      const line = lines[end] ?? '';
      const isBlank = line.trim() === '';
      const space = line.search(/\S/);
      if (isBlank && (lines[end + 1] ?? '').search(/\S/) < indent) break;
      if (!isBlank && space < indent && (bullet.test(line) || startsBlock(line) || own.at(-1)?.trim() === '')) break;
      own.push(isBlank ? '' : line.slice(Math.min(indent, space)));
    }
    items.push(element('li', readBlocks(own, depth + 1)));
    // A blank line between items does not end the list.
    if ((lines[end] ?? '').trim() === '' && bullet.test(lines[end + 1] ?? '')) end += 1;
  }
  const start = Number.parseInt(first[2] ?? '1', 10);
  return { block: kind === 'ordered' ? element('ol', items, { start }) : element('ul', items), next: end };
}

function listKind(mark: string | undefined): string {
  return mark !== undefined && /\d/.test(mark) ? 'ordered' : (mark ?? '');
}

function tableAt(lines: readonly string[], at: number): BlockRead | null {
  const head = lines[at] ?? '';
  const under = lines[at + 1] ?? '';
  if (!head.includes('|') || !under.includes('-') || under.length > longestUnder) return null;
  const columns = tableCells(under);
  if (!columns.every((cell) => /^:?-+:?$/.test(cell)) || tableCells(head).length !== columns.length) return null;
  let end = at + 2;
  while (end < lines.length && lines[end]?.includes('|')) end += 1;
  const rowOf = (line: string, cell: (inside: Node[]) => Element) =>
    element(
      'tr',
      tableCells(line).map((text) => cell(inlineOf(text))),
    );
  const rows = [
    rowOf(head, (inside) => element('th', inside, { scope: 'col' })),
    ...lines.slice(at + 2, end).map((line) => rowOf(line, (inside) => element('td', inside))),
  ];
  return { block: element('div', [element('table', [element('tbody', rows)])], { class: 'wide' }), next: end };
}
const longestUnder = 2000;

function tableCells(line: string): string[] {
  const bare = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

function paragraphAt(lines: readonly string[], at: number, depth: number): BlockRead {
  let end = at + 1;
  while (
    end < lines.length &&
    (lines[end] ?? '').trim() !== '' &&
    !(depth < deepestBlock && startsBlock(lines[end] ?? ''))
  )
    end += 1;
  const text = lines
    .slice(at, end)
    .map((line) => line.trim())
    .join('\n');
  return { block: element('p', inlineOf(text)), next: end };
}

function startsBlock(line: string): boolean {
  return (
    fenceOpening.test(line) ||
    /^ {0,3}(?:#{1,6}(?:[ \t]|$)|>)/.test(line) ||
    /^ *(?:[-*+]|1[.)])[ \t]/.test(line) ||
    isRule(line)
  );
}

/** One mark that is open, and what follows it. */
interface Frame {
  readonly mark: string;
  nodes: Node[];
}

const emphasisMarks: Readonly<Record<string, Tag>> = { '**': 'strong', __: 'strong', '*': 'em', _: 'em', '~~': 's' };

const token =
  /\\[!-/:-@[-`{-~]|`+|\*\*|__|~~|[*_]|!?\[[^[\]\n]{0,500}\]\([^\s()<>]{0,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,200})?\)|<https?:\/\/[^\s<>]{1,2000}>|https?:\/\/[^\s<>"'`*|]{1,2000}|\n/gi;

export function inlineOf(text: string, inLink = false): Node[] {
  const stack: Frame[] = [{ mark: '', nodes: [] }];
  const putNode = (node: Node) => stack.at(-1)?.nodes.push(node);
  const putText = (words: string) => {
    if (words !== '') putNode(words);
  };
  const spans = codeSpans(text);
  const found = new RegExp(token);
  let at = 0;
  for (let match = found.exec(text); match !== null; match = found.exec(text)) {
    const [piece] = match;
    const end = match.index + piece.length;
    putText(text.slice(at, match.index));
    at = end;
    const letter = piece[0] ?? '';
    if (letter === '\\') putText(piece.slice(1));
    else if (letter === '`') {
      const close = spans.get(match.index);
      if (close === undefined) putText(piece);
      else {
        putNode(element('code', [text.slice(end, close).replace(/\n/g, ' ')]));
        at = close + piece.length;
        found.lastIndex = at;
      }
    } else if (letter === '\n') putNode(element('br'));
    else if (emphasisMarks[piece] !== undefined)
      markAt(stack, piece, text[match.index - 1] ?? ' ', text[end] ?? ' ', putText);
    else if (inLink) putText(piece);
    else for (const node of linkOf(piece)) putNode(node);
  }
  putText(text.slice(at));
  while (stack.length > 1) unfold(stack);
  return stack[0]?.nodes ?? [];
}

/** A mark closes the same mark if one is open, else opens, else is text. */
function markAt(stack: Frame[], mark: string, before: string, after: string, say: (text: string) => void): void {
  const isWord = /[\p{L}\p{N}]/u;
  const inWord = mark.startsWith('_');
  const open = stack.findLastIndex((frame) => frame.mark === mark);
  if (open > 0 && /\S/.test(before) && !(inWord && isWord.test(after))) {
    while (stack.length - 1 > open) unfold(stack);
    const frame = stack.pop();
    stack.at(-1)?.nodes.push(element(emphasisMarks[mark] ?? 'strong', frame?.nodes));
  } else if (open <= 0 && /\S/.test(after) && !(inWord && isWord.test(before))) stack.push({ mark, nodes: [] });
  else say(mark);
}

/** A mark that nothing closed was text. */
function unfold(stack: Frame[]): void {
  const frame = stack.pop();
  const outer = stack.at(-1);
  if (frame === undefined || outer === undefined) return;
  outer.nodes.push(frame.mark);
  for (const node of frame.nodes) outer.nodes.push(node);
}

/** Where each code span that begins ends: at the next marks of the same length. */
function codeSpans(text: string): Map<number, number> {
  const runs = [...text.matchAll(/`+/g)];
  const next = new Map<number, number>();
  const spans = new Map<number, number>();
  for (const { 0: run, index } of runs.reverse()) {
    const close = next.get(run.length);
    if (close !== undefined) spans.set(index, close);
    next.set(run.length, index);
  }
  return spans;
}

function linkOf(piece: string): Node[] {
  if (piece.startsWith('<')) return linkTo(piece.slice(1, -1));
  if (!/^!?\[/.test(piece)) {
    const end = /[.,;:!?)\]]{0,20}$/.exec(piece)?.[0] ?? '';
    const address = piece.slice(0, piece.length - end.length);
    return end === '' ? linkTo(address) : [...linkTo(address), end];
  }
  const [, image = '', label = '', address = ''] = /^(!?)\[([^[\]]*)\]\((.*)\)$/s.exec(piece) ?? [];
  // A page that loads nothing shows no picture either.
  if (image !== '') return [`[image: ${label || address}]`];
  return linkTo(address, label);
}

/** An address that is not safe is text. */
function linkTo(address: string, label = address): Node[] {
  const inside = label === address ? [address] : inlineOf(label, true);
  if (isSafe(address))
    return [element('a', inside, { href: address, title: address, rel: 'noreferrer noopener', target: '_blank' })];
  return address === '' || address === label ? inside : [...inside, ` (${address})`];
}

/** Nothing that runs, and nothing that leads to another place of this page. */
export function isSafe(address: string): boolean {
  return /^(?:https?:\/\/|mailto:)[\x21-\x7e\u00a0-\uffff]+$/i.test(address);
}
