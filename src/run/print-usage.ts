import type { PriceTable } from '../core/prices/price-table.js';
import { fieldsOf, rowFields, type UsageKey, type UsageReport } from '../core/rows/usage.js';
import type { Output } from '../io/output.js';
import { githubOutput } from '../view/github.js';
import { prometheusText } from '../view/prometheus.js';
import { share, usageMetrics, usageNote } from '../view/usage-text.js';
import { fieldOf, type Row } from '../view/writer.js';
import type { Context } from './command.js';
import { textOf } from './options.js';
import { type PrintedRows, preparePrinter, type RowPrinter } from './print.js';
import { createWatch } from './watch.js';

/** The formats only usage has. */
export const usageFormats = ['github', 'prometheus'] as const;
export type UsageFormat = (typeof usageFormats)[number];

export interface UsagePrinter {
  /** With --watch: the rows that changed. */
  update(report: UsageReport): void;
  end(report: UsageReport): void;
}

export interface PrintedUsage {
  readonly by: readonly UsageKey[];
  readonly prices: PriceTable;
  readonly watched: boolean;
}

/** For each output it is given: usage may be printed more than once. */
export async function prepareUsagePrinter(
  context: Context,
  shown: PrintedUsage,
): Promise<(out: Output) => UsagePrinter> {
  const { options, streams } = context;
  const { by, watched } = shown;
  const format = textOf(options, 'format') ?? (streams.stdout.isTTY ? 'table' : 'ndjson');
  if (format === 'github') return (out) => atTheEnd(({ total, rows }) => out.write(githubOutput({ ...total }, rows)));
  if (format === 'prometheus')
    return (out) => atTheEnd(({ rows }) => out.write(prometheusText(usageMetrics, labelsFor(by), rows)));
  const open = await preparePrinter(context, {
    name: 'usage',
    fields: rowFields(by),
    tableFields: tableFields(by),
    columns,
    streaming: watched,
  });
  return (out) => printerOf(open(out), out, shown, format === 'table');
}

function printerOf(printer: RowPrinter, out: Output, shown: PrintedUsage, isTable: boolean): UsagePrinter {
  const { by, watched } = shown;
  const news = watched ? createWatch((row) => JSON.stringify(labelsFor(by).map((key) => row[key]))) : undefined;
  const print = (report: UsageReport) => {
    for (const row of news?.(report.rows) ?? report.rows) printer.row(isTable ? withShare(row, report) : row);
  };
  return {
    update: print,
    end(report) {
      print(report);
      printer.end(watched ? undefined : totalRow(report, by));
      if (isTable && printer.rows > 0) out.write(noteUnder(report, shown.prices));
    },
  };
}

/** In a narrow terminal the details of caching go first, the money last. */
const columns: NonNullable<PrintedRows['columns']> = {
  share: { title: 'SHARE', kind: 'number', align: 'right', rank: 1 },
  total_tokens: { rank: 1 },
  cost_source: { rank: 1 },
  messages: { rank: -1 },
  cache_write_5m_tokens: { rank: -1 },
  cache_write_1h_tokens: { rank: -2 },
};

function atTheEnd(end: (report: UsageReport) => void): UsagePrinter {
  return { update() {}, end };
}

/** What tells rows apart. */
function labelsFor(by: readonly UsageKey[]): readonly string[] {
  return by.includes('message') ? ['session_id', 'message_id', 'result_id', 'agent', 'model'] : fieldsOf(by);
}

function tableFields(by: readonly UsageKey[]): string[] {
  const keys = by.includes('message')
    ? ['time', 'name', 'model', 'turn']
    : fieldsOf(by).filter((key) => key !== 'agent');
  const summary = by.every((key) => key === 'session') ? ['duration_ms', 'num_turns', 'subtype', 'model'] : [];
  return [
    ...keys,
    'messages',
    'input_tokens',
    'output_tokens',
    'cache_write_5m_tokens',
    'cache_write_1h_tokens',
    'cache_read_tokens',
    'total_tokens',
    'cost_usd',
    'share',
    'cost_source',
    ...summary,
  ];
}

/** Of the money, or of the tokens where nothing has a price. */
function withShare(row: Row, { total }: UsageReport): Row {
  const field = total.cost_usd === null || total.cost_usd === 0 ? 'total_tokens' : 'cost_usd';
  const part = fieldOf(row, field);
  return { ...row, share: typeof part === 'number' ? share(part, total[field] ?? 0) : '' };
}

/** A single row is its own total. */
function totalRow(report: UsageReport, by: readonly UsageKey[]): Row | undefined {
  const [first] = tableFields(by);
  if (first === undefined || by.every((key) => key === 'total')) return undefined;
  return { [first]: 'total', ...withShare({ ...report.total }, report) };
}

function noteUnder({ spending, total, incomplete }: UsageReport, { as_of, source }: PriceTable): string {
  const prices = as_of === null ? `the prices of ${source}` : `prices of ${as_of}`;
  return usageNote({ spending, unpriced: total.unpriced_tokens, incomplete, prices });
}
