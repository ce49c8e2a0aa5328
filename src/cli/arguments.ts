import { CommanderError, Option, Command as Program } from 'commander';
import { UsageError } from '../io/exit.js';
import type { Command, OptionSpec, Options, OptionValue } from './command.js';
import { type Arguments, kindOf, longFlag, optionName, optionsOf, readValue, settleArguments } from './flags.js';

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
    ...settleArguments(command, typedOptions(command, sub), sub.args),
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

// error: unknown option '--rwa'\n(Did you mean --raw?)
// error: option '-f, --format <format>' argument missing
function inOurWords(message: string, { name }: Command): string {
  const valueless = /option '.*?(--[a-z0-9-]+).*?' argument missing/.exec(message);
  if (valueless !== null) return `${valueless[1]}: a value is missing`;
  const [, what = message, hint] = /^(?:error: )?(.*?)(?:\n\(Did you mean (.*?)\?\))?$/s.exec(message) ?? [];
  return `${name}: ${what}; ${hint === undefined ? `see cct help ${name}` : `did you mean ${hint}?`}`;
}

function typedOptions(command: Command, sub: Program): Options {
  const options: Record<string, OptionValue> = {};
  const typed: Record<string, OptionValue> = sub.opts();
  for (const spec of optionsOf(command)) {
    const name = optionName(spec);
    const value = longFlag(spec).startsWith('--no-') ? typed[positiveName(spec)] === false : typed[name];
    if (value !== undefined && value !== false) options[name] = value;
  }
  return options;
}

/** commander files `--no-content` as `content: false`. */
function positiveName(spec: OptionSpec): string {
  return optionName({ ...spec, flags: longFlag(spec).replace('--no-', '--') });
}
