import { events as described, isEventName } from '../../core/event/event.js';
import { released, version } from '../../version.js';
import { envelope } from './events.js';
import { bold, literal, man, prose, section, seeAlso, subsection, tagged } from './man.js';
import { drawnFormats, formatList } from './topics.js';

/** man/cct-formats.7, from what `cct schema` prints of everything but events. */
export function formatsPage(schemas: readonly JsonSchema[]): string {
  return man(
    { name: 'cct-formats', part: 7, released, version },
    section('NAME', `${literal('cct-formats')} \\- ${literal('how cct writes rows, and what is in them')}`),
    section('DESCRIPTION', ...paragraphs(formatsDescription)),
    section(
      'FORMATS',
      ...[...formatList, ...drawnFormats].map(([name, meaning]) => tagged(bold(name), prose(meaning))),
    ),
    ...guarantees.map(([title, ...texts]) => section(title, ...paragraphs(texts))),
    section('ROWS', ...schemas.map(rowEntry)),
    section(
      'SEE ALSO',
      seeAlso([
        'cct(1)',
        'cct-messages(1)',
        'cct-schema(1)',
        'cct-tasks(1)',
        'cct-teams(1)',
        'cct-usage(1)',
        'cct-events(7)',
      ]),
    ),
  );
}

const formatsDescription = [
  'Commands that print rows take --format. Without it they print a table on a terminal and NDJSON otherwise.',
  '--fields chooses and orders the columns in every format; without it a table shows the columns that tell most, and every other format shows all.',
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
    'As in RFC 4180, with a header, but lines end in a line feed alone. Lists are joined by semicolons, objects are compact JSON, members is a number, null is an empty cell. A cell that a spreadsheet would take for a formula (it begins with =, +, - or @ and is no number) has an apostrophe before it. Control characters and others that do not show are spelled out, such as \\x1b.',
  ],
  [
    'TSV',
    'As CSV, but nothing is quoted: in a cell a tab is \\t, a line feed \\n, a carriage return \\r and a backslash \\\\, so that a row is a line and a cell is what stands between tabs.',
  ],
  [
    'MARKDOWN',
    'A table as GitHub reads it. Whatever a cell says is shown as it is: markup, links and HTML in it are escaped, and line ends are <br>.',
  ],
];

function rowEntry(schema: JsonSchema): string {
  const shapes = schema.anyOf ?? [schema];
  return subsection(
    schema.title ?? '',
    prose(sentence(schema.description ?? '')),
    ...shapes.flatMap((shape, at) => [...shapeWords(shape, schema, at), ...fieldList(fieldsOf(shape))]),
  );
}

/** What sets one of several shapes apart from the others. */
function shapeWords(shape: JsonSchema, schema: JsonSchema, at: number): string[] {
  if (shape === schema) return [];
  const words = shape.description === undefined ? (at === 0 ? 'Either:' : 'Or:') : sentence(shape.description);
  return ['.PP', prose(words)];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** man/cct-events.7, from what `cct schema event` prints. */
export function eventsPage(schema: JsonSchema): string {
  const definitions = Object.entries(schema.$defs ?? {});
  const events = definitions.filter(([name]) => isEventName(name));
  const parts = definitions.filter(([name]) => !isEventName(name));
  return man(
    { name: 'cct-events', part: 7, released, version },
    section('NAME', `${literal('cct-events')} \\- ${literal('what cct normalize writes, event by event')}`),
    section('DESCRIPTION', ...paragraphs(eventsDescription)),
    section(
      'ENVELOPE',
      prose('Every event has these fields first, in this order:'),
      ...fieldList(envelopeFields(events[0]?.[1] ?? {})),
      '.PP',
      prose('Its own fields follow, then raw: the record itself, with --raw, and always where the event is unknown.'),
    ),
    section('EVENTS', ...events.map(([name, event]) => eventEntry(name, event))),
    section(
      'PARTS',
      prose('What several events have in common:'),
      ...parts.map(([name, part]) => subsection(name, ...fieldList(fieldsOf(part)))),
    ),
    section('SEE ALSO', seeAlso(['cct(1)', 'cct-normalize(1)', 'cct-schema(1)', 'cct-formats(7)'])),
  );
}

const eventsDescription = [
  'cct normalize writes one event a line, as a JSON object. Every other command reads events as well as the records they were made from, and says the same of both.',
  'Fields are only ever added. A field that is not known is null, and never absent unless it says so here. Records of a kind cct does not know become events named unknown.',
  'A call changes something only when it came back without an error: team, task and message events stand where the result is, and name the call in tool_use_id.',
];

/** `- name (type)` with what it means, for a list of fields. */
export function fieldList(fields: readonly Field[]): string[] {
  return fields.map(({ name, type, meaning }) => tagged(`${bold(name)} (${literal(type)})`, prose(meaning)));
}

export function paragraphs(texts: readonly string[]): string[] {
  return texts.flatMap((text, at) => (at === 0 ? [prose(text)] : ['.PP', prose(text)]));
}

/** As any event has them; the name is not always that of this one. */
function envelopeFields(event: JsonSchema): Field[] {
  const fields = fieldsOf(event).filter(({ name }) => envelope.includes(name));
  const inOrder = fields.sort((a, b) => envelope.indexOf(a.name) - envelope.indexOf(b.name));
  return inOrder.map((field) => (field.name === 'event' ? { ...field, type: 'string' } : field));
}

function eventEntry(name: string, event: JsonSchema): string {
  const own = fieldsOf(event).filter((field) => field.name !== 'raw' && !envelope.includes(field.name));
  const when = isEventName(name) ? (described[name].means ?? '') : '';
  return subsection(name, prose(eventSentence(when)), ...fieldList(own));
}

function eventSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** As much of JSON Schema as `cct schema` prints. */
export interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

export interface Field {
  /** `worktree.path` is the path in worktree. */
  readonly name: string;
  /** `string or null`, `list of strings`, `active, idle or null`. */
  readonly type: string;
  readonly meaning: string;
}

/** The fields of an object and, one step down, of the objects in it; a whole row in an event has its own place. */
export function fieldsOf(schema: JsonSchema, depth = 1): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    {
      name,
      type: `${typeOf(field)}${schema.required?.includes(name) === false ? ', not always there' : ''}`,
      meaning: field.description ?? '',
    },
    ...(depth === 0
      ? []
      : fieldsOf(objectIn(field), depth - 1).map((part) => ({ ...part, name: `${name}.${part.name}` }))),
  ]);
}

/** What a value may be, in words. */
export function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace(/^.*\//, '');
  if (schema.const !== undefined) return String(schema.const);
  if (schema.enum !== undefined) return either(schema.enum.map(String));
  if (schema.anyOf !== undefined) return either(schema.anyOf.map(typeOf).flatMap((words) => words.split(/, | or /)));
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return types.length === 0 ? 'anything' : either(types.map((type) => plainType(type, schema)));
}

function plainType(type: string, { items, additionalProperties }: JsonSchema): string {
  if (type === 'array') return items === undefined ? 'list' : `list of ${plural(typeOf(items))}`;
  if (type === 'object' && typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0)
    return `object of ${plural(typeOf(additionalProperties))}`;
  return type;
}

function plural(type: string): string {
  return ['string', 'number', 'boolean', 'object'].includes(type) ? `${type}s` : type;
}

/** `a, b or c` */
function either(words: readonly string[]): string {
  const all = [...new Set(words)];
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}

function objectIn(schema: JsonSchema): JsonSchema {
  const object = schema.anyOf?.find(({ properties }) => properties !== undefined) ?? schema;
  return Object.keys(object.properties ?? {}).length > mostFields ? {} : object;
}

const mostFields = 20;
