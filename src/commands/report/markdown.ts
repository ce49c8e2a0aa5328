// Writes the summary of a run as Markdown, for the summary of a CI step or a pull request.
import { groupBy } from '../../core/tables/order.js';
import { sessionKey } from '../../core/tables/usage/sessions.js';
import { markdownLine, markdownRule } from '../../view/formats.js';
import { sanitize } from '../../view/text.js';
import type { OneRun } from './compare.js';
import { askedIn } from './story.js';
import { entriesOf, type SummaryEntry } from './summary.js';
import { comparedTables, type StaticTable, tablesOf } from './tables.js';

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
  const moments = groupBy(playback.moments, ({ event }) => sessionKey(event.session_id));
  return figures.flatMap((run) => {
    const own = moments.get(sessionKey(run.session_id)) ?? [];
    const asked = askedIn(own, run.session_id)?.trim().replace(/\s+/g, ' ');
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
