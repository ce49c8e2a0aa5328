import type { Column } from './column.js';
import type { Paint } from './paint.js';

/** What a command prints: snake_case fields, JSON values. */
export type Row = Readonly<Record<string, unknown>>;

/** Rows to text, piece by piece: everything the three functions return, in the order they were called, is the output. */
export interface Writer {
  head(fields: readonly string[]): string;
  row(row: Row): string;
  /** A total is for people: only the table shows it. */
  tail(total?: Row): string;
}

/** Where the text goes. Data formats look at nothing of it. */
export interface Layout {
  /** Columns of the terminal, at least 1; Infinity where lines may have any length. */
  readonly width: number;
  readonly paint: Paint;
  /** Where a field is to look otherwise than its name suggests. */
  readonly columns?: Readonly<Record<string, Partial<Column>>>;
  /** Rows come one at a time and must be seen at once: a table then fixes its widths at the first row. */
  readonly streaming?: boolean;
}

export type Format = (layout: Layout) => Writer;

/** Own fields only: a field named `constructor` is absent, not a function. */
export function fieldOf(row: Row, field: string): unknown {
  return Object.hasOwn(row, field) ? row[field] : undefined;
}
