import { CommanderError, Option, Command as Program } from 'commander';
import { UsageError } from '../io/exit.js';
import type { Command, OptionSpec, Options, OptionValue } from './command.js';
import { suggestion } from './nearest.js';
import { kindOf, longFlag, optionName, optionsOf } from './options.js';

export interface Arguments {
  readonly options: Options;
  readonly operands: readonly string[];
  /** The words of another program, behind an option that ends ours. */
  readonly rest?: readonly string[];
}

/** What the words after a command's name say, or 'help'. Throws UsageError in our own words. */
export function parseArguments(command: Command, words: readonly string[]): Arguments | 'help' {
  // .command(), not .addCommand(): only the former inherits exitOverride and configureOutput.
  const sub = new Program('cct')
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .helpCommand(false)
    .command(command.name)
    .helpOption('-h, --help')
    .argument('[operand...]')
    .allowExcessArguments(false);
  for (const spec of optionsOf(command)) sub.addOption(toOption(spec));
  const [own, rest] = ownWords(command, words);
  try {
    sub.parse([...own], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 'help';
    throw new UsageError(inOurWords(error.message, command));
  }
  return {
    options: readOptions(command, sub),
    operands: readOperands(command, sub.args),
    ...(rest.length > 0 && { rest }),
  };
}

function ownWords(command: Command, words: readonly string[]): [own: readonly string[], rest: readonly string[]] {
  const enders = optionsOf(command).filter(({ endsWords }) => endsWords === true);
  const isFlag = (word: string) => enders.some((spec) => word === longFlag(spec));
  const at = words.findIndex((word) => isFlag(word.split('=', 1)[0] ?? ''));
  if (at === -1) return [words, []];
  const end = at + (isFlag(words[at] ?? '') ? 2 : 1);
  return [words.slice(0, end), words.slice(end)];
}

function toOption(spec: OptionSpec): Option {
  const option = new Option(spec.flags, spec.summary);
  if (kindOf(spec) !== 'flag') option.argParser((typed: string, before: unknown) => readValue(spec, typed, before));
  return option;
}

function readValue(spec: OptionSpec, typed: string, before?: unknown): OptionValue {
  const values = kindOf(spec) === 'list' ? typed.split(',').map((item) => item.trim()) : [typed];
  const wrong = values.find((value) => value === '' || (spec.choices !== undefined && !spec.choices.includes(value)));
  if (wrong !== undefined) throw new UsageError(describeWrongValue(spec, wrong));
  switch (kindOf(spec)) {
    case 'number':
      return readNumber(spec, typed);
    case 'list':
      return [...(Array.isArray(before) ? before : []), ...values];
    default:
      return typed;
  }
}

function readNumber(spec: OptionSpec, typed: string): number {
  const number = Number(typed);
  if (!/^\d+(\.\d+)?$/.test(typed) || number <= 0) {
    throw new UsageError(`${longFlag(spec)}: '${typed}' is not a number above 0`);
  }
  return number;
}

function describeWrongValue(spec: OptionSpec, typed: string): string {
  const choices = spec.choices;
  if (choices === undefined) return `${longFlag(spec)}: a value is missing`;
  return `${longFlag(spec)}: '${typed}' is not one of ${choices.join(', ')}${suggestion(typed, choices)}`;
}

// error: unknown option '--rwa'\n(Did you mean --raw?)
// error: option '-f, --format <format>' argument missing
function inOurWords(message: string, { name }: Command): string {
  const valueless = /option '.*?(--[a-z0-9-]+).*?' argument missing/.exec(message);
  if (valueless !== null) return `${valueless[1]}: a value is missing`;
  const [, what = message, hint] = /^(?:error: )?(.*?)(?:\n\(Did you mean (.*?)\?\))?$/s.exec(message) ?? [];
  return `${name}: ${what}; ${hint === undefined ? `see cct help ${name}` : `did you mean ${hint}?`}`;
}

function readOptions(command: Command, sub: Program): Options {
  const options: Record<string, OptionValue> = {};
  const typed: Record<string, OptionValue> = sub.opts();
  for (const spec of optionsOf(command)) {
    const name = optionName(spec);
    const value = longFlag(spec).startsWith('--no-') ? typed[positiveName(spec)] === false : typed[name];
    if (value !== undefined && value !== false) options[name] = value;
    else if (spec.default !== undefined) options[name] = readValue(spec, spec.default);
  }
  return options;
}

/** commander files `--no-content` as `content: false`. */
function positiveName(spec: OptionSpec): string {
  return optionName({ ...spec, flags: longFlag(spec).replace('--no-', '--') });
}

function readOperands({ name, operand }: Command, typed: readonly string[]): readonly string[] {
  if (operand === undefined) return typed;
  const [first = operand.default, second] = typed;
  if (first === undefined) throw new UsageError(`${name}: which ${operand.name}? ${operand.choices.join(', ')}`);
  if (second !== undefined) throw new UsageError(`${name}: one ${operand.name} at a time, not also '${second}'`);
  if (operand.choices.includes(first)) return [first];
  const right = `${operand.choices.join(', ')}${suggestion(first, operand.choices)}`;
  throw new UsageError(`${name}: '${first}' is not one of ${right}`);
}
