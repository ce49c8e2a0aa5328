import { type Column, columnFor } from './columns.js';
import type { Signs } from './signs.js';
import { type Sections, tableWriter } from './table.js';
import { isNameField, money, type Paint, sanitizeData, visibleName } from './text.js';

export const formatNames = ['table', 'ndjson', 'json', 'csv', 'tsv', 'md'] as const;

export type FormatName = (typeof formatNames)[number];

/** Every `--format`, by name. */
const formats: Readonly<Record<FormatName, (fields: readonly string[], layout: Layout) => Writer>> = {
  table: (fields, layout) => tableWriter(fields, layout),
  ndjson,
  json,
  csv,
  tsv,
  md: markdown,
};

/** Turns rows into text piece by piece: the output is the head, each row, and the tail. */
export interface Writer {
  readonly head: string;
  row(row: Row): string;
  /** A total is for people, so only tables and Markdown show it. */
  tail(total?: Row, ending?: Ending): string;
}

/** What is written below a table. */
export interface Ending {
  /** How many rows were left out. */
  readonly notShown?: number | undefined;
  readonly notes?: readonly string[] | undefined;
}

/** What a command prints: snake_case fields, JSON values. */
export type Row = Readonly<Record<string, unknown>>;

/** Where the text goes. Data formats ignore it. */
export interface Layout {
  /** Terminal columns, at least 1; Infinity where lines may have any length. */
  readonly width: number;
  readonly paint: Paint;
  /** Columns that should look different from what the field name suggests. */
  readonly columns?: Readonly<Record<string, Partial<Column>>> | undefined;
  /** Rows come one at a time and must be seen at once, so a table fixes its widths at the first row. */
  readonly streaming?: boolean | undefined;
  /** Identifies a row in a streaming table. A row is written again only if it looks different from before. */
  readonly rowKey?: ((row: Row) => string) | undefined;
  /** Columns that are empty, or the same in two or more rows, are left out; a heading says what they said. */
  readonly leavesOut?: boolean | undefined;
  readonly sections?: Sections | undefined;
  /** The time zone in which times are shown; default UTC. */
  readonly zone?: Zone | undefined;
  readonly signs?: Signs | undefined;
  /** Whether --fields knows it; some columns are made only for tables. */
  readonly isField?: ((field: string) => boolean) | undefined;
}

export interface Zone {
  readonly name: string;
  /** `2026-11-15T23:36:21.500Z` → `2026-11-16T00:36:21`. */
  local(time: string): string;
}

export interface Fields {
  /** Every field of the row, in its order. */
  readonly all: readonly string[];
  /** What a table shows by default, because a terminal has no room for everything. */
  readonly table?: readonly string[] | undefined;
  /** What the user asked for with `--fields`. */
  readonly chosen?: readonly string[] | undefined;
}

/** A writer for some fields. JSON rows are written unchanged unless the user chose fields. */
export function openWriter(name: FormatName, { all, table, chosen }: Fields, layout: Layout): Writer {
  const isField = (field: string) => all.includes(field);
  const writer = formats[name](chosen ?? (name === 'table' ? table : undefined) ?? all, { ...layout, isField });
  const isJson = name === 'ndjson' || name === 'json';
  return chosen === undefined || !isJson ? writer : { ...writer, row: (row) => writer.row(pickFields(row, chosen)) };
}

/** The row with these fields in this order; missing fields are null. */
export function pickFields(row: Row, fields: readonly string[]): Row {
  return Object.fromEntries(fields.map((field) => [field, fieldOf(row, field) ?? null]));
}

/** Own fields only: a field named `constructor` is absent, not a function. */
export function fieldOf(row: Row, field: string): unknown {
  return Object.hasOwn(row, field) ? row[field] : undefined;
}

/** One array, with one row per line. */
export function json(): Writer {
  let empty = true;
  return {
    head: '',
    row(row) {
      const before = empty ? '[\n' : ',\n';
      empty = false;
      return before + jsonOf(row);
    },
    tail: () => (empty ? '[]\n' : '\n]\n'),
  };
}

export function ndjson(): Writer {
  return { head: '', row: (row) => `${jsonOf(row)}\n`, tail: () => '' };
}

/** Half of a surrogate pair is no character, and databases refuse the whole file: U+FFFD stands for it, as in jq. */
function jsonOf(row: Row): string {
  const text = JSON.stringify(row);
  return text.includes('\\ud') ? text.replace(halfPair, '$1\ufffd') : text;
}
/** As JSON.stringify writes it, after an even number of backslashes. */
const halfPair = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** RFC 4180, but lines end with LF, as the next program in a pipe expects. No cell can act as a spreadsheet formula. */
export function csv(fields: readonly string[]): Writer {
  return cellWriter(fields, (cells) => {
    const text = cells.map(csvQuoted).join(',');
    // A single empty cell would be a blank line, which readers skip.
    return `${text === '' ? '""' : text}\n`;
  });
}

/** A line of field names, then one line of cells per row. */
function cellWriter(
  fields: readonly string[],
  line: (cells: readonly string[]) => string,
  cell: (field: string, value: unknown) => string = flat,
): Writer {
  return {
    head: line(fields),
    row: (row) => line(fields.map((field) => cell(field, fieldOf(row, field)))),
    tail: () => '',
  };
}

function csvQuoted(text: string): string {
  const cell = sanitizeData(text.replace(csvFormula, "$&'"));
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

// Where a spreadsheet may see the start of a cell. It trims first, and may take `;` or a tab as a separator. Then our
// quotes are not at the start of a cell and do not hold lines together. Markdown lists in such lines are left alone.
const unseenBlanks = String.raw`[^\S\t\r\n]*[\u200C\u200D]?`;
const sign = String.raw`[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]`;
const negative = String.raw`-\d+(?:\.\d+)?(?:e[+-]?\d+)?`;
const formulaAtStart = String.raw`^(?=[\s\u200C\u200D]*${sign})(?!${negative}$)`;
const formulaInside = String.raw`(?<=[;\t])(?=${unseenBlanks}${sign})(?!${negative}(?:[;\t]|$))`;
const tsvFormula = new RegExp(`${formulaAtStart}|${formulaInside}`, 'gi');
const csvFormula = new RegExp(
  String.raw`${formulaAtStart}|^(?=[\t\r\n])|${formulaInside}|(?<=[\r\n])(?=${unseenBlanks}[=@\uFF1D\uFF20])`,
  'gi',
);

/** One line per row: tab, line ends and backslash are written `\t`, `\n`, `\r`, `\\`. No cell can act as a formula. */
export function tsv(fields: readonly string[]): Writer {
  return cellWriter(fields, (cells) => `${cells.map(escapeTsv).join('\t')}\n`);
}

function escapeTsv(text: string): string {
  return sanitizeData(text.replace(tsvFormula, "$&'").replaceAll('\\', '\\\\'))
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
}

/** A GitHub table. Cells are plain text: no markup, no HTML, no extra columns. */
export function markdown(fields: readonly string[]): Writer {
  const writer = cellWriter(fields, markdownLine, inMarkdown);
  const rule = markdownRule(fields.map((field) => columnFor(field).align));
  const [first = ''] = fields;
  const named = columnFor(first).align === 'right' ? {} : { [first]: 'total' };
  return {
    ...writer,
    head: writer.head + rule,
    tail: (total) => (total === undefined ? '' : writer.row({ ...total, ...named })),
  };
}

/** One line of a GitHub table. */
export function markdownLine(cells: readonly string[]): string {
  return `| ${cells.map(escapeMarkdown).join(' | ')} |\n`;
}

/** The line under its headings. */
export function markdownRule(aligns: readonly Column['align'][]): string {
  return `| ${aligns.map((align) => (align === 'right' ? '---:' : '---')).join(' | ')} |\n`;
}

/** Money is rounded, because people read it. */
function inMarkdown(field: string, value: unknown): string {
  return typeof value === 'number' && columnFor(field).kind === 'money' ? money(value) : flat(field, value);
}

function escapeMarkdown(text: string): string {
  return (
    sanitizeData(text)
      .replace(/[\\|`*_[\]~]/g, '\\$&')
      .replace(/[&<>]/g, (character) => htmlEntities[character] ?? character)
      // GitHub turns mentions and addresses into links even without markup.
      .replaceAll('@', '&#64;')
      .replace(/:\/\/|(?<=\bwww)\./gi, (mark) => (mark === '.' ? '&#46;' : ':&#47;&#47;'))
      .replace(/\r?\n/g, '<br>')
      .replaceAll('\t', ' ')
  );
}

const htmlEntities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A value as one cell of csv, tsv and md: lists joined by `;`, objects as JSON, `members` as a count, null as nothing. */
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
