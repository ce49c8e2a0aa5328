import { initialState, reduce, type State, settle } from '../commands/reduce.js';
import type { Event } from '../core/event/event.js';
import { digest } from '../core/state/keys.js';
import { type Memory, noMemory } from '../core/wire/context.js';
import type { Interest } from '../core/wire/interest.js';
import { openAtomicFile } from '../io/atomic-file.js';
import { UsageError } from '../io/exit.js';
import type { Row } from '../view/formats.js';
import type { Context, OptionSpec, Options } from './command.js';
import { textOf } from './flags.js';
import { redactorOf } from './redact.js';

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
  const { input, options, diagnostics } = context;
  const path = textOf(options, 'state');
  const next = path === null ? follow : reduce;
  const file = path === null ? null : await openStateFile(path);
  const kept = file?.load() ?? nothing;
  let { memory: _memory, ...state }: Kept = kept;
  let saved: State = state;
  let savedAt = performance.now();
  let problem: string | null = null;
  input.resume(kept.memory);
  // A state also holds calls that were not answered yet, which no event has shown.
  const change = (await redactorOf(options))?.redactSecrets;
  const isDue = createPace();

  const save = () => {
    if (file === null || (saved === state && saved !== nothing && problem === null)) return;
    const before = problem;
    problem = file.save({ ...state, memory: input.memory() }, change);
    if (problem !== null && problem !== before)
      diagnostics.error(`${path}: ${problem}; the state was not saved, what was there is as it was`);
    saved = state;
    savedAt = performance.now();
  };
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
      // A live stream comes in many small chunks; each save writes the whole state.
      if (file !== null && performance.now() - savedAt >= 1000) save();
    },
  );
  save();
  // What cannot be saved now may be later: only the last state counts.
  if (problem !== null) input.seen.unreadable++;
  return settle(state);
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

interface StateFile {
  /** What was saved last; null if nothing was. */
  load(): Kept | null;
  /** What went wrong, or null. */
  save(state: Kept, change: ((json: unknown) => unknown) | undefined): string | null;
}

async function openStateFile(path: string): Promise<StateFile> {
  // Loaded here: it needs zod, which takes longer to load than most files to read.
  const { loadSlices, StateError, saveSlices } = await import('../core/state/save.js');
  const file = openAtomicFile(path);
  if (!file.ok) throw new UsageError(`--state: ${path}: ${file.problem}`);
  return {
    load() {
      if (file.text === null || file.text === '') return null;
      try {
        return loadSlices(file.text, nothing);
      } catch (error) {
        if (error instanceof StateError)
          throw new UsageError(`--state: ${path}: ${error.message}; the file was left alone`);
        throw error;
      }
    },
    save: (state, change) => file.replace(`${JSON.stringify(saveSlices(state, change))}\n`),
  };
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
