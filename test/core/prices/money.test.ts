import fc from 'fast-check';
import { expect, test } from 'vitest';
import { picosOf, plusPicos, usdOf } from '../../../src/core/prices/prices.js';

test('a sum does not depend on the order of what is added, or on its size', () => {
  const amount = fc.oneof(fc.integer({ min: 0 }), fc.maxSafeInteger().map(Math.abs), fc.bigInt(0n, 10n ** 30n));
  fc.assert(
    fc.property(fc.array(amount), (amounts) => {
      const total = amounts.reduce((all: bigint, one) => all + BigInt(one), 0n);
      for (const some of [amounts, amounts.toReversed()]) {
        const sum = some.reduce(plusPicos, 0);
        expect(BigInt(sum)).toBe(total);
        expect(typeof sum === 'bigint' || Number.isSafeInteger(sum)).toBe(true);
      }
    }),
  );
});

test('dollars come back as they were', () => {
  for (const usd of [0, 0.014083, 0.4412029, 8.559937750000001, 9007.25])
    expect(usdOf(picosOf(usd))).toBeCloseTo(usd, 12);
});
