import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { copySlice, Table, versionOf } from '../../../src/core/tables/table.js';
import { check } from '../../laws/check.js';

type Step = { key: string; value: number | null };

// Few keys, so that they meet.
const key = fc.oneof(fc.constantFrom('1', '2', '10', 'b', '', '__proto__'), fc.string({ maxLength: 2 }));
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

  test('with many keys', () => {
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
    expect(new Table(entries).entries()).toEqual([...new Map(entries)]);
  });

  test('empty, it has nothing', () => {
    const table = new Table<number>();
    expect([table.size, table.entries(), table.keys(), table.values(), [...table]]).toEqual([0, [], [], [], []]);
    expect(table.get('a')).toBeUndefined();
    expect(table.has('constructor')).toBe(false);
  });

  test('undefined is a value', () => {
    const table = new Table<undefined>();
    table.set('a', undefined);
    expect([table.has('a'), table.size, table.entries()]).toEqual([true, 1, [['a', undefined]]]);
  });

  test('keys stand in the order in which they were first set; one set again after it was deleted stands last', () => {
    const table = new Table([
      ['10', 1],
      ['2', 2],
      ['b', 3],
      ['1', 4],
    ]);
    table.set('2', 9);
    table.delete('10');
    table.set('10', 5);
    expect(table.entries()).toEqual([
      ['2', 9],
      ['b', 3],
      ['1', 4],
      ['10', 5],
    ]);
    expect(table.keys()).toEqual(['2', 'b', '1', '10']);
    expect(table.values()).toEqual([9, 3, 4, 5]);
  });
});

describe('a copy does not change', () => {
  test('what the table was stays as it was', () => {
    check(
      fc.property(steps, steps, (before, after) => {
        const [table, map] = played(before);
        const copy = table.copy();
        played(after, table);
        expectSame(copy, map);
      }),
    );
  });

  test('every copy that is kept stays as it was, whichever is read or continued', () => {
    const act = fc.record({ from: fc.nat(), key: fc.constantFrom('a', 'b', 'c', 'd'), value: fc.option(fc.nat(3)) });
    check(
      fc.property(fc.array(act, { maxLength: 80, size: 'max' }), fc.boolean(), (acts, onlyLatest) => {
        const kept: [Table<number>, Map<string, number>][] = [[new Table(), new Map()]];
        for (const { from, key: name, value } of acts) {
          const [table, map] = kept[onlyLatest ? kept.length - 1 : from % kept.length] ?? [new Table(), new Map()];
          kept.push(played([{ key: name, value }], table.copy(), new Map(map)));
          const [read, model] = kept[(from * 7) % kept.length] ?? [new Table(), new Map()];
          expectSame(read, model);
        }
        for (const [table, map] of kept) expectSame(table, map);
      }),
      60,
    );
  });

  test('nor does a copy of a slice', () => {
    const slice = { one: new Table([['a', 1]]), other: new Table<string>(), last: 'x' };
    const copy = copySlice(slice);
    slice.one.set('a', 2);
    slice.other.set('b', 'c');
    slice.last = 'y';
    expect([copy.one.entries(), copy.other.entries(), copy.last]).toEqual([[['a', 1]], [], 'x']);
  });
});

describe('a version grows', () => {
  test('with every change, and only then', () => {
    check(
      fc.property(steps, (changes) => {
        const table = new Table<number>();
        for (const step of changes) {
          const [entries, version] = [table.entries(), table.version];
          played([step], table);
          const isChanged = JSON.stringify(entries) !== JSON.stringify(table.entries());
          if (isChanged) expect(table.version).toBeGreaterThan(version);
          else expect(table.version).toBe(version);
        }
      }),
      300,
    );
  });

  test('also if another object says the same, because nobody looks inside', () => {
    const said = { a: 1 };
    const table = new Table([['x', said]]);
    table.set('x', said);
    expect(table.version).toBe(0);
    table.set('x', { a: 1 });
    expect(table.version).toBe(1);
  });

  test('in a slice, with each of its tables', () => {
    const slice = { one: new Table<number>(), other: new Table<number>(), last: 1 };
    slice.one.set('a', 1);
    slice.other.set('a', 1);
    slice.other.delete('a');
    slice.other.delete('a');
    expect(versionOf(slice)).toBe(3);
  });
});

test('a table keeps none of its old values', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const old: WeakRef<object>[] = [];
  const table = new Table<object>();
  for (let change = 0; change < 40; change++) {
    const value = { change };
    old.push(new WeakRef(value));
    table.set(`key ${change % 4}`, value);
  }
  // A reference is kept until the end of the turn that made it.
  await turn();
  collect();
  expect(old.filter((value) => value.deref() !== undefined)).toHaveLength(4);
  expect(table.size).toBe(4);
});

function played(
  changes: readonly Step[],
  table = new Table<number>(),
  map = new Map<string, number>(),
): [Table<number>, Map<string, number>] {
  for (const { key: name, value } of changes) {
    if (value === null) table.delete(name);
    else table.set(name, value);
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
