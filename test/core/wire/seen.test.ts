import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Seen } from '../../../src/core/wire/seen.js';
import { check } from '../../laws/check.js';

describe('a key is new once', () => {
  test.each(['', 'a', 'toolu_01', '\u0000', '__proto__', 'é', '\ud83d\ude00', 'x'.repeat(100_000)])('%j', (key) => {
    const seen = new Seen(0);
    expect(seen.has(key)).toBe(false);
    expect(seen.add(key)).toBe(true);
    expect(seen.has(key)).toBe(true);
    expect(seen.add(key)).toBe(false);
    expect(seen.has(`${key}.`)).toBe(false);
  });

  test('as a Set has it, while it grows', () => {
    const seen = new Seen(0);
    const model = new Set<string>();
    check(
      fc.property(fc.array(fc.string(), { maxLength: 200 }), (keys) => {
        for (const key of keys) {
          expect(seen.add(key)).toBe(!model.has(key));
          model.add(key);
        }
      }),
      50,
    );
  });

  test('keys that are alike are not taken for each other', () => {
    const seen = new Seen(0);
    for (let at = 0; at < 200_000; at++) {
      if (!seen.add(`0000000${at}-0000-4000-8000-000000000000`)) throw new Error(`key ${at} passed for another`);
      if (!seen.add(`toolu_${at.toString(36)}`)) throw new Error(`call ${at} passed for another`);
    }
    expect(seen.add('toolu_0')).toBe(false);
  });
});

describe('raise', () => {
  test('says whether a value is the largest so far', () => {
    const seen = new Seen(0);
    const said = [5, 5, 4, 6.5, 6, 7].map((value) => raise(seen, 'usage', value));
    expect(said).toEqual([true, false, false, true, false, true]);
  });

  test('knows a key however it is divided', () => {
    const seen = new Seen(7);
    expect(seen.raise(seen.keyStart('usage of '), 'a', 5)).toBe(true);
    expect(seen.raise(seen.keyStart('usage'), ' of a', 5)).toBe(false);
    expect(raise(seen, 'usage of a', 6)).toBe(true);
  });

  test('knows nothing of other keys, nor of keys without a value', () => {
    const seen = new Seen(0);
    expect(seen.add('a')).toBe(true);
    expect(raise(seen, 'a', 9)).toBe(true);
    expect(raise(seen, 'b', 1)).toBe(true);
    expect(seen.has('b')).toBe(false);
  });
});

test('the newest million keys are kept, of an endless stream not all', () => {
  const seen = new Seen(0);
  const count = 2_300_000;
  for (let at = 0; at < count; at++) seen.add(`key ${at}`);
  for (let at = count - 1_000_000; at < count; at += 997) expect(seen.has(`key ${at}`)).toBe(true);
  expect(seen.has('key 0')).toBe(false);
});

test('a copy of what it saved knows the same, with the same seed', () => {
  const seen = new Seen(7);
  for (let at = 0; at < 3000; at++) seen.add(`key ${at}`);
  for (let at = 1; at < 3000; at++) raise(seen, `value ${at}`, at);
  const copy = new Seen(7, seen.save());
  for (let at = 1; at < 3000; at += 7) {
    expect([copy.has(`key ${at}`), raise(copy, `value ${at}`, at), raise(copy, `value ${at}`, at + 1)]).toEqual([
      true,
      false,
      true,
    ]);
  }
  expect(copy.has('value 1')).toBe(false);
});

function raise(seen: Seen, key: string, value: number): boolean {
  return seen.raise(seen.keyStart(''), key, value);
}
