import { type EventName, envelope, eventNames, events } from '../../core/event/event.js';
import { eventParts, meaningOf } from '../../core/event/schema.js';
import { type Described, type Field, json, type Shape, text } from '../../core/record/describe.js';
import { released, version } from '../../version.js';
import type { Command, OptionSpec } from '../command.js';
import { sharedOptions } from '../flags.js';
import {
  fieldParts,
  firstExamples,
  groupTitles,
  operandEntries,
  operandWord,
  optionMeaning,
  tagline,
  wrap,
} from './help.js';
import {
  acceptedInput,
  anonymizing,
  type Definitions,
  drawnFormats,
  envelopeNames,
  exitCodes,
  formatList,
  inputPlaces,
  leavingOut,
  redacting,
  secretList,
  standInList,
} from './topics.js';

/** man/cct.1. `program` is an example that uses the library. */
export function overviewPage(commands: readonly Command[], program: string): string {
  return man(
    'cct(1)',
    'the teams, tasks, messages and costs in what Claude Code writes',
    section('SYNOPSIS', `${bold('cct')} \\fIcommand\\fR [\\fIoption...\\fR] [\\fIfile...\\fR]`),
    section('DESCRIPTION', prose(tagline), '.PP', prose(habit)),
    section('COMMANDS', ...commands.map(({ name, summary }) => tagged(`${bold(`cct-${name}`)}(1)`, prose(summary)))),
    section('INPUT', ...list(inputPlaces), '.PP', prose('These may be mixed freely:'), ...list(acceptedInput)),
    section('FORMATS', prose('Commands that print rows take --format:'), ...list(formatList)),
    section(
      'SECRETS',
      prose(redacting),
      ...list(secretList),
      '.PP',
      prose(anonymizing),
      ...list(standInList),
      '.PP',
      prose(leavingOut),
    ),
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
    `cct-${name}(1)`,
    summary,
    section('SYNOPSIS', synopsis(command)),
    section('DESCRIPTION', ...paragraphs([...description.split('\n'), kindMeanings[command.kind]])),
    operand && section('OPERAND', ...list(operandEntries(operand))),
    optionsSection('OPTIONS', options),
    ...shared.map((group) => optionsSection(groupTitles[group].toUpperCase(), sharedOptions[group])),
    fields &&
      section(
        'OUTPUT',
        ...paragraphs(fieldParts(command).map((part, at) => `${at === 0 ? 'The fields of a row: ' : ''}${part}.`)),
      ),
    section(
      'EXIT STATUS',
      ...list(
        command.exitCodes ?? (command.kind === 'text' ? exitCodes.filter(([code]) => textCodes.has(code)) : exitCodes),
      ),
    ),
    section('EXAMPLES', ...examples.map(({ does, run }) => example(does, run))),
    section('SEE ALSO', seeAlso(['cct(1)', ...others, ...topicPages])),
  );
}

/** man/cct-formats.7 */
export function formatsPage(rows: readonly Described[]): string {
  return man(
    'cct-formats(7)',
    'how cct writes rows, and what is in them',
    section('DESCRIPTION', ...paragraphs(formatsDescription)),
    section('FORMATS', ...list([...formatList, ...drawnFormats])),
    ...guarantees.map(([title, ...texts]) => section(title, ...paragraphs(texts))),
    section('ROWS', ...rows.map(rowEntry)),
    section('SEE ALSO', seeAlso([...rowPages, 'cct-events(7)'])),
  );
}

/** man/cct-events.7 */
export function eventsPage(): string {
  return man(
    'cct-events(7)',
    'what cct normalize writes, event by event',
    section('DESCRIPTION', ...paragraphs(eventsDescription)),
    section(
      'ENVELOPE',
      prose('Every event has these fields first, in this order:'),
      ...fieldList('event', pick({ ...envelope, event: text }, envelopeNames), eventParts),
      '.PP',
      prose('Its own fields follow, then raw: the record itself, with --raw, and always where the event is unknown.'),
    ),
    section('EVENTS', ...eventNames().map(eventEntry)),
    section(
      'PARTS',
      prose('What several events have in common:'),
      ...Object.entries(eventParts).map(([name, { fields }]) =>
        subsection(name, ...fieldList(name, fields, eventParts)),
      ),
    ),
    section('SEE ALSO', seeAlso(['cct(1)', 'cct-normalize(1)', 'cct-schema(1)', 'cct-formats(7)'])),
  );
}

const habit =
  'It is a set of filters: NDJSON in, NDJSON or tables out, data on stdout, everything else on stderr. It uses no network and no configuration, and writes no file but those of --state and --keep. Only run starts another program, the one it is given.';

const library =
  'What the commands use is a library too. This program starts a run, keeps what it says on stderr in a file, tells what its stdout means, and ends as the run did, with the last lines of stderr if it failed.';

const kindMeanings: Readonly<Record<Command['kind'], string>> = {
  map: 'It is a map: it writes while it reads.',
  fold: 'It is a fold: it reads everything, then writes what is true.',
  text: 'It reads no input.',
};

const environment: Definitions = [
  ['CCT_DEBUG', 'set to 1: a bug shows where it happened'],
  ['NO_COLOR', 'not empty: no colour. Only --color comes before it; the next three count in this order'],
  ['FORCE_COLOR', '1, 2 or 3: colour also where stdout is no terminal (16 colours, 256, all); 0: no colour'],
  ['CLICOLOR_FORCE', 'neither empty nor 0: colour also where stdout is no terminal'],
  ['CLICOLOR', '0: no colour'],
  ['TZ', 'the zone of --timezone local'],
  ['TERM', 'dumb: no colour, and nothing is drawn in place'],
  ['COLUMNS', 'width of tables and pictures where stdout is no terminal'],
  ['LINES', 'height of pictures where stdout is no terminal'],
  ['LC_ALL, LC_CTYPE, LANG', 'another charset than UTF-8: pictures are drawn with signs every terminal has'],
];

const textCodes = new Set(['0', '2', '70']);

const formatsDescription = [
  'Commands that print rows take --format. Without it they print a table on a terminal and NDJSON otherwise.',
  '--fields chooses and orders the columns in every format; without it a table shows the columns that tell most, and every other format shows all.',
  'In a table, a column that is empty or the same in every row is left out, and the line above says what it said. Models lose claude- and their date, long ids are shown by their first characters, unless two of them would then look the same. Times are in --timezone, which the line above or the title names. A dash is what is not known. Before money, ≥ means at least and ~ a guess. What does not fit is left out, which … in the header says, or cut, which … in a cell says.',
];

const guarantees: readonly (readonly [title: string, ...texts: string[]])[] = [
  [
    'NDJSON',
    'The interface. One JSON object a line, in UTF-8, each line ended by a line feed. Fields and values are only ever added, so read by name and let pass what you do not know. Every row has every field: null where nothing is known, an empty list where there is nothing.',
    'Times are ISO 8601 in UTC, durations milliseconds, money dollars. Ids are strings, also where they look like numbers. The same input gives the same bytes.',
    'With --watch a row is written again whenever it changed, and the last one counts. On a terminal, characters that could act on it are written as escapes, which JSON reads as the same text.',
  ],
  [
    'CSV',
    'As in RFC 4180, with a header, but lines end in a line feed alone. Lists are joined by semicolons, objects are compact JSON, members is a number, null is an empty cell. What a spreadsheet would take for a formula (a cell, or a part of one behind a semicolon or a tab, that begins with =, +, - or @ and is no number) has an apostrophe before it; so has a line in a cell that begins with = or @. Control characters and others that do not show are spelled out, such as \\x1b.',
  ],
  [
    'TSV',
    'As CSV, apostrophes included, but nothing is quoted: in a cell a tab is \\t, a line feed \\n, a carriage return \\r and a backslash \\\\, so that a row is a line and a cell is what stands between tabs.',
  ],
  [
    'MARKDOWN',
    'A table as GitHub reads it, with a total where a table has one, and money rounded as there. Whatever a cell says is shown as it is: markup, links and HTML in it are escaped, and line ends are <br>.',
  ],
];

const eventsDescription = [
  'cct normalize writes one event a line, as a JSON object. Every other command reads events as well as the records they were made from, and says the same of both.',
  'Fields are only ever added. A field that is not known is null, and never absent unless it says so here. Records of a kind cct does not know become events named unknown.',
  'A call changes something only when it came back without an error: team, task and message events stand where the result is, and name the call in tool_use_id.',
];

function synopsis(command: Command): string {
  const { name, options, shared } = command;
  const flags = options.length + shared.length > 0 ? ' [\\fIoption...\\fR]' : '';
  return `${bold(`cct ${name}`)}${flags} ${operandWord(command)
    .replace(/[\w.]+/g, '\\fI$&\\fR')
    .replace('--', '\\-\\-')
    .replace(/[<>]/g, '')}`;
}

function optionsSection(title: string, specs: readonly OptionSpec[]): string | undefined {
  if (specs.length === 0) return undefined;
  return section(title, ...specs.map((spec) => tagged(flags(spec), prose(optionMeaning(spec)))));
}

/** `-f, --format <format>` with the flags in bold and the value in italics. */
function flags(spec: OptionSpec): string {
  return spec.flags
    .split(/(<[^>]*>)/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('<') ? `\\fI${literal(part.slice(1, -1))}\\fR` : bold(part)))
    .join('');
}

function list(entries: Definitions): string[] {
  return entries.map(([term, meaning]) => tagged(bold(term), prose(meaning)));
}

function example(does: string, run: string): string {
  const text = run.split('\n').map((line) => literal(line === '' ? '' : `    ${line}`));
  return lines(prose(does), '.PP', '.EX', ...text, '.EE', '.PP');
}

/** `cct(1)`, with its name in bold. */
function seeAlso(pages: readonly string[]): string {
  return pages.map((page) => page.replace(/^[^(]+/, bold)).join(',\n');
}

const rowPages = ['cct(1)', 'cct-messages(1)', 'cct-schema(1)', 'cct-tasks(1)', 'cct-teams(1)', 'cct-usage(1)'];
const topicPages = ['cct-events(7)', 'cct-formats(7)'];

function rowEntry({ title, means, shapes }: Described): string {
  return subsection(
    title,
    prose(sentence(means)),
    ...shapes.flatMap((shape, at) => [
      ...(shapes.length === 1 ? [] : ['.PP', prose(shapeWords(shape, at))]),
      ...fieldList(title, shape.fields),
    ]),
  );
}

/** The words that distinguish one of several shapes. */
function shapeWords({ means }: Field, at: number): string {
  if (means !== undefined) return sentence(means);
  return at === 0 ? 'Either:' : 'Or:';
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function pick(shape: Shape, names: readonly string[]): Shape {
  return Object.fromEntries(names.map((name) => [name, shape[name] ?? json]));
}

function eventEntry(name: EventName): string {
  const { means = '', fields } = events[name];
  return subsection(name, prose(sentence(means)), ...fieldList(name, fields, eventParts));
}

/** `name (type)` and its meaning, for every field of `owner` and, one level down, of its objects. `parts` are left out. */
function fieldList(owner: string, fields: Shape = {}, parts: Shape = {}): string[] {
  return fieldsOf(owner, fields, parts).map(({ name, type, meaning }) =>
    tagged(`${bold(name)} (${literal(type)})`, prose(meaning)),
  );
}

function paragraphs(texts: readonly string[]): string[] {
  return texts.flatMap((text, at) => (at === 0 ? [prose(text)] : ['.PP', prose(text)]));
}

interface FieldEntry {
  /** `worktree.path` is the field `path` of `worktree`. */
  readonly name: string;
  readonly type: string;
  readonly meaning: string;
}

export function fieldsOf(owner: string, fields: Shape, parts: Shape, depth = 1): FieldEntry[] {
  return Object.entries(fields).flatMap(([name, field]) => [
    {
      name,
      type: `${typeOf(field, parts)}${field.kind === 'optional' ? ', not always there' : ''}`,
      meaning: field.means ?? meaningOf(owner, name) ?? '',
    },
    ...(depth === 0 ? [] : fieldsOf(`${owner}.${name}`, fieldsIn(field, parts), parts, depth - 1)).map((part) => ({
      ...part,
      name: `${name}.${part.name}`,
    })),
  ]);
}

/** The fields of an object that is neither a part nor a whole row. */
function fieldsIn(field: Field, parts: Shape): Shape {
  if (field.kind === 'orNull' && field.of !== undefined) return fieldsIn(field.of, parts);
  const { fields = {} } = field;
  return partName(field, parts) !== undefined || Object.keys(fields).length > mostFields ? {} : fields;
}

const mostFields = 20;

/** The type of a value in words: `string or null`, `list of strings`, `active, idle or null`. */
export function typeOf(field: Field, parts: Shape): string {
  return either(typesOf(field, parts));
}

function typesOf(field: Field, parts: Shape): string[] {
  const { kind, values = [], of = json } = field;
  switch (kind) {
    case 'exactly':
    case 'oneOf':
      return values.map(String);
    case 'list':
      return [`list of ${plural(typeOf(of, parts))}`];
    case 'map':
      return [of.kind === 'json' ? 'object' : `object of ${plural(typeOf(of, parts))}`];
    case 'orNull':
      return [...typesOf(of, parts), 'null'];
    case 'optional':
      return typesOf(of, parts);
    default:
      return [partName(field, parts) ?? plainTypes[kind]];
  }
}

const plainTypes = { text: 'string', number: 'number', flag: 'boolean', json: 'anything', object: 'object' };

function partName(field: Field, parts: Shape): string | undefined {
  return Object.entries(parts).find(([, part]) => part === field)?.[0];
}

function plural(type: string): string {
  return ['string', 'number', 'boolean', 'object'].includes(type) ? `${type}s` : type;
}

/** `a, b or c` */
function either(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** The page `cct-teams(1)` and its subject. Undefined sections are left out. */
export function man(page: string, about: string, ...sections: (string | undefined)[]): string {
  const [name = '', part] = page.split(/[()]/);
  return `${lines(
    '.\\" Made from the source by test/man.test.ts; do not edit.',
    `.TH ${literal(name.toUpperCase())} ${part} "${released}" "cct ${version}" "cct manual"`,
    section('NAME', `${literal(name)} \\- ${literal(about)}`),
    ...sections,
  )}\n`;
}

export function section(title: string, ...parts: string[]): string {
  // A paragraph break before the end or before another heading has no effect, and mandoc warns about it.
  return `.SH ${title}\n${lines(...parts)}`.replace(/(\n\.PP)+$/, '');
}

function subsection(title: string, ...parts: string[]): string {
  return `.SS ${literal(title)}\n${lines(...parts)}`;
}

export function tagged(term: string, body: string): string {
  return lines('.TP', term, body);
}

function lines(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join('\n');
}

export function bold(text: string): string {
  return `\\fB${literal(text)}\\fR`;
}

/** A paragraph. Each sentence begins on a new line. */
export function prose(text: string): string {
  const sentences = text.split(/(?<=[.?!]) /).map((sentence) => wrap(literal(sentence), longestLine));
  return sentences.join('\n').split('\n').map(guarded).join('\n');
}

const longestLine = 79;

/** Text that roff prints unchanged. */
export function literal(text: string): string {
  return guarded(
    text
      .replaceAll('\\', '\\e')
      .replaceAll('-', '\\-')
      .replaceAll("'", '\\(aq')
      .replaceAll('"', '\\(dq')
      .replaceAll('’', '\\(cq')
      .replaceAll('≥', '\\(>=')
      .replaceAll('…', '...'),
  );
}

/** A dot at the beginning of a line would be a roff request. */
function guarded(line: string): string {
  return line.startsWith('.') ? `\\&${line}` : line;
}
