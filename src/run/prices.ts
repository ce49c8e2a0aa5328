import { createPriceBook, type PriceBook } from '../core/prices/price-book.js';
import type { PriceTable } from '../core/prices/price-table.js';
import { readPrices } from '../core/prices/read-prices.js';
import { UsageError } from '../io/exit.js';
import { readLines } from '../io/lines.js';
import { sourcesFrom } from '../io/sources.js';
import type { StdinStream } from '../io/streams.js';
import type { Context, Verdict } from './command.js';
import { openPrinter } from './print.js';

/** --prices: a file of ours or of LiteLLM. */
export async function priceFile(path: string, stdin: StdinStream): Promise<PriceBook> {
  const text = await textOf(path, stdin);
  try {
    return createPriceBook(readPrices(text, path));
  } catch (error) {
    throw new UsageError(`--prices: ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function textOf(path: string, stdin: StdinStream): Promise<string> {
  const [source] = sourcesFrom([path], stdin);
  const opened = await source?.open();
  if (!opened?.ok) throw new UsageError(`--prices: ${path}: ${opened?.problem ?? 'cannot be read'}`);
  const lines: string[] = [];
  const { problem } = await readLines(opened.bytes, {
    line: (bytes, start, end) => void lines.push(bytes.toString('utf8', start, end)),
    tooLong: () => {},
    chunkEnd: () => {},
  });
  if (problem !== null) throw new UsageError(`--prices: ${path}: ${problem}`);
  return lines.join('\n');
}

/** --prices show: rows that --prices reads again. */
export async function showPrices(context: Context, { models, as_of, source }: PriceTable): Promise<Verdict> {
  const printer = await openPrinter(context, { name: 'prices', fields: priceFields });
  for (const [model, price] of models) printer.row({ model, ...price, as_of, source });
  printer.end();
  return { rows: printer.rows };
}

const priceFields = [
  'model',
  'input',
  'output',
  'cache_write_5m',
  'cache_write_1h',
  'cache_read',
  'web_search_per_1000',
  'fast_multiplier',
  'us_geo_multiplier',
  'tiers',
  'as_of',
  'source',
];
