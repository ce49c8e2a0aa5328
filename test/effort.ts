/**
 * How much is tried where a test could go on for ever. `npm test` tries a sample, the same each time; `npm run
 * test:all` (EFFORT=all) tries everything.
 * To look further: LAW_SEED=7 LAW_RUNS=5000 npx vitest run --config test/vitest.config.ts test/laws
 */
const { EFFORT, LAW_SEED, LAW_RUNS, UPDATE } = process.env;

export const isAll = EFFORT === 'all';

/** Goldens are written, so all that stands in them is made. */
export const isUpdate = UPDATE === 'yes';

/** The seed of generated input. */
export const seed = Number(LAW_SEED ?? 20261116);

/** How many generated inputs a law is tried with. */
export function runs(everyday: number, all = everyday): number {
  return Number(LAW_RUNS ?? (isAll ? all : everyday));
}

/** For checks that take turns: everyday each input gets one of them, with EFFORT=all it gets all. */
export function isTurn(index: number, checks: number, check: number): boolean {
  return isAll || index % checks === check;
}

/** A few items spread evenly over the list, including the first and the last; all of them with EFFORT=all. */
export function sample<T>(items: readonly T[], count: number): readonly T[] {
  if (isAll || items.length <= count) return items;
  const step = (items.length - 1) / Math.max(1, count - 1);
  return Array.from({ length: count }, (_, index) => items[Math.round(index * step)]).filter(
    (item) => item !== undefined,
  );
}
