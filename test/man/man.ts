import { page as fleet } from '../../man/text/fleet.md';
import type { Command, Definitions, Example, OptionSpec, Prose } from '../../src/cli/command.js';
import {
  envelopeNames,
  fieldParts,
  firstExamples,
  groupTitles,
  operandEntries,
  operandWord,
  optionMeaning,
  proseOf,
  tagline,
  topics,
  wrap,
} from '../../src/cli/docs/help.js';
import { longFlag, sharedOptions } from '../../src/cli/flags/flags.js';
import { type EventName, envelope, eventNames, events } from '../../src/core/event/event.js';
import { eventParts, meaningOf } from '../../src/core/event/schema.js';
import { type Described, type Field, json, type Shape, text } from '../../src/core/record/describe.js';
import { released, version } from '../../src/version.js';
import { formatNames } from '../../src/view/formats.js';

const [inputPlaces = [], acceptedInput = []] = listsOf('input');
const [formats = []] = listsOf('formats');
const [exitCodes = []] = listsOf('exit-codes');

const groups = ['input', 'output', 'rows', 'time', 'privacy', 'general'] as const;

function partsOf(topic: string): Prose {
  return topics.find(({ name }) => name === topic)?.parts ?? [];
}

function listsOf(topic: string): readonly Definitions[] {
  return partsOf(topic).filter((part) => typeof part !== 'string');
}

/** man/cct.1. `program` is an example that uses the library. */
export function overviewPage(commands: readonly Command[], program: string): string {
  return man(
    'cct(1)',
    'show teams, tasks, messages and costs of Claude Code runs',
    section('SYNOPSIS', `${bold('cct')} \\fIcommand\\fR [\\fIoption...\\fR] [\\fIfile...\\fR]`),
    section('DESCRIPTION', prose(tagline), '.PP', prose(habit)),
    section('COMMANDS', ...commands.map(({ name, summary }) => tagged(`${bold(`cct-${name}`)}(1)`, prose(summary)))),
    section(
      'OPTIONS',
      prose('The page of a command lists its own options, and which of these it has.'),
      ...groups.map((group) => subsection(groupTitles[group], ...optionEntries(sharedOptions[group]))),
    ),
    section('INPUT', ...list(inputPlaces), '.PP', prose('You can mix all of these:'), ...list(acceptedInput)),
    section(
      'FORMATS',
      prose('Commands that print rows take --format:'),
      ...list(formats.filter(([name]) => isFormat(name))),
    ),
    section('SECRETS', ...paragraphs(partsOf('secrets'))),
    section('EXIT STATUS', ...list(exitCodes)),
    section('ENVIRONMENT', ...list(environment)),
    section('EXAMPLES', ...firstExamples.map(({ does, run }) => example(does, run))),
    section('LIBRARY', example(library, program.trimEnd())),
    section('SEE ALSO', seeAlso([...commands.map(({ name }) => `cct-${name}(1)`), ...topicPages])),
  );
}

/** man/cct-<command>.1 */
export function commandPage(command: Command): string {
  const { name, summary, operand, options, shared, fields, examples } = command;
  return man(
    `cct-${name}(1)`,
    summary,
    section('SYNOPSIS', synopsis(command)),
    section('DESCRIPTION', ...paragraphs([...proseOf(command), kindMeanings[command.kind]])),
    operand && section('OPERAND', ...list(operandEntries(operand))),
    optionsSection('OPTIONS', options),
    shared.length === 0
      ? undefined
      : section('COMMON OPTIONS', prose(`cct(1) explains these: ${commonFlags(command)}.`)),
    fields &&
      section(
        'OUTPUT',
        ...paragraphs(fieldParts(command).map((part, at) => `${at === 0 ? 'Fields of a row: ' : ''}${part}.`)),
      ),
    section('EXIT STATUS', ...(command.exitCodes === undefined ? [prose('As in cct(1).')] : list(command.exitCodes))),
    section('EXAMPLES', ...examples.map(({ does, run }) => example(does, run))),
    section('SEE ALSO', seeAlso(['cct(1)', ...topicPages])),
  );
}

/** The flags that it shares with others and does not describe itself. */
function commonFlags({ options, shared }: Command): string {
  const own = new Set(options.map(longFlag));
  const specs = shared.flatMap((group) => sharedOptions[group]).filter((spec) => !own.has(longFlag(spec)));
  return specs.map(longFlag).join(', ');
}

/** man/cct-formats.7 */
export function formatsPage(rows: readonly Described[]): string {
  return man(
    'cct-formats(7)',
    'the output formats of cct, and the fields of its rows',
    section('DESCRIPTION', ...paragraphs(formatsDescription)),
    section('FORMATS', ...list(formats)),
    ...guarantees.map(([title, ...texts]) => section(title, ...paragraphs(texts))),
    section('ROWS', ...rows.map(rowEntry)),
    section('SEE ALSO', seeAlso([...rowPages, 'cct-events(7)'])),
  );
}

/** man/cct-events.7 */
export function eventsPage(): string {
  return man(
    'cct-events(7)',
    'the events that cct normalize prints',
    section('DESCRIPTION', ...paragraphs(eventsDescription)),
    section(
      'ENVELOPE',
      prose('Every event starts with these fields, in this order:'),
      ...fieldList('event', pick({ ...envelope, event: text }, envelopeNames), eventParts),
      '.PP',
      prose(
        'The fields of the event follow. With --raw the record itself comes last, as raw. An unknown event always has it.',
      ),
    ),
    section('EVENTS', ...eventNames().map(eventEntry)),
    section(
      'PARTS',
      prose('Objects that several events share:'),
      ...Object.entries(eventParts).map(([name, { fields }]) =>
        subsection(name, ...fieldList(name, fields, eventParts)),
      ),
    ),
    section('SEE ALSO', seeAlso(['cct(1)', 'cct-normalize(1)', 'cct-schema(1)', 'cct-formats(7)'])),
  );
}

/** man/cct-fleet.7. `tables` are the names of all tables, `views` those of `cct schema --sql` with what they mean. */
export function fleetPage(tables: readonly string[], views: Definitions): string {
  return man(
    'cct-fleet(7)',
    fleet.summary,
    ...fleet.sections.map(({ title, parts }) =>
      section(title, ...paragraphs(parts.map((part) => (part === '{views}' ? views : withTables(part, tables))))),
    ),
    section(
      'SEE ALSO',
      seeAlso([
        'cct(1)',
        'cct-usage(1)',
        'cct-schema(1)',
        'cct-formats(7)',
        'parallel(1)',
        'xargs(1)',
        'ssh_config(5)',
      ]),
    ),
  );
}

function withTables(part: Prose[number] | Example, tables: readonly string[]): Prose[number] | Example {
  return typeof part === 'object' && 'run' in part ? { ...part, run: namingTables(part.run, tables) } : part;
}

/** A command of cct-fleet(7) with the names of all tables, six on a line. */
export function namingTables(run: string, tables: readonly string[]): string {
  return run.replace('{tables}', tables.map((name, at) => (at > 0 && at % 6 === 0 ? `\\\n  ${name}` : name)).join(' '));
}

function isFormat(name: string): boolean {
  return formatNames.some((known) => known === name);
}

const habit =
  'cct is a set of filters. They read NDJSON and print NDJSON or tables. Data goes to stdout, everything else to stderr. log, messages, normalize, replay and run print as they read; the others print at the end of the input, and those with --watch also on every change. At a terminal without files, cct reads the sessions of Claude Code on this machine. cct uses no network and no configuration. It writes no files except those of --state, --keep and report --output. It starts no program, with two exceptions: run starts the command that you give it, and report --browse opens a browser.';

const library =
  'The commands are built on a library that you can use too. The program below starts a run, saves its stderr to a file, prints the events of its stdout, and exits with the code of the run. If the run failed, it also prints the last lines of stderr.';

const kindMeanings: Readonly<Record<Command['kind'], string>> = {
  map: 'This command prints as it reads.',
  fold: 'This command reads all of its input before it prints.',
  text: 'This command reads no input.',
};

const environment: Definitions = [
  [
    'CLAUDE_CONFIG_DIR',
    'where Claude Code keeps its sessions, for --last and for commands at a terminal without files; default ~/.claude',
  ],
  ['TRACEPARENT', 'cct run notes the trace it belongs to; trace --parent takes it, too'],
  ['CCT_DEBUG', '1: print a stack trace if cct has a bug'],
  [
    'NO_COLOR',
    'not empty: no colour, unless --color says otherwise. Of NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE and CLICOLOR, the first that is set decides',
  ],
  [
    'FORCE_COLOR',
    '1, 2 or 3: colour even if stdout is not a terminal (16 colours, 256 colours, true colour); 0: no colour',
  ],
  ['CLICOLOR_FORCE', 'not empty and not 0: colour even if stdout is not a terminal'],
  ['CLICOLOR', '0: no colour'],
  ['COLORTERM', 'truecolor or 24bit: the terminal can show all colours'],
  ['TZ', 'the time zone of a terminal, and of --timezone local'],
  ['TERM', 'dumb: no colour and no live view'],
  ['COLUMNS', 'width of tables and the live view if stdout is not a terminal'],
  ['LINES', 'height of the live view if stdout is not a terminal'],
  ['LC_ALL, LC_CTYPE, LANG', 'a character set other than UTF-8: tables and the live view use ASCII symbols'],
];

const formatsDescription = [
  'Commands that print rows have a --format option. The default is a table on a terminal and NDJSON everywhere else.',
  '--fields selects and orders the columns in every format. Without it, a table shows the most useful columns and all other formats show every field.',
  'To save space, a table leaves out a column that is empty or has the same value in every row. The line above the table then shows that value. Model names lose claude- and their date, and long ids are cut to their first characters, unless two of them would then look the same.',
  'Times are shown in the time zone of --timezone, which the line above or the column title names. A dash means unknown. Before an amount of money, ≥ means at least and ~ means a guess. The line below the table names columns that do not fit; a cell that does not fit is cut and ends in ….',
];

const guarantees: readonly (readonly [title: string, ...texts: string[]])[] = [
  [
    'NDJSON',
    'NDJSON is the interface for programs. It has one JSON object per line, in UTF-8, and each line ends in a line feed. New versions only add fields and values, so read fields by name and ignore those you do not know. Every row has every field: null if the value is unknown, an empty list if there is nothing.',
    'Times are ISO 8601 in UTC, durations are milliseconds, money is US dollars. Ids are strings, even if they look like numbers. The same input always gives the same bytes.',
    'With --watch a row is printed again whenever it changes; the last one counts. On a terminal, control characters are printed as JSON escapes, which stand for the same text.',
  ],
  [
    'CSV',
    'CSV follows RFC 4180 and has a header, but lines end in a line feed only. Lists are joined with semicolons, objects are compact JSON, members is a number, and null is an empty cell.',
    'A spreadsheet could take some texts for formulas. They get an apostrophe in front: a cell that starts with =, +, - or @ and is not a number, the same after a semicolon or a tab inside a cell, and a line inside a cell that starts with = or @. Control characters and other invisible characters are spelled out, such as \\x1b.',
  ],
  [
    'TSV',
    'TSV is like CSV, apostrophes included, but nothing is quoted. In a cell a tab is \\t, a line feed \\n, a carriage return \\r and a backslash \\\\. So every row is one line, and tabs only separate cells.',
  ],
  [
    'MARKDOWN',
    'A table in GitHub Markdown. It has a total and rounded money where the plain table has them. Cells are shown literally: markup, links and HTML in them are escaped, and line ends become <br>.',
  ],
];

const eventsDescription = [
  'cct normalize prints one event per line, as a JSON object. All other commands read these events as well as the original records, and give the same answer for both.',
  'New versions only add fields. A field whose value is unknown is null; it is missing only if this page says so. A record that cct does not know becomes an event named unknown.',
  'A call has an effect only if it returned without an error. So team, task and message events come at the place of the result, with the id of the call in tool_use_id.',
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
  return section(title, ...optionEntries(specs));
}

function optionEntries(specs: readonly OptionSpec[]): string[] {
  return specs.map((spec) => tagged(flags(spec), prose(optionMeaning(spec))));
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
const topicPages = ['cct-events(7)', 'cct-fleet(7)', 'cct-formats(7)'];

function rowEntry({ title, means, shapes }: Described): string {
  const told = new Set<string>();
  const news = (shape: Shape = {}) => {
    const entries = fieldList(title, shape);
    const others = entries.filter((entry) => !told.has(entry));
    for (const entry of entries) told.add(entry);
    return others.length < entries.length ? [prose('Besides fields of the same name and meaning:'), ...others] : others;
  };
  return subsection(
    title,
    prose(sentence(means)),
    ...shapes.flatMap((shape, at) => [
      ...(shapes.length === 1 ? [] : ['.PP', prose(shapeWords(shape, at))]),
      ...news(shape.fields),
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

function paragraphs(parts: readonly (Prose[number] | Example)[]): string[] {
  return parts.flatMap((part, at) => {
    if (typeof part !== 'string' && !('run' in part)) return list(part);
    const text = typeof part === 'string' ? prose(part) : example(part.does, part.run);
    return at === 0 ? [text] : ['.PP', text];
  });
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
      type: `${typeOf(field, parts)}${field.kind === 'optional' ? ', may be missing' : ''}`,
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

const mostFields = 24;

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
  // A paragraph break before another one, a list or the end has no effect, and mandoc warns about it.
  return `.SH ${title}\n${lines(...parts)}`.replace(/(\n\.PP)+(?=\n\.(?:PP|TP)\n|$)/g, '');
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
