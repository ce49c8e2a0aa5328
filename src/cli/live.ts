import type { State } from '../commands/reduce.js';
import { UsageError } from '../io/exit.js';
import type { Output } from '../io/output.js';
import { isOpenEnded } from '../io/sources.js';
import type { Context, OptionSpec } from './command.js';
import { flagOf, listOf, textOf } from './flags.js';

export const liveOption: OptionSpec = {
  flags: '--live <when>',
  summary:
    'draw in place until the input ends; auto (if nothing is said) on a terminal fed by a pipe and without --format or --watch, always also into a file, where the last picture is written',
  choices: ['auto', 'always', 'never'],
};

/** Rows as ever, only the last picture, or one that moves. */
export type Liveness = 'rows' | 'last' | 'moving';

export function livenessOf({
  options,
  operands,
  streams,
}: Pick<Context, 'options' | 'operands' | 'streams'>): Liveness {
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
  const { drawTable } = await import('./live-drawing.js');
  return drawTable(context, drawn);
}
