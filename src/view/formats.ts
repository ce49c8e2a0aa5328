import { type Column, columnFor, table } from './table.js';
import { isNameField, type Paint, sanitizeData, visibleName } from './text.js';

export const formatNames = ['table', 'ndjson', 'json', 'csv', 'tsv', 'md'] as const;

export type FormatName = (typeof formatNames)[number];

/** Every `--format`, by name. */
const formats: Readonly<Record<FormatName, (fields: readonly string[], layout: Layout) => Writer>> = {
  table,
  ndjson,
  json,
  csv,
  tsv,
  md: markdown,
};

/** Rows to text, piece by piece: the head, each row and the tail, one after the other, are the output. */
export interface Writer {
  readonly head: string;
  row(row: Row): string;
  /** A total is for people: only the table shows it. */
  tail(total?: Row): string;
}

/** What a command prints: snake_case fields, JSON values. */
export type Row = Readonly<Record<string, unknown>>;

/** Where the text goes. Data formats look at nothing of it. */
export interface Layout {
  /** Columns of the terminal, at least 1; Infinity where lines may have any length. */
  readonly width: number;
  readonly paint: Paint;
  /** Where a field is to look otherwise than its name suggests. */
  readonly columns?: Readonly<Record<string, Partial<Column>>> | undefined;
  /** Rows come one at a time and must be seen at once: a table then fixes its widths at the first row. */
  readonly streaming?: boolean | undefined;
}

export interface Fields {
  /** Every field of the row, in its order. */
  readonly all: readonly string[];
  /** What a table shows unless told otherwise; a terminal has no room for everything. */
  readonly table?: readonly string[] | undefined;
  /** What the user asked for with `--fields`. */
  readonly chosen?: readonly string[] | undefined;
}

/** A writer of some fields. Unless the user chose them, JSON rows are written as they are. */
export function openWriter(name: FormatName, { all, table, chosen }: Fields, layout: Layout): Writer {
  const writer = formats[name](chosen ?? (name === 'table' ? table : undefined) ?? all, layout);
  return chosen === undefined ? writer : { ...writer, row: (row) => writer.row(pickFields(row, chosen)) };
}

/** A row of these fields in this order; what the row lacks is null. */
export function pickFields(row: Row, fields: readonly string[]): Row {
  return Object.fromEntries(fields.map((field) => [field, fieldOf(row, field) ?? null]));
}

/** Own fields only: a field named `constructor` is absent, not a function. */
export function fieldOf(row: Row, field: string): unknown {
  return Object.hasOwn(row, field) ? row[field] : undefined;
}

/** One array, a row a line. */
export function json(): Writer {
  let empty = true;
  return {
    head: '',
    row(row) {
      const before = empty ? '[\n' : ',\n';
      empty = false;
      return before + JSON.stringify(row);
    },
    tail: () => (empty ? '[]\n' : '\n]\n'),
  };
}

export function ndjson(): Writer {
  return { head: '', row: (row) => `${JSON.stringify(row)}\n`, tail: () => '' };
}

/** RFC 4180, but lines end in LF, as the next program in a pipe expects. No cell is a formula to a spreadsheet. */
export function csv(fields: readonly string[]): Writer {
  return cellWriter(fields, (cells) => {
    const text = cells.map(quote).join(',');
    // A lone empty cell would be a blank line, which readers skip.
    return `${text === '' ? '""' : text}\n`;
  });
}

/** A line of names, then one of cells for each row. */
function cellWriter(fields: readonly string[], line: (cells: readonly string[]) => string): Writer {
  return {
    head: line(fields),
    row: (row) => line(fields.map((field) => flat(field, fieldOf(row, field)))),
    tail: () => '',
  };
}

function quote(text: string): string {
  const cell = sanitizeData(text.replace(csvFormula, "$&'"));
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

// Where a cell may begin for a spreadsheet: it trims before it looks, and may think that `;` or a tab separates cells. Then our
// quotes are not at the start of a cell and hold no lines together; of those, lists in Markdown are left alone.
const blanks = String.raw`[^\S\t\r\n]*[\u200C\u200D]?`;
const sign = String.raw`[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]`;
const negative = String.raw`-\d+(?:\.\d+)?(?:e[+-]?\d+)?`;
const first = String.raw`^(?=[\s\u200C\u200D]*${sign})(?!${negative}$)`;
const inside = String.raw`(?<=[;\t])(?=${blanks}${sign})(?!${negative}(?:[;\t]|$))`;
const tsvFormula = new RegExp(`${first}|${inside}`, 'gi');
const csvFormula = new RegExp(
  String.raw`${first}|^(?=[\t\r\n])|${inside}|(?<=[\r\n])(?=${blanks}[=@\uFF1D\uFF20])`,
  'gi',
);

/** One line a row whatever the cells hold: tab, line ends and the backslash itself are written `\t`, `\n`, `\r`, `\\`. No cell is a formula. */
export function tsv(fields: readonly string[]): Writer {
  return cellWriter(fields, (cells) => `${cells.map(escapeTsv).join('\t')}\n`);
}

function escapeTsv(text: string): string {
  return sanitizeData(text.replace(tsvFormula, "$&'").replaceAll('\\', '\\\\'))
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
}

/** A GitHub table. Cells are text and nothing else: no markup, no HTML, no further column. */
export function markdown(fields: readonly string[]): Writer {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const writer = cellWriter(fields, (cells) => line(cells.map(escapeMarkdown)));
  const rule = line(fields.map((field) => (columnFor(field).align === 'right' ? '---:' : '---')));
  return { ...writer, head: writer.head + rule };
}

function escapeMarkdown(text: string): string {
  return (
    sanitizeData(text)
      .replace(/[\\|`*_[\]~]/g, '\\$&')
      .replace(/[&<>]/g, (character) => entities[character] ?? character)
      // GitHub calls people and makes links also where there is no markup.
      .replaceAll('@', '&#64;')
      .replace(/:\/\/|(?<=\bwww)\./gi, (mark) => (mark === '.' ? '&#46;' : ':&#47;&#47;'))
      .replace(/\r?\n/g, '<br>')
      .replaceAll('\t', ' ')
  );
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A value as the one cell of csv, tsv and md: lists joined by `;`, objects as compact JSON, `members` as a count, null as nothing. */
export function flat(field: string, value: unknown): string {
  if (Array.isArray(value))
    return field === 'members' ? String(value.length) : value.map((item) => flatItem(field, item)).join(';');
  return flatItem(field, value);
}

function flatItem(field: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return isNameField(field) ? visibleName(value) : value;
  return JSON.stringify(value) ?? '';
}
