import { csv } from './csv.js';
import { json } from './json.js';
import { markdown } from './markdown.js';
import { ndjson } from './ndjson.js';
import { table } from './table.js';
import { sanitize } from './text.js';
import { tsv } from './tsv.js';
import { type Format, fieldOf, type Layout, type Row, type Writer } from './writer.js';

/** Every `--format`, by name. */
export const formats = { table, ndjson, json, csv, tsv, md: markdown } as const satisfies Record<string, Format>;

export type FormatName = keyof typeof formats;

export const formatNames: readonly FormatName[] = ['table', 'ndjson', 'json', 'csv', 'tsv', 'md'];

export interface Fields {
  /** Every field of the row, in its order. */
  readonly all: readonly string[];
  /** What a table shows unless told otherwise; a terminal has no room for everything. */
  readonly table?: readonly string[];
  /** What the user asked for with `--fields`, checked by `selectFields`. */
  readonly chosen?: readonly string[] | undefined;
}

/** A writer that knows its fields. Unless the user chose some, JSON rows are written as they are. */
export function openWriter(name: FormatName, fields: Fields, layout: Layout): OpenWriter {
  const writer = formats[name](layout);
  const { chosen, all } = fields;
  const shown = chosen ?? (name === 'table' ? fields.table : undefined) ?? all;
  return {
    head: () => writer.head(shown),
    row: (row) => writer.row(chosen === undefined ? row : pickFields(row, chosen)),
    tail: (total) => writer.tail(total),
  };
}

export interface OpenWriter extends Omit<Writer, 'head'> {
  head(): string;
}

export type Selection =
  | { readonly ok: true; readonly fields: readonly string[] }
  | { readonly ok: false; readonly unknown: readonly string[]; readonly error: string };

/** `--fields`: the wanted fields in the wanted order, each once, or what is wrong with them. */
export function selectFields(fields: readonly string[], wanted: readonly string[]): Selection {
  const names = [...new Set(wanted.map((name) => name.trim()).filter((name) => name !== ''))];
  const unknown = names.filter((name) => !fields.includes(name));
  if (names.length > 0 && unknown.length === 0) return { ok: true, fields: names };
  const what =
    names.length === 0
      ? 'no field named'
      : `unknown ${unknown.length === 1 ? 'field' : 'fields'} ${unknown.map(sanitize).join(', ')}`;
  return { ok: false, unknown, error: `${what}; there are ${fields.join(', ')}` };
}

/** A row of these fields in this order; what the row lacks is null. */
export function pickFields(row: Row, fields: readonly string[]): Row {
  return Object.fromEntries(fields.map((field) => [field, fieldOf(row, field) ?? null]));
}
