import { initialState, passTime, type Reducer, reduce, type State, settle } from '../commands/reduce.js';
import type { Event } from '../core/event/event.js';
import { digest, latest } from '../core/state/order.js';
import { type Memory, noMemory } from '../core/wire/context.js';
import type { Interest } from '../core/wire/interest.js';
import { openAtomicFile } from '../io/atomic-file.js';
import { UsageError } from '../io/exit.js';
import type { Output } from '../io/output.js';
import { isOpenEnded } from '../io/sources.js';
import { beforeTermination } from '../io/termination.js';
import type { Row } from '../view/formats.js';
import { arrangementOf, arrangingFlag, refuseArranging } from './arrange.js';
import type { Context, OptionSpec, Options } from './command.js';
import { flagOf, listOf, textOf } from './flags.js';
import type { Input } from './input.js';
import { type PrintedRows, preparePrinter } from './print.js';
import type { TimeRange } from './times.js';

/** --state, for commands that fold events into a state. */
export const stateOption: OptionSpec = {
  flags: '--state <file>',
  summary: 'go on from the state in this file, if there is one, and keep the new state there',
};

/** What a state is made from; a command may ask for less when it keeps none. */
export const everyEvent: Interest = { events: ['*:*'] };

export function keepsState(options: Options): boolean {
  return textOf(options, 'state') !== null;
}

/** One event, and what it did to the state. */
export interface Step {
  readonly event: Event;
  readonly before: State;
  readonly after: State;
}

/**
 * Reads the input into a state, starting from and saving to the file of --state. `follow` may follow less than everything,
 * for a command that needs only some slices; what is saved is always whole.
 */
export async function foldInput(
  context: Context,
  onChunk?: (state: State) => void,
  onEvent?: (step: Step) => void,
  follow: typeof reduce = reduce,
): Promise<State> {
  const { input, options } = context;
  const path = textOf(options, 'state');
  const next = path === null ? follow : reduce;
  const keeper = path === null ? null : await openStateFile(context, path);
  try {
    let state: State = keeper?.begin(() => state) ?? nothing;
    const isDue = createPace();
    await input.each(
      (event: Event) => {
        const before = state;
        state = next(state, event);
        onEvent?.({ event, before, after: state });
      },
      (bytes) => {
        if (onChunk !== undefined && isDue(bytes)) {
          state = settle(state);
          onChunk(state);
        }
        keeper?.note();
      },
      (time, source) => {
        state = passTime(state, time, source);
      },
    );
    keeper?.finish();
    return settle(state);
  } finally {
    keeper?.close();
  }
}

/** When to look at the rows again: at once while little comes, else whenever a sixteenth more was read, so that long input takes linear time. */
function createPace(): (bytes: number) => boolean {
  let read = 0;
  let looked = 0;
  return (bytes) => {
    read += bytes;
    if (bytes >= wholeChunk && (read - looked) * 16 < read) return false;
    looked = read;
    return true;
  };
}

/** A pipe gives no more at once: whoever writes more than that does not write live. */
const wholeChunk = 65_536;

type Kept = State & { readonly memory: Memory };
const nothing: Kept = { ...initialState, memory: noMemory };

/** Keeps a state in the file of --state, which it has for itself. */
interface StateKeeper {
  /** What was saved last; `now` gives what is to be saved. */
  begin(now: () => State): State;
  /** Something was read: it is saved soon, also if nothing follows. */
  note(): void;
  /** Nothing more will be read. */
  finish(): void;
  close(): void;
}

async function openStateFile({ input, diagnostics, privacy }: Context, path: string): Promise<StateKeeper> {
  // Loaded here: it needs zod, which takes longer to load than most files to read.
  const { loadSlices, StateError, saveSlices } = await import('../core/state/save.js');
  // A state also holds calls that were not answered yet, which no event has shown.
  const bare = (memory: Memory) => privacy?.memory(memory) ?? memory;
  const file = openAtomicFile(path);
  if (!file.ok) throw new UsageError(`--state: ${path}: ${file.problem}`);

  let current: () => State = () => nothing;
  let saved: State | null = null;
  let savedAt = performance.now();
  let problem: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  const save = () => {
    clearTimeout(timer);
    timer = undefined;
    const state = current();
    if (saved === state && problem === null) return;
    const before = problem;
    problem = file.replace(
      `${JSON.stringify(saveSlices({ ...state, memory: bare(input.memory()) }, privacy?.saved))}\n`,
    );
    if (problem !== null && problem !== before)
      diagnostics.error(`${path}: ${problem}; the state was not saved, what was there is as it was`);
    saved = state;
    savedAt = performance.now();
  };
  let forget = () => {};

  return {
    begin(now) {
      current = now;
      forget = beforeTermination(() => {
        save();
        file.close();
      });
      if (file.text === null || file.text === '') return nothing;
      try {
        const { memory, ...state } = loadSlices(file.text, nothing);
        input.resume(memory);
        continued.set(input, path);
        saved = state;
        return state;
      } catch (error) {
        if (error instanceof StateError)
          throw new UsageError(`--state: ${path}: ${error.message}; the file was left alone`);
        throw error;
      }
    },
    note() {
      // A live stream comes in many small chunks; each save writes the whole state.
      const wait = savedAt + saveEveryMs - performance.now();
      if (wait <= 0) save();
      else timer ??= setTimeout(save, wait);
    },
    finish() {
      save();
      // What could not be saved before may be now: only the last state counts.
      if (problem !== null) input.seen.unreadable++;
    },
    close() {
      clearTimeout(timer);
      forget();
      file.close();
    },
  };
}

const saveEveryMs = 1000;

/** Inputs that go on from a saved state, and its file. */
const continued = new WeakMap<Input, string>();

/**
 * Runs what goes on from a saved state. Its digest says that it is whole, not that cct wrote it: one that was made up may hold
 * anything, and what breaks then is not a bug.
 */
export async function onSavedState<T>({ input }: Context, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const path = continued.get(input);
    if (path === undefined || error instanceof UsageError) throw error;
    const what = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `--state: ${path}: what is kept there cannot be gone on from (${what}); remove it and read the whole input again`,
      { cause: error },
    );
  }
}

export const watchOption: OptionSpec = {
  flags: '--watch',
  summary: 'write each row again whenever it changed, while the stream goes on',
};

/** Passes on the rows that are new or not what they were when they were passed on last. */
export function createWatch<R extends Row>(keyOf: (row: R) => string): (rows: readonly R[]) => R[] {
  // Of rows by the thousands only what tells whether they changed is kept.
  const shown = new Map<string, string>();
  return (rows) =>
    rows.filter((row) => {
      const key = keyOf(row);
      const text = digest(JSON.stringify(row));
      if (shown.get(key) === text) return false;
      shown.set(key, text);
      return true;
    });
}

// What the commands that fold their input have in common: print the answer at the end, again with --watch, or draw it meanwhile.

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
export function runFold<A extends Answer>(context: Context, command: FoldCommand<A>): Promise<A> {
  return onSavedState(context, () => foldAndWrite(context, command));
}

async function foldAndWrite<A extends Answer>(
  context: Context,
  { name, follow, onEvent, prepare, answer }: FoldCommand<A>,
): Promise<A> {
  const live = livenessOf(context);
  const openWriter = await prepare(live === 'rows' ? context : asTable(context));
  const writer = openWriter(context.out);
  const isWatched = flagOf(context.options, 'watch');
  const fold = (onChunk?: (now: State) => void) => foldInput(context, onChunk, onEvent, follow);
  const print = (now: State, out: Output) => {
    const soFar = answer(now, false);
    if (soFar.rows.length > 0) openWriter(out).end(soFar);
  };
  const drawing = live === 'moving' ? await import('./live-drawing.js') : null;
  const state = await (drawing === null
    ? fold(isWatched ? (now) => writer.update(answer(now, false)) : undefined)
    : drawing.drawWhile(context, (show) => fold((now) => show(drawing.tablePicture(name, (out) => print(now, out))))));
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
  if (isWatched) refuseArranging(context.options, needsAllRows);
  const arrange = arrangementOf(context.options, shown);
  return (out) => {
    const printer = openPrinter(out);
    const changed = createWatch(keyOf);
    return {
      update: ({ rows }) => changed(rows).forEach(printer.row),
      end({ rows }) {
        const arranged = arrange(isWatched || shown.distinct ? changed(rows) : rows);
        arranged.rows.forEach(printer.row);
        printer.end(undefined, arranged.notShown);
      },
    };
  };
}

export const needsAllRows = 'needs all rows; --watch writes each as soon as it changes';

export interface ChosenRows<R> {
  readonly rows: readonly R[];
  /** How many rows were left out because they have no time. */
  readonly timeless: number;
}

/** The last time in an input that was folded: a time of --since without a date is one of that day. */
export function lastTime({ clocks }: State): string | null {
  return clocks.lasts.values().reduce(latest, clocks.last);
}

export function rowsWithin<R>(range: TimeRange, rows: readonly R[], timeOf: (row: R) => string | null): ChosenRows<R> {
  const before = range.timeless;
  const chosen = rows.filter((row) => range.includes(timeOf(row)));
  return { rows: chosen, timeless: range.timeless - before };
}

/** `name` is what one row is called, such as `task`. */
export function warnOfTimeless({ diagnostics }: Context, count: number, name: string): void {
  if (count === 1) diagnostics.warn(`1 ${name} has no time and was left out`);
  else if (count > 0) diagnostics.warn(`${count} ${name}s have no time and were left out`);
}

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

/** Whether something was asked for that only a table has. */
export function wantsColumns({ options }: Context): boolean {
  const isChosen = textOf(options, 'format') !== null || listOf(options, 'fields').length > 0;
  return isChosen || arrangingFlag(options) !== null;
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
