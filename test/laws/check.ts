import fc from 'fast-check';

/** Holds for generated input, the same each time. To look further: LAW_SEED=7 LAW_RUNS=5000 npx vitest run test/laws */
export function check<T extends [unknown, ...unknown[]]>(property: fc.IProperty<T>, runs = 100): void {
  fc.assert(property, parameters(runs));
}

export function checkLater<T extends [unknown, ...unknown[]]>(
  property: fc.IAsyncProperty<T>,
  runs = 100,
): Promise<void> {
  return fc.assert(property, parameters(runs));
}

function parameters(runs: number) {
  const { LAW_SEED, LAW_RUNS } = process.env;
  return { seed: Number(LAW_SEED ?? 20261116), numRuns: Number(LAW_RUNS ?? runs) };
}
