// Writes the summary of a run as Markdown, for the summary of a CI step or a pull request.
import { type Layout, openWriter, type Row } from '../../view/formats.js';
import { noPaint, sanitize } from '../../view/text.js';
import type { FindingRow } from '../audit/row.js';
import type { Playback } from './playback.js';
import { sequenceOf } from './sequence.js';
import { deltasOf, entriesOf, figuresOf, type SummaryEntry } from './summary.js';
import { tablesOf } from './tables.js';

export function markdownOf(
  playback: Playback,
  findings: readonly FindingRow[],
  { compare }: { readonly compare: boolean },
): string {
  const figures = figuresOf(playback, findings);
  const [one, other] = figures;
  const parts = figures.flatMap((run) => [`## ${plain(run.title)}\n`, `${listOf(entriesOf(run))}\n`]);
  if (compare && one !== undefined && other !== undefined)
    parts.unshift(`## ${plain(other.title)} against ${plain(one.title)}\n`, `${listOf(deltasOf(one, other))}\n`);
  const diagram = sequenceOf(playback.messages.map(({ row }) => row));
  if (diagram !== null) parts.push('### Messages\n', diagram);
  for (const { title, fields, rows, note } of tablesOf(playback, findings)) {
    if (rows.length === 0 || (title === 'Messages' && diagram !== null)) continue;
    parts.push(`### ${title}\n`, tableOf(fields, rows), ...(note === undefined ? [] : [`${note}\n`]));
  }
  return parts.join('\n');
}

/** All entries in one line: `**success** · time 2.5 s · cost $0.2831`. */
function listOf(entries: readonly SummaryEntry[]): string {
  return entries
    .map(({ name, value }) => (name === 'outcome' ? `**${plain(value)}**` : `${name} ${plain(value)}`))
    .join(' · ');
}

function tableOf(fields: readonly string[], rows: readonly Row[]): string {
  const layout: Layout = { width: Number.POSITIVE_INFINITY, paint: noPaint };
  const writer = openWriter('md', { all: fields }, layout);
  return writer.head + rows.map((row) => writer.row(row)).join('') + writer.tail();
}

/** Text outside tables, without links, images, tags or emphasis. */
function plain(text: string): string {
  return sanitize(text.replace(/\s+/g, ' ')).replace(
    /[\\`*_{}[\]<>()#+!|~&@]/g,
    (letter) => `&#${letter.charCodeAt(0)};`,
  );
}
