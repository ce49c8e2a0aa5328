import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Table } from '../../../src/core/state/table.js';
import { check } from '../../laws/check.js';

type Step = { key: string; value: number | null };

// Few keys, so that they meet; and two that have the same hash (FNV-1a).
const key = fc.oneof(
  fc.constantFrom('1', '2', '10', 'b', '', '__proto__', 'costarring', 'liquid'),
  fc.string({ maxLength: 2 }),
);
const steps = fc.array(fc.record({ key, value: fc.option(fc.nat(3)) }), { maxLength: 60, size: 'max' });

describe('a table is a Map', () => {
  test('after any changes', () => {
    check(
      fc.property(steps, (changes) => {
        expectSame(...played(changes));
      }),
      300,
    );
  });

  test('with so many keys that every level of it is used', () => {
    const keys = Array.from({ length: 20_000 }, (_, at) => `key ${at * 7}`);
    const changes: Step[] = [
      ...keys.map((name, at) => ({ key: name, value: at })),
      ...keys.filter((_, at) => at % 3 === 0).map((name) => ({ key: name, value: null })),
      ...keys.filter((_, at) => at % 5 === 0).map((name) => ({ key: name, value: -1 })),
    ];
    expectSame(...played(changes));
  });

  test('made from entries, the last of a key counts', () => {
    const entries: [string, number][] = [
      ['b', 1],
      ['a', 2],
      ['b', 3],
    ];
    expect(Table.of(entries).entries()).toEqual([...new Map(entries)]);
  });

  test('empty, it has nothing', () => {
    const table = new Table<number>();
    expect([table.size, table.entries(), table.values(), [...table]]).toEqual([0, [], [], []]);
    expect(table.get('a')).toBeUndefined();
    expect(table.has('constructor')).toBe(false);
  });
});

describe('a table does not change', () => {
  test('what was before stays as it was', () => {
    check(
      fc.property(steps, steps, (before, after) => {
        const [table, map] = played(before);
        let later = table;
        for (const { key: name, value } of after) later = value === null ? later.delete(name) : later.set(name, value);
        expectSame(table, map);
      }),
    );
  });

  test('nothing new gives the same table', () => {
    const table = Table.of([
      ['a', Number.NaN],
      ['b', 0],
    ]);
    expect(table.set('a', Number.NaN)).toBe(table);
    expect(table.delete('c')).toBe(table);
    expect(table.set('b', -0)).not.toBe(table);
  });

  test('undefined is a value', () => {
    const table = new Table<undefined>().set('a', undefined);
    expect([table.has('a'), table.size, table.entries()]).toEqual([true, 1, [['a', undefined]]]);
  });
});

test('keys stand in the order in which they were first set; one set again after it was deleted stands last', () => {
  const table = Table.of([
    ['10', 1],
    ['2', 2],
    ['b', 3],
    ['1', 4],
  ])
    .set('2', 9)
    .delete('10')
    .set('10', 5);
  expect(table.entries()).toEqual([
    ['2', 9],
    ['b', 3],
    ['1', 4],
    ['10', 5],
  ]);
  expect(table.values()).toEqual([9, 3, 4, 5]);
});

test('twenty thousand keys, changed one by one, take linear time', () => {
  let table = new Table<number>();
  for (let at = 0; at < 20_000; at++) table = table.set(`id-${at}`, at);
  for (let at = 0; at < 20_000; at++) table = table.set(`id-${at}`, -at);
  expect(table.size).toBe(20_000);
});

function played(changes: readonly Step[]): [Table<number>, Map<string, number>] {
  let table = new Table<number>();
  const map = new Map<string, number>();
  for (const { key: name, value } of changes) {
    table = value === null ? table.delete(name) : table.set(name, value);
    if (value === null) map.delete(name);
    else map.set(name, value);
  }
  return [table, map];
}

function expectSame(table: Table<number>, map: Map<string, number>): void {
  expect(table.size).toBe(map.size);
  expect(table.entries()).toEqual([...map]);
  expect([...table]).toEqual([...map]);
  for (const [name, value] of map)
    if (!table.has(name) || table.get(name) !== value) expect(table.get(name)).toBe(value);
  for (const absent of ['absent', 'toString', 'key -1']) if (!map.has(absent)) expect(table.has(absent)).toBe(false);
}
