// The tables of a report, for readers without scripts, for print and for Markdown.
import type { Row } from '../../view/formats.js';
import { duration, money } from '../../view/text.js';
import type { FindingRow } from '../audit/row.js';
import type { UsageRow } from '../usage/rows.js';
import { comparisonsOf, type OneRun } from './compare.js';
import type { StaticTable } from './document.js';
import { entriesOf } from './summary.js';

/** The tables of one or several runs. */
export function tablesOf({ playback: { end, messages }, findings }: OneRun): StaticTable[] {
  const members = end.teams.flatMap(({ team, members }) => members.map((member) => ({ team, ...member })));
  const total = end.total === undefined ? [] : [end.total];
  return [
    {
      title: 'Agents',
      fields: ['team', 'name', 'kind', 'status', 'model', 'tool_calls', 'tool_errors', 'total_tokens'],
      rows: members,
    },
    {
      title: 'Tasks',
      fields: ['kind', 'id', 'status', 'owner', 'subject', 'blocked_by', 'time'],
      rows: end.tasks.map((task) => ({ ...task, time: task.duration_ms === null ? null : duration(task.duration_ms) })),
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
      rows: messages.map(({ row }) => {
        const [only, ...others] = row.recipients;
        const isToOne = row.type !== 'broadcast' && others.length === 0;
        return { ...row, to: (isToOne ? only : null) ?? row.to ?? row.recipients };
      }),
    },
    findingsTable('Findings', findings),
  ]
    .filter(({ rows }) => rows.length > 0)
    .map(shortTable);
}

function findingsTable(title: string, findings: readonly FindingRow[]): StaticTable {
  return { title, fields: ['severity', 'rule', 'agent', 'detail'], rows: findings };
}

/** The tables of two runs side by side. */
export function comparedTables([one, other]: readonly OneRun[]): StaticTable[] {
  if (one === undefined || other === undefined) return [];
  const findings = [one, other].map((run, place) =>
    findingsTable(`Findings of the ${place === 0 ? 'first' : 'second'}`, run.findings),
  );
  const compared = comparisonsOf(one, other).map(({ title, rows }) => ({
    title,
    fields: ['name', 'first', 'second', 'difference'],
    rows: rows.map((row) => ({ ...row })),
  }));
  return [...compared, ...findings.filter(({ rows }) => rows.length > 0)].map(shortTable);
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

/** The figures of each run, for readers who see nothing else. */
export function summaryTableOf({ figures }: OneRun): StaticTable {
  const rows = figures.map((run) => ({
    run: run.title,
    ...Object.fromEntries(entriesOf(run).map(({ name, value }) => [name, value])),
  }));
  const fields = ['run', 'outcome', 'time', 'cost', 'tokens', 'agents', 'calls', 'tasks', 'messages', 'findings'];
  return { title: 'Summary', fields, rows };
}

/** A page with many thousand rows helps nobody, and the commands show them all. */
function shortTable(table: StaticTable): StaticTable {
  const left = table.rows.length - mostRows;
  if (left <= 0) return table;
  return { ...table, rows: table.rows.slice(0, mostRows), note: `${left} more rows are not shown here.` };
}

const mostRows = 200;
