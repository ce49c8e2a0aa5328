// Writes the summary of a run as Markdown, for the summary of a CI step or a pull request.

import { isSent } from '../../core/tables/sends.js';
import { columnFor, type FieldColumn, Names, readableValue } from '../../view/columns.js';
import { fieldOf, markdownLine, markdownRule, type Row } from '../../view/formats.js';
import { isNameField, sanitize, visibleName } from '../../view/text.js';
import type { MessageRow } from '../messages/row.js';
import type { OneRun } from './compare.js';
import type { StaticTable } from './document.js';
import { askedIn } from './story.js';
import { entriesOf, figuresOf, type SummaryEntry } from './summary.js';
import { comparedTables, tablesOf } from './tables.js';

export function markdownOf({ playback, findings, events }: OneRun): string {
  const parts = [...headsOf({ playback, findings, events })];
  const diagram = sequenceOf(playback.messages.map(({ row }) => row));
  if (diagram !== null) parts.push('### Messages\n', diagram);
  for (const table of tablesOf(playback, findings))
    if (table.title !== 'Messages' || diagram === null) parts.push(...drawnTable(table, '###'));
  return parts.join('\n');
}

/** Messages of two runs are not one conversation, so there is no diagram. */
export function comparisonMarkdown(runs: readonly OneRun[]): string {
  const [figures, ...others] = comparedTables(runs);
  return [
    ...(figures === undefined ? [] : drawnTable(figures, '##')),
    ...runs.flatMap(headsOf),
    ...others.flatMap((table) => drawnTable(table, '###')),
  ].join('\n');
}

function headsOf({ playback, findings, events }: OneRun): string[] {
  return figuresOf(playback, findings).flatMap((run) => {
    const asked = askedIn(events, run.session_id)?.trim().replace(/\s+/g, ' ');
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

/** Who talked to whom, as a Mermaid sequence diagram; null if nobody did, or if it would be too large to read. */
function sequenceOf(messages: readonly MessageRow[]): string | null {
  const shown = messages.filter(({ type }) => type !== 'idle_notification' && type !== 'task_assignment');
  const names = [...new Set(shown.flatMap(({ from, to, recipients }) => [from, to, ...recipients]))].filter(
    (name) => name !== null,
  );
  if (shown.length === 0 || shown.length > mostMessages || names.length > mostNames) return null;
  const ids = new Map(names.map((name, index) => [name, `p${index}`]));
  const lines = shown.flatMap((message) => {
    const from = ids.get(message.from ?? '');
    const to = message.to === null ? message.recipients : [message.to];
    const isLost = !isSent(message);
    return to.flatMap((name) => {
      const target = ids.get(name);
      if (from === undefined || target === undefined) return [];
      return `  ${from}${isLost ? '--x' : '->>'}${target}: ${mermaidLabel(messageText(message))}`;
    });
  });
  if (lines.length === 0) return null;
  const participants = names.map((name) => `  participant ${ids.get(name)} as ${mermaidLabel(name)}`);
  return ['```mermaid', 'sequenceDiagram', ...participants, ...lines, '```', ''].join('\n');
}

const mostMessages = 40;
const mostNames = 12;

function messageText({ type, summary, content }: MessageRow): string {
  const said = summary ?? content ?? '';
  return type === 'message' || type === 'broadcast' ? said : `${type.replaceAll('_', ' ')} ${said}`;
}

/** Escapes what Mermaid or Markdown would act on. `#35;` is how Mermaid writes a character by its code. */
function mermaidLabel(text: string): string {
  const short = text.length > longestLabel ? `${text.slice(0, longestLabel)}…` : text;
  const safe = short
    .replace(/\s+/g, ' ')
    .replace(/[^\p{L}\p{N} .,!?()/_'…-]/gu, (letter) => `#${letter.codePointAt(0)};`);
  return safe.trim() === '' ? '…' : safe.trim();
}

const longestLabel = 60;
