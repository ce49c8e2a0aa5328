// Finds secrets in tables by the name of their column, and in the data of a Kubernetes secret.
import { fieldName } from './names.js';
import type { Span } from './secrets.js';
import { isPlaceholder, lineBreak, looksRandom, matchAt, wordEnd } from './values.js';

interface SecretColumns {
  readonly sign: string;
  readonly width: number;
  /** Which columns are secret; those of tokens may hold words. */
  readonly secret: readonly { readonly index: number; readonly isToken: boolean }[];
}

/** What separates cells. Two blanks are the last resort: kubectl, psql and others align their columns with them. */
const signs = ['|', '│', '\t', ',', ';', '  '];
const maybeTable =
  /(?:pass|pwd?|secret|token|key|credential)[\w .]{0,20}["'`*]{0,2}[ \t]{0,20}(?:[,;|\t│]|\r?\n| {2})/i;
const rule = /^[\s|+:\u2500-\u257f-]{3,400}$/;

/** Columns of CSV, TSV, and tables drawn with | or blanks, whose first row names a secret. */
export function columnSecretsIn(text: string): Span[] {
  const found: Span[] = [];
  if (!maybeTable.test(text)) return found;
  let table: SecretColumns | null = null;
  for (let at = 0; at < text.length; ) {
    const end = wordEnd(text, at, lineBreak);
    const line = text.slice(at, Math.min(end, at + longestRow));
    const cells: Cell[] = table === null || rule.test(line) ? [] : cellsBetween(line, table.sign);
    if (cells.length > 0 && cells.length === table?.width)
      for (const { index, isToken } of table.secret) {
        const { start, said } = cells[index] ?? { start: 0, said: '' };
        const isWord = said.length >= 3 && !/\s/.test(said) && !isPlaceholder(said);
        if (isWord && (!isToken || looksRandom(said, 6)))
          found.push({ kind: 'password', start: at + start, end: at + start + said.length });
      }
    else if (!rule.test(line)) table = secretColumns(line);
    at = text.startsWith('\r\n', end) ? end + 2 : end + 1;
  }
  return found;
}
const longestRow = 20_000;
const longestHead = 2000;

interface Cell {
  readonly start: number;
  readonly said: string;
}

/** Every cell of the first row is a name. With commas, as in a sentence, no blank follows them; with blanks, a capital is first. */
function secretColumns(line: string): SecretColumns | null {
  if (line.length < 6 || line.length > longestHead) return null;
  const sign = signs.find((one) => line.trim().includes(one));
  if (sign === undefined || (/[,;]/.test(sign) && /[,;] |[,;]$|[,;]{2}/.test(line))) return null;
  const cells = cellsBetween(line, sign);
  const isHead = cells.every(({ said }) =>
    (sign === '  ' ? /^[A-Z][\w. ()-]{0,60}$/ : /^[\w .()→-]{0,60}$/).test(said),
  );
  if (!isHead || cells.filter(({ said }) => said !== '').length < 2) return null;
  const secret = cells.flatMap(({ said }, index) => {
    const name = fieldName(said);
    return name !== null && (name.least === 0 || name.least === 6) && !name.isPlural
      ? [{ index, isToken: name.isToken }]
      : [];
  });
  return secret.length === 0 ? null : { sign, width: cells.length, secret };
}

function cellsBetween(line: string, sign: string): Cell[] {
  const cells: Cell[] = [];
  let [start, isQuoted] = [0, false];
  const addCell = (end: number) => {
    const part = line.slice(start, end);
    const said = part.replace(/^[\s"'`*]{1,400}|[\s"'`*]{1,400}$/g, '');
    if (sign !== '  ' || said !== '') cells.push({ start: start + Math.max(0, part.indexOf(said)), said });
  };
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '"' && sign !== '|') isQuoted = !isQuoted;
    if (isQuoted || !line.startsWith(sign, at)) continue;
    addCell(at);
    start = at + sign.length;
  }
  addCell(line.length);
  return cells;
}

const kind = /(?<![A-Za-z])(?:stringData["']?[ \t]{0,4}:|kind["']?[ \t]{0,4}:[ \t]{0,4}["']?Secret(?![A-Za-z]))/;
const dataBegin = /(?<![A-Za-z])(?:string)?data["']?[ \t]{0,4}:[ \t]{0,4}(?=[{\r\n])/gi;
const entry = /[\s{,]{1,400}["']?[\w.-]{1,253}["']?[ \t]{0,4}:[ \t]{0,4}["']?(?=[^\s"',}]{3})/y;

/** The values under data and stringData of a Kubernetes secret, whatever their names. In YAML they are indented. */
export function kubernetesSecretsIn(text: string): Span[] {
  if (!/Secret|stringData/.test(text) || !kind.test(text)) return [];
  const found: Span[] = [];
  let last = 0;
  for (const { index, 0: begin } of text.matchAll(dataBegin)) {
    // Each entry is read once.
    if (index < last) continue;
    for (let at = index + begin.length; at < text.length; ) {
      const name = matchAt(entry, text, at);
      if (name === null || (/^\r?\n\S/.test(name) && text[index + begin.length] !== '{')) break;
      const start = at + name.length;
      const end = wordEnd(text, start, /[\s"',}]/);
      if (!isPlaceholder(text.slice(start, Math.min(end, start + 400)))) found.push({ kind: 'password', start, end });
      at = /["']/.test(text[end] ?? '') ? end + 1 : end;
      last = at;
    }
  }
  return found;
}
