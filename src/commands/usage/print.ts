// Prints usage as rows, a table, GitHub outputs or Prometheus metrics.

import type { Context } from '../../cli/command.js';
import { arrangementOf, refuseArranging } from '../../cli/flags/arrange.js';
import { textOf } from '../../cli/flags/flags.js';
import { shownZone } from '../../cli/flags/times.js';
import { livenessOf } from '../../cli/live.js';
import { formatOf, jsonTextFor, type PrintedRows, signsOf } from '../../cli/print.js';
import { type AnswerWriter, type ChosenRows, prepareRows, refuseWatched, watches } from '../../cli/rows.js';
import type { CostSource } from '../../core/event/usage-row.js';
import type { PriceTable } from '../../core/prices/prices.js';
import type { TextOutput } from '../../io/output.js';
import { fieldOf, type Row } from '../../view/formats.js';
import { type Signs, sparkline } from '../../view/signs.js';
import { money, sanitize, thousands, visibleName } from '../../view/text.js';
import { fieldsOf, isPeriod, type UsageKey } from './grouping.js';
import { figureFields } from './row.js';
import { fieldsByKey, rowFields, type UsageReport, type UsageRow } from './rows.js';

export const usageFormats = ['github', 'prometheus'] as const;
export type UsageFormat = (typeof usageFormats)[number];

/** Returns a printer for each output, because usage may be printed more than once. */
export async function prepareUsagePrinter(
  context: Context,
  { by, prices }: { readonly by: readonly UsageKey[]; readonly prices: PriceTable },
): Promise<(out: TextOutput) => AnswerWriter<UsageAnswer>> {
  const { options, streams } = context;
  const format = textOf(options, 'format') ?? (streams.stdout.isTTY ? 'table' : 'ndjson');
  const shown = { name: 'usage', fields: rowFields(by), otherFields: fieldsByKey };
  if (format === 'github' || format === 'prometheus') {
    if (watches(options)) refuseWatched(options);
    const arrange = arrangementOf(options, shown);
    if (format === 'prometheus')
      refuseArranging(options, '--format prometheus', 'prints every row, in no particular order');
    const toText = jsonTextFor(streams.stdout.isTTY);
    const textOfReport = ({ total, rows }: UsageReport) =>
      format === 'github'
        ? toText(githubOutput(total, arrange(rows).rows))
        : prometheusText(usageMetrics, labelsFor(by), rows);
    return (out) => ({ update() {}, end: (report) => out.write(textOfReport(report)) });
  }
  const signs = signsOf(streams);
  const notes = (report: UsageAnswer) => [
    ...(stdoutWidth(context) < wideTerminal ? [] : lastDays(report.rows, signs)),
    ...notesUnder(report, prices, signs),
  ];
  const isTable = format === 'table';
  return prepareRows<UsageRow, UsageAnswer>(
    context,
    {
      ...shown,
      tableFields: tableFields(by),
      columns: columnsFor(by, shownZone(options).name),
      ...(isTable && { display: forTable }),
      ending(report) {
        const isAlone = by.every((key) => key === 'total') || report.rows.length < 2;
        return { total: isAlone ? undefined : report.total, notes: isTable ? notes(report) : undefined };
      },
    },
    // Reports of a cost in a transcript have no id, only a time.
    (row: Row) => JSON.stringify([...labelsFor(by).map((key) => row[key]), row['message_id'] === null && row['time']]),
  );
}

/** `unpriced`: the models without a price. */
export type UsageAnswer = UsageReport & ChosenRows<UsageRow> & { unpriced(): readonly string[] };

function stdoutWidth({ streams }: Context): number {
  return streams.stdout.columns ?? Number.POSITIVE_INFINITY;
}
const wideTerminal = 100;

/** Rows by these keys are ordered by time. */
const timeKeys: ReadonlySet<string> = new Set(['turn', 'day', 'week', 'month', 'message']);

/** The order of rows. In a table the largest cost comes first, then the most tokens; rows without a price come last. */
export function orderOf(
  context: Context,
  by: readonly UsageKey[],
): <R extends Row>(rows: readonly R[]) => readonly R[] {
  const format = textOf(context.options, 'format') ?? formatOf(context);
  const isTable = format === 'table' || livenessOf(context) !== 'rows';
  if (!isTable || watches(context.options) || by.some((key) => timeKeys.has(key))) return (rows) => rows;
  const size = (row: Row, field: string) => Number(fieldOf(row, field) ?? -1);
  return (rows) =>
    rows.toSorted(
      (a, b) => size(b, 'cost_usd') - size(a, 'cost_usd') || size(b, 'total_tokens') - size(a, 'total_tokens'),
    );
}

export interface Metric {
  readonly name: string;
  readonly help: string;
  /** The field of its value. With `labels`, several fields are values of one metric. */
  readonly values: readonly { readonly field: string; readonly labels?: Readonly<Record<string, string>> }[];
  /** Fields that are labels of this metric only. */
  readonly labels?: readonly string[];
}

/** The text exposition format of Prometheus, one gauge per metric. A row without a value has no sample. */
export function prometheusText(metrics: readonly Metric[], labels: readonly string[], rows: readonly Row[]): string {
  return metrics.map((metric) => metricText(metric, labels, rows)).join('');
}

/**
 * `name=value` lines for $GITHUB_OUTPUT: the fields of the total, then all rows as JSON for `fromJSON`. A value never
 * contains a line end, so no field can inject another output.
 */
export function githubOutput(total: Row, rows: readonly Row[]): string {
  const lines = Object.entries(total).map(([name, value]) => `${name}=${plain(value)}\n`);
  return `${lines.join('')}rows=${JSON.stringify(rows)}\n`;
}

/** In a narrow terminal the details of caching are dropped first, the money last. */
function columnsFor(by: readonly UsageKey[], zone: string): NonNullable<PrintedRows['columns']> {
  const keys = fieldsOf(by);
  return {
    ...Object.fromEntries(keys.map((field) => [field, { rank: 2 }])),
    agent: { rank: 2, ifSame: keys.filter((field) => field !== 'agent') },
    agent_type: { rank: -4 },
    ...Object.fromEntries(
      ['day', 'week', 'month'].map((key) => [
        key,
        { title: `${key.toUpperCase()} (${zone})`, rank: 2, says: (value: string) => `${key} ${value} ${zone}` },
      ]),
    ),
    share: { rank: 0 },
    total_tokens: { rank: 1 },
    messages: { rank: -4 },
    input_tokens: { rank: -5 },
    output_tokens: { rank: -1 },
    cache_write_5m_tokens: { rank: -3, says: notZero('5-minute cache writes') },
    cache_write_1h_tokens: { rank: -3, says: notZero('1-hour cache writes') },
    cache_read_tokens: { rank: -1 },
    source: { kind: 'word', rank: -5, says: () => null },
    wall: { title: 'TIME', kind: 'duration', align: 'right', rank: -1, value: wallTime },
    duration_ms: { title: 'TURN TIME', rank: -2 },
    num_turns: { rank: -3 },
    outcome: { kind: 'word', rank: -2 },
    reason: { kind: 'word', rank: -2 },
    project: { rank: keys.includes('project') ? 2 : -4 },
    branch: { rank: keys.includes('branch') ? 2 : -4 },
  };
}

/** What is not there needs no words. */
function notZero(name: string): (count: string) => string | null {
  return (count) => (count === '0' ? null : `${count} ${name}`);
}

/** From a session's first record to its last; null if its turns took longer: few records of a stream have a time. */
function wallTime({ started_at, ended_at, duration_ms }: Row): number | null {
  const time = Date.parse(String(ended_at)) - Date.parse(String(started_at));
  return time > 0 && time >= Number(duration_ms ?? 0) ? time : null;
}

/** The fields that identify a row. */
function labelsFor(by: readonly UsageKey[]): readonly string[] {
  return by.includes('message') ? ['session_id', 'message_id', 'result_id', 'agent', 'model'] : fieldsOf(by);
}

function tableFields(by: readonly UsageKey[]): string[] {
  const keys = fieldsOf(by);
  const labels = by.includes('message')
    ? [...by.filter(isPeriod), 'time', 'name', 'model', 'turn']
    : keys.includes('name')
      ? ['name', ...keys.filter((key) => key !== 'name')]
      : keys;
  const summary = by.every((key) => key === 'session')
    ? ['model', 'outcome', 'reason', 'wall', 'num_turns', 'duration_ms', 'project', 'branch']
    : [];
  return [
    ...labels,
    ...summary,
    'messages',
    'input_tokens',
    'output_tokens',
    'cache_write_5m_tokens',
    'cache_write_1h_tokens',
    'cache_read_tokens',
    'total_tokens',
    'cost_usd',
    'share',
    'source',
  ];
}

/**
 * Adds the share of the cost, or of the tokens if nothing has a price. Nothing is known about an agent that is not in
 * the input, and only the cost about a result that names no models.
 */
function forTable({ total, rows }: UsageReport): (row: Row) => Row {
  const field = total.cost_usd === null || total.cost_usd === 0 ? 'total_tokens' : 'cost_usd';
  const whole = total[field] ?? 0;
  const isMixed = ['reported', 'calculated'].every((word) => rows.some(({ cost_source }) => cost_source === word));
  return (row) => {
    const part = fieldOf(row, field);
    const isMissing = row['cost_source'] === 'lower_bound' && row['total_tokens'] === 0;
    const share = typeof part === 'number' && whole > 0 && rows.length > 1 && !isMissing ? part / whole : null;
    const hasNoTokens = row['total_tokens'] === 0 && Number(row['cost_usd']) > 0;
    const lost = isMissing ? figureFields : hasNoTokens ? figureFields.filter((name) => name.endsWith('_tokens')) : [];
    const unknown = Object.fromEntries(lost.map((name) => [name, null]));
    return { ...row, ...unknown, share, source: isMixed ? row['cost_source'] : null };
  };
}

/** Where the costs come from, what the signs mean, and what is missing. */
function notesUnder(
  { rows, spending, total, incomplete, unpriced }: UsageAnswer,
  table: PriceTable,
  signs: Signs,
): string[] {
  const prices = table.as_of === null ? `the prices of ${table.source}` : `prices of ${table.as_of}`;
  const paid = [...spending].filter(([, usd]) => usd > 0);
  const [only] = paid;
  // Prices are named once, by the last that needs them.
  const named = paid.findLast(([word]) => word === 'calculated' || word === 'lower_bound')?.[0];
  const sources =
    paid.length === 1 && only !== undefined
      ? capital(meaning[only[0] === 'lower_bound' ? 'calculated' : only[0]](prices))
      : paid.map(([word, usd]) => `${money(usd)} ${meaning[word](word === named ? prices : null)}`).join('; ');
  const isMarked = (word: CostSource) => rows.some(({ cost_source }) => cost_source === word);
  return [
    sources === '' ? '' : `${sources}.`,
    isMarked('lower_bound') ? `${signs.costs.lower_bound} ${incomplete ? partialOrMissing : partial}` : '',
    isMarked('guess') && !spending.has('guess') ? `${signs.costs.guess}: ${meaning.guess(prices)}.` : '',
    rows.some((row) => row['agent'] === 'unattributed')
      ? 'unattributed: what the result reports and no message shows.'
      : '',
    total.unpriced_tokens > 0
      ? `${thousands(total.unpriced_tokens)} tokens${unpricedIn(unpriced())} have no price.`
      : '',
  ].filter((note) => note !== '');
}

const partial = 'at least: some output counts are partial.';
const partialOrMissing = 'at least: some output counts are partial, or the usage of an agent is not in the input.';

/** ` of glm-4.7 and glm-5` */
function unpricedIn(models: readonly string[]): string {
  const names = models.map(visibleName);
  return names.length === 0
    ? ''
    : ` of ${[names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' and ')}`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const meaning: Readonly<Record<CostSource, (prices: string | null) => string>> = {
  reported: () => 'reported by the program',
  calculated: (prices) => (prices === null ? 'calculated' : `calculated from ${prices}`),
  lower_bound: (prices) => (prices === null ? 'at least' : `at least, calculated from ${prices}`),
  guess: () => 'guessed: the program did not know the model, or an answer was declined',
  unpriced: () => 'without a price',
};

/** The days of the rows, at most the last 30, as one line of blocks; empty for a single day. */
function lastDays(rows: readonly Row[], signs: Signs): string[] {
  const costs = new Map<string, number>();
  for (const { day, cost_usd } of rows)
    if (typeof day === 'string') costs.set(day, (costs.get(day) ?? 0) + Number(cost_usd ?? 0));
  const [first, ...others] = [...costs.keys()].sort();
  const last = others.at(-1);
  if (first === undefined || last === undefined) return [];
  const length = Math.min(30, Math.round((Date.parse(last) - Date.parse(first)) / dayMs) + 1);
  const days = Array.from({ length }, (_, at) =>
    new Date(Date.parse(last) - (length - 1 - at) * dayMs).toISOString().slice(0, 10),
  );
  const line = sparkline(
    days.map((day) => costs.get(day) ?? 0),
    signs,
  );
  return [`${length} days to ${last}  |${line}|`];
}
const dayMs = 86_400_000;

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

/** Control characters are written out first, because the format has escapes only for backslash, quote and line end. */
function pair(label: string, value: unknown): string {
  const text = value === null || value === undefined ? '' : sanitize(String(value));
  return `${label}="${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  return sanitize(typeof value === 'string' ? value : JSON.stringify(value));
}
