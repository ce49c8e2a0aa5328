import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { heard, mergeSaid, type Said, sinceOf } from '../../../src/core/tables/tasks.js';
import { check } from '../../laws/check.js';

type Word = readonly [value: string, time: number | null];

describe('what counts', () => {
  test.each<[name: string, words: Word[], value: string, since: number | null]>([
    ['the first word', [['a', 1]], 'a', 1],
    [
      'the last by time',
      [
        ['a', 1],
        ['b', 2],
      ],
      'b',
      2,
    ],
    [
      'the last by time, whichever came first',
      [
        ['b', 2],
        ['a', 1],
      ],
      'b',
      2,
    ],
    [
      'of the same time, the last that came',
      [
        ['a', 1],
        ['b', 1],
      ],
      'b',
      1,
    ],
    [
      'the last that came, where nothing has a time',
      [
        ['a', null],
        ['b', null],
      ],
      'b',
      null,
    ],
    [
      'a word without time, after one that has it',
      [
        ['a', 1],
        ['b', null],
      ],
      'b',
      null,
    ],
    [
      'a word with time, after one that has none',
      [
        ['a', null],
        ['b', 1],
      ],
      'b',
      1,
    ],
    [
      'what is older than the last time known, after a word without time',
      [
        ['a', 5],
        ['b', null],
        ['c', 4],
      ],
      'b',
      null,
    ],
    [
      'a repeat is no change',
      [
        ['a', 1],
        ['a', 2],
      ],
      'a',
      1,
    ],
    [
      'an earlier repeat dates the change',
      [
        ['a', 2],
        ['a', 1],
      ],
      'a',
      1,
    ],
    [
      'a repeat with time dates a word without',
      [
        ['a', null],
        ['a', 2],
      ],
      'a',
      2,
    ],
    [
      'changed and changed back',
      [
        ['a', 1],
        ['b', 2],
        ['a', 3],
      ],
      'a',
      3,
    ],
    [
      'changed and changed back, told last to first',
      [
        ['a', 3],
        ['b', 2],
        ['a', 1],
      ],
      'a',
      3,
    ],
    [
      'changed and changed back, the middle told last',
      [
        ['a', 1],
        ['a', 3],
        ['b', 2],
      ],
      'a',
      3,
    ],
  ])('%s', (_name, words, value, since) => {
    const said = tell(words);
    expect([said?.value, sinceOf(said)]).toEqual([value, since === null ? null : timeOf(since)]);
  });
});

const value = fc.constantFrom('a', 'b', 'c');
const word: fc.Arbitrary<Word> = fc.tuple(value, fc.option(fc.nat(6), { nil: null }));

test('told twice is told once', () => {
  check(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      const once = tell(words);
      expect(again(once, words)?.value).toBe(once?.value);
    }),
  );
});

test('told twice is told once, and since when', () => {
  check(
    fc.property(fc.array(fc.tuple(value, fc.nat(6)), { maxLength: 12 }), (words) => {
      const once = tell(words);
      const twice = again(once, words);
      expect([twice?.value, sinceOf(twice)]).toEqual([once?.value, sinceOf(once)]);
    }),
  );
});

test('an event that comes again at once changes nothing at all', () => {
  check(
    fc.property(fc.array(word, { maxLength: 12 }), word, (words, last) => {
      const once = tell([...words, last]);
      expect(again(once, [last], words.length)).toBe(once);
    }),
  );
});

test('where every word has a time of its own, their order does not matter', () => {
  const distinct = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b'), fc.nat(20)), { selector: ([, time]) => time });
  check(
    fc.property(distinct, (words) => {
      const sorted = [...words].sort(([, a], [, b]) => a - b);
      expect(tell(words)?.value).toBe(sorted.at(-1)?.[0]);
    }),
  );
});

describe('two places that speak of one thing', () => {
  test.each<[name: string, here: Word[], there: Word[], value: string, since: number | null]>([
    ['the last by time', [['a', 3]], [['b', 2]], 'a', 3],
    ['either way round', [['a', 2]], [['b', 3]], 'b', 3],
    ['both agree', [['a', 3]], [['a', 2]], 'a', 2],
    [
      'changed in between',
      [
        ['a', 1],
        ['a', 5],
      ],
      [['b', 3]],
      'a',
      5,
    ],
    ['without a time, what came last', [['a', 1]], [['b', null]], 'b', null],
    ['nothing said in one', [], [['b', 1]], 'b', 1],
  ])('%s', (_name, here, there, value, since) => {
    const merged = mergeSaid(tell(here), tell(there, 100));
    expect([merged?.value, sinceOf(merged)]).toEqual([value, since === null ? null : timeOf(since)]);
  });

  test('without a time, what came last, also when it is named first', () => {
    expect(mergeSaid(tell([['a', null]], 100), tell([['b', 1]]))?.value).toBe('a');
  });

  test('nothing said at all', () => {
    expect(mergeSaid(null, null)).toBeNull();
  });
});

test('objects are compared by what they hold', () => {
  const said = heard(null, { a: [1] }, { time: timeOf(1), seq: 1 });
  expect(heard(said, { a: [1] }, { time: timeOf(1), seq: 1 })).toBe(said);
});

function tell(words: readonly Word[], from = 0): Said<string> | null {
  return again(null, words, from);
}

function again(said: Said<string> | null, words: readonly Word[], from = 0): Said<string> | null {
  return words.reduce<Said<string> | null>(
    (known, [value, time], at) => heard(known, value, { time: time === null ? null : timeOf(time), seq: from + at }),
    said,
  );
}

function timeOf(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
}
