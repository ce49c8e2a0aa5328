// Writes a run as a page, with its events and tables, and its summary as Markdown.

import { writesOf } from '../../core/tables/usage/messages.js';
import { columnFor, type FieldColumn, Names, readableValue } from '../../view/columns.js';
import { fieldOf, markdownLine, markdownRule, type Row } from '../../view/formats.js';
import { duration, isNameField, money, sanitize, thousands, visibleName } from '../../view/text.js';
import type { FindingRow } from '../audit/row.js';
import type { UsageRow } from '../usage/rows.js';
import { askedIn } from './story.js';
import { comparisonsOf, entriesOf, type OneRun, type RunFigures, type SummaryEntry } from './summary.js';

/** How a page was requested, besides its events. */
export interface Settings {
  readonly title: string;
  readonly compare: boolean;
  /** More may come: the page asks whoever serves it. */
  readonly live: boolean;
  /** What went wrong, as `cct audit` prints it. */
  readonly findings: readonly FindingRow[];
  /** Of each run; null if more may come. Worked out here like the findings, so that the page opens sooner. */
  readonly figures: readonly RunFigures[] | null;
}

interface PageParts extends Settings {
  /** Deflated events in base64. */
  readonly events: string;
  readonly tables: readonly StaticTable[];
}

/** `shell` is the built page, with placeholders `{title}`, `{tables}`, `{settings}` and `{events}`. */
export function* documentOf(shell: string, page: PageParts): Generator<string> {
  const { title, events, tables, live } = page;
  const tableText = tables.map(tableHtml).join('');
  const parts = { title: htmlEscaped(title), tables: tableText, settings: settingsOf(page), events };
  // A generator, because the events may be long. Filled in order, so that no text of a run is taken for a placeholder.
  let rest = live ? shell.replace("default-src 'none'", "default-src 'none'; connect-src 'self'") : shell;
  for (const [name, part] of Object.entries(parts)) {
    const place = rest.indexOf(`{${name}}`);
    yield rest.slice(0, place);
    yield part;
    rest = rest.slice(place + name.length + 2);
  }
  yield rest;
}

export function settingsOf({ title, compare, live, findings, figures }: Settings): string {
  return JSON.stringify({ title, compare, live, findings, figures }).replaceAll('<', '\\u003c');
}

function tableHtml({ title, heads, aligns, rows, note, isInPage }: StaticTable): string {
  const styles = aligns.map((align) => (align === 'right' ? ' class="number"' : ''));
  const head = heads.map((text, at) => `<th scope="col"${styles[at]}>${htmlEscaped(text)}</th>`).join('');
  const body = rows.map(
    (row) => `<tr>${row.map((text, at) => `<td${styles[at]}>${htmlEscaped(text)}</td>`).join('')}</tr>`,
  );
  const under = note === null ? '' : `<p class="note">${note}</p>`;
  return `<section${isInPage ? ' class="drawn"' : ''}><h2>${title}</h2><table><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}</tbody></table>${under}</section>\n`;
}

/** Escapes characters that end text or an attribute, and those that change the text direction. */
function htmlEscaped(text: string): string {
  return text.replace(
    /[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g,
    (letter) => htmlEntities.get(letter) ?? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const htmlEntities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

// The tables of a report, as texts: for readers without scripts, for print and for Markdown.
interface StaticTable {
  readonly title: string;
  readonly heads: readonly string[];
  readonly aligns: readonly FieldColumn['align'][];
  readonly rows: readonly (readonly string[])[];
  /** What is left out. */
  readonly note: string | null;
  /** The page shows it by itself: it is for readers without scripts only. */
  readonly isInPage: boolean;
}

/** The tables of one or several runs. */
export function tablesOf({ playback: { end, messages }, findings }: OneRun): StaticTable[] {
  const members = end.teams.flatMap(({ team, members }) => members.map((member) => ({ team, ...member })));
  const total = end.total === undefined ? [] : [end.total];
  return [
    tableOf('Agents', 'team name kind status model tool_calls tool_errors total_tokens', members),
    tableOf(
      'Tasks',
      'kind id status owner subject blocked_by time',
      end.tasks.map((task) => ({ ...task, time: task.duration_ms === null ? null : duration(task.duration_ms) })),
    ),
    ...[
      { title: 'Cost by model', key: 'model', rows: end.models },
      { title: 'Cost by agent', key: 'name', rows: end.spent },
    ].map(({ title, key, rows }) =>
      tableOf(
        title,
        `${key} messages input_tokens output_tokens cache_write_tokens cache_read_tokens cost cost_source`,
        [...rows, ...total.map((row) => ({ ...row, [key]: 'total' }))].map(withMoney),
      ),
    ),
    tableOf(
      'Messages',
      'time from to type summary status',
      messages.map(({ row }) => {
        const [only, ...others] = row.recipients;
        const isToOne = row.type !== 'broadcast' && others.length === 0;
        return { ...row, to: (isToOne ? only : null) ?? row.to ?? (row.recipients.join(', ') || 'everybody') };
      }),
    ),
    findingsTable('Findings', findings),
  ].filter(({ rows }) => rows.length > 0);
}

function findingsTable(title: string, findings: readonly Row[]): StaticTable {
  return tableOf(title, 'severity rule agent detail', findings);
}

/** The tables of two runs side by side. */
export function comparedTables([one, other]: readonly OneRun[]): StaticTable[] {
  if (one === undefined || other === undefined) return [];
  const compared = comparisonsOf(one, other).map(({ title, rows }) => ({
    ...tableOf(
      title,
      'name first second difference',
      rows.map((row) => ({ ...row })),
    ),
    isInPage: true,
  }));
  const findings = [one, other].map((run, place) =>
    findingsTable(`Findings of the ${place === 0 ? 'first' : 'second'}`, run.findings),
  );
  return [...compared, ...findings.filter(({ rows }) => rows.length > 0)];
}

/** The figures of each run, for readers who see nothing else. */
export function summaryTableOf({ figures }: OneRun): StaticTable {
  const rows = figures.map((run) => ({
    run: run.title,
    ...Object.fromEntries(entriesOf(run).map(({ name, value }) => [name, value])),
  }));
  const fields = 'run outcome time cost tokens agents calls tasks messages findings';
  return { ...tableOf('Summary', fields, rows), isInPage: true };
}

function withMoney(row: UsageRow): Row {
  return { ...row, cache_write_tokens: writesOf(row), cost: row.cost_usd === null ? null : money(row.cost_usd) };
}

/** For people: plain headings, short models, thousands separated; and not many thousand rows, which commands show. */
function tableOf(title: string, fields: string, rows: readonly Row[]): StaticTable {
  const columns = fields.split(' ').map((field) => ({ field, ...columnFor(field) }));
  const names = new Names();
  for (const row of rows) for (const column of columns) names.note(column, fieldOf(row, column.field));
  const cellText = (column: FieldColumn, row: Row) => {
    const text = readableValue(column.field, column.kind, fieldOf(row, column.field), false);
    return column.kind === 'model' ? names.text(column, text) : isNameField(column.field) ? visibleName(text) : text;
  };
  const left = rows.length - mostRows;
  return {
    title,
    heads: columns.map((column) => column.title.slice(0, 1) + column.title.slice(1).toLowerCase()),
    // What is written as text beside numbers is money.
    aligns: columns.map(({ field, align }) => (field === 'cost' ? 'right' : align)),
    rows: rows.slice(0, mostRows).map((row) => columns.map((column) => cellText(column, row))),
    note: left > 0 ? `${thousands(left)} more rows are not shown here.` : null,
    isInPage: false,
  };
}

const mostRows = 200;

// Writes the summary of a run as Markdown, for the summary of a CI step or a pull request.
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
  const prompts = askedIn(playback.moments);
  return figures.flatMap((run) => {
    const asked = prompts.get(run.session_id)?.trim().replace(/\s+/g, ' ');
    const short = asked !== undefined && asked.length > longestPrompt ? `${asked.slice(0, longestPrompt)}…` : asked;
    return [
      `## ${plainMarkdown(run.title)}\n`,
      ...(short === undefined ? [] : [`> ${plainMarkdown(short)}\n`]),
      `${summaryLine(entriesOf(run))}\n`,
    ];
  });
}
const longestPrompt = 300;

function drawnTable({ title, heads, aligns, rows, note }: StaticTable, mark: string): string[] {
  const table = [markdownLine(heads), markdownRule(aligns), ...rows.map(markdownLine)].join('');
  return [`${mark} ${title}\n`, table, ...(note === null ? [] : [`${note}\n`])];
}

/** All entries in one line: `**finished** · time 2.5 s · cost $0.2831`. */
function summaryLine(entries: readonly SummaryEntry[]): string {
  return entries
    .map(({ name, value }) => (name === 'outcome' ? `**${plainMarkdown(value)}**` : `${name} ${plainMarkdown(value)}`))
    .join(' · ');
}

/** Text outside tables, without links, images, tags or emphasis. */
function plainMarkdown(text: string): string {
  return sanitize(text.replace(/\s+/g, ' ')).replace(
    /[\\`*_{}[\]<>()#+!|~&@]/g,
    (letter) => `&#${letter.charCodeAt(0)};`,
  );
}
