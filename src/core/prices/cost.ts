import type { ModelPrice, Rates } from './price-table.js';

/** What one request used. */
export interface Priced {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_write_5m_tokens: number;
  readonly cache_write_1h_tokens: number;
  readonly cache_read_tokens: number;
  readonly web_search_requests: number;
}

/** How it was served. */
export interface Served {
  readonly speed: string | null;
  readonly inference_geo: string | null;
}

/** Cost of one request in picodollars. Service tiers (batch, priority) change nothing, as measured. */
export function costOf(price: ModelPrice, used: Priced, served: Served): number {
  const prompt = used.input_tokens + used.cache_read_tokens + used.cache_write_5m_tokens + used.cache_write_1h_tokens;
  const tier = price.tiers.findLast(({ above_input_tokens }) => prompt > above_input_tokens);
  const fast = served.speed === 'fast' ? price.fast_multiplier : 1;
  const geo = served.inference_geo === 'us' ? price.us_geo_multiplier : 1;
  return total(price, tier ?? price, fast * geo, used);
}

/** Cost of tokens of which no single request is known: at the base tier. */
export function baseCostOf(price: ModelPrice, used: Priced): number {
  return total(price, price, 1, used);
}

function total(price: ModelPrice, rates: Rates, factor: number, used: Priced): number {
  // A dollar per million tokens is a million picodollars per token; rounding takes away what 1.1 adds to a whole number.
  const perToken = (rate: number) => Math.round(rate * 1e6 * factor);
  return (
    used.input_tokens * perToken(rates.input) +
    used.output_tokens * perToken(rates.output) +
    used.cache_write_5m_tokens * perToken(rates.cache_write_5m) +
    used.cache_write_1h_tokens * perToken(rates.cache_write_1h) +
    used.cache_read_tokens * perToken(rates.cache_read) +
    used.web_search_requests * Math.round(price.web_search_per_1000 * 1e9)
  );
}
