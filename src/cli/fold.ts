import { initialState, passTime, type Reducer, reduce, type State } from '../commands/reduce.js';
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
  summary: 'continue from the state in this file, if it exists, and save the new state there',
};

/** The events a state is made from. A command that keeps no state may ask for less. */
export const everyEvent: Interest = { events: ['*:*'] };

export function keepsState(options: Options): boolean {
  return textOf(options, 'state') !== null;
}

/** One event and its effect on the state. */
export interface Step {
  readonly event: Event;
  readonly before: State;
  readonly after: State;
}

/** Called after each chunk of input. `now` gives the current state; `isDue`: it is time to write rows again. */
type OnChunk = (now: () => State, isDue: boolean) => unknown;

/**
 * Reads the input into a state, starting from and saving to the file of --state. `follow` may follow only the slices a
 * command needs; what is saved is always complete. `onRecord` also sees the state between the records of a chunk, so
 * that it sees the same whether they come one by one or all at once.
 */
export async function foldInput(
  context: Context,
  onChunk?: OnChunk,
  onEvent?: (step: Step) => void,
  follow: typeof reduce = reduce,
  onRecord?: (state: State) => void,
): Promise<State> {
  const { input, options } = context;
  const path = textOf(options, 'state');
  const next = path === null ? follow : reduce;
  const keeper = path === null ? null : await openStateFile(context, path);
  try {
    let state: State = keeper?.begin(() => state) ?? nothing;
    for (const { event } of state.facts.values()) if (event.session_id !== null) input.session.note(event.session_id);
    const isDue = createPace();
    const now = () => {
      state = next.settle(state);
      return state;
    };
    const isRecordDue = createRecordPace();
    let last: Event | null = null;
    await input.each(
      (event: Event) => {
        const isNext = last !== null && (last.line !== event.line || last.source !== event.source);
        last = event;
        if (onRecord !== undefined && isNext && isRecordDue()) {
          state = next.settle(state);
          onRecord(state);
        }
        const before = state;
        state = next(state, event);
        onEvent?.({ event, before, after: state });
      },
      (bytes) => {
        onChunk?.(now, isDue(bytes));
        keeper?.note();
      },
      (time, source) => {
        state = passTime(state, time, source);
      },
    );
    keeper?.finish();
    return next.settle(state);
  } finally {
    keeper?.close();
  }
}

/**
 * When to compute the rows again: at once while little comes, else whenever a sixteenth more was read, so that long
 * input takes linear time.
 */
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

/** After each of the first records, then less and less often, because computing rows takes longer the more was read. */
function createRecordPace(): () => boolean {
  let records = 0;
  let work = 0;
  return () => {
    records += 1;
    if (work > freeWork + 50 * records) return false;
    work += records;
    return true;
  };
}

/** The cost of computing rows after each of 2800 records. */
const freeWork = 4_000_000;

/** A pipe never delivers more at once. A writer that writes more than this is not writing live. */
const wholeChunk = 65_536;

type Kept = State & { readonly memory: Memory };
const nothing: Kept = { ...initialState, memory: noMemory };

/** Keeps a state in the file of --state, which it locks. */
interface StateKeeper {
  /** Returns the state saved last; `now` gives the state to save. */
  begin(now: () => State): State;
  /** Something was read. It is saved soon, even if nothing follows. */
  note(): void;
  /** Nothing more will be read. */
  finish(): void;
  close(): void;
}

async function openStateFile({ input, diagnostics, privacy }: Context, path: string): Promise<StateKeeper> {
  // Imported here because it loads zod, which takes longer than reading most files.
  const { loadSlices, StateError, saveSlices } = await import('../core/state/save.js');
  // A state also holds calls without a result, which no event has shown yet.
  const bare = (memory: Memory) => privacy?.memory(memory) ?? memory;
  const file = openAtomicFile(path);
  if (!file.ok) throw new UsageError(`--state: ${path}: ${file.problem}`);

  let current: () => State = () => nothing;
  let saved: State | null = null;
  let nextAt = performance.now() + saveEveryMs;
  let problem: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  const save = () => {
    clearTimeout(timer);
    timer = undefined;
    const began = performance.now();
    const state = current();
    if (saved === state && problem === null) return;
    const before = problem;
    problem = file.replace(
      `${JSON.stringify(saveSlices({ ...state, memory: bare(input.memory()) }, privacy?.saved))}\n`,
    );
    if (problem !== null && problem !== before)
      diagnostics.error(`${path}: ${problem}; the new state was not saved, and the old one is unchanged`);
    saved = state;
    const now = performance.now();
    nextAt = now + Math.max(saveEveryMs, 9 * (now - began));
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
          throw new UsageError(`--state: ${path}: ${error.message}; the file is unchanged`);
        throw error;
      }
    },
    note() {
      // A live stream comes in many small chunks, and each save writes the whole state.
      const wait = nextAt - performance.now();
      if (wait <= 0) save();
      else timer ??= setTimeout(save, wait);
    },
    finish() {
      save();
      // Only the last state matters: what could not be saved before may be saved now.
      if (problem !== null) input.seen.unreadable++;
    },
    close() {
      clearTimeout(timer);
      forget();
      file.close();
    },
  };
}

/** The state of thousands of sessions takes longer to save. Saving must not take more than a tenth of the time. */
const saveEveryMs = 1000;

/** Inputs that continue from a saved state, and the file of that state. */
const continued = new WeakMap<Input, string>();

/**
 * Runs something that continues from a saved state. The digest shows that the state is complete, not that cct wrote it.
 * A forged state may contain anything, and a failure then is not a bug.
 */
export async function onSavedState<T>({ input }: Context, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const path = continued.get(input);
    if (path === undefined || error instanceof UsageError) throw error;
    const what = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `--state: ${path}: cannot continue from this state (${what}); remove the file and read the whole input again`,
      { cause: error },
    );
  }
}

export const watchOption: OptionSpec = {
  flags: '--watch',
  summary: 'print a row again whenever it changes, while the stream is open',
};

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

// Shared by commands that fold their input: print the answer at the end, again with --watch, or draw it meanwhile.

interface FoldCommand<A extends Answer> {
  /** What its rows are called, in the plural. */
  readonly name: string;
  /** Follows the slices its answer is computed from. */
  readonly follow: Reducer;
  readonly onEvent?: (step: Step) => void;
  /** Refuses flags that conflict before anything is read. The returned writer may be opened more than once. */
  prepare(context: Context): Promise<(out: Output) => AnswerWriter<NoInfer<A>>>;
  /** The answer of a state; `ended`: nothing more will come. */
  answer(state: State, ended: boolean): A;
  /** The lines above a table that is drawn live, after this many milliseconds. */
  readonly note?: (state: State, elapsed: number) => readonly string[];
  /** Why the command itself stopped reading; null if it did not. */
  stopped?(): string | null;
}

interface Answer {
  readonly rows: readonly object[];
}

export interface AnswerWriter<A> {
  /** With --watch: writes what changed. */
  update(answer: A): void;
  end(answer: A): void;
}

/** Reads the input to its end, and writes and returns the answer. */
export function runFold<A extends Answer>(context: Context, command: FoldCommand<A>): Promise<A> {
  return onSavedState(context, () => foldAndWrite(context, command));
}

async function foldAndWrite<A extends Answer>(context: Context, command: FoldCommand<A>): Promise<A> {
  const { name, follow, onEvent, prepare, answer } = command;
  const live = livenessOf(context);
  const shown = live === 'rows' ? context : asTable(context);
  const openWriter = await prepare(shown);
  const writer = openWriter(context.out);
  const isWatched = watches(shown.options);
  const fold = (onChunk?: OnChunk, onRecord?: (now: State) => void) =>
    foldInput(context, onChunk, onEvent, follow, onRecord);
  const print = (now: State, out: Output) => {
    const soFar = answer(now, false);
    if (soFar.rows.length > 0) openWriter(out).end(soFar);
  };
  const update = (now: State) => writer.update(answer(now, false));
  const drawing = live === 'moving' ? await import('./live-drawing.js') : null;
  const drawn = await drawing?.drawTable(context, { name, print, note: command.note }, fold);
  // What a followed file already contains at the start is not news.
  const onRecord = flagOf(shown.options, 'follow') ? undefined : update;
  const state = drawn?.state ?? (await (isWatched ? fold((now, isDue) => isDue && update(now()), onRecord) : fold()));
  const last = answer(state, true);
  writer.end(last);
  if (drawn !== undefined) context.out.write(drawn.view.ending(command.stopped?.()));
  return last;
}

/** Whether rows are written again whenever they change. */
export function watches(options: Options): boolean {
  return flagOf(options, 'watch') || flagOf(options, 'follow');
}

/** Writes rows as they are, all at the end. With --watch, `keyOf` shows which row changed. */
export async function prepareRows<R extends Row, A extends ChosenRows<R> = ChosenRows<R>>(
  context: Context,
  shown: PrintedRows & RowsOfAnswer<R, A>,
  keyOf: (row: R) => string,
): Promise<(out: Output) => AnswerWriter<A>> {
  const isWatched = watches(context.options);
  const openPrinter = await preparePrinter(context, { ...shown, streaming: isWatched, rowKey: keyOf });
  if (isWatched) refuseWatched(context.options);
  const arrange = arrangementOf(context.options, shown);
  return (out) => {
    const printer = openPrinter(out);
    const changed = createWatch(context, keyOf);
    const write = (rows: readonly R[], answer: A) => {
      for (const row of rows) printer.row(shown.display?.(row, answer) ?? row);
    };
    return {
      update: (answer) => write(changed(answer.rows), answer),
      end(answer) {
        const { rows, notShown } = arrange(isWatched || shown.distinct ? changed(answer.rows) : answer.rows);
        write(rows, answer);
        const { total, notes } = shown.ending?.(answer) ?? answer;
        printer.end(isWatched ? undefined : total, { notShown, notes });
      },
    };
  };
}

interface RowsOfAnswer<R, A> {
  /** Of rows that say the same only the first is written. */
  readonly distinct?: boolean;
  /** The row that is written for a row of the answer. */
  display?(row: R, answer: A): Row;
  /** What is written below the rows; by default what the answer has. */
  ending?(answer: A): Pick<ChosenRows<R>, 'total' | 'notes'>;
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
