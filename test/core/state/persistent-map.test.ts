import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PersistentMap } from '../../../src/core/state/persistent-map.js';
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

  test('update does what get and set do, in every version', () => {
    check(
      fc.property(steps, fc.array(fc.nat(60)), (changes, places) => {
        const versions: [PersistentMap<number>, PersistentMap<number>][] = [[new PersistentMap(), new PersistentMap()]];
        for (const [step, { key: name, value }] of changes.entries()) {
          // Most often the newest version goes on, sometimes an older one.
          const [a, b] = versions[Math.min(places[step] ?? step, versions.length - 1)] ?? [
            new PersistentMap(),
            new PersistentMap(),
          ];
          const next = value === null ? a.delete(name) : a.set(name, (a.get(name) ?? 0) + value);
          const same = value === null ? b.delete(name) : b.update(name, (known = 0) => known + value);
          versions.push([next, same]);
        }
        for (const [a, b] of versions) expect(b.entries()).toEqual(a.entries());
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
    expect(PersistentMap.of(entries).entries()).toEqual([...new Map(entries)]);
  });

  test('empty, it has nothing', () => {
    const table = new PersistentMap<number>();
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

  test('every version that is kept stays as it was, whichever is read or continued', () => {
    const act = fc.record({ from: fc.nat(), key: fc.constantFrom('a', 'b', 'c', 'd'), value: fc.option(fc.nat(3)) });
    check(
      fc.property(fc.array(act, { maxLength: 80, size: 'max' }), fc.boolean(), (acts, onlyLatest) => {
        const versions = [new PersistentMap<number>()];
        const models = [new Map<string, number>()];
        for (const { from, key: name, value } of acts) {
          const at = onlyLatest ? versions.length - 1 : from % versions.length;
          const table = versions[at] ?? new PersistentMap<number>();
          const model = new Map(models[at]);
          versions.push(value === null ? table.delete(name) : table.set(name, value));
          if (value === null) model.delete(name);
          else model.set(name, value);
          models.push(model);
          const read = (from * 7) % versions.length;
          expectSame(versions[read] ?? new PersistentMap(), models[read] ?? new Map());
        }
        versions.forEach((table, at) => {
          expectSame(table, models[at] ?? new Map());
        });
      }),
      60,
    );
  });

  test('nor do versions from before there were too many changes to remember', () => {
    const versions = [PersistentMap.of([['first', 0]])];
    const models = [new Map([['first', 0]])];
    for (let at = 1; at < 1000; at++) {
      versions.push(
        versions
          .at(-1)
          ?.set(`key ${at % 7}`, at)
          .delete(`key ${(at + 4) % 7}`) ?? new PersistentMap(),
      );
      models.push(new Map(models.at(-1)).set(`key ${at % 7}`, at));
      models.at(-1)?.delete(`key ${(at + 4) % 7}`);
    }
    for (const at of [999, 1, 500, 30, 32, 34, 35, 998, 0])
      expectSame(versions[at] ?? new PersistentMap(), models[at] ?? new Map());
  });

  test('nothing new gives the same table', () => {
    const table = PersistentMap.of([
      ['a', Number.NaN],
      ['b', 0],
    ]);
    expect(table.set('a', Number.NaN)).toBe(table);
    expect(table.delete('c')).toBe(table);
    expect(table.set('b', -0)).not.toBe(table);
  });

  test('a table that is empty from the start knows nothing of those made from it', () => {
    const empty = new PersistentMap<number>();
    const [one, other] = [empty.set('a', 1), empty.set('b', 2)];
    expect([empty.size, empty.entries(), one.entries(), other.entries()]).toEqual([0, [], [['a', 1]], [['b', 2]]]);
  });

  test('undefined is a value', () => {
    const table = new PersistentMap<undefined>().set('a', undefined);
    expect([table.has('a'), table.size, table.entries()]).toEqual([true, 1, [['a', undefined]]]);
  });
});

test('keys stand in the order in which they were first set; one set again after it was deleted stands last', () => {
  const table = PersistentMap.of([
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

test('the last that fits is the one whose key was set first most lately', () => {
  const table = PersistentMap.of([
    ['a', 1],
    ['b', 2],
    ['c', 4],
    ['a', 3],
  ]);
  expect(table.findLast((value) => value < 4)).toBe(2);
  expect(table.findLast((value) => value % 2 === 1)).toBe(3);
  expect(table.delete('c').findLast(() => true)).toBe(2);
  expect(table.findLast((value) => value === 9)).toBeUndefined();
});

test('twenty thousand keys, changed one by one, take linear time', () => {
  let table = new PersistentMap<number>();
  for (let at = 0; at < 20_000; at++) table = table.set(`id-${at}`, at);
  for (let at = 0; at < 20_000; at++) table = table.set(`id-${at}`, -at);
  for (let at = 0; at < 20_000; at += 2) table = table.delete(`id-${at}`);
  expect(table.size).toBe(10_000);
});

test('a small table keeps none of its old values', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const old: WeakRef<object>[] = [];
  let table = new PersistentMap<object>();
  for (let change = 0; change < 40; change++) {
    const value = { change };
    old.push(new WeakRef(value));
    table = table.set(`key ${change % 4}`, value);
  }
  // A reference is kept until the end of the turn that made it.
  await turn();
  collect();
  expect(old.filter((value) => value.deref() !== undefined)).toHaveLength(4);
  expect(table.size).toBe(4);
});

function played(changes: readonly Step[]): [PersistentMap<number>, Map<string, number>] {
  let table = new PersistentMap<number>();
  const map = new Map<string, number>();
  for (const { key: name, value } of changes) {
    table = value === null ? table.delete(name) : table.set(name, value);
    if (value === null) map.delete(name);
    else map.set(name, value);
  }
  return [table, map];
}

function expectSame(table: PersistentMap<number>, map: Map<string, number>): void {
  expect(table.size).toBe(map.size);
  expect(table.entries()).toEqual([...map]);
  expect([...table]).toEqual([...map]);
  for (const [name, value] of map)
    if (!table.has(name) || table.get(name) !== value) expect(table.get(name)).toBe(value);
  for (const absent of ['absent', 'toString', 'key -1']) if (!map.has(absent)) expect(table.has(absent)).toBe(false);
}
