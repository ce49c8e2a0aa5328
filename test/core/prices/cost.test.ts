import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { canonicalModel } from '../../../src/core/prices/models.js';
import { builtInBook, costOf, factors, isServedAlike, unknownService } from '../../../src/core/prices/prices.js';
import { usageOf } from '../../../src/core/wire/dialects/usage.js';

interface Vector {
  readonly model: string;
  readonly canonical: string | null;
  readonly usage: { readonly speed?: string; readonly inference_geo?: string; readonly [field: string]: unknown };
  readonly cost_usd: number | null;
}

// What Claude Code 2.1.325 charged for each of these requests; null where it does not know the model.
const vectors: Vector[] = readFileSync('fixtures/usage/price-vectors.ndjson', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));

test('679 requests cost what the program charged for them', () => {
  const wrong = vectors.filter((vector) => {
    const cost = costInUsd(vector);
    return cost === null || vector.cost_usd === null
      ? cost !== vector.cost_usd
      : Math.abs(cost - vector.cost_usd) > 1e-9;
  });
  expect(vectors.length).toBe(679);
  expect(wrong).toEqual([]);
});

test('every model of them goes by the name the program has for it', () => {
  const wrong = vectors.filter(({ model, canonical }) => canonicalModel(model) !== canonical);
  expect(wrong).toEqual([]);
});

test.each(factors)('$field multiplies the cost and tells requests apart', ({ field, value, multiplier }) => {
  const listed = builtInBook().priceOf('claude-opus-5-5');
  const used = usageOf({ input_tokens: 100 });
  if (listed === null || used === null) throw new Error('no price or no usage');
  const price = { ...listed, [multiplier]: 3 };
  const plain = unknownService;
  const served = { ...plain, [field]: value };
  expect(costOf(price, used, served)).toBe(3 * costOf(price, used, plain));
  expect(isServedAlike(plain, served)).toBe(false);
  expect(isServedAlike(served, { ...served })).toBe(true);
});

test.each([
  ['a long prompt of a model with a tier', 'claude-haiku-5-5', { input_tokens: 100_001 }, 100_001 * 0.5],
  ['a prompt that just fits', 'claude-haiku-5-5', { input_tokens: 100_000 }, 100_000 * 0.1],
  ['cache reads make a prompt long', 'claude-haiku-5-5', { cache_read_input_tokens: 100_001 }, 100_001 * 0.05],
  ['output does not', 'claude-haiku-5-5', { output_tokens: 200_000 }, 200_000 * 0.5],
  ['writes without a split are short ones', 'claude-opus-5', { cache_creation_input_tokens: 1000 }, 1000 * 6.25],
  [
    'a split that says more than the total counts up to it',
    'claude-opus-5',
    { cache_creation_input_tokens: 1000, cache_creation: { ephemeral_1h_input_tokens: 1500 } },
    1000 * 10,
  ],
  [
    'a split without a total is the total',
    'claude-opus-5',
    { cache_creation: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 1000 } },
    1000 * 6.25 + 1000 * 10,
  ],
  ['searches', 'claude-opus-5', { server_tool_use: { web_search_requests: 3 } }, 30_000],
  [
    'fast and in the US',
    'claude-opus-4-6',
    { input_tokens: 1000, speed: 'fast', inference_geo: 'us' },
    1000 * 5 * 6 * 1.1,
  ],
])('%s', (_, model, usage, microdollars) => {
  expect(costInUsd({ model, usage, canonical: null, cost_usd: null })).toBeCloseTo(microdollars / 1e6, 12);
});

function costInUsd({ model, usage }: Vector): number | null {
  const price = builtInBook().priceOf(model);
  const tokens = usageOf(usage);
  if (price === null || tokens === null) return null;
  return costOf(price, tokens, { speed: usage.speed ?? null, inference_geo: usage.inference_geo ?? null }) / 1e12;
}
