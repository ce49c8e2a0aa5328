import { UsageError } from '../io/exit.js';
import { colorChoices } from '../io/streams.js';
import { formatNames } from '../view/formats.js';
import type { Command, OptionSpec, Options, OptionValue, SharedGroup } from './command.js';
import { suggestion } from './nearest.js';

/** The flags commands share. The same flag means the same in every command that has it. */
export const sharedOptions: Readonly<Record<SharedGroup, readonly OptionSpec[]>> = {
  input: [
    { flags: '--session <id>', summary: 'only what belongs to this session' },
    { flags: '--team <name>', summary: 'only what belongs to this team' },
    { flags: '--strict', summary: 'read every line in full, and exit with 4 if any was damaged' },
    {
      flags: '--max-line-bytes <n>',
      summary: 'skip longer lines without keeping them in memory',
      kind: 'number',
      default: '268435456',
    },
    {
      flags: '--idle-timeout <seconds>',
      summary: 'stop waiting when nothing came for so long, and exit with 1',
      kind: 'number',
    },
  ],
  output: [
    {
      flags: '-f, --format <format>',
      summary: 'how to write rows; a table on a terminal, else ndjson',
      choices: formatNames,
    },
    { flags: '--fields <name,...>', summary: 'only these fields, in this order', kind: 'list' },
    { flags: '--color <when>', summary: 'colour in tables', choices: colorChoices, default: 'auto' },
  ],
  time: [
    { flags: '--since <time>', summary: 'only rows from this time on' },
    { flags: '--until <time>', summary: 'only rows before this time' },
    { flags: '--timezone <zone>', summary: 'the zone of times without one, and of days', default: 'UTC' },
  ],
  general: [
    {
      flags: '-e, --exit-status',
      summary:
        'exit with 1 if the run failed, has no result, or nothing was written; with --audit, if there is a problem',
    },
    { flags: '-q, --quiet', summary: 'no warnings on stderr' },
    { flags: '-v, --verbose', summary: 'every warning on stderr, and what was read' },
  ],
};

/** Every flag of a command, its own first. */
export function optionsOf(command: Command): readonly OptionSpec[] {
  return [...command.options, ...command.shared.flatMap((group) => sharedOptions[group])];
}

/** `--max-line-bytes <n>` → `--max-line-bytes`. */
export function longFlag(spec: OptionSpec): string {
  return /--[a-z0-9-]+/.exec(spec.flags)?.[0] ?? spec.flags;
}

/** `--max-line-bytes <n>` → `maxLineBytes`. */
export function optionName(spec: OptionSpec): string {
  return longFlag(spec)
    .slice(2)
    .replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

export function kindOf(spec: OptionSpec): NonNullable<OptionSpec['kind']> {
  return spec.kind ?? (spec.flags.includes('<') ? 'text' : 'flag');
}

export function flagOf(options: Options, name: string): boolean {
  return options[name] === true;
}

export function textOf(options: Options, name: string): string | null {
  const value = options[name];
  return typeof value === 'string' ? value : null;
}

export function numberOf(options: Options, name: string): number | null {
  const value = options[name];
  return typeof value === 'number' ? value : null;
}

/** Empty where the flag was not given. */
export function listOf(options: Options, name: string): readonly string[] {
  const value = options[name];
  return Array.isArray(value) ? value : [];
}

export interface Arguments {
  readonly options: Options;
  readonly operands: readonly string[];
  /** The words of another program, behind an option that ends ours. */
  readonly rest?: readonly string[];
}

/** What was typed after a command's name, completed by its defaults. Throws UsageError for operands it does not know. */
export function settleArguments(command: Command, typed: Options, operands: readonly string[]): Arguments {
  const options: Record<string, OptionValue> = {};
  for (const spec of optionsOf(command)) {
    const name = optionName(spec);
    const value = typed[name] ?? (spec.default === undefined ? undefined : readValue(spec, spec.default));
    if (value !== undefined) options[name] = value;
  }
  return { options, operands: readOperands(command, operands) };
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

/** A value as it was typed, checked. `before` is what the same flag said earlier. */
export function readValue(spec: OptionSpec, typed: string, before?: unknown): OptionValue {
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

/** What the words after a command's name say, or 'help'. The parser is loaded only when there is a flag to parse: it costs start-up time. */
export async function readArguments(command: Command, words: readonly string[]): Promise<Arguments | 'help'> {
  if (!words.some((word) => word.startsWith('-') && word !== '-')) return settleArguments(command, {}, words);
  const { parseArguments } = await import('./arguments.js');
  return parseArguments(command, words);
}
