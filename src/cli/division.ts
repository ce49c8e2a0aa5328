// --jobs 2: two threads read the files of a directory. Each folds its files into tables, and the tables are joined.
import { type Packed, packState } from '../core/tables/merge.js';
import { newState, noteTime, type Reducer } from '../core/tables/reduce.js';
import { numberSources } from '../core/tables/usage/sessions.js';
import { pathsForSecond } from '../core/wire/shares.js';
import type { Problem, Reports } from '../io/diagnostics.js';
import { askThread } from '../io/helper.js';
import { headOf } from '../io/last.js';
import { inputSources, type Source } from '../io/sources.js';
import type { Streams } from '../io/streams.js';
import type { Command, OptionSpec, Options } from './command.js';
import { type PackedCounts, packCounts } from './counts.js';
import { numberOf } from './flags/flags.js';
import { type InputOptions, openInput } from './input.js';

/** Of commands that say how their files are divided. */
export const jobsOption: OptionSpec = {
  flags: '--jobs <n>',
  summary:
    'with 1, no second thread reads large files ahead; with 2, one reads some files of directories (pays only on more than two cores)',
  kind: 'number',
};

/** What the second reader is asked to do. */
export interface Share {
  readonly command: string;
  readonly options: Options;
  readonly files: readonly { readonly path: string; readonly found: boolean }[];
  /** Where each of them stands among all files. */
  readonly names: readonly string[];
}

/** What it found out. */
export interface Part {
  readonly state: Packed;
  readonly counts: PackedCounts;
  readonly sessions: readonly string[];
  readonly said: readonly Said[];
}

export type Division = NonNullable<ReturnType<typeof divide>>;

/** null if one reader is enough. On two cores it is: reading ahead and collecting garbage already use the second one. */
export function divide(
  command: Command,
  options: Options,
  sources: readonly Source[],
  { reader }: Streams,
  signal: AbortSignal,
) {
  if (reader === undefined || (numberOf(options, 'jobs') ?? 1) < 2 || sources.length < 2) return null;
  if ((command.divided?.(options) ?? null) === null) return null;
  const files = sources.map(({ path, size }) => ({ path: path ?? '', bytes: size?.() ?? -1 }));
  const isKnown = files.every(({ path, bytes }) => path !== '' && bytes >= 0);
  if (!isKnown) return null;
  // The files that the second reader reads.
  const others: ReadonlySet<string> = pathsForSecond(files.map((file) => ({ ...file, head: headOf(file.path) })));
  if (others.size === 0) return null;
  const names = sources.map(({ name }) => name);
  const asked = sources.filter(({ path }) => others.has(path ?? ''));
  const taken = asked.map(({ path, found = false }) => ({ path: path ?? '', found }));
  const share: Share = { command: command.name, options, files: taken, names };
  const part = askThread(reader, share, signal).then((answer) => answer as Part);
  // Whoever waits for it hears of a failure.
  part.catch(() => {});
  return { others, names, part };
}

/** Reads a share in the second thread. */
export async function readShare(share: Share, command: Command, around: ShareOptions): Promise<Part> {
  const { options, files, names } = share;
  const follow = followOf(command, options);
  const said = new HeldDiagnostics(names);
  const sources = files.flatMap(({ path, found }) =>
    inputSources([path], noStdin).map((source) => ({ ...source, found })),
  );
  const sessions = new Set<string>();
  const input = openInput({
    sources,
    several: true,
    onSession: (id) => sessions.add(id),
    interest: command.interest(options),
    diagnostics: said,
    signal: new AbortController().signal,
    ...around,
  });
  const state = newState();
  numberSources(state.usage, names);
  await input.each(
    (event) => follow(state, event),
    undefined,
    (time, source) => noteTime(state, time, source),
  );
  return { state: packState(state), counts: packCounts(input.seen), sessions: [...sessions], said: said.list };
}

/** What the thread gives: where nothing is written, and what to replace in events. */
type ShareOptions = Pick<InputOptions, 'out' | 'redact'>;

function followOf(command: Command, options: Options): Reducer {
  const follow = command.divided?.(options) ?? null;
  if (follow === null) throw new Error(`${command.name} reads alone`);
  return follow;
}

const noStdin = { isTTY: false, isFile: true, open: () => ({ ok: false, problem: 'not here' }) as const };

/** Something that was said, and the place of its file among all files. */
export interface Said {
  readonly place: number;
  readonly how: 'damage' | 'error' | 'warn';
  readonly what: Problem | string;
}

/** Holds what is said until all files were read, so that it comes in the order of the files. */
export class HeldDiagnostics implements Reports {
  readonly list: Said[] = [];
  readonly #places: ReadonlyMap<string, number>;
  #place = 0;

  constructor(names: readonly string[]) {
    this.#places = new Map(names.map((name, place) => [name, place]));
  }

  /** What follows is about this file. */
  begin(name: string): void {
    this.#place = this.#places.get(name) ?? 0;
  }

  damage(problem: Problem): void {
    this.list.push({ place: this.#place, how: 'damage', what: problem });
  }

  error(what: string): void {
    this.list.push({ place: this.#place, how: 'error', what });
  }

  warn(what: string): void {
    this.list.push({ place: this.#place, how: 'warn', what });
  }
}

/** Says everything, in the order of the files. What several files make cct say is said once. */
export function sayHeld(said: readonly Said[], diagnostics: Reports): void {
  const warned = new Set<string>();
  for (const { how, what } of said.toSorted((a, b) => a.place - b.place)) {
    if (typeof what !== 'string') diagnostics.damage(what);
    else if (how === 'error') diagnostics.error(what);
    else if (!warned.has(what)) diagnostics.warn(what);
    if (typeof what === 'string') warned.add(what);
  }
}
