// Reads price files.
import * as z from 'zod';
import { isObject, type JsonObject, listOf, objectOf, parseJson } from '../record/json.js';
import type { ModelPrice, PriceTable, Rates, Tier } from './prices.js';

/**
 * Reads our own format (`models`, or the rows of `--prices show`, as an array or one per line), or that of LiteLLM or
 * models.dev.
 * Throws an Error that says what is wrong.
 */
export function readPrices(text: string, name: string): PriceTable {
  const value = parseJson(text) ?? jsonLines(text);
  if (Array.isArray(value)) return ours(new Map(value.map(rowEntry)), name, objectOf(value[0]));
  if (!isObject(value)) throw new Error('not a price table: expected JSON, or one JSON row per line');
  if (isObject(value.models)) return ours(new Map(Object.entries(value.models)), name, value);
  const listed = readModelsDev(value, name);
  const table = listed.models.size > 0 ? listed : readLiteLlm(value, name);
  if (table.models.size === 0)
    throw new Error("not a price table: it has no 'models', and no entry has input_cost_per_token or cost");
  return table;
}

function jsonLines(text: string): unknown {
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

/** One model of our own format, in dollars per million tokens. Optional fields get a default or follow from the others. */
function modelPrice(model: string, entry: unknown): ModelPrice {
  const read = modelEntry.safeParse(entry);
  if (!read.success) throw new Error(`${model}: ${describeIssue(read.error, entry)}`);
  const { web_search_per_1000, fast_multiplier, fast, us_geo_multiplier, tiers, ...base } = read.data;
  return {
    ...ratesOf(base),
    web_search_per_1000: web_search_per_1000 ?? 10,
    fast_multiplier: fast_multiplier ?? fast?.multiplier ?? 1,
    us_geo_multiplier: us_geo_multiplier ?? 1,
    tiers: byThreshold(
      (tiers ?? []).map(({ above_input_tokens, ...rates }) => ({ above_input_tokens, ...ratesOf(rates) })),
    ),
  };
}

function byThreshold(tiers: Tier[]): Tier[] {
  return tiers.sort((a, b) => a.above_input_tokens - b.above_input_tokens);
}

/** Above this, costs could become infinite and sums meaningless. */
const highestPrice = 1e9;
const price = z.number().nonnegative().max(highestPrice);
const rateFields = {
  input: price,
  output: price,
  cache_write_5m: price.nullish(),
  cache_write_1h: price.nullish(),
  cache_read: price.nullish(),
};
const modelEntry = z.object({
  ...rateFields,
  web_search_per_1000: price.nullish(),
  fast_multiplier: price.nullish(),
  fast: z.object({ multiplier: price.nullish() }).nullish().catch(null),
  us_geo_multiplier: price.nullish(),
  tiers: z.array(z.object({ above_input_tokens: z.number().nonnegative(), ...rateFields })).nullish(),
});

/** Missing cache prices follow from the input price, as in Anthropic's price list; others promise no discount. */
function ratesOf(
  { input, output, cache_write_5m, cache_write_1h, cache_read }: z.infer<z.ZodObject<typeof rateFields>>,
  isClaude = true,
): Rates {
  const [short, long, read] = isClaude ? [1.25, 2, 0.1] : [1, 1, 1];
  return {
    input,
    output,
    cache_write_5m: cache_write_5m ?? tidy(short * input),
    cache_write_1h: cache_write_1h ?? (isClaude ? null : cache_write_5m) ?? tidy(long * input),
    cache_read: cache_read ?? tidy(read * input),
  };
}

function isClaude(model: string): boolean {
  return model.includes('claude');
}

/** The first error in the entry of a model. */
function describeIssue({ issues }: z.ZodError, entry: unknown): string {
  const path = issues[0]?.path ?? [];
  const field = path.at(-1);
  if (field === undefined) return 'no prices';
  if (typeof field === 'number') return 'a tier without prices';
  if (field === 'tiers') return 'tiers is not a list';
  const value = path.reduce<unknown>((inner, key) => (typeof key === 'symbol' ? inner : Object(inner)[key]), entry);
  return `${String(field)} is ${value === undefined ? 'missing' : 'not a price'}`;
}

/**
 * The api.json of models.dev: providers, their models, and dollars per million tokens. A model has the price of its
 * maker, whoever else offers it; under `provider/model` it has that provider's.
 */
function readModelsDev(file: JsonObject, name: string): PriceTable {
  const models = new Map<string, ModelPrice>();
  const offers = Object.entries(file).sort(([a], [b]) => makers.indexOf(b) - makers.indexOf(a));
  for (const [provider, offer] of offers)
    for (const [model, entry] of Object.entries(objectOf(objectOf(offer)?.models) ?? {})) {
      const price = modelsDevPrice(objectOf(objectOf(entry)?.cost), isClaude(model));
      if (price === null) continue;
      if (!models.has(model)) models.set(model, price);
      models.set(`${provider}/${model}`, price);
    }
  return { source: `models.dev, ${name}`, as_of: null, models };
}
/** The last comes first. All others come after them, as they are in the file. */
const makers = ['mistral', 'moonshotai', 'zai', 'xai', 'deepseek', 'alibaba', 'google', 'openai', 'anthropic'];

function modelsDevPrice(cost: JsonObject | null, claude: boolean): ModelPrice | null {
  const ratesIn = (given: JsonObject | null): Rates | null => {
    const [input, output] = [priceOf(given?.input), priceOf(given?.output)];
    if (input === null || output === null) return null;
    const [read, write] = [priceOf(given?.cache_read), priceOf(given?.cache_write)];
    return ratesOf({ input, output, cache_read: read, cache_write_5m: write }, claude);
  };
  const base = ratesIn(cost);
  // Newer files have a list of tiers. Where they have both, it is the same price twice.
  const listed = (listOf(cost?.tiers) ?? []).map((tier) => [objectOf(tier), sizeOf(tier)] as const);
  const given = listed.length > 0 ? listed : [[objectOf(cost?.context_over_200k), 200_000] as const];
  const tiers = given.flatMap(([tier, above_input_tokens]): Tier[] => {
    const above = ratesIn(tier);
    return above === null || above_input_tokens === null ? [] : [{ above_input_tokens, ...above }];
  });
  const others = { web_search_per_1000: 10, fast_multiplier: 1, us_geo_multiplier: 1 };
  return base && { ...base, ...others, tiers: byThreshold(tiers) };
}

function sizeOf(tier: unknown): number | null {
  const { type, size } = objectOf(objectOf(tier)?.tier) ?? {};
  return type === 'context' && typeof size === 'number' && size >= 0 ? size : null;
}

/** LiteLLM's model_prices_and_context_window.json: dollars per token, one object per model. Only chat models are read. */
function readLiteLlm(file: JsonObject, name: string): PriceTable {
  const models = new Map<string, ModelPrice>();
  for (const [model, entry] of Object.entries(file)) {
    if (model === 'sample_spec' || !isObject(entry)) continue;
    const price = litellmPrice(entry, isClaude(model));
    if (price !== null) models.set(model, price);
  }
  // `dashscope/qwen3-coder-plus`: its maker's price, where the file does not have the model by itself.
  for (const [model, price] of [...models]) {
    const [provider = '', name = '', ...more] = model.split('/');
    if (litellmMakers.has(provider) && more.length === 0 && name !== '' && !models.has(name)) models.set(name, price);
  }
  return { source: `LiteLLM, ${name}`, as_of: null, models };
}

const litellmMakers: ReadonlySet<string> = new Set([
  'anthropic',
  'dashscope',
  'deepseek',
  'gemini',
  'mistral',
  'moonshot',
  'openai',
  'xai',
  'zai',
]);

function litellmPrice(entry: JsonObject, claude: boolean): ModelPrice | null {
  const base = litellmRates({ ...entry, ...rangesIn(entry).find(([from]) => from === 0)?.[1] }, '', claude);
  if (base === null) return null;
  const special = objectOf(entry.provider_specific_entry);
  const search = objectOf(entry.search_context_cost_per_query);
  return {
    ...base,
    // Some models lack this field, but are charged like the others.
    web_search_per_1000: (priceOf(search?.search_context_size_medium) ?? 0.01) * 1000,
    fast_multiplier: priceOf(special?.fast) ?? 1,
    us_geo_multiplier: priceOf(special?.us) ?? 1,
    tiers: tiersOf(entry, base, claude),
  };
}

/** `"tiered_pricing": [{"range": [0, 32000], "input_cost_per_token": …}, …]`: the ranges and where they begin. */
function rangesIn(entry: JsonObject): [number, JsonObject][] {
  return (listOf(entry.tiered_pricing) ?? []).flatMap((item): [number, JsonObject][] => {
    const range = objectOf(item) ?? {};
    const from = numberOf(listOf(range.range)?.[0]);
    return from === null || from < 0 ? [] : [[from, range]];
  });
}

/** Reads `input_cost_per_token_above_200k_tokens` and the like. A tier without an output price uses the base price. */
function tiersOf(entry: JsonObject, base: Rates, claude: boolean): Tier[] {
  const tiers = new Map<number, Tier>();
  for (const [above_input_tokens, range] of rangesIn(entry)) {
    const rates = litellmRates({ output_cost_per_token: entry.output_cost_per_token, ...range }, '', claude);
    if (above_input_tokens > 0 && rates !== null) tiers.set(above_input_tokens, { above_input_tokens, ...rates });
  }
  for (const field of Object.keys(entry)) {
    const thousands = /^input_cost_per_token_above_(\d+)k_tokens$/.exec(field)?.[1];
    if (thousands === undefined) continue;
    const above_input_tokens = Number(thousands) * 1000;
    const rates = litellmRates(entry, `_above_${Number(thousands)}k_tokens`, claude) ?? base;
    tiers.set(above_input_tokens, { above_input_tokens, ...rates });
  }
  return byThreshold([...tiers.values()]);
}

function litellmRates(entry: JsonObject, tier: string, claude: boolean): Rates | null {
  const input = perMillion(entry[`input_cost_per_token${tier}`]);
  const output = perMillion(entry[`output_cost_per_token${tier}`] ?? entry.output_cost_per_token);
  if (input === null || output === null) return null;
  // What the file says of writes for an hour is wrong: claude-3-haiku and claude-3-opus have the figure of a Sonnet.
  const cache_write_5m = perMillion(entry[`cache_creation_input_token_cost${tier}`]);
  const cache_read = perMillion(entry[`cache_read_input_token_cost${tier}`]);
  return ratesOf({ input, output, cache_write_5m, cache_read }, claude);
}

function perMillion(value: unknown): number | null {
  const number = numberOf(value);
  return priceOf(number === null ? null : tidy(number * 1e6));
}

/** People write `"3e-06"` in files of their own. */
function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

function priceOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= highestPrice ? value : null;
}

/** Removes rounding errors: 3e-7 × 1e6 is 0.3, not 0.30000000000000004. */
function tidy(usd: number): number {
  return Number(usd.toPrecision(12));
}
