import { sanitize } from './text.js';
import { fieldOf, type Row } from './writer.js';

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

/** What does not show is spelled out first: the format knows only three escapes, for backslash, quote and line end. */
function pair(label: string, value: unknown): string {
  const text = value === null || value === undefined ? '' : sanitize(String(value));
  return `${label}="${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
