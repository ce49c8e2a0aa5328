import fc from 'fast-check';
import { runs as effort, seed } from '../effort.js';

/** Checks generated input, the same each time. `all` is the number of runs with `npm run test:all`. */
export function check<T extends [unknown, ...unknown[]]>(property: fc.IProperty<T>, runs = 100, all = runs): void {
  fc.assert(property, { seed, numRuns: effort(runs, all) });
}

export function checkLater<T extends [unknown, ...unknown[]]>(
  property: fc.IAsyncProperty<T>,
  runs = 100,
  all = runs,
): Promise<void> {
  return fc.assert(property, { seed, numRuns: effort(runs, all) });
}
