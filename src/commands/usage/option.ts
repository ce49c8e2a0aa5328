// The flags for budgets and prices, for commands that count money.
import type { Context, OptionSpec, Options } from '../../cli/command.js';
import { flagOf, numberOf, textOf } from '../../cli/flags/flags.js';
import { readWhole } from '../../cli/flags/operands.js';
import { builtInBook, createPriceBook, type PriceBook } from '../../core/prices/prices.js';
import { UsageError } from '../../io/exit.js';
import type { StdinStream } from '../../io/streams.js';
import type { Limits } from './budget.js';

export const budgetOptions: readonly OptionSpec[] = [
  {
    flags: '--max-usd <amount>',
    summary: 'stop when the cost passes this; with --by agent, when any one agent does',
    kind: 'money',
  },
  { flags: '--max-tokens <n>', summary: 'stop after this many tokens, such as 100k or 1.5M', kind: 'count' },
  {
    flags: '--allow-unpriced',
    summary:
      'with --max-usd, count models without a price as $0; without this flag, the first message of such a model counts as passing the limit',
  },
];

export function limitsOf(options: Options, perAgent = false): Limits {
  return {
    usd: numberOf(options, 'maxUsd'),
    tokens: numberOf(options, 'maxTokens'),
    perAgent,
    allowUnpriced: flagOf(options, 'allowUnpriced'),
  };
}

/** The prices of --prices, if it names a file; else the built-in ones. */
export async function pricesOf({ options, streams }: Pick<Context, 'options' | 'streams'>): Promise<PriceBook> {
  const path = textOf(options, 'prices');
  return path === null || path === 'show' ? builtInBook() : priceFile(path, streams.stdin);
}

/** Reads a price file in our format, LiteLLM's or that of models.dev. */
async function priceFile(path: string, stdin: StdinStream): Promise<PriceBook> {
  const text = await readWhole('--prices', path, stdin);
  // Imported here because it loads zod, which takes longer than reading most files.
  const { readPrices } = await import('../../core/prices/read-prices.js');
  try {
    return createPriceBook(readPrices(text, path));
  } catch (error) {
    throw new UsageError(`--prices: ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
