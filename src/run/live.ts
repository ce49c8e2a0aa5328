import type { State } from '../core/state/reduce.js';
import { UsageError } from '../io/exit.js';
import type { Output } from '../io/output.js';
import { isOpenEnded } from '../io/sources.js';
import type { Row } from '../view/writer.js';
import type { Context, OptionSpec } from './command.js';
import { flagOf, listOf, textOf } from './options.js';
import type { RowPrinter } from './print.js';

export const liveOption: OptionSpec = {
  flags: '--live <when>',
  summary:
    'draw what is known so far, again and again in place, until the input ends; auto, which is meant if nothing is said, does so on a terminal fed by a pipe, unless --format or --watch is given; into a file always writes the last picture',
  choices: ['auto', 'always', 'never'],
};

/** Rows as ever, only the last picture, or one that moves. */
export type Liveness = 'rows' | 'last' | 'moving';

export function livenessOf({ options, operands, streams }: Context): Liveness {
  const { stdout, stdin, env } = streams;
  const wanted = textOf(options, 'live') ?? 'auto';
  if (wanted === 'always') refuseRows(options);
  const canMove = stdout.isTTY && env['TERM'] !== 'dumb' && stdout.columns !== undefined;
  if (wanted === 'always') return canMove ? 'moving' : 'last';
  const asksForRows = textOf(options, 'format') !== null || flagOf(options, 'watch');
  return wanted === 'auto' && canMove && !asksForRows && isOpenEnded(operands, stdin) ? 'moving' : 'rows';
}

/** Whether columns were asked for, which only a table has. */
export function wantsColumns({ options }: Context): boolean {
  return textOf(options, 'format') !== null || listOf(options, 'fields').length > 0;
}

/** The same command line with a table for its format, as pictures are for people. */
export function asTable(context: Context): Context {
  return { ...context, options: { ...context.options, format: 'table' } };
}

function refuseRows(options: Context['options']): void {
  const format = textOf(options, 'format');
  if (format !== null && format !== 'table')
    throw new UsageError(`--live always draws; --format ${format} writes data`);
  if (flagOf(options, 'watch')) throw new UsageError('--live always draws in place; --watch writes line after line');
}

/** A fold, and how what it knows is printed. */
export interface DrawnFold {
  /** What rows are called, in the plural. */
  readonly name: string;
  /** Writes the table of a state; nothing if it has no rows. */
  print(state: State, out: Output): void;
  fold(onChunk?: (state: State) => void): Promise<State>;
}

/** Folds the input, and meanwhile draws the table if pictures are to move. */
export async function foldDrawing(context: Context, live: Liveness, drawn: DrawnFold): Promise<State> {
  if (live !== 'moving') return drawn.fold();
  const { drawTable } = await import('./live-table.js');
  return drawTable(context, drawn);
}

/** All rows at once, and nothing if there are none. */
export function printAll(printer: RowPrinter, rows: readonly Row[]): void {
  if (rows.length === 0) return;
  for (const row of rows) printer.row(row);
  printer.end();
}

/** Lines for the room there is. */
export type Picture = (size: Size) => readonly string[];

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Shows pictures while `reading` goes on, and takes the last one away: what stays behind is the command's to print. */
export async function drawWhile<T>(
  { streams, diagnostics }: Pick<Context, 'streams' | 'diagnostics'>,
  reading: (show: (picture: Picture) => void) => Promise<T>,
  clock: Clock = realClock,
): Promise<T> {
  const { stdout, stderr } = streams;
  const { openScreen } = await import('../io/screen.js');
  const screen = openScreen(stdout);
  let picture: Picture | undefined;
  let waiting: (() => void) | undefined;
  let nextAt = 0;

  const draw = () => {
    waiting = undefined;
    if (picture === undefined) return;
    const began = clock.now();
    screen.draw(picture(sizeOf(stdout)));
    // Most of the time is for reading, also when there is much to draw.
    nextAt = began + Math.max(leastGap, 4 * (clock.now() - began));
  };
  const soon = () => {
    const wait = nextAt - clock.now();
    if (wait <= 0) {
      waiting?.();
      draw();
    } else waiting ??= clock.after(wait, draw);
  };

  stdout.stream.on('resize', soon);
  if (stderr.isTTY)
    diagnostics.printVia((print) => {
      screen.clear();
      print();
      soon();
    });
  try {
    return await reading((next) => {
      picture = next;
      soon();
    });
  } finally {
    waiting?.();
    stdout.stream.off('resize', soon);
    diagnostics.printVia(null);
    screen.clear();
    screen.close();
  }
}

/** Ten pictures a second are as many as anybody sees. */
const leastGap = 100;

/** The cursor needs a line of its own, below. */
export function sizeOf({ columns, rows }: Context['streams']['stdout']): Size {
  return { width: columns ?? 80, height: Math.max(1, (rows ?? 24) - 1) };
}

export interface Clock {
  now(): number;
  /** Calls back once after so many milliseconds; returns what prevents it. */
  after(ms: number, call: () => void): () => void;
}

const realClock: Clock = {
  now: () => Date.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};
