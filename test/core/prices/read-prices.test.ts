import { describe, expect, test } from 'vitest';
import { builtInPrices } from '../../../src/core/prices/models.js';
import { createPriceBook } from '../../../src/core/prices/prices.js';
import { readPrices } from '../../../src/core/prices/read-prices.js';

const plain = { input: 3, output: 15, cache_write_5m: 3.75, cache_write_1h: 6, cache_read: 0.3 };

describe('a file of ours', () => {
  test('holds what --prices show prints, as an array or a line each', () => {
    const rows = [...builtInPrices.models].map(([model, price]) => ({
      model,
      ...price,
      as_of: builtInPrices.as_of,
      source: builtInPrices.source,
    }));
    for (const text of [JSON.stringify(rows, null, 2), rows.map((row) => JSON.stringify(row)).join('\n')])
      expect(readPrices(text, 'prices.json')).toEqual(builtInPrices);
  });

  test('may leave out what follows from the input price', () => {
    const { models, as_of, source } = readPrices(
      '{"as_of":"2027-01-01","models":{"m":{"input":3,"output":15}}}',
      'my.json',
    );
    expect([as_of, source]).toEqual(['2027-01-01', 'my.json']);
    expect(models.get('m')).toEqual({
      ...plain,
      cache_read: expect.closeTo(0.3),
      web_search_per_1000: 10,
      fast_multiplier: 1,
      us_geo_multiplier: 1,
      tiers: [],
    });
  });

  test('names fast prices by their multiplier, and tiers in any order', () => {
    const tier = (above_input_tokens: number) => ({ ...plain, above_input_tokens });
    const entry = { ...plain, fast: { multiplier: 6 }, tiers: [tier(200), tier(100)] };
    const price = readPrices(JSON.stringify({ models: { m: entry } }), 'my.json').models.get('m');
    expect(price?.fast_multiplier).toBe(6);
    expect(price?.tiers.map((one) => one.above_input_tokens)).toEqual([100, 200]);
  });

  test.each([
    ['not JSON', 'prices', 'not a price table: expected JSON, or one JSON row per line'],
    ['no prices', '{"a":1}', "not a price table: it has no 'models', and no entry has input_cost_per_token"],
    ['a row without a model', '[{"input":3}]', "not a price table: a row has no 'model'"],
    ['a price is missing', '{"models":{"m":{"input":3}}}', 'm: output is missing'],
    ['a price is no number', '{"models":{"m":{"input":"3","output":1}}}', 'm: input is not a price'],
    ['a price is beyond all numbers', '{"models":{"m":{"input":1e999,"output":1}}}', 'm: input is not a price'],
    ['a price is beyond all money', '{"models":{"m":{"input":1,"output":1e300}}}', 'm: output is not a price'],
    [
      'a factor is beyond all money',
      '{"models":{"m":{"input":1,"output":1,"us_geo_multiplier":1e200}}}',
      'm: us_geo_multiplier is not a price',
    ],
    ['a price is negative', '{"models":{"m":{"input":-3,"output":1}}}', 'm: input is not a price'],
    ['a model is null', '{"models":{"m":null}}', 'm: no prices'],
    ['tiers are no list', '{"models":{"m":{"input":3,"output":1,"tiers":{}}}}', 'm: tiers is not a list'],
    ['a tier is no object', '{"models":{"m":{"input":3,"output":1,"tiers":[7]}}}', 'm: a tier without prices'],
    [
      'a tier has no threshold',
      '{"models":{"m":{"input":3,"output":1,"tiers":[{"input":3,"output":1}]}}}',
      'm: above_input_tokens is missing',
    ],
  ])('%s', (_, text, message) => {
    expect(() => readPrices(text, 'my.json')).toThrow(message);
  });
});

describe("LiteLLM's file", () => {
  const file = {
    sample_spec: { input_cost_per_token: 0, output_cost_per_token: 0 },
    'claude-sonnet-4-5-20250929': {
      litellm_provider: 'anthropic',
      input_cost_per_token: 3e-6,
      output_cost_per_token: 1.5e-5,
      cache_creation_input_token_cost: 3.75e-6,
      cache_creation_input_token_cost_above_1hr: 1e-6,
      cache_read_input_token_cost: 3e-7,
      input_cost_per_token_above_200k_tokens: 6e-6,
      output_cost_per_token_above_200k_tokens: 2.25e-5,
      cache_creation_input_token_cost_above_200k_tokens: 7.5e-6,
      cache_read_input_token_cost_above_200k_tokens: 6e-7,
      search_context_cost_per_query: { search_context_size_medium: 0.01 },
      provider_specific_entry: { us: 1.1, fast: 6 },
    },
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0': { input_cost_per_token: 3.3e-6, output_cost_per_token: 1.65e-5 },
    'openrouter/some/model': { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 },
    'an-image-model': { output_cost_per_image: 0.1 },
  };
  const book = createPriceBook(readPrices(JSON.stringify(file), 'litellm.json'));

  test('has prices per token', () => {
    expect(book.table.source).toBe('LiteLLM, litellm.json');
    expect([...book.table.models.keys()]).toEqual(Object.keys(file).slice(1, 4));
    expect(book.priceOf('claude-sonnet-4-5-20250929')).toEqual({
      ...plain,
      web_search_per_1000: 10,
      fast_multiplier: 6,
      us_geo_multiplier: 1.1,
      tiers: [
        {
          above_input_tokens: 200_000,
          input: 6,
          output: 22.5,
          cache_write_5m: 7.5,
          cache_write_1h: 12,
          cache_read: 0.6,
        },
      ],
    });
  });

  test.each([
    ['claude-sonnet-4-5', 3],
    ['claude-sonnet-4.5[1m]', 3],
    ['eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 3],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 3.3],
    ['openrouter/some/model', 1],
    ['claude-opus-5', undefined],
    ['an-image-model', undefined],
  ])('%s costs %s', (model, input) => {
    expect(book.priceOf(model)?.input).toBe(input);
  });

  test("a model under its maker's name is that model, and promises no discount that is not in the file", () => {
    const others = {
      'dashscope/qwen3-coder-plus': { input_cost_per_token: 1e-6, output_cost_per_token: 5e-6 },
      'deepinfra/qwen3-coder-plus': { input_cost_per_token: 9e-6, output_cost_per_token: 9e-6 },
    };
    const priced = createPriceBook(readPrices(JSON.stringify(others), 'litellm.json')).priceOf('qwen3-coder-plus');
    expect(priced).toMatchObject({ input: 1, output: 5, cache_write_5m: 1, cache_write_1h: 1, cache_read: 1 });
  });

  // Qwen's models are only in the file like this.
  test('a model with ranges has the price of the lowest, and tiers', () => {
    const ranges = [
      { range: [32_000, 128_000], input_cost_per_token: 1.8e-6, cache_read_input_token_cost: 1.8e-7 },
      { range: [0, 32_000], input_cost_per_token: '1e-06', output_cost_per_token: 5e-6 },
      { range: 'all', input_cost_per_token: 9 },
      null,
    ];
    const entry = { output_cost_per_token: 9e-6, tiered_pricing: ranges };
    const file = JSON.stringify({ 'dashscope/qwen3-coder-plus': entry });
    expect(createPriceBook(readPrices(file, 'litellm.json')).priceOf('qwen3-coder-plus')).toMatchObject({
      input: 1,
      output: 5,
      cache_read: 1,
      tiers: [{ above_input_tokens: 32_000, input: 1.8, output: 9, cache_read: 0.18 }],
    });
  });
});

describe('the file of models.dev', () => {
  test.each([
    ['one step', { context_over_200k: { input: 4, output: 15 } }, [[200_000, 4]]],
    [
      'a list, which counts before it',
      {
        tiers: [
          { input: 10, output: 45, tier: { type: 'context', size: 272_000 } },
          { input: 8, output: 40, tier: { type: 'context', size: 128_000 } },
          { input: 1, output: 1, tier: { type: 'batch' } },
          7,
        ],
        context_over_200k: { input: 10, output: 45 },
      },
      [
        [128_000, 8],
        [272_000, 10],
      ],
    ],
    ['neither', { tiers: [] }, []],
  ])('has tiers: %s', (_, more, tiers) => {
    const file = { openai: { models: { 'gpt-5.5': { cost: { input: 5, output: 30, ...more } } } } };
    const price = createPriceBook(readPrices(JSON.stringify(file), 'api.json')).priceOf('gpt-5.5');
    expect(price?.input).toBe(5);
    expect(price?.tiers.map(({ above_input_tokens, input }) => [above_input_tokens, input])).toEqual(tiers);
  });
});
