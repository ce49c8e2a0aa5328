// --live: whether the answer is drawn while the input is read.
import { UsageError } from '../io/exit.js';
import { isOpenEnded } from '../io/sources.js';
import type { Context, OptionSpec, Options } from './command.js';
import { arrangingFlag } from './flags/arrange.js';
import { flagOf, listOf, textOf } from './flags/flags.js';
import { watches } from './rows.js';
import { keepsState } from './state-file.js';

export const liveOption: OptionSpec = {
  flags: '--live <when>',
  summary:
    'show a live view until the input ends. auto, the default, does so on a terminal that is fed by a pipe, without --format or --watch. always does so everywhere; in a file it leaves the last view',
  choices: ['auto', 'always', 'never'],
};

/** Rows as usual, only the last picture, or an animated one. */
export type Liveness = 'rows' | 'last' | 'moving';

export function livenessOf({
  options,
  operands,
  streams,
}: Pick<Context, 'options' | 'operands' | 'streams'>): Liveness {
  const { stdout, env } = streams;
  const wanted = textOf(options, 'live') ?? 'auto';
  if (wanted === 'always') refuseRows(options);
  const canMove = stdout.isTTY && env['TERM'] !== 'dumb' && stdout.columns !== undefined;
  if (wanted === 'always') return canMove ? 'moving' : 'last';
  const asksForRows = textOf(options, 'format') !== null || flagOf(options, 'watch');
  return wanted === 'auto' && canMove && !asksForRows && isStillComing({ options, operands, streams })
    ? 'moving'
    : 'rows';
}

/** Whether the input is being written while it is read. If not, it is a recording. */
export function isStillComing({
  options,
  operands,
  streams,
}: Pick<Context, 'options' | 'operands' | 'streams'>): boolean {
  return flagOf(options, 'follow') || isOpenEnded(operands, streams.stdin);
}

/** Whether a flag asks for something that only a table has. */
export function wantsColumns({ options }: Context): boolean {
  const isChosen = textOf(options, 'format') !== null || listOf(options, 'fields').length > 0;
  return isChosen || arrangingFlag(options) !== null;
}

/** The same command line with a table as format, because pictures are for people. */
export function asTable(context: Context): Context {
  return { ...context, options: { ...context.options, format: 'table', follow: false } };
}

function refuseRows(options: Context['options']): void {
  const format = textOf(options, 'format');
  if (format !== null && format !== 'table')
    throw new UsageError(`--live always cannot be used with --format ${format}: one draws, the other prints data`);
  if (flagOf(options, 'watch'))
    throw new UsageError(
      '--live always and --watch cannot be used together: one draws in place, the other prints line after line',
    );
}

/** Whether somebody looks at the rows, or keeps the state, while the input is read. */
export function isReadLive(options: Options): boolean {
  return watches(options) || keepsState(options) || (textOf(options, 'live') ?? 'never') === 'always';
}
