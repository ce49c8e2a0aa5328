// Prints usage as rows, a table, GitHub outputs or Prometheus metrics.
import type { Context } from '../../cli/command.js';
import { textOf } from '../../cli/flags.js';
import { createWatch } from '../../cli/fold.js';
import { jsonTextFor, type PrintedRows, preparePrinter, type RowPrinter } from '../../cli/print.js';
import type { CostSource } from '../../core/event/usage-row.js';
import type { PriceTable } from '../../core/prices/prices.js';
import type { Output } from '../../io/output.js';
import { fieldOf, type Row } from '../../view/formats.js';
import { money, sanitize, thousands } from '../../view/text.js';
import { fieldsOf, type UsageKey } from './grouping.js';
import { fieldsByKey, rowFields, type UsageReport } from './rows.js';

export const usageFormats = ['github', 'prometheus'] as const;
export type UsageFormat = (typeof usageFormats)[number];

/** Returns a printer for each output: usage may be printed more than once. */
export async function prepareUsagePrinter(
  context: Context,
  shown: PrintedUsage,
): Promise<(out: Output) => UsagePrinter> {
  const { options, streams } = context;
  const { by, watched } = shown;
  const format = textOf(options, 'format') ?? (streams.stdout.isTTY ? 'table' : 'ndjson');
  const toText = jsonTextFor(streams.stdout.isTTY);
  if (format === 'github')
    return (out) => atTheEnd(({ total, rows }) => out.write(toText(githubOutput({ ...total }, rows))));
  if (format === 'prometheus')
    return (out) => atTheEnd(({ rows }) => out.write(prometheusText(usageMetrics, labelsFor(by), rows)));
  const open = await preparePrinter(context, {
    name: 'usage',
    fields: rowFields(by),
    otherFields: fieldsByKey,
    tableFields: tableFields(by),
    columns,
    streaming: watched,
  });
  return (out) => printerOf(open(out), out, shown, format === 'table');
}

export interface Metric {
  readonly name: string;
  readonly help: string;
  /** The field its value is in; with `kind`, one of several that differ by that label. */
  readonly values: readonly { readonly field: string; readonly labels?: Readonly<Record<string, string>> }[];
  /** Fields that are labels of this metric only. */
  readonly labels?: readonly string[];
}

/** The text exposition format of Prometheus, one gauge per metric. A row without a value has no sample. */
export function prometheusText(metrics: readonly Metric[], labels: readonly string[], rows: readonly Row[]): string {
  return metrics.map((metric) => metricText(metric, labels, rows)).join('');
}

/**
 * `name=value` lines for $GITHUB_OUTPUT: the fields of the total, then all rows as JSON for `fromJSON`.
 * A value never holds a line end, so no field can inject another output.
 */
export function githubOutput(total: Row, rows: readonly Row[]): string {
  const lines = Object.entries(total).map(([name, value]) => `${name}=${plain(value)}\n`);
  return `${lines.join('')}rows=${JSON.stringify(rows)}\n`;
}

interface UsagePrinter {
  /** With --watch: prints the rows that changed. */
  update(report: UsageReport): void;
  end(report: UsageReport & { readonly notShown?: number }): void;
}

interface PrintedUsage {
  readonly by: readonly UsageKey[];
  readonly prices: PriceTable;
  readonly watched: boolean;
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
      printer.end(watched ? undefined : totalRow(report, by), report.notShown);
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

/** The fields that identify a row. */
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

/** Adds the share of the cost, or of the tokens if nothing has a price. */
function withShare(row: Row, { total }: UsageReport): Row {
  const field = total.cost_usd === null || total.cost_usd === 0 ? 'total_tokens' : 'cost_usd';
  const part = fieldOf(row, field);
  const whole = total[field] ?? 0;
  return { ...row, share: typeof part === 'number' && whole > 0 ? `${((100 * part) / whole).toFixed(1)}%` : '' };
}

/** A single row is its own total. */
function totalRow(report: UsageReport, by: readonly UsageKey[]): Row | undefined {
  const [first] = tableFields(by);
  if (first === undefined || by.every((key) => key === 'total')) return undefined;
  return { [first]: 'total', ...withShare({ ...report.total }, report) };
}

/** The line under a table: where the costs come from, and what is missing. */
function noteUnder({ spending, total, incomplete }: UsageReport, { as_of, source }: PriceTable): string {
  const prices = as_of === null ? `the prices of ${source}` : `prices of ${as_of}`;
  const paid = [...spending].filter(([, usd]) => usd > 0);
  const parts = paid.map(([word, usd]) => `${money(usd)} ${meaning[word](prices)}`);
  if (total.unpriced_tokens > 0) parts.push(`${thousands(total.unpriced_tokens)} tokens have no price`);
  if (incomplete) parts.push("an agent's usage is not in the input");
  return parts.length === 0 ? '' : `${parts.join('; ')}\n`;
}

const meaning: Readonly<Record<CostSource, (prices: string) => string>> = {
  reported: () => 'as the program reported it',
  calculated: (prices) => `calculated from ${prices}`,
  lower_bound: (prices) => `at least, from what is known and ${prices}`,
  guess: () => 'a guess, since the program did not know the model or an answer was declined',
  unpriced: () => 'without a price',
};

const usageMetrics: readonly Metric[] = [
  {
    name: 'cct_usage_tokens',
    help: 'Tokens used.',
    values: [
      { field: 'input_tokens', labels: { kind: 'input' } },
      { field: 'output_tokens', labels: { kind: 'output' } },
      { field: 'cache_write_5m_tokens', labels: { kind: 'cache_write_5m' } },
      { field: 'cache_write_1h_tokens', labels: { kind: 'cache_write_1h' } },
      { field: 'cache_read_tokens', labels: { kind: 'cache_read' } },
    ],
  },
  { name: 'cct_usage_cost_usd', help: 'Cost in US dollars.', values: [{ field: 'cost_usd' }], labels: ['cost_source'] },
  { name: 'cct_usage_messages', help: 'API messages.', values: [{ field: 'messages' }] },
  { name: 'cct_usage_web_search_requests', help: 'Web searches.', values: [{ field: 'web_search_requests' }] },
  { name: 'cct_usage_unpriced_tokens', help: 'Tokens that are in no cost.', values: [{ field: 'unpriced_tokens' }] },
];

function metricText(metric: Metric, labels: readonly string[], rows: readonly Row[]): string {
  const samples = rows.flatMap((row) =>
    metric.values.flatMap(({ field, labels: own = {} }) => {
      const value = fieldOf(row, field);
      if (typeof value !== 'number') return [];
      const pairs = [...labels, ...(metric.labels ?? [])].map((label) => pair(label, fieldOf(row, label)));
      const all = [...pairs, ...Object.entries(own).map(([label, text]) => pair(label, text))];
      return [`${metric.name}${all.length === 0 ? '' : `{${all.join(',')}}`} ${value}\n`];
    }),
  );
  return `# HELP ${metric.name} ${metric.help}\n# TYPE ${metric.name} gauge\n${samples.join('')}`;
}

/** Control characters are spelled out first: the format has escapes only for backslash, quote and line end. */
function pair(label: string, value: unknown): string {
  const text = value === null || value === undefined ? '' : sanitize(String(value));
  return `${label}="${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  return sanitize(typeof value === 'string' ? value : JSON.stringify(value));
}
