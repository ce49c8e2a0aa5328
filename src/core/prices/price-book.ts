import { builtInPrices } from './built-in.js';
import { canonicalModel, plainModel } from './model-name.js';
import type { ModelPrice, PriceTable } from './price-table.js';

/** Finds the price of a model by any of its spellings; null where there is none. */
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
    // A file may list a model under many providers: the bare name speaks for all that it does not list.
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

export const builtInBook: PriceBook = createPriceBook(builtInPrices);
