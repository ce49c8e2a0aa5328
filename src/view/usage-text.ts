import type { CostSource } from '../core/event/usage-row.js';
import { money, thousands } from './amount.js';
import type { Metric } from './prometheus.js';

export interface Noted {
  /** What was paid, by how sure that is. */
  readonly spending: ReadonlyMap<CostSource, number>;
  readonly unpriced: number;
  /** Somebody's usage is not in the input. */
  readonly incomplete: boolean;
  /** Of which day the prices are, such as `prices of 2026-11-13`. */
  readonly prices: string;
}

/** The line under a table of usage: where its money comes from, and what is missing. */
export function usageNote({ spending, unpriced, incomplete, prices }: Noted): string {
  const paid = [...spending].filter(([, usd]) => usd > 0);
  const parts = paid.map(([source, usd]) => `${money(usd)} ${meaning[source](prices)}`);
  if (unpriced > 0) parts.push(`${thousands(unpriced)} tokens have no price`);
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

/** `42.1%` */
export function share(part: number, whole: number): string {
  return whole > 0 ? `${((100 * part) / whole).toFixed(1)}%` : '';
}

export const usageMetrics: readonly Metric[] = [
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
