import { released, version } from '../version.js';
import { fieldsOf, type JsonSchema } from './json-schema.js';
import { seeAlso } from './man.js';
import { fieldList, paragraphs } from './man-events.js';
import { bold, literal, man, prose, section, subsection, tagged } from './roff.js';
import { drawnFormats, formatList } from './topics.js';

/** man/cct-formats.7, from what `cct schema` prints of everything but events. */
export function formatsPage(schemas: readonly JsonSchema[]): string {
  return man(
    { name: 'cct-formats', part: 7, released, version },
    section('NAME', `${literal('cct-formats')} \\- ${literal('how cct writes rows, and what is in them')}`),
    section('DESCRIPTION', ...paragraphs(description)),
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

const description = [
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
