import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Demand, fitWidths } from '../../src/view/fit.js';

const rigid = (natural: number, rank = 0): Demand => ({ natural, soft: natural, floor: natural, rank });
const prose = (natural: number): Demand => ({
  natural,
  soft: Math.min(natural, 24),
  floor: Math.min(natural, 16),
  rank: 0,
});
const text = (natural: number): Demand => ({ natural, soft: natural, floor: Math.min(natural, 9), rank: 0 });

test.each<[string, readonly Demand[], number, readonly number[]]>([
  ['all fit', [text(5), prose(30)], 40, [5, 30]],
  ['any length', [text(500), prose(3000)], Number.POSITIVE_INFINITY, [500, 3000]],
  ['prose gives way first', [text(30), prose(200)], 80, [30, 48]],
  ['then text, the widest first', [text(30), text(12), prose(200)], 60, [22, 12, 22]],
  ['then prose again', [text(30), text(30), prose(200)], 40, [10, 10, 16]],
  ['leftover columns go to the left', [text(30), text(30)], 43, [21, 20]],
  ['numbers never shrink', [text(30), rigid(20)], 40, [18, 20]],
  ['the last of equal rank is left out', [text(10), rigid(20), rigid(20)], 40, [10, 20, 0]],
  ['a low rank is left out before a high one', [text(10), rigid(20), rigid(20, 1)], 40, [10, 0, 20]],
  ['the first always stays', [rigid(50), rigid(5, 9)], 20, [20, 0]],
  ['no columns', [], 20, []],
])('%s', (_, demands, width, widths) => {
  expect(fitWidths(demands, width, 2)).toEqual(widths);
});

test('stays within the width and never asks for more than was demanded', () => {
  const demand = fc
    .tuple(fc.integer({ min: 1, max: 300 }), fc.nat(), fc.nat(), fc.nat({ max: 3 }))
    .map(([natural, a, b, rank]) => {
      const soft = 1 + (a % natural);
      return { natural, soft, floor: 1 + (b % soft), rank };
    });
  fc.assert(
    fc.property(
      fc.array(demand, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 400 }),
      (demands, width) => {
        const widths = fitWidths(demands, width, 2);
        const shown = widths.filter((one) => one > 0);
        expect(shown.reduce((sum, one) => sum + one, 2 * (shown.length - 1))).toBeLessThanOrEqual(width);
        widths.forEach((one, index) => {
          const { natural = 0, floor = 0 } = demands[index] ?? {};
          expect(one).toBeLessThanOrEqual(Math.max(natural, index === 0 ? width : 0));
          if (one > 0 && shown.length > 1) expect(one).toBeGreaterThanOrEqual(floor);
        });
        expect(widths[0]).toBeGreaterThan(0);
      },
    ),
  );
});
