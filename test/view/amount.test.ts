import { describe, expect, test } from 'vitest';
import { byteText, compact, duration, money, thousands } from '../../src/view/text.js';

describe('thousands', () => {
  test.each([
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [1234567, '1,234,567'],
    [-1234567, '-1,234,567'],
    [1234.56789, '1,234.56789'],
    [1e21, '1e+21'],
  ])('%d', (amount, text) => expect(thousands(amount)).toBe(text));
});

describe('money', () => {
  test.each([
    [0, '$0.0000'],
    [0.5, '$0.5000'],
    [1234.5, '$1,234.50'],
    [0.00004, '<$0.0001'],
    [0.00006, '$0.0001'],
    [-1.25, '-$1.25'],
    [-0.00001, '-<$0.0001'],
    [Number.NaN, 'NaN'],
  ])('%d', (usd, text) => expect(money(usd)).toBe(text));

  test('other decimals', () => {
    expect(money(12.345, 2)).toBe('$12.35');
    expect(money(0.001, 2)).toBe('<$0.01');
  });
});

describe('compact', () => {
  test.each([
    [0, '0'],
    [999, '999'],
    [1000, '1.0k'],
    [1234, '1.2k'],
    [99_949, '99.9k'],
    [99_950, '100k'],
    [999_499, '999k'],
    [999_500, '1.0M'],
    [12_345_678, '12.3M'],
    [1_000_000_000, '1.0B'],
    [-1234, '-1.2k'],
  ])('%d', (amount, text) => expect(compact(amount)).toBe(text));
});

describe('duration', () => {
  test.each([
    [0, '0ms'],
    [999, '999ms'],
    [999.6, '1.0s'],
    [1000, '1.0s'],
    [12_345, '12.3s'],
    [59_949, '59.9s'],
    [59_950, '1m00s'],
    [245_000, '4m05s'],
    [3_599_499, '59m59s'],
    [3_599_500, '1h00m'],
    [7_380_000, '2h03m'],
    [86_399_999, '1d00h'],
    [273_600_000, '3d04h'],
    [-1500, '-1.5s'],
  ])('%d ms', (ms, text) => expect(duration(ms)).toBe(text));
});

describe('bytes', () => {
  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [9949, '9.9 kB'],
    [9950, '10 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [412e6, '412 MB'],
    [1e9, '1.0 GB'],
    [1.5e12, '1500 GB'],
  ])('%d', (amount, text) => expect(byteText(amount)).toBe(text));
});
