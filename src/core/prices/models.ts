// Lists the built-in prices, and finds the model behind an id.
import type { ModelPrice, PriceTable, Rates } from './prices.js';

/** The prices that ship with cct, measured with Claude Code 2.1.325. They reproduce its own figures to 1e-14. */
export const builtInPrices: PriceTable = {
  source: 'Claude Code 2.1.325, measured',
  as_of: '2026-11-13',
  // input, output, 5 minute and 1 hour cache write, cache read
  models: new Map<string, ModelPrice>([
    ['claude-3-5-haiku', listPrice(rates(0.8, 4, 1, 1.6, 0.08))],
    ['claude-3-5-sonnet', listPrice(rates(3, 15, 3.75, 6, 0.3))],
    ['claude-3-7-sonnet', listPrice(rates(3, 15, 3.75, 6, 0.3))],
    ['claude-sonnet-4-0', listPrice(rates(3, 15, 3.75, 6, 0.3))],
    ['claude-opus-4-0', listPrice(rates(15, 75, 18.75, 30, 1.5))],
    ['claude-opus-4-1', listPrice(rates(15, 75, 18.75, 30, 1.5))],
    ['claude-sonnet-4-5', listPrice(rates(3, 15, 3.75, 6, 0.3))],
    ['claude-haiku-4-5', listPrice(rates(1, 5, 1.25, 2, 0.1))],
    ['claude-opus-4-5', listPrice(rates(5, 25, 6.25, 10, 0.5))],
    ['claude-opus-4-6', listPrice(rates(5, 25, 6.25, 10, 0.5), { fast_multiplier: 6 })],
    ['claude-sonnet-4-6', listPrice(rates(3, 15, 3.75, 6, 0.3))],
    ['claude-opus-4-7', listPrice(rates(5, 25, 6.25, 10, 0.5), { fast_multiplier: 6 })],
    ['claude-opus-4-8', listPrice(rates(5, 25, 6.25, 10, 0.5), { fast_multiplier: 2 })],
    ['claude-opus-5', listPrice(rates(5, 25, 6.25, 10, 0.5), { fast_multiplier: 2 })],
    ['claude-sonnet-5', listPrice(rates(2, 10, 2.5, 4, 0.2))],
    ['claude-fable-5', listPrice(rates(10, 50, 12.5, 20, 1))],
    ['claude-mythos-5', listPrice(rates(10, 50, 12.5, 20, 1))],
    ['claude-fable-5-1', listPrice(rates(10, 50, 12.5, 20, 0.25))],
    ['claude-mythos-5-1', listPrice(rates(10, 50, 12.5, 20, 0.25))],
    ['claude-fable-5-2', listPrice(rates(8, 40, 10, 16, 0.2), { fast_multiplier: 2 })],
    ['claude-mythos-5-2', listPrice(rates(8, 40, 10, 16, 0.2), { fast_multiplier: 2 })],
    ['claude-opus-5-5', listPrice(rates(4, 20, 5, 8, 0.2), { fast_multiplier: 2 })],
    ['claude-sonnet-5-5', listPrice(rates(2, 10, 2.5, 4, 0.1))],
    [
      'claude-haiku-5-5',
      listPrice(rates(0.1, 0.5, 0.125, 0.2, 0.01), {
        tiers: [{ above_input_tokens: 100_000, ...rates(0.5, 2.5, 0.625, 1, 0.05) }],
      }),
    ],
  ]),
};

/**
 * The name of a model in the price table, found as Claude Code 2.1.325 finds it; null if it is not in the table. Ids of
 * Bedrock, Vertex and gateways, and aliases, mean the model they name. An id that is only a name and a version must be
 * in the table: claude-opus-5-1 is not claude-opus-5. Any other id only has to contain a name of the table:
 * claude-opus-5-1-preview is claude-opus-5. Measured on two thousand ids.
 */
export function canonicalModel(model: string): string | null {
  let name = canonical.get(model);
  if (name === undefined) {
    name = findCanonical(model.trim().toLowerCase());
    if (canonical.size < mostNames) canonical.set(model, name);
  }
  return name;
}
const canonical = new Map<string, string | null>();

/** The caches are limited because a stream may name any number of models. */
const mostNames = 1000;

/** One name for all spellings of a model, known or not, to match messages with reports. */
export function modelKey(model: string): string {
  let key = keys.get(model);
  if (key === undefined) {
    key = canonicalModel(model) ?? plainModel(model);
    if (keys.size < mostNames) keys.set(model, key);
  }
  return key;
}
const keys = new Map<string, string>();

/** Lower case, with 5-1 for 5.1, and without [1m]. */
export function plainModel(model: string): string {
  return withoutWindow(dashed(model.toLowerCase()));
}

function rates(input: number, output: number, write5m: number, write1h: number, read: number): Rates {
  return { input, output, cache_write_5m: write5m, cache_write_1h: write1h, cache_read: read };
}

function listPrice(base: Rates, special: Partial<ModelPrice> = {}): ModelPrice {
  return { ...base, web_search_per_1000: 10, fast_multiplier: 1, us_geo_multiplier: 1.1, tiers: [], ...special };
}

function findCanonical(id: string): string | null {
  const alias = aliases.get(withoutWindow(id));
  if (alias !== undefined) return alias;
  const parts = wholeId.exec(id)?.groups;
  if (parts !== undefined) return familyName(parts);
  const text = dashed(id);
  return mentions.find(({ pattern }) => pattern.test(text))?.name ?? null;
}

/** The provider, name and version in either order, and an optional variant, date, revision and window. */
const wholeId =
  /^(?:.*\/)?(?:(?:(?:us|eu|apac|global|jp|au|us-gov)\.)?anthropic\.)?claude-(?:(?<family>[a-z]+)-(?<major>\d{1,2})(?:[-.](?<minor>\d{1,2}))?|(?<oldMajor>\d{1,2})(?:[-.](?<oldMinor>\d{1,2}))?-(?<oldFamily>[a-z]+))(?:-fast|-latest)?(?:[-@]\d{8})?(?:-v\d+(?::\d+)?)?(?:\[\d+m\])*$/;

function familyName({ family, major, minor, oldMajor, oldMinor, oldFamily }: Record<string, string | undefined>) {
  if (family === undefined)
    return listedName(['claude', Number(oldMajor), ...(oldMinor === undefined ? [] : [Number(oldMinor)]), oldFamily]);
  // Some names of the table have no minor version: 5.0 is 5.
  const bare = Number(minor ?? 0) === 0 ? listedName(['claude', family, Number(major)]) : null;
  return listedName(['claude', family, Number(major), Number(minor ?? 0)]) ?? bare;
}

function listedName(parts: readonly unknown[]): string | null {
  const name = parts.join('-');
  return builtInPrices.models.has(name) ? name : null;
}

function dashed(id: string): string {
  return id.replace(/(?<=\d)\.(?=\d)/g, '-');
}

function withoutWindow(id: string): string {
  return id.replace(/\[\d+m\]$/, '');
}

interface Mention {
  readonly name: string;
  readonly pattern: RegExp;
}

/** In the order in which Claude Code looks for the names, the newest of a family first. */
const mentions: readonly Mention[] = [
  ...['fable-5-2', 'fable-5-1', 'fable-5', 'mythos-5-2', 'mythos-5-1', 'mythos-5'].map(anywhere),
  ...['opus-5-5', 'opus-5', 'opus-4-8', 'opus-4-7', 'opus-4-6', 'opus-4-5', 'opus-4-1'].map(anywhere),
  ofFour('opus'),
  ...['sonnet-5-5', 'sonnet-5', 'sonnet-4-6', 'sonnet-4-5'].map(anywhere),
  ofFour('sonnet'),
  ...['haiku-5-5', 'haiku-4-5'].map(anywhere),
  ...['3-7-sonnet', '3-5-sonnet', '3-5-haiku'].map((name) => mention(name, '(?![a-z])')),
];

function anywhere(name: string): Mention {
  return mention(name, '');
}

/** The first model of version 4 has no minor version in its id: an id with a minor version is another model. */
function ofFour(family: string): Mention {
  return { ...mention(`${family}-4`, '(?!-\\d(?!\\d))'), name: `claude-${family}-4-0` };
}

function mention(name: string, end: string): Mention {
  return { name: `claude-${name}`, pattern: new RegExp(`claude-${name}${end}`) };
}

/** The models that Claude Code uses for these names with a first-party key. */
const aliases = new Map([
  ['opus', 'claude-opus-5-5'],
  ['sonnet', 'claude-sonnet-5-5'],
  ['haiku', 'claude-haiku-5-5'],
  ['fable', 'claude-fable-5-2'],
  ['default', 'claude-opus-5-5'],
  ['best', 'claude-opus-5-5'],
  ['opusplan', 'claude-sonnet-5-5'],
]);
