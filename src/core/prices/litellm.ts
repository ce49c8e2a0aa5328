import { isObject, type JsonObject } from '../record/json.js';
import type { ModelPrice, PriceTable, Rates, Tier } from './price-table.js';

/** LiteLLM's model_prices_and_context_window.json: dollars per token, one object per model, of which we take the chat models. */
export function readLiteLlm(file: JsonObject, name: string): PriceTable {
  const models = new Map<string, ModelPrice>();
  for (const [model, entry] of Object.entries(file)) {
    if (model === 'sample_spec' || !isObject(entry)) continue;
    const price = modelPrice(entry);
    if (price !== null) models.set(model, price);
  }
  return { source: `LiteLLM, ${name}`, as_of: null, models };
}

function modelPrice(entry: JsonObject): ModelPrice | null {
  const base = ratesOf(entry, '');
  if (base === null) return null;
  const special = isObject(entry.provider_specific_entry) ? entry.provider_specific_entry : {};
  const search = isObject(entry.search_context_cost_per_query) ? entry.search_context_cost_per_query : {};
  return {
    ...base,
    // Some models of that file lack it although they are charged like all others.
    web_search_per_1000: (numberOf(search.search_context_size_medium) ?? 0.01) * 1000,
    fast_multiplier: numberOf(special.fast) ?? 1,
    us_geo_multiplier: numberOf(special.us) ?? 1,
    tiers: tiersOf(entry, base),
  };
}

/** `input_cost_per_token_above_200k_tokens` and its kin; what a tier does not list costs what it does below. */
function tiersOf(entry: JsonObject, base: Rates): Tier[] {
  const thresholds = new Set<number>();
  for (const field of Object.keys(entry)) {
    const found = /^input_cost_per_token_above_(\d+)k_tokens$/.exec(field);
    if (found?.[1] !== undefined) thresholds.add(Number(found[1]));
  }
  return [...thresholds]
    .sort((a, b) => a - b)
    .map((thousand) => ({
      above_input_tokens: thousand * 1000,
      ...(ratesOf(entry, `_above_${thousand}k_tokens`) ?? base),
    }));
}

function ratesOf(entry: JsonObject, tier: string): Rates | null {
  const input = perMillion(entry[`input_cost_per_token${tier}`]);
  const output = perMillion(entry[`output_cost_per_token${tier}`] ?? entry.output_cost_per_token);
  if (input === null || output === null) return null;
  return {
    input,
    output,
    cache_write_5m: perMillion(entry[`cache_creation_input_token_cost${tier}`]) ?? tidy(1.25 * input),
    // Its own figure is wrong for some models (that of a Sonnet for claude-3-haiku and claude-3-opus); twice the input is right for all.
    cache_write_1h: tidy(2 * input),
    cache_read: perMillion(entry[`cache_read_input_token_cost${tier}`]) ?? tidy(0.1 * input),
  };
}

function perMillion(value: unknown): number | null {
  const number = numberOf(value);
  return number === null ? null : tidy(number * 1e6);
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

/** 3e-7 × 1e6 is 0.3, not 0.30000000000000004. */
function tidy(usd: number): number {
  return Number(usd.toPrecision(12));
}
