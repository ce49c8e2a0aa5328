// --state: a state is read from a file, and saved there while the input is read.
import { newState, type State, versionOfState } from '../core/tables/reduce.js';
import { type Memory, noMemory } from '../core/wire/context.js';
import { openAtomicFile } from '../io/atomic-file.js';
import { beforeTermination, UsageError } from '../io/exit.js';
import type { Context, OptionSpec, Options } from './command.js';
import { textOf } from './flags/flags.js';
import type { Input } from './input.js';

/** --state, for commands that fold events into a state. */
export const stateOption: OptionSpec = {
  flags: '--state <file>',
  summary: 'continue from the state in this file, if it exists, and save the new state there',
};

export function keepsState(options: Options): boolean {
  return textOf(options, 'state') !== null;
}

/** A saved state needs the ids of calls. */
function emptyState(): State & { readonly memory: Memory } {
  return { ...newState({ ids: true }), memory: noMemory };
}

/** Keeps a state in the file of --state, which it locks. */
export async function openStateFile({ input, diagnostics, privacy }: Context, path: string) {
  // Imported here because it loads zod, which takes longer than reading most files.
  const { loadSlices, StateError, saveSlices } = await import('../core/tables/save.js');
  // A state also holds calls without a result, which no event has shown yet.
  const bare = (memory: Memory) => privacy?.memory(memory) ?? memory;
  const file = openAtomicFile(path);
  if (!file.ok) throw new UsageError(`--state: ${path}: ${file.problem}`);

  const { memory: _none, ...empty } = emptyState();
  let current: State = empty;
  /** The version that was saved. */
  let saved = -1;
  let nextAt = performance.now() + saveEveryMs;
  let problem: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  const saveState = () => {
    clearTimeout(timer);
    timer = undefined;
    const began = performance.now();
    const version = versionOfState(current) + current.facts.version;
    if (saved === version && problem === null) return;
    const before = problem;
    problem = file.replace(
      `${JSON.stringify(saveSlices({ ...current, memory: bare(input.memory()) }, privacy?.saved))}\n`,
    );
    if (problem !== null && problem !== before)
      diagnostics.error(`${path}: ${problem}; the new state was not saved, and the old one is unchanged`);
    saved = version;
    const now = performance.now();
    nextAt = now + Math.max(saveEveryMs, 9 * (now - began));
  };
  let forget = () => {};

  return {
    /** Returns the state saved last, which is saved again when it has changed. */
    begin(): State {
      forget = beforeTermination(() => {
        saveState();
        file.close();
      });
      if (file.text === null || file.text === '') return current;
      try {
        const { memory, ...state } = loadSlices(file.text, emptyState());
        input.resume(memory);
        continued.set(input, path);
        current = state;
        saved = versionOfState(current) + current.facts.version;
        return current;
      } catch (error) {
        if (error instanceof StateError)
          throw new UsageError(`--state: ${path}: ${error.message}; the file is unchanged`);
        throw error;
      }
    },
    /** Something was read. It is saved soon, even if nothing follows. */
    note(): void {
      // A live stream comes in many small chunks, and each save writes the whole state.
      const wait = nextAt - performance.now();
      if (wait <= 0) saveState();
      else timer ??= setTimeout(saveState, wait);
    },
    /** Nothing more will be read. */
    finish(): void {
      saveState();
      // Only the last state matters: what could not be saved before may be saved now.
      if (problem !== null) input.seen.unreadable++;
    },
    close(): void {
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
