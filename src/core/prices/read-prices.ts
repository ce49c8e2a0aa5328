import { isObject, type JsonObject, parseJson } from '../record/json.js';
import { readLiteLlm } from './litellm.js';
import type { ModelPrice, PriceTable, Rates, Tier } from './price-table.js';

/**
 * A price file: our own (`models`, or the rows of `--prices show`, as an array or a line each) or LiteLLM's.
 * Throws an Error that says what is wrong.
 */
export function readPrices(text: string, name: string): PriceTable {
  const value = parseJson(text) ?? linesOf(text);
  if (Array.isArray(value)) return ours(new Map(value.map(rowEntry)), name, objectOf(value[0]));
  if (!isObject(value)) throw new Error('not a price table: neither JSON nor a row of JSON a line');
  if (isObject(value.models)) return ours(new Map(Object.entries(value.models)), name, value);
  const table = readLiteLlm(value, name);
  if (table.models.size === 0)
    throw new Error("not a price table: it has no 'models', and no entry has input_cost_per_token");
  return table;
}

function linesOf(text: string): unknown {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const rows = lines.map(parseJson);
  return rows.length > 0 && rows.every(isObject) ? rows : undefined;
}

function rowEntry(row: unknown): [string, unknown] {
  if (!isObject(row) || typeof row.model !== 'string') throw new Error("not a price table: a row has no 'model'");
  return [row.model, row];
}

function ours(entries: Map<string, unknown>, name: string, about: JsonObject | null): PriceTable {
  const models = new Map<string, ModelPrice>();
  for (const [model, entry] of entries) models.set(model, modelPrice(model, entry));
  return {
    source:
      typeof about?.source === 'string' ? about.source : typeof about?.measured === 'string' ? about.measured : name,
    as_of: typeof about?.as_of === 'string' ? about.as_of : null,
    models,
  };
}

function modelPrice(model: string, entry: unknown): ModelPrice {
  const said = objectOf(entry);
  if (said === null) throw new Error(`${model}: no prices`);
  const fast = objectOf(said.fast);
  return {
    ...ratesOf(model, said),
    web_search_per_1000: amount(model, 'web_search_per_1000', said.web_search_per_1000, 10),
    fast_multiplier: amount(model, 'fast_multiplier', said.fast_multiplier ?? fast?.multiplier, 1),
    us_geo_multiplier: amount(model, 'us_geo_multiplier', said.us_geo_multiplier, 1),
    tiers: Array.isArray(said.tiers) ? said.tiers.map((tier) => tierOf(model, tier)).sort(byThreshold) : [],
  };
}

function byThreshold(a: Tier, b: Tier): number {
  return a.above_input_tokens - b.above_input_tokens;
}

function tierOf(model: string, entry: unknown): Tier {
  const said = objectOf(entry);
  if (said === null) throw new Error(`${model}: a tier without prices`);
  return { above_input_tokens: amount(model, 'above_input_tokens', said.above_input_tokens), ...ratesOf(model, said) };
}

/** Cache prices that are missing follow from the input price, as Anthropic lists them. */
function ratesOf(model: string, said: JsonObject): Rates {
  const input = amount(model, 'input', said.input);
  return {
    input,
    output: amount(model, 'output', said.output),
    cache_write_5m: amount(model, 'cache_write_5m', said.cache_write_5m, 1.25 * input),
    cache_write_1h: amount(model, 'cache_write_1h', said.cache_write_1h, 2 * input),
    cache_read: amount(model, 'cache_read', said.cache_read, 0.1 * input),
  };
}

function amount(model: string, field: string, value: unknown, fallback?: number): number {
  if ((value === undefined || value === null) && fallback !== undefined) return fallback;
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new Error(`${model}: ${field} is ${value === undefined ? 'missing' : 'not a price'}`);
}

function objectOf(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}
