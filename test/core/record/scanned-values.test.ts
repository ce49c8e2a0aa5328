import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openIndex } from '../../../src/cli/lines.js';
import { timeOf } from '../../../src/core/record/json.js';
import type { LineIndex } from '../../../src/core/record/line-index.js';
import { header } from '../../../src/core/record/scan-engine.js';
import { runs, seed } from '../../effort.js';

const shape = { count: 'count', time: 'time', session: 'shared', agent: 'shared', other: 'hash' } as const;

/** What `say` reads in each line. */
function scanned<T>(lines: readonly string[], say: (index: LineIndex, entry: number) => T): T[] {
  const said: T[] = [];
  const index = openIndex({ shape, line: (entry) => said.push(say(index, entry)), tooLong() {} });
  index.write(Buffer.from(`${lines.join('\n')}\n`));
  return said;
}

function countIn(json: string): number | null {
  const [count = null] = scanned([`{"count":${json}}`], (index, entry) => {
    const at = entry + index.slot('count');
    return index.word(at + 3) === 1 ? index.word(at + 2) : null;
  });
  return count;
}

test.each([
  ['0', 0],
  ['7', 7],
  ['999999999', 999_999_999],
  ['1000000000', null],
  ['-1', null],
  ['1.5', null],
  ['1e3', null],
  ['"7"', null],
  ['null', null],
  ['[]', null],
])('the count %s is %j', (json, expected) => expect(countIn(json)).toBe(expected));

function isTime(text: string): boolean {
  const [word] = scanned([`{"time":${JSON.stringify(text)}}`], (index, entry) =>
    index.word(entry + index.slot('time') + 2),
  );
  return word === 1;
}

test.each([
  ['2026-11-18T20:03:11.123Z', true],
  ['2024-02-28T23:59:59.999Z', true],
  // Whether a month has this day needs a closer look.
  ['2024-02-29T00:00:00.000Z', false],
  ['2026-13-01T00:00:00.000Z', false],
  ['2026-00-01T00:00:00.000Z', false],
  ['2026-11-00T00:00:00.000Z', false],
  ['2026-11-18T24:00:00.000Z', false],
  ['2026-11-18T20:60:00.000Z', false],
  ['2026-11-18 20:03:11.123Z', false],
  ['2026-11-18T20:03:11.12Z', false],
  ['2026-11-18T20:03:11.123+', false],
])('%s is certainly a time: %j', (text, expected) => expect(isTime(text)).toBe(expected));

test('what is certainly a time is one', () => {
  const digits = '0123456789/:-T.Z ';
  const nearly = fc
    .tuple(
      fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2099-12-31') }),
      fc.nat(23),
      fc.nat(digits.length - 1),
    )
    .map(([date, at, char]) => {
      const text = date.toISOString();
      return text.slice(0, at) + (digits[char] ?? '') + text.slice(at + 1);
    });
  fc.assert(
    fc.property(nearly, (text) => {
      expect(isTime(text) ? timeOf(text) : text).toBe(text);
    }),
    { numRuns: runs(500), seed },
  );
});

test('lines with the same shared values have the same hash of them, and no others', () => {
  const lines = [
    '{"session":"a","agent":"b","other":1}',
    '{"session":"a","agent":"b","other":2}',
    '{"other":3,"session":"a","agent":"b"}',
    '{"session":"b","agent":"a"}',
    '{"session":"a"}',
    '{"agent":"a"}',
    '{"session":null}',
    '{}',
  ];
  const hashes = scanned(lines, (index, entry) =>
    [0, 1].map((half) => index.word(entry + header.shared + half)).join(' '),
  );
  expect(new Set(hashes.slice(0, 3)).size).toBe(1);
  expect(new Set(hashes).size).toBe(lines.length - 2);
});
