import { Argument, CommanderError, Option, Command as Program } from 'commander';
import { UsageError } from '../../io/exit.js';
import type { Command, OptionSpec, Options, OptionValue } from '../command.js';
import { type Arguments, isFlag, longFlag, nearest, optionsOf, suggestion, textOf, valueKind } from './flags.js';

/** Parses the words after a command's name; 'help' if help was asked for. Throws UsageError in our own words. */
export function parseArguments(command: Command, words: readonly string[]): Arguments | 'help' {
  const [own, rest] = splitWords(command, words);
  const program = new Program(command.name).exitOverride().configureOutput({ writeOut() {}, writeErr() {} });
  if (command.operand?.isProgram !== true) program.addArgument(toArgument(command));
  for (const spec of optionsOf(command)) program.addOption(toOption(spec));
  try {
    program.parse(withValues(command, own), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 'help';
    if (error.code === 'commander.unknownOption') throw unknownOption(command, program.args);
    throw new UsageError(inOurWords(error, command, program.args));
  }
  const { args: operands } = program;
  return { options: withFormat(givenOptions(program)), operands, ...(rest.length > 0 && { rest }) };
}

/** The value of a flag that may stand alone comes after `=`, so the next word is not its value. */
function withValues(command: Command, words: readonly string[]): string[] {
  const bare = new Map(optionsOf(command).flatMap((spec) => (spec.bare ? [[longFlag(spec), spec.bare]] : [])));
  const end = words.indexOf('--');
  return words.map((word, at) => {
    const value = end === -1 || at < end ? bare.get(word) : undefined;
    return value === undefined ? word : `${word}=${value}`;
  });
}

/** In the order in which they are described, so that an error names the first of these, not the first typed. */
function givenOptions(program: Program): Options {
  const names = program.options.map((option) => option.attributeName());
  const values: Options = program.opts();
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => names.indexOf(a) - names.indexOf(b)));
}

/** --json means --format json. */
function withFormat({ json, ...options }: Options): Options {
  if (json !== true) return options;
  const format = textOf(options, 'format') ?? 'json';
  if (format !== 'json') throw new UsageError(`--json and --format ${format} cannot be used together`);
  return { ...options, format };
}

/** Splits off the words of another program: from its name on, or after the value of an option that ends ours. */
function splitWords(command: Command, words: readonly string[]): [own: readonly string[], rest: readonly string[]] {
  if (command.operand?.isProgram) return splitAtProgram(command, words);
  const enders = optionsOf(command).flatMap((spec) => (spec.endsWords === true ? [longFlag(spec)] : []));
  const at = words.findIndex((word) => enders.includes(word.split('=', 1)[0] ?? ''));
  if (at === -1) return [words, []];
  const end = at + (words[at]?.includes('=') ? 1 : 2);
  return [words.slice(0, end), words.slice(end)];
}

/** `--keep run.ndjson -- claude -p`: splits at the first word that is neither a flag nor its value. */
function splitAtProgram(command: Command, words: readonly string[]): [own: readonly string[], rest: readonly string[]] {
  const valued = optionsOf(command).flatMap((spec) => (valueKind(spec) === 'flag' ? [] : spec.flags.split(/[, ]+/)));
  let at = 0;
  while (at < words.length && words[at] !== '--' && isFlag(words[at] ?? ''))
    at += valued.includes(words[at] ?? '') && words[at + 1] !== '--' ? 2 : 1;
  return [words.slice(0, at), words.slice(words[at] === '--' ? at + 1 : at)];
}

function toArgument({ operand }: Command): Argument {
  if (operand === undefined) return new Argument('[file...]');
  const { name, choices, default: whenAbsent } = operand;
  return new Argument(whenAbsent === undefined ? `<${name}>` : `[${name}]`).choices(choices);
}

function toOption(spec: OptionSpec): Option {
  const option = new Option(spec.flags.replace('[=', ' [')).default(spec.default);
  // `--no-content` sets noContent to true, not content to false, because commands check what was typed.
  option.negate = false;
  if (valueKind(spec) !== 'flag') option.argParser((typed: string, before: unknown) => readValue(spec, typed, before));
  return option;
}

/** Checks a typed value. `before` is the earlier value of the same flag, or its default. */
function readValue(spec: OptionSpec, typed: string, before: unknown): OptionValue {
  const kind = valueKind(spec);
  const { choices, aliases = {} } = spec;
  const values = (kind === 'list' ? typed.split(',').map((item) => item.trim()) : [typed]).map((value) =>
    Object.hasOwn(aliases, value) ? (aliases[value] ?? value) : value,
  );
  for (const value of values) {
    if (choices?.includes(value) === false)
      throw new UsageError(`${longFlag(spec)}: ${notOneOf(value, choices, aliases)}`);
    if (value === '') throw new UsageError(`${longFlag(spec)}: a value is missing`);
  }
  if (kind === 'texts') return Array.isArray(before) ? [...before, typed] : [typed];
  if (kind === 'list') return Array.isArray(before) && before !== spec.default ? [...before, ...values] : values;
  if (kind === 'text') return values[0] ?? typed;
  const number = readNumber(kind, typed);
  if (Number.isNaN(number) || number <= 0)
    throw new UsageError(`${longFlag(spec)}: '${typed}' is not ${numbers[kind]}`);
  return number;
}

const numbers: Readonly<Record<string, string>> = {
  number: 'a number above 0',
  count: 'a whole number above 0, such as 500, 100k or 1.5M',
  money: "an amount above 0, such as 2, 2.50 or '$2' (quoted, because the shell expands $2)",
};

/** A number as people write it; NaN if it is not one. */
function readNumber(kind: string, typed: string): number {
  if (kind === 'number') return /^\d+(\.\d+)?$/.test(typed) ? Number(typed) : Number.NaN;
  const text = kind === 'money' ? typed.replace(/^\$ ?|(?: ?(?:\$|usd))$/i, '') : typed;
  const [, whole, fraction = '', letter = ''] = /^(\d{1,3}(?:[,_]\d{3})+|\d+)(\.\d+)?([kmb]?)$/i.exec(text) ?? [];
  if (whole === undefined) return Number.NaN;
  const value = Number(whole.replace(/[,_]/g, '') + fraction) * (thousands[letter.toLowerCase()] ?? 1);
  if (kind === 'money') return value;
  // 1.1 times a million is not exactly whole in floating point.
  const count = Math.round(value);
  return Math.abs(value - count) < 1e-6 && Number.isSafeInteger(count) ? count : Number.NaN;
}

const thousands: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9 };

/** Explains an error of commander in our words. `args` are the words that no option took. */
function inOurWords({ code, message }: CommanderError, { name, operand }: Command, args: readonly string[]): string {
  const choices = operand?.choices ?? [];
  switch (code) {
    case 'commander.optionMissingArgument':
      // `error: option '-f, --format <format>' argument missing`
      return `${longFlag({ flags: message })}: a value is missing`;
    case 'commander.missingArgument':
      return `${name}: expected a ${operand?.name}: ${choices.join(', ')}`;
    case 'commander.excessArguments':
      return `${name}: expected one ${operand?.name}, but got '${args[1]}' too`;
    default:
      return `${name}: ${notOneOf(args[0] ?? '', choices)}`;
  }
}

/** Flags of other programs that people try, and what they are called here. */
const otherNames: readonly (readonly [flag: string, ours: string])[] = [
  ['--today', '--since today'],
  ['--yesterday', '--since yesterday'],
  ...['csv', 'tsv', 'table', 'ndjson', 'md', 'html', 'github'].map(
    (name) => [`--${name}`, `--format ${name}`] as const,
  ),
  ['--jsonl', '--format ndjson'],
  ['--json', '--format ndjson'],
  ['--markdown', '--format md'],
  ['--day', '--by day'],
  ['--daily', '--by day'],
  ['--days', '--since'],
  ['--week', '--by week'],
  ['--weekly', '--by week'],
  ['--month', '--by month'],
  ['--monthly', '--by month'],
  ['--errors', '--only errors'],
  ['--errors', '--failed'],
  ['--tail', '--follow'],
  ['--no-color', '--color never'],
  ['--model', '--by model'],
  ['--cost', '--sort cost'],
  ['--head', '--limit'],
  ['--order', '--sort'],
  ['--breakdown', '--by'],
  ['--output', '--format'],
  ['--tz', '--timezone'],
];

/** null if the command has no such flag, or not with this value. */
function ourName(own: readonly OptionSpec[], flag: string): string | null {
  const isOther = ([other, ours]: readonly [string, string]) => {
    const [name, value = ''] = ours.split(' ');
    const spec = other === flag ? own.find((each) => longFlag(each) === name) : undefined;
    return spec !== undefined && (value === '' || spec.choices?.includes(value) !== false);
  };
  return otherNames.find(isOther)?.[1] ?? null;
}

/** A flag that the command does not have. Another command may have it. */
export class UnknownOption extends UsageError {
  constructor(
    readonly command: Command,
    /** Without its value. */
    readonly flag: string,
    typed: string,
  ) {
    super(`${command.name}: unknown option '${typed}'${hintFor(command, flag, typed)}`);
  }

  /** The same error, with the commands that have this flag. */
  among(commands: readonly Command[]): UsageError {
    const owners = commands.filter((each) => optionsOf(each).some((spec) => longFlag(spec) === this.flag));
    const names = owners.map(({ name }) => `cct ${name}`);
    if (names.length === 0 || ourName(optionsOf(this.command), this.flag) !== null) return this;
    const all = names.length === 1 ? `${names[0]} has` : `${names.slice(0, -1).join(', ')} and ${names.at(-1)} have`;
    return new UsageError(`${this.command.name}: unknown option '${this.flag}'; ${all} it`);
  }
}

/** What to use instead. */
function hintFor(command: Command, flag: string, typed: string): string {
  if (flag === '--audit') return `; use cct audit --of ${command.name}`;
  const specs = optionsOf(command);
  const ours = ourName(specs, flag);
  if (ours !== null) return `; use ${ours}`;
  const own = [...specs.map(longFlag), '--help'];
  const begun = flag.length > 3 ? own.filter((each) => each.startsWith(flag)) : [];
  if (begun.length === 1) return `; did you mean ${begun[0]}?`;
  // At most three edits: `--members=yes` is not a typing mistake.
  const near = flag === typed && flag.startsWith('--') ? suggestion(flag, own, 3) : '';
  return near || `; see cct help ${command.name}`;
}

function unknownOption(command: Command, args: readonly string[]): UnknownOption {
  const flags = args.filter(isFlag);
  // A negative number may be the name of a file.
  const typed = flags.find((flag) => !/^-[\d.]/.test(flag)) ?? flags[0] ?? '';
  return new UnknownOption(command, typed.split('=', 1)[0] ?? '', typed);
}

function notOneOf(typed: string, choices: readonly string[], aliases: OptionSpec['aliases'] = {}): string {
  const near = nearest(typed, [...choices, ...Object.keys(aliases)]);
  return `'${typed}' is not one of ${choices.join(', ')}${near === null ? '' : `; did you mean ${aliases[near] ?? near}?`}`;
}
