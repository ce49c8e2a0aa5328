// Finds the price of a model, and calculates costs in whole picodollars.
import type { Tokens } from '../event/usage-row.js';
import { builtInPrices, canonicalModel, plainModel } from './models.js';

/** Dollars per million tokens. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cache_write_5m: number;
  readonly cache_write_1h: number;
  readonly cache_read: number;
}

/**
 * Factors that multiply the price of every kind of token: the field of a message that says how it was served, the value
 * that changes the price, and the field of the price table. When a factor is added, the compiler points to the places
 * that make prices and messages, and a test points to isServedAlike and costOf. They have no loop, because they run for
 * every message and a loop takes five times as long.
 */
export const factors = [
  { field: 'speed', value: 'fast', multiplier: 'fast_multiplier' },
  { field: 'inference_geo', value: 'us', multiplier: 'us_geo_multiplier' },
] as const;
type Factor = (typeof factors)[number];

/** How a request was served; null if it is not known. */
export type Served = { readonly [field in Factor['field']]: string | null };

/** A multiplier of 1 changes nothing. */
export interface ModelPrice extends Rates, Readonly<Record<Factor['multiplier'], number>> {
  readonly web_search_per_1000: number;
  readonly tiers: readonly Tier[];
}

/** The prices of a whole request whose prompt (input, cache reads and writes) is longer than `above_input_tokens`. */
export interface Tier extends Rates {
  readonly above_input_tokens: number;
}

export interface PriceTable {
  readonly source: string;
  /** The date of the prices; null if the file does not say. */
  readonly as_of: string | null;
  readonly models: ReadonlyMap<string, ModelPrice>;
}

/** Finds the price of a model by any of its spellings; null if there is none. */
export interface PriceBook {
  readonly table: PriceTable;
  priceOf(model: string | null): ModelPrice | null;
}

export function createPriceBook(table: PriceTable): PriceBook {
  const exact = new Map<string, ModelPrice>();
  const canonical = new Map<string, ModelPrice>();
  for (const [name, price] of table.models) {
    exact.set(plainModel(name), price);
    const known = canonicalModel(name);
    // A file may list a model under many providers. The price under the bare name is used for all others.
    if (known !== null && (!canonical.has(known) || plainModel(name).startsWith('claude'))) canonical.set(known, price);
  }
  const found = new Map<string, ModelPrice | null>();
  return {
    table,
    priceOf(model) {
      if (model === null) return null;
      let price = found.get(model);
      if (price === undefined) {
        price = exact.get(plainModel(model)) ?? canonical.get(canonicalModel(model) ?? '') ?? null;
        if (found.size < 1000) found.set(model, price);
      }
      return price;
    },
  };
}

export function builtInBook(): PriceBook {
  builtIn ??= createPriceBook(builtInPrices);
  return builtIn;
}
let builtIn: PriceBook | undefined;

/** Nothing is known of how it was served. */
export const unknownService: Served = { speed: null, inference_geo: null };

/** How a message was served that two records say something of. */
export function joinServed(a: Served, b: Served, join: (a: string | null, b: string | null) => string | null): Served {
  return { speed: join(a.speed, b.speed), inference_geo: join(a.inference_geo, b.inference_geo) };
}

export function isServedAlike(a: Served, b: Served): boolean {
  return a.speed === b.speed && a.inference_geo === b.inference_geo;
}

/** Cost of one request in picodollars. Measured: service tiers (batch, priority) do not change it. */
export function costOf(price: ModelPrice, used: Tokens, served: Served): number {
  const prompt = promptOf(used);
  const tier = price.tiers.findLast(({ above_input_tokens }) => prompt > above_input_tokens);
  const fast = served.speed === 'fast' ? price.fast_multiplier : 1;
  const geo = served.inference_geo === 'us' ? price.us_geo_multiplier : 1;
  return total(price, tier ?? price, fast * geo, used);
}

/** The tokens of the prompt, read from the cache or not. */
export function promptOf(used: Tokens): number {
  return used.input_tokens + used.cache_read_tokens + used.cache_write_5m_tokens + used.cache_write_1h_tokens;
}

/** Cost at the base tier, for tokens whose requests are unknown. */
export function baseCostOf(price: ModelPrice, used: Tokens): number {
  return total(price, price, 1, used);
}

/**
 * Money is whole picodollars (1e-12 $): a number as long as it is exact, which is much faster, else a bigint. The price of
 * a token is a whole number of them, so sums do not depend on their order.
 */
export type Picos = number | bigint;

export function picosOf(usd: number): number {
  return Math.round(usd * 1e12);
}

export function usdOf(picos: Picos): number {
  return Number(picos) / 1e12;
}

export function plusPicos(a: Picos, b: Picos): Picos {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return BigInt(a) + BigInt(b);
}

export function minusPicos(a: Picos, b: Picos): Picos {
  return plusPicos(a, -b);
}

function total(price: ModelPrice, rates: Rates, factor: number, used: Tokens): number {
  // A dollar per million tokens is a million picodollars per token; rounding removes the error of a factor such as 1.1.
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
