import type { Reducer } from '../core/tables/reduce.js';
import type { Interest } from '../core/wire/interest.js';
import type { Diagnostics } from '../io/diagnostics.js';
import type { Output } from '../io/output.js';
import type { Source } from '../io/sources.js';
import type { Streams } from '../io/streams.js';
import type { Division } from './division.js';
import type { Privacy } from './flags/flags.js';
import type { Input } from './input.js';

/** A subcommand: first its words, from which help, man page and parser are made, then its work. */
export interface Command {
  readonly name: string;
  /** A `map` prints as it reads, a `fold` at the end of the input; a `text` command reads no input. */
  readonly kind: 'map' | 'fold' | 'text';
  /** Half a line, without a capital and a full stop. */
  readonly summary: string;
  readonly description: string | Prose;
  /** What follows the options; by default files. */
  readonly operand?: Operand;
  readonly options: readonly OptionSpec[];
  /** The groups of flags it shares with other commands; only groups that have an effect here. */
  readonly shared: readonly SharedGroup[];
  /** The fields of its rows, for --fields and the man page. */
  readonly fields?: readonly string[];
  /** Fields that rows have only with some flag. */
  readonly otherFields?: readonly OtherFields[];
  readonly examples: readonly Example[];
  /** The meaning of its exit codes, where they differ from the usual. */
  readonly exitCodes?: readonly (readonly [code: string, meaning: string])[];
  /** The first Ctrl-C ends it, even in a pipe, where otherwise the producer handles it. */
  readonly endsAtOnce?: boolean;
  /** With --no-content it still reads the content, and leaves it out of its rows itself. */
  judgesContent?(options: Options): boolean;
  /** At a terminal without files it reads all sessions on disk; other commands read the newest. */
  readonly readsAllSessions?: boolean;
  /** With these options it reads no input. */
  readsNothing?(options: Options): boolean;
  /** It handles signals itself. */
  readonly handlesSignals?: boolean;
  /** If several threads may read the files: how each of them folds its events. null if the flags do not allow it. */
  divided?(options: Options): Reducer | null;
  /** The events it needs. Lines that cannot produce them are not parsed. */
  interest(options: Options, around?: Pick<Context, 'operands' | 'streams'>): Interest;
  run(context: Context): Promise<Verdict | undefined>;
}

/** Paragraphs, and lists of terms with what they mean. */
export type Prose = readonly (string | Definitions)[];
export type Definitions = readonly (readonly [term: string, meaning: string])[];

export type SharedGroup = 'input' | 'output' | 'rows' | 'time' | 'privacy' | 'general';

export interface OtherFields {
  /** `with --members` */
  readonly when: string;
  readonly fields: readonly string[];
}

export interface OptionSpec {
  /** `-q, --quiet`, `--event <glob,...>`. */
  readonly flags: string;
  readonly summary: string;
  /**
   * Default: `flag` if `flags` has no `<value>`, else `text`. `list` is separated by commas; `texts` may be repeated. A
   * `count` may be 100k, `money` $2.
   */
  readonly kind?: 'flag' | 'text' | 'number' | 'count' | 'money' | 'list' | 'texts';
  readonly choices?: readonly string[];
  /** Other spellings of choices, not shown in help and completion. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Values that completion offers; others are valid too. */
  readonly suggestions?: () => readonly string[];
  readonly default?: OptionValue;
  /** The value of the flag alone, if its value is optional: `--last[=n]`. A value then comes after `=`. */
  readonly bare?: string;
  /** The words after its value belong to another program. */
  readonly endsWords?: boolean;
}

export interface Operand {
  readonly name: string;
  readonly summary: string;
  readonly choices: readonly string[];
  /** What it is if nobody names it, in words. If absent, the operand is required. */
  readonly default?: string;
  /** It is a program: the words from here on, or after `--`, are its own. */
  readonly isProgram?: boolean;
}

export interface Example {
  readonly does: string;
  readonly run: string;
}

/** The parsed flags by camelCase name; absent if not given. Read them with flagOf, textOf, numberOf, listOf. */
export type Options = Readonly<Record<string, OptionValue>>;
export type OptionValue = boolean | string | number | readonly string[];

export interface Context {
  readonly input: Input;
  readonly options: Options;
  /** Files, or whatever the command's operand is. */
  readonly operands: readonly string[];
  /** The words of another program. */
  readonly rest: readonly string[];
  /** The files to read, through `input` or, where bytes matter, by the command itself. */
  readonly sources: readonly Source[];
  /** Another reader reads some of the files; null if none does. */
  readonly division: Division | null;
  /** Aborted when nobody reads the output any more. */
  readonly signal: AbortSignal;
  readonly out: Output;
  readonly streams: Streams;
  readonly diagnostics: Diagnostics;
  /** What to change in lines that are not read as events; null for nothing. */
  readonly privacy: Privacy | null;
}

/** The result of a run, for the exit code. */
export interface Verdict {
  /** How many rows or events were written. With -e, none is a failure. */
  readonly rows: number;
  /** Set by audits: whether to fail with -e, whatever else happened. */
  readonly failed?: boolean;
  /** --max-usd or --max-tokens was exceeded. */
  readonly overBudget?: boolean;
  /** How the replayed run ended. This run then ends the same way. */
  readonly recorded?: 'well' | 'badly';
  /** The exit code of the program that was run, which cct returns. */
  readonly exitCode?: number;
}
