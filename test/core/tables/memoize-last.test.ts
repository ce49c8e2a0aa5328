import { expect, test } from 'vitest';
import { memoizeLast } from '../../../src/core/tables/order.js';
import { Table } from '../../../src/core/tables/table.js';

test('asks again only when something it depends on is another', () => {
  const asked: string[] = [];
  const pair = memoizeLast((one: object, other: object) => {
    asked.push(JSON.stringify([one, other]));
    return { one, other };
  });
  const [a, b, c] = [{ a: 1 }, { b: 1 }, { c: 1 }];
  expect(pair(a, b)).toBe(pair(a, b));
  expect(pair(a, c)).toEqual({ one: a, other: c });
  expect(pair(a, b)).toEqual({ one: a, other: b });
  expect(asked).toHaveLength(3);
});

test.each([
  ['a table', (table: Table<number>) => table],
  ['a slice with a table', (table: Table<number>) => ({ table })],
])('asks again when %s has changed in place', (_name, holding) => {
  const table = new Table<number>();
  const given = holding(table);
  const size = memoizeLast((_: object) => table.size);
  expect(size(given)).toBe(0);
  table.put('a', 1);
  expect(size(given)).toBe(1);
});
