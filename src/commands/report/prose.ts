// Reads Markdown into a tree, which the page draws as nodes. HTML is text, images are not loaded, and only links to the
// web and to mail are links. By hand, because libraries give HTML or are larger than all panels. Takes linear time.
export type Block =
  | { readonly is: 'heading'; readonly level: number; readonly inline: readonly Inline[] }
  | { readonly is: 'paragraph'; readonly inline: readonly Inline[] }
  | { readonly is: 'code'; readonly language: string; readonly text: string }
  | { readonly is: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly is: 'list';
      readonly start: number | null;
      readonly items: readonly (readonly Block[])[];
    }
  | { readonly is: 'table'; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly is: 'rule' };

export type Inline =
  | { readonly is: 'text' | 'code'; readonly text: string }
  | { readonly is: 'strong' | 'emphasis' | 'struck'; readonly inline: readonly Inline[] }
  | { readonly is: 'link'; readonly address: string; readonly inline: readonly Inline[] }
  | { readonly is: 'break' };

export function blocksOf(markdown: string): Block[] {
  return readBlocks(markdown.replace(/\r\n?/g, '\n').split('\n'), 0);
}

/** What is nested deeper is text. */
const deepestBlock = 8;

function readBlocks(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
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
  readonly block: Block;
  readonly next: number;
}

/** Anything but a paragraph. */
function structureAt(lines: readonly string[], at: number, depth: number): BlockRead | null {
  const line = lines[at] ?? '';
  return (
    codeAt(lines, at) ??
    headingIn(line, at) ??
    (isRule(line) ? { block: { is: 'rule' }, next: at + 1 } : null) ??
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
  const language = /^[\w+#.-]{1,20}/.exec(info.trim())?.[0] ?? '';
  return { block: { is: 'code', language, text: lines.slice(at + 1, end).join('\n') }, next: end + 1 };
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
  return { block: { is: 'heading', level: marks.length, inline: inlineOf(text.trim()) }, next: at + 1 };
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
  return { block: { is: 'quote', blocks: readBlocks(inner, depth + 1) }, next: end };
}

const bullet = /^( {0,12})([-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;

function listAt(lines: readonly string[], at: number, depth: number): BlockRead | null {
  const first = bullet.exec(lines[at] ?? '');
  if (first === null) return null;
  const margin = first[1]?.length ?? 0;
  const kind = listKind(first[2]);
  const items: Block[][] = [];
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
    items.push(readBlocks(own, depth + 1));
    // A blank line between items does not end the list.
    if ((lines[end] ?? '').trim() === '' && bullet.test(lines[end + 1] ?? '')) end += 1;
  }
  if (items.length === 0) return null;
  const start = kind === 'ordered' ? Number.parseInt(first[2] ?? '1', 10) : null;
  return { block: { is: 'list', start, items }, next: end };
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
  const rows = [head, ...lines.slice(at + 2, end)].map((line) => tableCells(line).map((cell) => inlineOf(cell)));
  return { block: { is: 'table', rows }, next: end };
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
  return { block: { is: 'paragraph', inline: inlineOf(text) }, next: end };
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
  nodes: Inline[];
}

const emphasisMarks: Readonly<Record<string, 'strong' | 'emphasis' | 'struck'>> = {
  '**': 'strong',
  __: 'strong',
  '*': 'emphasis',
  _: 'emphasis',
  '~~': 'struck',
};

const token =
  /\\[!-/:-@[-`{-~]|`+|\*\*|__|~~|[*_]|!?\[[^[\]\n]{0,500}\]\([^\s()<>]{0,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,200})?\)|<https?:\/\/[^\s<>]{1,2000}>|https?:\/\/[^\s<>"'`*|]{1,2000}|\n/gi;

export function inlineOf(text: string, inLink = false): Inline[] {
  const stack: Frame[] = [{ mark: '', nodes: [] }];
  const putNode = (node: Inline) => stack.at(-1)?.nodes.push(node);
  const putText = (words: string) => {
    if (words !== '') putNode({ is: 'text', text: words });
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
        putNode({ is: 'code', text: text.slice(end, close).replace(/\n/g, ' ') });
        at = close + piece.length;
        found.lastIndex = at;
      }
    } else if (letter === '\n') putNode({ is: 'break' });
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
    stack.at(-1)?.nodes.push({ is: emphasisMarks[mark] ?? 'strong', inline: frame?.nodes ?? [] });
  } else if (open <= 0 && /\S/.test(after) && !(inWord && isWord.test(before))) stack.push({ mark, nodes: [] });
  else say(mark);
}

/** A mark that nothing closed was text. */
function unfold(stack: Frame[]): void {
  const frame = stack.pop();
  const outer = stack.at(-1);
  if (frame === undefined || outer === undefined) return;
  outer.nodes.push({ is: 'text', text: frame.mark });
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

function linkOf(piece: string): Inline[] {
  if (piece.startsWith('<')) return [bareLink(piece.slice(1, -1))];
  if (!/^!?\[/.test(piece)) {
    const end = /[.,;:!?)\]]{0,20}$/.exec(piece)?.[0] ?? '';
    const address = piece.slice(0, piece.length - end.length);
    return end === '' ? [bareLink(address)] : [bareLink(address), { is: 'text', text: end }];
  }
  const [, image = '', label = '', address = ''] = /^(!?)\[([^[\]]*)\]\((.*)\)$/s.exec(piece) ?? [];
  // A page that loads nothing shows no picture either.
  if (image !== '') return [{ is: 'text', text: `[image: ${label || address}]` }];
  const inline = inlineOf(label, true);
  if (isSafe(address)) return [{ is: 'link', address, inline }];
  return address === '' || address === label ? inline : [...inline, { is: 'text', text: ` (${address})` }];
}

function bareLink(address: string): Inline {
  const inline: Inline[] = [{ is: 'text', text: address }];
  return isSafe(address) ? { is: 'link', address, inline } : { is: 'text', text: address };
}

/** Nothing that runs, and nothing that leads to another place of this page. */
export function isSafe(address: string): boolean {
  return /^(?:https?:\/\/|mailto:)[\x21-\x7e\u00a0-\uffff]+$/i.test(address);
}
