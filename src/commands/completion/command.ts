// The completion command: prints a completion script for a shell.
import type { Command, Operand, OptionSpec } from '../../cli/command.js';
import { inBrief, topics } from '../../cli/docs/help.js';
import { longFlag, optionsOf, valueKind } from '../../cli/flags/flags.js';
import { loadAll } from '../../cli/registry.js';
import { bashCompletion, fishCompletion, zshCompletion } from './shells.js';

const shells: Readonly<Record<string, (completion: Completion) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

export const completion: Command = {
  name: 'completion',
  kind: 'text',
  summary: 'print a completion script for your shell',
  description:
    'The script completes commands, flags, flag values and files. It knows the flags of the version that printed it. Print it again after an update, or each time the shell starts.',
  operand: {
    name: 'shell',
    summary: 'your shell',
    choices: Object.keys(shells),
  },
  options: [],
  shared: [],
  examples: [
    { does: 'bash: add this line to ~/.bashrc', run: 'source <(cct completion bash)' },
    {
      does: 'zsh: write a file _cct to a folder in $fpath, before compinit runs',
      run: 'cct completion zsh > ~/.zfunc/_cct',
    },
    { does: 'fish', run: 'cct completion fish > ~/.config/fish/completions/cct.fish' },
  ],
  interest: () => ({ events: [] }),
  async run({ operands: [shell = ''], out }) {
    out.write(shells[shell]?.(completionOf(await loadAll())) ?? '');
  },
};

/** What can be typed after `cct`; shells.ts writes it for each shell. */
export interface Completion {
  readonly commands: readonly CompletedCommand[];
  /** What may follow `cct help` besides a command. */
  readonly topics: readonly Named[];
}

export interface Named {
  readonly name: string;
  readonly summary: string;
}

export interface CompletedCommand extends Named {
  readonly flags: readonly CompletedFlag[];
  readonly operand: CompletedValue;
}

export interface CompletedFlag {
  readonly long: string;
  /** `-f`, if it has one. */
  readonly short: string | null;
  readonly summary: string;
  /** null if it takes no value. */
  readonly value: CompletedValue | null;
}

export interface CompletedValue {
  readonly name: string;
  /** One of `words`, several separated by commas, a path, or anything. */
  readonly kind: 'word' | 'list' | 'file' | 'text';
  readonly words: readonly string[];
}

function completionOf(commands: readonly Command[]): Completion {
  return {
    commands: commands.map((command) => ({
      name: command.name,
      summary: command.summary,
      flags: [...optionsOf(command).map((spec) => completedFlag(command, spec)), helpFlag],
      operand: completedOperand(command.operand),
    })),
    topics: topics.map(({ name, summary }) => ({ name, summary })),
  };
}

const helpFlag: CompletedFlag = { long: '--help', short: '-h', summary: 'show help for this command', value: null };

function completedFlag(command: Command, spec: OptionSpec): CompletedFlag {
  return {
    long: longFlag(spec),
    short: /^-\w\b/.exec(spec.flags)?.[0] ?? null,
    summary: inBrief(spec).summary,
    value: valueKind(spec) === 'flag' || spec.bare !== undefined ? null : completedValue(command, spec),
  };
}

function completedValue(command: Command, spec: OptionSpec): CompletedValue {
  const name = /<([^>,]*)/.exec(spec.flags)?.[1] ?? 'value';
  const words = [...new Set(spec.choices ?? spec.suggestions?.() ?? (isOfFields(spec) ? allFields(command) : []))];
  if (name === 'file') return { name, kind: 'file', words };
  if (words.length === 0) return { name, kind: 'text', words };
  return { name, kind: valueKind(spec) === 'list' ? 'list' : 'word', words };
}

function isOfFields(spec: OptionSpec): boolean {
  return longFlag(spec) === '--fields' || longFlag(spec) === '--sort';
}

function allFields({ fields = [], otherFields = [] }: Command): string[] {
  return [...fields, ...otherFields.flatMap((other) => other.fields)];
}

function completedOperand(operand: Operand | undefined): CompletedValue {
  if (operand === undefined || operand.isProgram) return { name: operand?.name ?? 'file', kind: 'file', words: [] };
  return { name: operand.name, kind: 'word', words: operand.choices };
}
