// What the commands that fold their input have in common: print the answer at the end, again with --watch, or draw it meanwhile.

import type { Reducer, State } from '../commands/reduce.js';
import type { Output } from '../io/output.js';
import type { Row } from '../view/formats.js';
import type { Context } from './command.js';
import { flagOf } from './flags.js';
import { createWatch, foldInput, type Step } from './fold.js';
import { asTable, foldDrawing, livenessOf } from './live.js';
import { type PrintedRows, preparePrinter } from './print.js';
import type { TimeRange } from './time-range.js';

interface FoldCommand<A extends Answer> {
  /** What its rows are called, in the plural. */
  readonly name: string;
  /** Follows the slices its answer is made from. */
  readonly follow: Reducer;
  readonly onEvent?: (step: Step) => void;
  /** Says what does not go together before anything is read; the writer it gives may be opened more than once. */
  prepare(context: Context): Promise<(out: Output) => AnswerWriter<NoInfer<A>>>;
  /** What a state comes to; `ended`: nothing more will come. */
  answer(state: State, ended: boolean): A;
}

interface Answer {
  readonly rows: readonly object[];
}

export interface AnswerWriter<A> {
  /** With --watch: writes what changed. */
  update(answer: A): void;
  end(answer: A): void;
}

/** Reads the input to its end and writes the answer, which it also gives back. */
export async function runFold<A extends Answer>(
  context: Context,
  { name, follow, onEvent, prepare, answer }: FoldCommand<A>,
): Promise<A> {
  const live = livenessOf(context);
  const openWriter = await prepare(live === 'rows' ? context : asTable(context));
  const writer = openWriter(context.out);
  const isWatched = flagOf(context.options, 'watch');
  const state = await foldDrawing(context, live, {
    name,
    print(now, out) {
      const soFar = answer(now, false);
      if (soFar.rows.length > 0) openWriter(out).end(soFar);
    },
    fold: (onChunk) =>
      foldInput(context, isWatched ? (now) => writer.update(answer(now, false)) : onChunk, onEvent, follow),
  });
  const last = answer(state, true);
  writer.end(last);
  return last;
}

/** Writes rows as they are, all of them at the end; `keyOf` tells with --watch which row changed. */
export async function prepareRows<R extends Row>(
  context: Context,
  shown: PrintedRows & { /** Of rows that say the same only the first is written. */ readonly distinct?: boolean },
  keyOf: (row: R) => string,
): Promise<(out: Output) => AnswerWriter<ChosenRows<R>>> {
  const isWatched = flagOf(context.options, 'watch');
  const openPrinter = await preparePrinter(context, { ...shown, streaming: isWatched });
  return (out) => {
    const printer = openPrinter(out);
    const changed = createWatch(keyOf);
    return {
      update: ({ rows }) => changed(rows).forEach(printer.row),
      end({ rows }) {
        (isWatched || shown.distinct ? changed(rows) : rows).forEach(printer.row);
        printer.end();
      },
    };
  };
}

export interface ChosenRows<R> {
  readonly rows: readonly R[];
  /** How many rows were left out because they have no time. */
  readonly timeless: number;
}

export function rowsWithin<R>(range: TimeRange, rows: readonly R[], timeOf: (row: R) => string | null): ChosenRows<R> {
  const before = range.timeless;
  const chosen = rows.filter((row) => range.includes(timeOf(row)));
  return { rows: chosen, timeless: range.timeless - before };
}

/** `one`, such as `task has`, is said of a single row. */
export function warnOfTimeless({ diagnostics }: Context, count: number, name: string, one?: string): void {
  if (count === 1 && one !== undefined) diagnostics.warn(`1 ${one} no time and was left out`);
  else if (count > 0) diagnostics.warn(`${count} ${name} have no time and were left out`);
}
