// The tables of a report, for readers without scripts, for print and for Markdown.
import type { Row } from '../../view/formats.js';
import { money } from '../../view/text.js';
import type { FindingRow } from '../audit/row.js';
import type { UsageRow } from '../usage/rows.js';
import type { StaticTable } from './document.js';
import type { Playback } from './playback.js';
import { comparisonOf, entriesOf, figuresOf, lasted } from './summary.js';

/** `compare`: without tables that add up the sessions. */
export function tablesOf(
  playback: Playback,
  findings: readonly FindingRow[],
  { compare }: { readonly compare: boolean },
): StaticTable[] {
  const { end, messages } = playback;
  const members = end.teams.flatMap(({ team, members }) => members.map((member) => ({ team, ...member })));
  const total = end.total === undefined ? [] : [end.total];
  const tables: StaticTable[] = [
    {
      title: 'Agents',
      fields: ['team', 'name', 'kind', 'status', 'model', 'tool_calls', 'tool_errors', 'total_tokens'],
      rows: members,
    },
    {
      title: 'Tasks',
      fields: ['kind', 'id', 'status', 'owner', 'subject', 'blocked_by', 'time'],
      rows: end.tasks.map((task) => ({ ...task, time: task.duration_ms === null ? null : lasted(task.duration_ms) })),
    },
    {
      title: 'Cost by model',
      fields: ['model', ...costFields],
      rows: [...end.models, ...total.map((row) => ({ ...row, model: 'total' }))].map(withMoney),
    },
    {
      title: 'Cost by agent',
      fields: ['name', ...costFields],
      rows: [...end.spent, ...total.map((row) => ({ ...row, name: 'total' }))].map(withMoney),
    },
    {
      title: 'Messages',
      fields: ['time', 'from', 'to', 'type', 'summary', 'status'],
      rows: messages.map(({ row }) => ({ ...row, to: row.to ?? row.recipients })),
    },
    { title: 'Findings', fields: ['severity', 'rule', 'agent', 'detail'], rows: findings },
  ];
  return tables
    .filter(({ rows, fields }) => rows.length > 0 && !(compare && fields.includes('cost_source')))
    .map(shortened);
}

const costFields = [
  'messages',
  'input_tokens',
  'output_tokens',
  'cache_write_tokens',
  'cache_read_tokens',
  'cost',
  'cost_source',
];

function withMoney(row: UsageRow): Row {
  const cache_write_tokens = row.cache_write_5m_tokens + row.cache_write_1h_tokens;
  return { ...row, cache_write_tokens, cost: row.cost_usd === null ? null : money(row.cost_usd) };
}

/** The figures of each run, for readers who see nothing else. `compare`: of two, side by side. */
export function summaryTableOf(
  playback: Playback,
  findings: readonly FindingRow[],
  { compare }: { readonly compare: boolean },
): StaticTable {
  const figures = figuresOf(playback, findings);
  const [one, other] = figures;
  if (compare && one !== undefined && other !== undefined)
    return {
      title: 'Comparison',
      fields: ['figure', 'first', 'second', 'difference'],
      rows: comparisonOf(one, other).map((row) => ({ ...row })),
    };
  const rows = figures.map((run) => ({
    run: run.title,
    ...Object.fromEntries(entriesOf(run).map(({ name, value }) => [name, value])),
  }));
  const fields = ['run', 'outcome', 'time', 'cost', 'tokens', 'agents', 'calls', 'tasks', 'messages', 'findings'];
  return { title: 'Summary', fields, rows };
}

/** A page with many thousand rows helps nobody, and the commands show them all. */
function shortened(table: StaticTable): StaticTable {
  const left = table.rows.length - mostRows;
  if (left <= 0) return table;
  return { ...table, rows: table.rows.slice(0, mostRows), note: `${left} more rows are not shown here.` };
}

const mostRows = 200;
