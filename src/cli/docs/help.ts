// What `cct help` says. The texts of topics are in man/text.
import { page as eventsText } from '../../../man/text/events.md';
import { page as exitCodesText } from '../../../man/text/exit-codes.md';
import { page as formatsText } from '../../../man/text/formats.md';
import { page as inputText } from '../../../man/text/input.md';
import { page as secretsText } from '../../../man/text/secrets.md';
import { envelope, eventNames, events } from '../../core/event/event.js';
import { secretKinds } from '../../core/privacy/redact.js';
import { standInKinds } from '../../core/privacy/who.js';
import { namesOf, object } from '../../core/record/describe.js';
import { UsageError } from '../../io/exit.js';
import type { Command, Definitions, Example, Operand, OptionSpec, Prose, SharedGroup } from '../command.js';
import { longFlag, sharedOptions, suggestion } from '../flags/flags.js';
import { synonymOf } from '../registry.js';

export const tagline =
  'cct turns what Claude Code writes into team rosters, task boards, message timelines, usage reports and replays.';

export const firstExamples: readonly Example[] = [
  { does: 'What is there, and what did it cost? (at a terminal)', run: 'cct sessions' },
  { does: 'What happened in the last session of this directory?', run: 'cct log --last' },
  { does: 'Who is working in a run?', run: 'claude -p "…" --output-format stream-json --verbose | cct teams' },
];

/** What `cct` alone prints. */
function overview(commands: readonly Command[], width: number): string {
  return paragraphs([
    wrap(tagline, width),
    'Usage: cct <command> [option...] [file...]',
    exampleText(firstExamples),
    `Commands:\n${definitions(
      commands.map(({ name, summary }) => [name, summary]),
      width,
    )}`,
    wrap(`cct help <command> shows examples and options. cct help ${topicNames()} explains more.`, width),
  ]);
}

/** `options, input or secrets` */
function topicNames(): string {
  const names = topics.map(({ name }) => name);
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/**
 * What `cct help <command>` and `cct <command> --help` print: what fits on a screen. The manual page has everything.
 */
export function commandHelp(command: Command, width: number): string {
  const common = new Set(sharedOptions.output.map(longFlag));
  // A command that has formats of its own names them.
  const own = command.options.filter((spec) => !common.has(longFlag(spec)) || hasOwnChoices(spec));
  return paragraphs([
    wrap(`cct ${command.name}: ${command.summary}`, width),
    `Usage: ${usage(command)}`,
    exampleText(command.examples.slice(0, 3)),
    command.operand && `${title(command.operand.name)}:\n${definitions(operandEntries(command.operand), width)}`,
    optionSection('Options', own.map(inBrief), width),
    wrap(
      `${command.shared.length === 0 ? '' : 'cct help options lists those that most commands have; '}man cct-${command.name} explains everything.`,
      width,
    ),
  ]);
}

function hasOwnChoices({ flags, choices }: OptionSpec): boolean {
  const shared = sharedOptions.output.find((spec) => spec.flags === flags);
  return choices !== undefined && choices !== shared?.choices;
}

/** Its first clause: the rest is in the manual page. */
export function inBrief(spec: OptionSpec): OptionSpec {
  return { ...spec, summary: spec.summary.split(/; |\. |: /, 1)[0] ?? spec.summary };
}

/** The fields of every row, then those that only some rows have. */
export function fieldParts({ fields = [], otherFields = [] }: Command): string[] {
  return [fields.join(', '), ...otherFields.map((other) => `${other.when}: ${other.fields.join(', ')}`)];
}

function exampleText(examples: readonly Example[]): string {
  return `Examples:\n${examples.map(({ does, run }) => `  # ${does}\n  $ ${run}`).join('\n')}`;
}

/** `cct normalize [option...] [file...]` */
function usage(command: Command): string {
  const options = command.options.length + command.shared.length > 0 ? ' [option...]' : '';
  return `cct ${command.name}${options} ${operandWord(command)}`;
}

/** `[file...]`, `[name]`, `<shell>`, `[--] <command> [argument...]` */
export function operandWord({ operand }: Command): string {
  if (operand === undefined) return '[file...]';
  if (operand.isProgram) return `[--] <${operand.name}> [argument...]`;
  return operand.default === undefined ? `<${operand.name}>` : `[${operand.name}]`;
}

export const groupTitles: Readonly<Record<SharedGroup, string>> = {
  input: 'Input options',
  output: 'Output options',
  rows: 'Row options',
  time: 'Time options',
  privacy: 'Privacy options',
  general: 'General options',
};

/** The summary of a flag with its choices and default. */
export function optionMeaning({ summary, choices, default: value }: OptionSpec): string {
  const notes = [...(choices ? [choices.join(', ')] : []), ...(value === undefined ? [] : [`default ${value}`])];
  return notes.length === 0 ? summary : `${summary} (${notes.join('; ')})`;
}

/** A page of `cct help <topic>`. */
interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly Example[];
  readonly parts: Prose;
}

/** The first fields of every event, in this order. */
export const envelopeNames: readonly string[] = ['cct', 'seq', 'event', ...namesOf(object(envelope)).slice(2)];

/** Lists that the code knows. The texts have their names in braces. */
const lists: Readonly<Record<string, Definitions>> = {
  '{secrets}': Object.entries(secretKinds),
  '{stand-ins}': Object.entries(standInKinds),
  '{events}': eventNames().map((name) => [
    name,
    [events[name].means, Object.keys(events[name].fields).join(', ')].filter((text) => text !== '').join(': '),
  ]),
};

function topicOf({ name, summary, sections }: typeof inputText): Topic {
  const all = sections.flatMap(({ parts }) => parts);
  return {
    name,
    summary,
    examples: all.filter((part) => typeof part === 'object' && 'run' in part),
    parts: all.flatMap((part) => {
      if (typeof part === 'string') return [lists[part] ?? part.replace('{envelope}', envelopeNames.join(', '))];
      return 'run' in part ? [] : [part];
    }),
  };
}

/** The flags that commands share, once for all of them. */
const optionsTopic: Topic = {
  name: 'options',
  summary: 'the options that most commands have',
  examples: [
    { does: 'Follow the newest session of this directory', run: 'cct teams --last --follow' },
    {
      does: 'The five most expensive sessions since Monday',
      run: 'cct sessions --since 2026-11-16 --sort cost --limit 5',
    },
    { does: 'Rows for a spreadsheet', run: 'cct usage --by day --format csv --fields day,total_tokens,cost_usd runs' },
  ],
  parts: (['input', 'rows', 'output', 'time', 'privacy', 'general'] as const).flatMap((group) => [
    `${groupTitles[group]}:`,
    sharedOptions[group].map((spec) => [spec.flags, optionMeaning(spec)] as const),
  ]),
};

export const topics: readonly Topic[] = [
  optionsTopic,
  ...[inputText, eventsText, formatsText, secretsText, exitCodesText].map(topicOf),
];

function optionSection(heading: string, specs: readonly OptionSpec[], width: number): string | undefined {
  if (specs.length === 0) return undefined;
  return `${heading}:\n${definitions(
    specs.map((spec) => [spec.flags.startsWith('--') ? `    ${spec.flags}` : spec.flags, optionMeaning(spec)]),
    width,
  )}`;
}

export function operandEntries({ name, summary, choices, default: value, isProgram }: Operand): [string, string][] {
  if (isProgram) return [[name, summary]];
  return [[choices.join(', '), value === undefined ? summary : `${summary} (default ${value})`]];
}

function title(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function paragraphs(parts: readonly (string | undefined)[]): string {
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`;
}

/** What `cct help <topic>` prints. */
function topicHelp(topic: Topic, width: number): string {
  return paragraphs([
    `cct help ${topic.name}: ${topic.summary}`,
    exampleText(topic.examples),
    ...proseTexts(topic.parts, width),
  ]);
}

export function proseOf({ description }: Command): Prose {
  return typeof description === 'string' ? description.split('\n') : description;
}

function proseTexts(parts: Prose, width: number): string[] {
  return parts.map((part) => (typeof part === 'string' ? wrap(part, width) : definitions(part, width)));
}

/** What `cct help [word]` prints. */
export function helpFor(commands: readonly Command[], words: readonly string[], width: number): string {
  const [word, ...more] = words.filter((each) => each !== '-h' && each !== '--help');
  if (word === undefined) return overview(commands, width);
  if (more.length > 0) throw new UsageError(`help: expected one command or topic, but got '${more[0]}' too`);
  const command = commands.find(({ name }) => name === word);
  if (command !== undefined) return commandHelp(command, width);
  const topic = topics.find(({ name }) => name === word);
  if (topic !== undefined) return topicHelp(topic, width);
  const known = [...commands, ...topics].map(({ name }) => name);
  throw new UsageError(
    `help: no command or topic '${word}'; use one of ${known.join(', ')}${suggestion(word, known) || suggestion(synonymOf(word)?.split(' ')[0] ?? '', known)}`,
  );
}

/** Paragraphs of at most `width` columns, indented by `indent`. A line that begins with a space stays as it is. */
export function wrap(text: string, width: number, indent = ''): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith(' ') || line === '' ? `${indent}${line}`.trimEnd() : wrapLine(line, width, indent)))
    .join('\n');
}

/** Two columns: a term and its meaning, wrapped beside it or, if the term is long, below it. */
export function definitions(entries: Definitions, width: number): string {
  const terms = entries.map(([term]) => term.length).filter((length) => length <= longestBeside);
  const column = Math.max(...terms, 0) + 4;
  const indent = ' '.repeat(column);
  const lines = entries.map(([term, meaning]) => {
    const body = wrap(meaning, width, indent);
    return term.length <= longestBeside ? `  ${term.padEnd(column - 2)}${body.slice(column)}` : `  ${term}\n${body}`;
  });
  return lines.map((line) => line.trimEnd()).join('\n');
}

const longestBeside = 28;

function wrapLine(line: string, width: number, indent: string): string {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && indent.length + current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else {
      current = current === '' ? word : `${current} ${word}`;
    }
  }
  lines.push(current);
  return lines.map((each) => indent + each).join('\n');
}
