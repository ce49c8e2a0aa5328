import type { Interest } from '../core/wire/interest.js';
import type { Diagnostics } from '../io/diagnostics.js';
import type { Output } from '../io/output.js';
import type { Source } from '../io/sources.js';
import type { Streams } from '../io/streams.js';
import type { Input } from './input.js';
import type { Privacy } from './privacy.js';

/** One subcommand: its words first, from which help, man page and parser are made, then its work. */
export interface Command {
  readonly name: string;
  /** A map writes as it reads, a fold when it has read everything; a text reads no input. */
  readonly kind: 'map' | 'fold' | 'text';
  /** Half a line, no capital, no full stop. */
  readonly summary: string;
  readonly description: string;
  /** What stands after the options; files if nothing is said. */
  readonly operand?: Operand;
  readonly options: readonly OptionSpec[];
  /** The flags it shares with other commands, by group; only groups that work here. */
  readonly shared: readonly SharedGroup[];
  /** Fields of its rows, for --fields and the man page. */
  readonly fields?: readonly string[];
  /** Fields that rows have only with some flag. */
  readonly otherFields?: readonly OtherFields[];
  readonly examples: readonly Example[];
  /** What its exit codes mean, where that is not what they mean everywhere. */
  readonly exitCodes?: readonly (readonly [code: string, meaning: string])[];
  /** It keeps its own time: the first Ctrl-C ends it, also in a pipe, where that is else for the producer. */
  readonly endsAtOnce?: boolean;
  /** With --no-content it still has to know what was written, and leaves it out of its rows itself. */
  judgesContent?(options: Options): boolean;
  /** It knows itself what to do about signals. */
  readonly handlesSignals?: boolean;
  /** What it consumes: lines that cannot yield it are not parsed. */
  interest(options: Options, around?: Pick<Context, 'operands' | 'streams'>): Interest;
  run(context: Context): Promise<Verdict | undefined>;
}

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
  /** flag where `flags` has no `<value>`, else text unless said. A list has commas between; texts are given one by one. A count may be 100k, money $2. */
  readonly kind?: 'flag' | 'text' | 'number' | 'count' | 'money' | 'list' | 'texts';
  readonly choices?: readonly string[];
  /** Other words for choices, which help and completion do not show. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** What a shell offers to complete; other values are right too. */
  readonly suggestions?: () => readonly string[];
  readonly default?: OptionValue;
  /** The words behind its value are another program's. */
  readonly endsWords?: boolean;
}

export interface Operand {
  readonly name: string;
  readonly summary: string;
  readonly choices: readonly string[];
  /** Without one it has to be given. */
  readonly default?: string;
  /** It is a program: the words from here on, or behind `--`, are its own. */
  readonly isProgram?: boolean;
}

export interface Example {
  readonly does: string;
  readonly run: string;
}

/** The parsed flags by their camelCase name; absent where not given. Read with flagOf, textOf, numberOf, listOf. */
export type Options = Readonly<Record<string, OptionValue>>;
export type OptionValue = boolean | string | number | readonly string[];

export interface Context {
  readonly input: Input;
  readonly options: Options;
  /** Files, or whatever the command's operand is. */
  readonly operands: readonly string[];
  /** The words of another program. */
  readonly rest: readonly string[];
  /** What the files stand for, to be read by input or, where bytes matter, by the command itself. */
  readonly sources: readonly Source[];
  /** Aborted when nobody reads the output any more. */
  readonly signal: AbortSignal;
  readonly out: Output;
  readonly streams: Streams;
  readonly diagnostics: Diagnostics;
  /** What is done to lines that are not read as events; null: nothing. */
  readonly privacy: Privacy | null;
}

/** What a run came to, for the exit code. */
export interface Verdict {
  /** Rows or events written; none is a failure with -e. */
  readonly rows: number;
  /** What an audit found, where it is one: whether to fail with -e, whatever else happened. */
  readonly failed?: boolean;
  /** --max-usd or --max-tokens was passed. */
  readonly overBudget?: boolean;
  /** How the recorded run ended that this one stands for, which is then how this one ends. */
  readonly recorded?: 'well' | 'badly';
  /** How the program ended that was run, which is how cct ends. */
  readonly exitCode?: number;
}
