import { describe, expect, onTestFinished, test } from 'vitest';
import { countOf, flagOf, idOf, listOf, objectOf, textOf, textsOf, timeOf } from '../../../src/core/record/json.js';

const values = [undefined, null, true, 0, 7, '', 'a', [], ['a', 7, '', null], {}, { a: 1 }];

test.each([
  ['textOf', textOf, ['', 'a']],
  ['flagOf', flagOf, [true]],
  ['countOf', countOf, [0, 7]],
  ['listOf', listOf, [[], ['a', 7, '', null]]],
  ['objectOf', objectOf, [{}, { a: 1 }]],
  ['idOf', idOf, ['0', '7', 'a']],
  ['textsOf', textsOf, [[], ['a', '7']]],
])('%s takes what has its type and nothing else', (_name, read, expected) => {
  expect(values.map((value): unknown => read(value)).filter((value) => value !== null)).toEqual(expected);
});

describe('times become ISO 8601 UTC', () => {
  test.each<[unknown, string | null]>([
    ['2026-11-15T23:36:19.632Z', '2026-11-15T23:36:19.632Z'],
    ['2026-11-15T23:36:19Z', '2026-11-15T23:36:19.000Z'],
    ['2026-11-15T23:36:19.6321234Z', '2026-11-15T23:36:19.632Z'],
    ['2026-11-15T23:36Z', '2026-11-15T23:36:00.000Z'],
    ['2026-11-15T10:00:00+02:00', '2026-11-15T08:00:00.000Z'],
    ['2026-11-15T10:00:00-0530', '2026-11-15T15:30:00.000Z'],
    ['2026-11-15 10:00:00', '2026-11-15T10:00:00.000Z'],
    ['2026-11-15T10:00:00', '2026-11-15T10:00:00.000Z'],
    ['2026-11-15', '2026-11-15T00:00:00.000Z'],
    [1794785781666, '2026-11-15T23:36:21.666Z'],
    [1794785781, '2026-11-15T23:36:21.000Z'],
    [1794785781.666, '2026-11-15T23:36:21.666Z'],
  ])('%j', (said, time) => {
    expect(timeOf(said)).toBe(time);
  });

  test.each([
    '',
    '1',
    'task 1',
    'tomorrow',
    'Nov 5 2026',
    '2026-19-39T29:00:00.000Z',
    '2026-13-01T00:00:00Z',
    '2026-02-29T00:00:00.000Z',
    '2026-02-30T00:00:00+01:00',
    '2026-04-31T00:00:00.000Z',
    '10:00:00',
    '+275760-09-13T00:00:00Z',
    0,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e15,
    null,
    undefined,
    true,
    {},
    ['2026-11-15'],
  ])('%j is none', (said) => {
    expect(timeOf(said)).toBeNull();
  });

  test('wherever they are read', () => {
    const before = process.env['TZ'];
    onTestFinished(() => {
      process.env['TZ'] = before;
    });
    process.env['TZ'] = 'Pacific/Auckland';
    expect(new Date(2026, 0).toISOString()).not.toBe('2026-01-01T00:00:00.000Z');
    expect(timeOf('2026-11-15T10:00:00')).toBe('2026-11-15T10:00:00.000Z');
    expect(timeOf('2026-11-15 10:00')).toBe('2026-11-15T10:00:00.000Z');
  });
});
