// The tables of a report, as texts: for readers without scripts, for print and for Markdown.
import { writesOf } from '../../core/tables/usage/messages.js';
import { columnFor, type FieldColumn, Names, readableValue } from '../../view/columns.js';
import { fieldOf, type Row } from '../../view/formats.js';
import { duration, isNameField, money, thousands, visibleName } from '../../view/text.js';
import type { UsageRow } from '../usage/rows.js';
import { comparisonsOf, type OneRun } from './compare.js';
import { entriesOf } from './summary.js';

export interface StaticTable {
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
