// --sort, --reverse and --limit, for commands that have all their rows before they print one.
import { UsageError } from '../../io/exit.js';
import { columnFor } from '../../view/columns.js';
import { fieldOf, type Row } from '../../view/formats.js';
import type { Options } from '../command.js';
import { checkFields, type PrintedRows } from '../print.js';
import { flagOf, listOf, numberOf } from './flags.js';

type Shown = Parameters<typeof checkFields>[2] & Pick<Partial<PrintedRows>, 'tableFields' | 'columns'>;

/**
 * Sorts rows and limits their number, as the options ask for: by fields, or by the headings of the table. Throws UsageError
 * for what rows do not have. `notShown` says how many rows --limit left out.
 */
export function arrangementOf(options: Options, shown: Shown) {
  const typed = listOf(options, 'sort');
  const found = typed.map((key) => (shown.fields.includes(key) ? key : columnHeaded(key, shown)));
  checkFields(
    '--sort',
    typed.filter((_, at) => found[at] === null),
    shown,
  );
  const keys = found.map((key): Reading => (typeof key === 'function' ? key : (row) => fieldOf(row, key ?? '')));
  const isReversed = flagOf(options, 'reverse');
  const limit = numberOf(options, 'limit') ?? Number.POSITIVE_INFINITY;
  return <R extends Row>(rows: readonly R[]) => {
    const ordered = keys.length > 0 ? sortRows(rows, keys, isReversed) : isReversed ? rows.toReversed() : rows;
    return { rows: ordered.slice(0, limit), notShown: Math.max(0, rows.length - limit) };
  };
}

type Reading = (row: Row) => unknown;

/** Reads the column with this heading: `--sort cost` under COST. null if there is none. */
function columnHeaded(typed: string, { tableFields = [], columns = {} }: Shown): Reading | null {
  const headingWord = (text: string) =>
    text
      .toLowerCase()
      .replace(/ \(.*/, '')
      .replace(/[ _-]+/g, ' ');
  const field = tableFields.find(
    (each) => headingWord(columns[each]?.title ?? columnFor(each).title) === headingWord(typed),
  );
  if (field === undefined) return null;
  const column = columns[field];
  // What is written for people, such as `today 14:02`, has no order of its own.
  const isMade = column?.value !== undefined && column.kind !== 'word';
  return (row) => (isMade ? column.value?.(row) : fieldOf(row, field));
}

/** The first given flag that needs all rows at once; null if none is given. */
export function arrangingFlag(options: Options): string | null {
  if (listOf(options, 'sort').length > 0) return '--sort';
  if (flagOf(options, 'reverse')) return '--reverse';
  return numberOf(options, 'limit') === null ? null : '--limit';
}

/** Refuses these flags where rows are not printed, or not all at once. */
export function refuseArranging(options: Options, other: string, why: string): void {
  const flag = arrangingFlag(options);
  if (flag !== null) throw new UsageError(`${flag} cannot be used with ${other}, which ${why}`);
}

/** Rows that are equal in all keys keep their order. */
function sortRows<R extends Row>(rows: readonly R[], keys: readonly Reading[], isReversed: boolean): readonly R[] {
  return rows.toSorted((a, b) => {
    for (const key of keys) {
      const order = compareValues(sortableOf(key(a)), sortableOf(key(b)), isReversed);
      if (order !== 0) return order;
    }
    return 0;
  });
}

type Sortable = readonly [kind: SortKind, value: number | string];

/** The order of kinds, for a field with values of several kinds. */
const SortKind = { number: 0, time: 1, id: 2, text: 3, missing: 4 } as const;
type SortKind = (typeof SortKind)[keyof typeof SortKind];

function compareValues([kind, value]: Sortable, [otherKind, other]: Sortable, isReversed: boolean): number {
  const [first, second] = isReversed ? [1, -1] : [-1, 1];
  // Missing values come last, reversed or not.
  if (kind === SortKind.missing || otherKind === SortKind.missing) return kind - otherKind;
  if (kind !== otherKind) return kind < otherKind ? first : second;
  if (value === other) return 0;
  const isLargestFirst = kind === SortKind.number || kind === SortKind.time;
  return value < other !== isLargestFirst ? first : second;
}

function sortableOf(value: unknown): Sortable {
  if (value === null || value === undefined || value === '') return [SortKind.missing, 0];
  if (typeof value === 'number') return [SortKind.number, value];
  if (typeof value === 'boolean') return [SortKind.number, Number(value)];
  if (Array.isArray(value)) return [SortKind.number, value.length];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (time.test(text)) return [SortKind.time, text];
  // Ids that are numbers are compared as numbers: 2 comes before 10.
  return /^\d{1,15}$/.test(text) ? [SortKind.id, Number(text)] : [SortKind.text, text.toLowerCase()];
}

/** A time, a day, a month, an ISO week. */
const time = /^\d{4}-(?:\d\d|W\d\d)(?:-\d\d)?(?:T[\d:.]+Z)?$/;
