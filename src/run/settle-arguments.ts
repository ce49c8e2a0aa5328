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
