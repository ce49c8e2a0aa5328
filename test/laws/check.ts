import fc from 'fast-check';
import { runs as effort, seed } from '../effort.js';
import { type LawName, runsOf } from './laws.js';

/** How often: as often as a law of the table says, or a number, and with `npm run test:all` another. */
type Often = [law: LawName] | [runs?: number, all?: number];

/** Checks generated input, the same each time. */
export function check<T extends [unknown, ...unknown[]]>(property: fc.IProperty<T>, ...often: Often): void {
  fc.assert(property, { seed, numRuns: numberOf(often) });
}

export function checkLater<T extends [unknown, ...unknown[]]>(
  property: fc.IAsyncProperty<T>,
  ...often: Often
): Promise<void> {
  return fc.assert(property, { seed, numRuns: numberOf(often) });
}

function numberOf([often = 100, all]: Often): number {
  return typeof often === 'string' ? runsOf(often) : effort(often, all);
}
