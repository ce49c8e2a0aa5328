import { describe, expect, test } from 'vitest';
import type { Options } from '../../../src/cli/command.js';
import { arrangementOf } from '../../../src/cli/flags/arrange.js';

const rows = [
  { id: '10', cost: 2, at: '2026-11-16T10:00:00.000Z', name: 'writer', done: false, list: ['a'], day: '2026-11-15' },
  { id: '2', cost: null, at: null, name: 'Bob', done: true, list: [], day: null },
  { id: '1', cost: 30, at: '2026-11-16T09:00:00.000Z', name: 'alice', done: null, list: ['a', 'b'], day: '2026-11-16' },
];
const shown = { fields: Object.keys(rows[0] ?? {}), otherFields: [{ when: 'with --members', fields: ['kind'] }] };
const idsOf = (options: Options) => arrangementOf(options, shown)(rows).rows.map(({ id }) => id);

describe('--sort', () => {
  test.each<[field: string, ids: string, reversed: string]>([
    ['cost', '1 10 2', '10 1 2'],
    ['at', '10 1 2', '1 10 2'],
    ['day', '1 10 2', '10 1 2'],
    ['name', '1 2 10', '10 2 1'],
    ['id', '1 2 10', '10 2 1'],
    ['done', '2 10 1', '10 2 1'],
    ['list', '1 10 2', '2 10 1'],
  ])('%s: numbers and times largest first, text from A to Z, what is missing last', (field, ids, reversed) => {
    expect(idsOf({ sort: [field] }).join(' ')).toBe(ids);
    expect(idsOf({ sort: [field], reverse: true }).join(' ')).toBe(reversed);
  });

  test('by several fields, and equal rows stay as they were', () => {
    const many = [
      { a: 'x', b: 1, n: 1 },
      { a: 'y', b: 2, n: 2 },
      { a: 'x', b: 2, n: 3 },
      { a: 'x', b: 2, n: 4 },
    ];
    const arrange = arrangementOf({ sort: ['a', 'b'] }, { fields: ['a', 'b', 'n'] });
    expect(arrange(many).rows.map(({ n }) => n)).toEqual([3, 4, 1, 2]);
  });

  test.each([
    ['nmae', '--sort: unknown field nmae; fields: id, cost, at, name, done, list, day; did you mean name?'],
    ['kind', '--sort: the field kind exists only with --members'],
    ['li', '--sort: unknown field li; fields: id, cost, at, name, done, list, day; did you mean list?'],
  ])('%s is refused', (field, message) => {
    expect(() => arrangementOf({ sort: [field] }, shown)).toThrow(message);
  });
});

test('--reverse alone turns the usual order around', () => {
  expect(idsOf({ reverse: true })).toEqual(['1', '2', '10']);
});

test('--limit says how many rows it left out', () => {
  expect(arrangementOf({ limit: 2 }, shown)(rows)).toEqual({ rows: rows.slice(0, 2), notShown: 1 });
  expect(arrangementOf({ limit: 9 }, shown)(rows)).toEqual({ rows, notShown: 0 });
  expect(idsOf({ sort: ['cost'], limit: 1 })).toEqual(['1']);
});
