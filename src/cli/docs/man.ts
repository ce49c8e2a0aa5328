import { released, version } from '../../version.js';
import type { Command, OptionSpec } from '../command.js';
import { sharedOptions } from '../flags.js';
import { firstExamples, groupTitles, operandEntries, operandWord, optionMeaning, tagline, wrap } from './help.js';
import { acceptedInput, exitCodes, formatList, redacting, secretList } from './topics.js';

/** man/cct.1. `program` is one that uses the library. */
export function overviewPage(commands: readonly Command[], program: string): string {
  return man(
    { name: 'cct', released, version },
    section(
      'NAME',
      `${literal('cct')} \\- ${literal('the teams, tasks, messages and costs in what Claude Code writes')}`,
    ),
    section('SYNOPSIS', `${bold('cct')} \\fIcommand\\fR [\\fIoption...\\fR] [\\fIfile...\\fR]`),
    section('DESCRIPTION', prose(tagline), '.PP', prose(habit)),
    section('COMMANDS', ...commands.map(({ name, summary }) => tagged(`${bold(`cct-${name}`)}(1)`, prose(summary)))),
    section(
      'INPUT',
      prose('A file is given by name; - or no file is stdin. These may be mixed freely:'),
      ...list(acceptedInput),
    ),
    section('FORMATS', prose('Commands that print rows take --format:'), ...list(formatList)),
    section('SECRETS', prose(redacting), ...list(secretList)),
    section('EXIT STATUS', ...list(exitCodes)),
    section('ENVIRONMENT', ...list(environment)),
    section('EXAMPLES', ...firstExamples.map(({ does, run }) => example(does, run))),
    section('LIBRARY', example(library, program.trimEnd())),
    section('SEE ALSO', seeAlso([...commands.map(({ name }) => `cct-${name}(1)`), ...topicPages])),
  );
}

/** man/cct-<command>.1 */
export function commandPage(command: Command, commands: readonly Command[]): string {
  const { name, summary, description, operand, options, shared, fields, examples } = command;
  const others = commands.filter((other) => other.name !== name).map((other) => `cct-${other.name}(1)`);
  return man(
    { name: `cct-${name}`, released, version },
    section('NAME', `${literal(`cct-${name}`)} \\- ${literal(summary)}`),
    section('SYNOPSIS', synopsis(command)),
    section('DESCRIPTION', prose(description), '.PP', prose(kindMeanings[command.kind])),
    operand && section('OPERAND', ...list(operandEntries(operand))),
    optionsSection('OPTIONS', options),
    ...shared.map((group) => optionsSection(groupTitles[group].toUpperCase(), sharedOptions[group])),
    fields && section('OUTPUT', prose(`The fields of a row: ${fields.join(', ')}.`)),
    section(
      'EXIT STATUS',
      ...list(command.kind === 'text' ? exitCodes.filter(([code]) => textCodes.has(code)) : exitCodes),
    ),
    section('EXAMPLES', ...examples.map(({ does, run }) => example(does, run))),
    section('SEE ALSO', seeAlso(['cct(1)', ...others, ...topicPages])),
  );
}

const habit =
  'It is a set of filters: NDJSON in, NDJSON or tables out, data on stdout, everything else on stderr. It uses no network and no configuration, and writes no file but that of --state.';

const library =
  'What the commands use is a library too. This program starts a run, keeps what it says on stderr in a file, tells what its stdout means, and ends as the run did, with the last lines of stderr if it failed.';

const kindMeanings: Readonly<Record<Command['kind'], string>> = {
  map: 'It is a map: it writes while it reads.',
  fold: 'It is a fold: it reads everything, then writes what is true.',
  text: 'It reads no input.',
};

const environment: readonly (readonly [string, string])[] = [
  ['CCT_DEBUG', 'set to 1: a bug shows where it happened'],
  ['NO_COLOR', 'not empty: no colour'],
  ['FORCE_COLOR', 'colour even where stdout is no terminal'],
  ['TERM', 'dumb: no colour, and nothing is drawn in place'],
  ['COLUMNS', 'width of tables and pictures where stdout is no terminal'],
  ['LINES', 'height of pictures where stdout is no terminal'],
  ['LC_ALL, LC_CTYPE, LANG', 'another charset than UTF-8: pictures are drawn with signs every terminal has'],
];

const textCodes = new Set(['0', '2', '70']);

function synopsis(command: Command): string {
  const { name, options, shared } = command;
  const flags = options.length + shared.length > 0 ? ' [\\fIoption...\\fR]' : '';
  return `${bold(`cct ${name}`)}${flags} ${operandWord(command)
    .replace(/[\w.]+/, '\\fI$&\\fR')
    .replace(/[<>]/g, '')}`;
}

function optionsSection(title: string, specs: readonly OptionSpec[]): string | undefined {
  const shown = specs.filter((spec) => spec.hidden !== true);
  if (shown.length === 0) return undefined;
  return section(title, ...shown.map((spec) => tagged(flags(spec), prose(optionMeaning(spec)))));
}

/** `-f, --format <format>` with the flags in bold and the value in italics. */
function flags(spec: OptionSpec): string {
  return spec.flags
    .split(/(<[^>]*>)/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('<') ? `\\fI${literal(part.slice(1, -1))}\\fR` : bold(part)))
    .join('');
}

function list(entries: readonly (readonly [string, string])[]): string[] {
  return entries.map(([term, meaning]) => tagged(bold(term), prose(meaning)));
}

function example(does: string, run: string): string {
  const text = run.split('\n').map((line) => literal(line === '' ? '' : `    ${line}`));
  return lines(prose(does), '.PP', '.EX', ...text, '.EE', '.PP');
}

/** `cct(1)`, with its name in bold. */
export function seeAlso(pages: readonly string[]): string {
  return pages.map((page) => page.replace(/^[^(]+/, bold)).join(',\n');
}

const topicPages = ['cct-events(7)', 'cct-formats(7)'];

/** A man page; sections that are undefined are left out. */
export function man(
  page: { name: string; part?: 1 | 7; released: string; version: string },
  ...sections: (string | undefined)[]
): string {
  const title = literal(page.name.toUpperCase());
  const head = `.TH ${title} ${page.part ?? 1} "${page.released}" "cct ${page.version}" "cct manual"`;
  return `${lines('.\\" Made from the source by test/man.test.ts; do not edit.', head, ...sections)}\n`;
}

export function section(title: string, ...parts: string[]): string {
  // Where a paragraph break stands before the end or another heading it would mean nothing, and mandoc says so.
  return `.SH ${title}\n${lines(...parts)}`.replace(/(\n\.PP)+$/, '');
}

export function subsection(title: string, ...parts: string[]): string {
  return `.SS ${literal(title)}\n${lines(...parts)}`;
}

export function tagged(term: string, body: string): string {
  return lines('.TP', term, body);
}

export function lines(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join('\n');
}

export function bold(text: string): string {
  return `\\fB${literal(text)}\\fR`;
}

/** A paragraph: every sentence on a line of its own, or on several. */
export function prose(text: string): string {
  const sentences = text.split(/(?<=[.?!]) /).map((sentence) => wrap(literal(sentence), longestLine));
  return sentences.join('\n').split('\n').map(guarded).join('\n');
}

const longestLine = 79;

/** Text that roff prints as it is. */
export function literal(text: string): string {
  return guarded(
    text
      .replaceAll('\\', '\\e')
      .replaceAll('-', '\\-')
      .replaceAll("'", '\\(aq')
      .replaceAll('"', '\\(dq')
      .replaceAll('’', '\\(cq')
      .replaceAll('…', '...'),
  );
}

/** A dot at the beginning of a line would be a request. */
function guarded(line: string): string {
  return line.startsWith('.') ? `\\&${line}` : line;
}
