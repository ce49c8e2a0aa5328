import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Journal } from '../../../src/core/state/usage/journal.js';

interface Entry {
  readonly key: string;
  readonly value: number;
}

test('every journal stays what it was, whichever is continued', () => {
  const step = fc.record({ from: fc.nat(50), key: fc.constantFrom('a', 'b', 'c', 'd'), value: fc.nat() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const journals = [new Journal<Entry>()];
      const maps = [new Map<string, Entry>()];
      for (const { from, key, value } of steps) {
        const at = from % journals.length;
        journals.push((journals[at] ?? new Journal<Entry>()).set({ key, value }));
        maps.push(new Map(maps[at]).set(key, { key, value }));
      }
      journals.forEach((journal, at) => {
        const map = maps[at] ?? new Map();
        expect([...journal.values()]).toEqual([...map.values()]);
        expect(journal.size).toBe(map.size);
        for (const key of ['a', 'b', 'c', 'd', 'e']) expect(journal.get(key)).toEqual(map.get(key));
      });
    }),
  );
});

test('the last that fits is the one set last, as it is now', () => {
  const journal = [
    { key: 'a', value: 1 },
    { key: 'b', value: 2 },
    { key: 'a', value: 3 },
  ].reduce((all, entry) => all.set(entry), new Journal<Entry>());
  expect(journal.findLast(({ key }) => key === 'a')).toEqual({ key: 'a', value: 3 });
  expect(journal.findLast(({ value }) => value === 2)).toEqual({ key: 'b', value: 2 });
  expect(journal.findLast(({ value }) => value === 9)).toBeUndefined();
});
