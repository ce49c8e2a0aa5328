// Writes the summary of a run as Markdown, for the summary of a CI step or a pull request.
import { columnFor, type FieldColumn, Names, readableValue } from '../../view/columns.js';
import { fieldOf, markdownLine, markdownRule, type Row } from '../../view/formats.js';
import { isNameField, sanitize, visibleName } from '../../view/text.js';
import type { OneRun } from './compare.js';
import type { StaticTable } from './document.js';
import { askedIn } from './story.js';
import { entriesOf, type SummaryEntry } from './summary.js';
import { comparedTables, tablesOf } from './tables.js';

export function markdownOf(whole: OneRun): string {
  return [...headsOf(whole), ...tablesOf(whole).flatMap((table) => drawnTable(table, '###'))].join('\n');
}

export function comparisonMarkdown(runs: readonly OneRun[]): string {
  const [figures, ...others] = comparedTables(runs);
  return [
    ...(figures === undefined ? [] : drawnTable(figures, '##')),
    ...runs.flatMap(headsOf),
    ...others.flatMap((table) => drawnTable(table, '###')),
  ].join('\n');
}

function headsOf({ playback, figures }: OneRun): string[] {
  return figures.flatMap((run) => {
    const asked = askedIn(playback.moments, run.session_id)?.trim().replace(/\s+/g, ' ');
    const short = asked !== undefined && asked.length > longestPrompt ? `${asked.slice(0, longestPrompt)}…` : asked;
    return [
      `## ${plainMarkdown(run.title)}\n`,
      ...(short === undefined ? [] : [`> ${plainMarkdown(short)}\n`]),
      `${summaryLine(entriesOf(run))}\n`,
    ];
  });
}
const longestPrompt = 300;

function drawnTable({ title, fields, rows, note }: StaticTable, mark: string): string[] {
  return [`${mark} ${title}\n`, tableOf(fields, rows), ...(note === undefined ? [] : [`${note}\n`])];
}

/** All entries in one line: `**finished** · time 2.5 s · cost $0.2831`. */
function summaryLine(entries: readonly SummaryEntry[]): string {
  return entries
    .map(({ name, value }) => (name === 'outcome' ? `**${plainMarkdown(value)}**` : `${name} ${plainMarkdown(value)}`))
    .join(' · ');
}

/** A table for people: plain headings, short models, thousands separated. */
function tableOf(fields: readonly string[], rows: readonly Row[]): string {
  const columns = fields.map((field) => ({ field, ...columnFor(field) }));
  const names = new Names();
  for (const row of rows) for (const column of columns) names.note(column, fieldOf(row, column.field));
  const markdownCell = (column: FieldColumn, row: Row) => {
    const value = fieldOf(row, column.field);
    const text = readableValue(column.field, column.kind, value, false);
    return column.kind === 'model' ? names.text(column, text) : isNameField(column.field) ? visibleName(text) : text;
  };
  const headings = columns.map(({ title }) => title.slice(0, 1) + title.slice(1).toLowerCase());
  const lines = rows.map((row) => markdownLine(columns.map((column) => markdownCell(column, row))));
  // What is written as text beside numbers is money.
  const rule = markdownRule(columns.map(({ field, align }) => (field === 'cost' ? 'right' : align)));
  return [markdownLine(headings), rule, ...lines].join('');
}

/** Text outside tables, without links, images, tags or emphasis. */
function plainMarkdown(text: string): string {
  return sanitize(text.replace(/\s+/g, ' ')).replace(
    /[\\`*_{}[\]<>()#+!|~&@]/g,
    (letter) => `&#${letter.charCodeAt(0)};`,
  );
}
