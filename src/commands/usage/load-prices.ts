// Reads the file of --prices, and prints the prices in use.
import type { Context, Verdict } from '../../cli/command.js';
import { textOf } from '../../cli/flags.js';
import { openPrinter } from '../../cli/print.js';
import { createPriceBook, factors, type PriceBook, type PriceTable, type Tier } from '../../core/prices/prices.js';
import { UsageError } from '../../io/exit.js';
import { readLines } from '../../io/lines.js';
import { sourcesFrom } from '../../io/sources.js';
import type { StdinStream } from '../../io/streams.js';
import { thousands } from '../../view/text.js';

/** --prices: a file of ours or of LiteLLM. */
export async function priceFile(path: string, stdin: StdinStream): Promise<PriceBook> {
  const text = await contentOf(path, stdin);
  // Loaded here: it needs zod, which takes longer to load than most files take to read.
  const { readPrices } = await import('../../core/prices/read-prices.js');
  try {
    return createPriceBook(readPrices(text, path));
  } catch (error) {
    throw new UsageError(`--prices: ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** --prices show: rows that --prices reads again. */
export async function showPrices(context: Context, { models, as_of, source }: PriceTable): Promise<Verdict> {
  const { options, out, streams } = context;
  const isTable = (textOf(options, 'format') ?? (streams.stdout.isTTY ? 'table' : '')) === 'table';
  const number = { kind: 'number', align: 'right' } as const;
  const printer = await openPrinter(context, {
    name: 'prices',
    fields: priceFields,
    tableFields: ['model', ...rateFields, 'fast_multiplier', 'long_prompt'],
    columns: Object.fromEntries([...rateFields, 'fast_multiplier'].map((field) => [field, number])),
  });
  for (const [model, price] of models)
    printer.row({
      model,
      ...price,
      as_of,
      source,
      ...(isTable && { long_prompt: price.tiers.map(tierText).join(', ') }),
    });
  printer.end();
  if (isTable) out.write(`dollars per million tokens, ${as_of === null ? '' : `as of ${as_of}, `}${source}\n`);
  return { rows: printer.rows };
}

async function contentOf(path: string, stdin: StdinStream): Promise<string> {
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

function tierText({ above_input_tokens, input, output }: Tier): string {
  return `${input}/${output} above ${thousands(above_input_tokens)}`;
}

const rateFields = ['input', 'output', 'cache_write_5m', 'cache_write_1h', 'cache_read'];
const priceFields = [
  'model',
  ...rateFields,
  'web_search_per_1000',
  ...factors.map(({ multiplier }) => multiplier),
  'tiers',
  'as_of',
  'source',
];
