// Folds the events of the input into a state, and writes the answer of a command.
import type { Event } from '../core/event/event.js';
import { mergeState } from '../core/tables/merge.js';
import { newState, noteTime, type Reducer, reduce, type State, type Watcher } from '../core/tables/reduce.js';
import { numberSources } from '../core/tables/usage/sessions.js';
import type { Interest } from '../core/wire/interest.js';
import type { TextOutput } from '../io/output.js';
import type { Context } from './command.js';
import { flagOf, textOf } from './flags/flags.js';
import { asTable, livenessOf } from './live.js';
import { type AnswerWriter, watches } from './rows.js';
import { onSavedState, openStateFile } from './state-file.js';

/** The events a state is made from. A command that keeps no state may ask for less. */
export const everyEvent: Interest = { events: ['*:*'] };

/** Called after each chunk of input. `now` gives the current state; `isDue`: it is time to write rows again. */
type OnChunk = (now: () => State, isDue: boolean) => unknown;

interface Folding {
  /** Follows the slices a command needs. What is saved is always complete. */
  readonly follow?: Reducer;
  /** The state before anything was read. */
  readonly begin?: (() => State) | undefined;
  readonly watcher?: Watcher | undefined;
  readonly onChunk?: OnChunk | undefined;
  /** Sees the state also between the records of a chunk: the same, whether they come one by one or all at once. */
  readonly onRecord?: ((state: State) => void) | undefined;
}

/** Reads the input into a state, starting from and saving to the file of --state. */
export async function foldInput(context: Context, folding: Folding = {}): Promise<State> {
  const { follow = reduce, begin = newState, watcher, onChunk, onRecord } = folding;
  const { input, options } = context;
  const path = textOf(options, 'state');
  const next = path === null ? follow : reduce;
  const keeper = path === null ? null : await openStateFile(context, path);
  try {
    const state: State = keeper?.begin() ?? begin();
    for (const { event } of state.facts.values()) if (event.session_id !== null) input.session.note(event.session_id);
    if (context.division !== null) numberSources(state.usage, context.division.names);
    const isDue = createPace();
    const now = () => next.settle(state);
    const isRecordDue = createRecordPace();
    let last: Event | null = null;
    const other = await input.each(
      (event: Event) => {
        if (onRecord !== undefined) {
          const isNext = last !== null && (last.line !== event.line || last.source !== event.source);
          last = event;
          if (isNext && isRecordDue()) onRecord(now());
        }
        watcher?.before?.(event, state);
        const near = next(state, event);
        watcher?.after(event, state, near);
      },
      (bytes) => {
        onChunk?.(now, isDue(bytes));
        keeper?.note();
      },
      (time, source) => noteTime(state, time, source),
    );
    keeper?.finish();
    if (other !== null) mergeState(state, other);
    return now();
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

// Shared by commands that fold their input: print the answer at the end, again with --watch, or draw it meanwhile.

interface FoldCommand<A extends Answer> {
  /** What its rows are called, in the plural. */
  readonly name: string;
  /** Follows the slices its answer is computed from. */
  readonly follow: Reducer;
  readonly begin?: () => State;
  readonly watcher?: Watcher;
  /** Refuses flags that conflict before anything is read. The returned writer may be opened more than once. */
  prepare(context: Context): Promise<(out: TextOutput) => AnswerWriter<NoInfer<A>>>;
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

/** Reads the input to its end, and writes and returns the answer. */
export function runFold<A extends Answer>(context: Context, command: FoldCommand<A>): Promise<A> {
  return onSavedState(context, () => foldAndWrite(context, command));
}

async function foldAndWrite<A extends Answer>(context: Context, command: FoldCommand<A>): Promise<A> {
  const { name, follow, begin, watcher, prepare, answer } = command;
  const live = livenessOf(context);
  const shown = live === 'rows' ? context : asTable(context);
  const openWriter = await prepare(shown);
  const writer = openWriter(context.out);
  const isWatched = watches(shown.options);
  const fold = (onChunk?: OnChunk, onRecord?: (now: State) => void) =>
    foldInput(context, { follow, begin, watcher, onChunk, onRecord });
  const printAnswer = (now: State, out: TextOutput) => {
    const soFar = answer(now, false);
    if (soFar.rows.length > 0) openWriter(out).end(soFar);
  };
  const update = (now: State) => writer.update(answer(now, false));
  const drawing = live === 'moving' ? await import('./live-drawing.js') : null;
  const drawn = await drawing?.drawTable(context, { name, print: printAnswer, note: command.note }, fold);
  // What a followed file already contains at the start is not news.
  const onRecord = flagOf(shown.options, 'follow') ? undefined : update;
  const state = drawn?.state ?? (await (isWatched ? fold((now, isDue) => isDue && update(now()), onRecord) : fold()));
  const last = answer(state, true);
  writer.end(last);
  if (drawn !== undefined) context.out.write(drawn.view.ending(command.stopped?.()));
  return last;
}
