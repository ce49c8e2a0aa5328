import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ndjson, streams } from '../streams.js';
import { check } from './check.js';
import { everything } from './families.js';
import { testEach } from './law.js';
import { inputsOf } from './laws.js';
import { type Part, readAll, written } from './reading.js';

const small = everything.filter(({ parts }) => size(parts) < 20_000);
const lengths = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 12 });

describe('the same bytes, in whatever pieces they come', () => {
  testEach(everything, ({ parts }) => {
    const before = outcome(parts);
    expect(outcome(parts)).toBe(before);
    check(
      fc.property(lengths, (chunks) => {
        expect(outcome(parts, chunks)).toBe(before);
      }),
      'determinism: chunks',
    );
  });

  describe('byte by byte', () => {
    testEach(inputsOf('determinism: bytes', small), ({ parts }) => {
      expect(outcome(parts, [1])).toBe(outcome(parts));
    });
  });

  test('any stream', () => {
    check(
      fc.property(streams(), lengths, (records, chunks) => {
        const parts = [{ path: null, bytes: Buffer.from(ndjson(records)) }];
        expect(outcome(parts, chunks)).toBe(outcome(parts));
      }),
      'determinism: any stream',
    );
  });
});

test('the generator itself gives the same streams for the same seed', () => {
  const options = { seed: 5, numRuns: 20 };
  expect(fc.sample(streams(), options)).toEqual(fc.sample(streams(), options));
});

function outcome(parts: readonly Part[], chunks: readonly number[] = []): string {
  const { events, damaged, missing } = readAll(parts, { chunks });
  return `${written(events)}${damaged} damaged; ${missing}`;
}

function size(parts: readonly Part[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
