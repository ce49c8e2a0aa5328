import type { ModelPrice, PriceTable, Rates } from './prices.js';

/** The prices that ship with cct: what Claude Code 2.1.325 charges, measured; it reproduces the program's own figures to 1e-14. */
export const builtInPrices: PriceTable = {
  source: 'Claude Code 2.1.325, measured',
  as_of: '2026-11-13',
  // input, output, 5 minute and 1 hour cache write, cache read
  models: new Map<string, ModelPrice>([
    ['claude-3-5-haiku', list(rates(0.8, 4, 1, 1.6, 0.08))],
    ['claude-3-5-sonnet', list(rates(3, 15, 3.75, 6, 0.3))],
    ['claude-3-7-sonnet', list(rates(3, 15, 3.75, 6, 0.3))],
    ['claude-sonnet-4-0', list(rates(3, 15, 3.75, 6, 0.3))],
    ['claude-opus-4-0', list(rates(15, 75, 18.75, 30, 1.5))],
    ['claude-opus-4-1', list(rates(15, 75, 18.75, 30, 1.5))],
    ['claude-sonnet-4-5', list(rates(3, 15, 3.75, 6, 0.3))],
    ['claude-haiku-4-5', list(rates(1, 5, 1.25, 2, 0.1))],
    ['claude-opus-4-5', list(rates(5, 25, 6.25, 10, 0.5))],
    ['claude-opus-4-6', list(rates(5, 25, 6.25, 10, 0.5), { fast_multiplier: 6 })],
    ['claude-sonnet-4-6', list(rates(3, 15, 3.75, 6, 0.3))],
    ['claude-opus-4-7', list(rates(5, 25, 6.25, 10, 0.5), { fast_multiplier: 6 })],
    ['claude-opus-4-8', list(rates(5, 25, 6.25, 10, 0.5), { fast_multiplier: 2 })],
    ['claude-opus-5', list(rates(5, 25, 6.25, 10, 0.5), { fast_multiplier: 2 })],
    ['claude-sonnet-5', list(rates(2, 10, 2.5, 4, 0.2))],
    ['claude-fable-5', list(rates(10, 50, 12.5, 20, 1))],
    ['claude-mythos-5', list(rates(10, 50, 12.5, 20, 1))],
    ['claude-fable-5-1', list(rates(10, 50, 12.5, 20, 0.25))],
    ['claude-mythos-5-1', list(rates(10, 50, 12.5, 20, 0.25))],
    ['claude-fable-5-2', list(rates(8, 40, 10, 16, 0.2), { fast_multiplier: 2 })],
    ['claude-mythos-5-2', list(rates(8, 40, 10, 16, 0.2), { fast_multiplier: 2 })],
    ['claude-opus-5-5', list(rates(4, 20, 5, 8, 0.2), { fast_multiplier: 2 })],
    ['claude-sonnet-5-5', list(rates(2, 10, 2.5, 4, 0.1))],
    [
      'claude-haiku-5-5',
      list(rates(0.1, 0.5, 0.125, 0.2, 0.01), {
        tiers: [{ above_input_tokens: 100_000, ...rates(0.5, 2.5, 0.625, 1, 0.05) }],
      }),
    ],
  ]),
};

function rates(input: number, output: number, write5m: number, write1h: number, read: number): Rates {
  return { input, output, cache_write_5m: write5m, cache_write_1h: write1h, cache_read: read };
}

function list(base: Rates, special: Partial<ModelPrice> = {}): ModelPrice {
  return { ...base, web_search_per_1000: 10, fast_multiplier: 1, us_geo_multiplier: 1.1, tiers: [], ...special };
}
