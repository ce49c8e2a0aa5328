// Finds secrets in tables by the name of their column, and in the data of a Kubernetes secret.
import { fieldName } from './names.js';
import type { Span } from './secrets.js';
import { isPlaceholder, isVariable, lineBreak, wordEnd } from './values.js';

const mostLines = 10_000;

/** Columns of CSV, TSV, and tables drawn with | whose first row names a secret. */
export function columnSecretsIn(text: string): Span[] {
  if (!/[|│\t,;]/.test(text) || !maybeTable.test(text)) return [];
  const found: Span[] = [];
  let at = 0;
  while (at < text.length) {
    const end = wordEnd(text, at, lineBreak);
    const sign = separatorOf(text, at, end);
    const cells = sign === null ? [] : cellsOf(text, at, end, sign);
    const secret = sign === null || cells.length < 2 || !isHeader(text, cells, sign) ? [] : secretCells(text, cells);
    at =
      secret.length === 0 || sign === null
        ? afterLine(text, end)
        : rowsBelow(text, afterLine(text, end), sign, cells.length, secret, found);
  }
  return found;
}
const maybeTable = /(?:pass|pwd?|secret|token|key|credential)[\w .]{0,20}["'`*]{0,2}[ \t]{0,20}(?:[,;|\t│]|\r?\n)/i;

interface Cell {
  readonly start: number;
  readonly end: number;
}

function afterLine(text: string, end: number): number {
  return text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1;
}

function separatorOf(text: string, at: number, end: number): string | null {
  if (end - at > 2000 || end - at < 6) return null;
  const line = text.slice(at, end);
  return ['|', '│', '\t', ',', ';'].find((sign) => line.includes(sign)) ?? null;
}

function cellsOf(text: string, from: number, end: number, sign: string): Cell[] {
  const cells: Cell[] = [];
  let start = from;
  let quoted = false;
  for (let at = from; at <= end; at += 1) {
    if (text[at] === '"' && sign !== '|') quoted = !quoted;
    if (at < end && (quoted || text[at] !== sign)) continue;
    cells.push(trimmed(text, start, at));
    start = at + 1;
  }
  return cells;
}

function trimmed(text: string, from: number, to: number): Cell {
  let [start, end] = [from, to];
  while (start < end && /[\s"'`*+→0-9]/.test(text[start] ?? '') && /[\s"'`*]/.test(text[start] ?? '')) start += 1;
  while (end > start && /[\s"'`*\\]/.test(text[end - 1] ?? '')) end -= 1;
  return { start, end };
}

/** Every cell of the first row is a name. With commas, as in a sentence, no blank follows them. */
function isHeader(text: string, cells: readonly Cell[], sign: string): boolean {
  const line = text.slice(cells[0]?.start, cells.at(-1)?.end);
  if ((sign === ',' || sign === ';') && (/[,;] /.test(line) || cells.some(({ start, end }) => start === end)))
    return false;
  if (cells.filter(({ start, end }) => end > start).length < 2) return false;
  return cells.every(({ start, end }) => /^[\w .()→-]{0,60}$/.test(text.slice(start, end)));
}

function secretCells(text: string, cells: readonly Cell[]): number[] {
  return cells.flatMap(({ start, end }, index) => {
    const name = fieldName(text.slice(start, end));
    return name !== null && (name.least === 0 || name.least === 6) && !name.isPlural ? [index] : [];
  });
}

/** Adds the secret cells of the rows below. Returns where they end. */
function rowsBelow(
  text: string,
  from: number,
  sign: string,
  width: number,
  secret: readonly number[],
  found: Span[],
): number {
  let at = from;
  for (let lines = 0; lines < mostLines && at < text.length; lines += 1) {
    const end = wordEnd(text, at, lineBreak);
    const isRule = /^[\s|+:\u2500-\u257f-]{3,}$/.test(text.slice(at, Math.min(end, at + 400)));
    if (!isRule) {
      const cells = end - at > 20_000 ? [] : cellsOf(text, at, end, sign);
      if (cells.length !== width) return at;
      for (const index of secret) {
        const { start, end: last } = cells[index] ?? { start: 0, end: 0 };
        const said = text.slice(start, Math.min(last, start + 400));
        const isWord = last - start >= 3 && !/\s/.test(said) && !isPlaceholder(said) && !isVariable(said);
        if (isWord) found.push({ kind: 'password', start, end: last });
      }
    }
    at = afterLine(text, end);
  }
  return at;
}

const kind = /(?<![A-Za-z])kind["']?[ \t]{0,4}:[ \t]{0,4}["']?Secret(?![A-Za-z])/;
const dataBegin = /(?<![A-Za-z])(?:string)?data["']?[ \t]{0,4}:[ \t]{0,4}(?=[{\r\n])/gi;
const entry = /(?<=[\s{,"'])["']?[\w.-]{1,253}["']?[ \t]{0,4}:[ \t]{0,4}["']?([A-Za-z0-9+/=_.~!@#$%^&*-]{3})/y;

/** The values under data and stringData of a Kubernetes secret, whatever their names. */
export function kubernetesSecretsIn(text: string): Span[] {
  if (!text.includes('Secret') || !kind.test(text)) return [];
  const found: Span[] = [];
  dataBegin.lastIndex = 0;
  for (let match = dataBegin.exec(text); match !== null; match = dataBegin.exec(text)) {
    let at = match.index + match[0].length;
    const isBraced = text[at] === '{';
    while (at < text.length && text[at] !== '}') {
      entry.lastIndex = at;
      const one = entry.exec(text);
      // In YAML a name at the beginning of a line ends the block.
      if (one === null) {
        if (!isBraced && text[at] === '\n' && /\S/.test(text[at + 1] ?? '') && !/[0-9→>+|-]/.test(text[at + 1] ?? ''))
          break;
        at += 1;
        continue;
      }
      const start = at + one[0].length - 3;
      let end = start;
      while (end < text.length && /[^\s"',\\}]/.test(text[end] ?? '')) end += 1;
      if (!isPlaceholder(text.slice(start, Math.min(end, start + 400)))) found.push({ kind: 'password', start, end });
      at = end;
    }
    dataBegin.lastIndex = at;
  }
  return found;
}
