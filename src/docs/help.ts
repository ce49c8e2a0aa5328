import type { Command, Example, Operand, OptionSpec, SharedGroup } from '../run/command.js';
import { sharedOptions } from '../run/options.js';
import { topics } from './topics.js';
import { definitions, wrap } from './wrap.js';

export const tagline =
  'cct turns what Claude Code writes into team rosters, task boards, message timelines, usage reports and replays.';

export const firstExamples: readonly Example[] = [
  { does: 'Who is at work in a run?', run: 'claude -p "…" --output-format stream-json --verbose | cct teams' },
  { does: 'What did a run cost that was kept in a file?', run: 'cct usage run.ndjson' },
];

/** What `cct` alone prints. */
export function overview(commands: readonly Command[], width: number): string {
  return paragraphs([
    wrap(tagline, width),
    'Usage: cct <command> [option...] [file...]',
    exampleText(firstExamples),
    `Commands:\n${definitions(
      commands.map(({ name, summary }) => [name, summary]),
      width,
    )}`,
    `More:\n${definitions(
      [
        ['cct help <command>', 'its options, with examples'],
        ...topics.map(({ name, summary }): [string, string] => [`cct help ${name}`, summary]),
        ['cct --version', 'the version'],
      ],
      width,
    )}`,
  ]);
}

/** What `cct help <command>` and `cct <command> --help` print. */
export function commandHelp(command: Command, width: number): string {
  return paragraphs([
    wrap(`cct ${command.name}: ${command.summary}`, width),
    `Usage: ${usage(command)}`,
    exampleText(command.examples),
    wrap(command.description, width),
    command.operand && `${title(command.operand.name)}:\n${definitions(operandEntries(command.operand), width)}`,
    optionSection('Options', command.options, width),
    ...command.shared.map((group) => optionSection(groupTitles[group], sharedOptions[group], width)),
    command.fields && `Fields:\n${wrap(command.fields.join(', '), width, '  ')}`,
  ]);
}

export function exampleText(examples: readonly Example[]): string {
  return `Examples:\n${examples.map(({ does, run }) => `  # ${does}\n  $ ${run}`).join('\n')}`;
}

/** `cct normalize [option...] [file...]` */
export function usage(command: Command): string {
  const options = command.options.length + command.shared.length > 0 ? ' [option...]' : '';
  return `cct ${command.name}${options} ${operandWord(command)}`;
}

/** `[file...]`, `[name]`, `<shell>` */
export function operandWord({ operand }: Command): string {
  if (operand === undefined) return '[file...]';
  return operand.default === undefined ? `<${operand.name}>` : `[${operand.name}]`;
}

export const groupTitles: Readonly<Record<SharedGroup, string>> = {
  input: 'Input options',
  output: 'Output options',
  time: 'Time options',
  general: 'General options',
};

/** The summary of a flag with its choices and default. */
export function optionMeaning({ summary, choices, default: value }: OptionSpec): string {
  return `${summary}${choices ? `: ${choices.join(', ')}` : ''}${value === undefined ? '' : ` (default ${value})`}`;
}

function optionSection(heading: string, specs: readonly OptionSpec[], width: number): string | undefined {
  const shown = specs.filter((spec) => spec.hidden !== true);
  if (shown.length === 0) return undefined;
  return `${heading}:\n${definitions(
    shown.map((spec) => [spec.flags.startsWith('--') ? `    ${spec.flags}` : spec.flags, optionMeaning(spec)]),
    width,
  )}`;
}

export function operandEntries({ summary, choices, default: value }: Operand): [string, string][] {
  return [[choices.join(', '), value === undefined ? summary : `${summary} (default ${value})`]];
}

function title(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function paragraphs(parts: readonly (string | undefined)[]): string {
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`;
}
