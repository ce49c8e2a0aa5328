// Writes the rows of an answer: all at the end, or with --watch whenever one changes.
import { digest, latest } from '../core/tables/order.js';
import type { State } from '../core/tables/reduce.js';
import type { TextOutput } from '../io/output.js';
import type { Ending, Row } from '../view/formats.js';
import type { Context, OptionSpec, Options } from './command.js';
import { arrangementOf, refuseArranging } from './flags/arrange.js';
import { flagOf, listOf } from './flags/flags.js';
import type { TimeRange } from './flags/times.js';
import { type PrintedRows, preparePrinter } from './print.js';

export const watchOption: OptionSpec = {
  flags: '--watch',
  summary: 'print a row again whenever it changes, while the stream is open',
};

/** Whether rows are written again whenever they change. */
export function watches(options: Options): boolean {
  return flagOf(options, 'watch') || flagOf(options, 'follow');
}

export interface AnswerWriter<A> {
  /** With --watch: writes what changed. */
  update(answer: A): void;
  end(answer: A): void;
}

/** Passes on rows that are new, or that changed in a field that --fields shows. */
function createWatch<R extends Row>(
  { options }: Pick<Context, 'options'>,
  keyOf: (row: R) => string,
): (rows: readonly R[]) => R[] {
  const fields = listOf(options, 'fields');
  // There may be thousands of rows, so only what shows a change is kept.
  const shown = new Map<string, string>();
  return (rows) =>
    rows.filter((row) => {
      const key = keyOf(row);
      const text = digest(JSON.stringify(fields.length === 0 ? row : fields.map((field) => row[field])));
      if (shown.get(key) === text) return false;
      shown.set(key, text);
      return true;
    });
}

/** Writes rows as they are, all at the end. With --watch, `keyOf` shows which row changed. */
export async function prepareRows<R extends Row, A extends ChosenRows<R> = ChosenRows<R>>(
  context: Context,
  shown: PrintedRows & RowsOfAnswer<R, A>,
  keyOf: (row: R) => string,
): Promise<(out: TextOutput) => AnswerWriter<A>> {
  const isWatched = watches(context.options);
  const openPrinter = await preparePrinter(context, { ...shown, streaming: isWatched, rowKey: keyOf });
  if (isWatched) refuseWatched(context.options);
  const arrange = arrangementOf(context.options, shown);
  return (out) => {
    const printer = openPrinter(out);
    const changed = createWatch(context, keyOf);
    const writeRows = (rows: readonly R[], answer: A) => {
      const display = shown.display?.(answer);
      for (const row of rows) printer.row(display?.(row) ?? row);
    };
    return {
      update: (answer) => writeRows(changed(answer.rows), answer),
      end(answer) {
        const isFiltered = isWatched || (shown.distinct === true && hasTwins(answer.rows, keyOf));
        const { rows, notShown } = arrange(isFiltered ? changed(answer.rows) : answer.rows);
        writeRows(rows, answer);
        const { total, ...ending } = shown.ending?.(answer, notShown) ?? answer;
        printer.end(isWatched ? undefined : total, { notShown, ...ending });
      },
    };
  };
}

/** Whether two rows have one key. */
function hasTwins<R>(rows: readonly R[], keyOf: (row: R) => string): boolean {
  return new Set(rows.map(keyOf)).size < rows.length;
}

interface RowsOfAnswer<R, A> {
  /** Of rows that say the same only the first is written. */
  readonly distinct?: boolean;
  /** Makes the row that is written for a row of the answer. */
  display?(answer: A): (row: R) => Row;
  /** What is written below the rows; by default what the answer has, and how many rows --limit left out. */
  ending?(answer: A, notShown: number): Ending & Pick<ChosenRows<R>, 'total'>;
}

/** Rows that are still to come cannot be sorted. */
export function refuseWatched(options: Options): void {
  refuseArranging(options, flagOf(options, 'watch') ? '--watch' : '--follow', 'prints each row as soon as it changes');
}

export interface ChosenRows<R> {
  readonly rows: readonly R[];
  /** The total of all rows, for a table. */
  readonly total?: Row | undefined;
  /** Lines below a table. */
  readonly notes?: readonly string[] | undefined;
  /** What --since and --until left out. */
  readonly within: TimeRange;
}

/** The last time in the folded input. --since with a time but no date means that day. */
export function lastTime({ clocks }: State): string | null {
  return clocks.lasts.values().reduce(latest, clocks.last);
}

export function rowsWithin<R>(range: TimeRange, rows: readonly R[], timeOf: (row: R) => string | null): ChosenRows<R> {
  return { rows: rows.filter((row) => range.includes(timeOf(row))), within: range };
}
