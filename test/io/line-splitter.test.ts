import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordShape } from '../../src/core/wire/spell.js';
import { check } from '../laws/check.js';
import { LineSplitter } from '../line-splitter.js';

type Seen = { number: number; text: string } | { number: number; tooLong: number };

describe('lines', () => {
  test.each<[name: string, input: string, expected: [number, string][]]>([
    ['nothing', '', []],
    ['one line', 'a\n', [[1, 'a']]],
    [
      'no final newline',
      'a\nb',
      [
        [1, 'a'],
        [2, 'b'],
      ],
    ],
    [
      'CRLF',
      'a\r\nb\r\n',
      [
        [1, 'a'],
        [2, 'b'],
      ],
    ],
    ['a CR at the very end', 'a\r', [[1, 'a']]],
    ['a CR inside is data', 'a\rb\n', [[1, 'a\rb']]],
    [
      'BOM',
      '\ufeffa\nb\n',
      [
        [1, 'a'],
        [2, 'b'],
      ],
    ],
    ['BOM and nothing else', '\ufeff', []],
    ['BOM on a blank line', '\ufeff\r\na', [[2, 'a']]],
    [
      'BOM later is data',
      'a\n\ufeffb',
      [
        [1, 'a'],
        [2, '\ufeffb'],
      ],
    ],
    ['only one BOM', '\ufeff\ufeffa', [[1, '\ufeffa']]],
    [
      'blank lines count',
      '\n\r\na\n\n \t\r\n  b\n',
      [
        [3, 'a'],
        [6, '  b'],
      ],
    ],
    ['U+2028, U+0085 and form feed are data', 'a\u2028b\u0085c\fd\n', [[1, 'a\u2028b\u0085c\fd']]],
    ['NUL is data', 'a\0b\n', [[1, 'a\0b']]],
  ])('%s', (_name, input, expected) => {
    const lines = expected.map(([number, text]) => ({ number, text }));
    expect(split([Buffer.from(input)])).toEqual(lines);
    expect(split(Array.from(Buffer.from(input), (byte) => Buffer.from([byte])))).toEqual(lines);
  });
});

describe('lines that are too long', () => {
  test.each<[name: string, input: string, expected: Seen[]]>([
    ['at the limit', '12345\n', [{ number: 1, text: '12345' }]],
    ['at the limit with CRLF', '12345\r\n', [{ number: 1, text: '12345' }]],
    ['one over', '123456\n', [{ number: 1, tooLong: 6 }]],
    ['one over with CRLF', '123456\r\n', [{ number: 1, tooLong: 6 }]],
    [
      'at the end',
      '1\n1234567',
      [
        { number: 1, text: '1' },
        { number: 2, tooLong: 7 },
      ],
    ],
    [
      'reading goes on',
      '1234567890\n1\n',
      [
        { number: 1, tooLong: 10 },
        { number: 2, text: '1' },
      ],
    ],
  ])('%s', (_name, input, expected) => {
    expect(split([Buffer.from(input)], 5)).toEqual(expected);
    expect(
      split(
        Array.from(Buffer.from(input), (byte) => Buffer.from([byte])),
        5,
      ),
    ).toEqual(expected);
  });

  test('are not held in memory', () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const before = process.memoryUsage().arrayBuffers;
    let bytes = 0;
    const splitter = new LineSplitter({ line: () => {}, tooLong: (_number, length) => (bytes = length) }, 1024 * 1024);
    for (let index = 0; index < 64; index += 1) splitter.push(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
    splitter.end();
    expect(bytes).toBe(64 * 1024 * 1024);
  });
});

describe('however the bytes are cut into chunks', () => {
  // Few different bytes, so that CR, LF, BOM and parts of characters meet often.
  const byte = fc.constantFrom(0x0a, 0x0d, 0x20, 0x61, 0x7b, 0xef, 0xbb, 0xbf, 0xe2, 0x80, 0xa8);
  const bytes = fc.oneof(
    fc.array(byte, { maxLength: 40 }).map((list) => Buffer.from(list)),
    fc.string({ unit: 'binary', maxLength: 40 }).map((text) => Buffer.from(text)),
    fc.array(byte, { maxLength: 40 }).map((list) => Buffer.concat([Buffer.from('\ufeff'), Buffer.from(list)])),
  );
  const cuts = fc.array(fc.nat(40), { maxLength: 12 });
  const limit = fc.constantFrom(1, 2, 5, 1000);

  test('the lines are those of a naive split', () => {
    check(
      fc.property(bytes, cuts, limit, (input, places, maxLineBytes) => {
        expect(split(cut(input, places), maxLineBytes)).toEqual(naiveSplit(input, maxLineBytes));
      }),
      200,
      800,
    );
  });

  test('lines longer than the carry buffer are whole', () => {
    check(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 300_000 }), { maxLength: 4 }),
        fc.integer({ min: 1000, max: 100_000 }),
        (lengths, size) => {
          const lines = lengths.map((length, index) => String(index).repeat(length));
          const input = Buffer.from(lines.join('\n'));
          const chunks = [];
          for (let at = 0; at < input.length; at += size) chunks.push(input.subarray(at, at + size));
          expect(split(chunks)).toEqual(naiveSplit(input, 1_000_000));
        },
      ),
      15,
      50,
    );
  });
});

test('nothing is delivered after stop, not even from the same chunk', () => {
  const seen: number[] = [];
  const splitter = new LineSplitter(
    {
      line(_bytes, number) {
        seen.push(number);
        if (number === 2) splitter.stop();
      },
      tooLong: () => {},
    },
    100,
  );
  splitter.push(Buffer.from('a\nb\nc\nd'));
  splitter.push(Buffer.from('e\n'));
  splitter.end();
  expect(seen).toEqual([1, 2]);
});

test('a half line is not delivered after stop', () => {
  const seen: number[] = [];
  const splitter = new LineSplitter({ line: (_bytes, number) => seen.push(number), tooLong: () => {} }, 100);
  splitter.push(Buffer.from('a\nhalf'));
  splitter.stop();
  splitter.end();
  expect(seen).toEqual([1]);
});

test('counts the lines begun', () => {
  const splitter = new LineSplitter({ line: () => {}, tooLong: () => {} }, 100);
  const counts = ['', '\n', 'a', '\n', 'b\nc'].map((text) => {
    splitter.push(Buffer.from(text));
    return splitter.lines;
  });
  expect(counts).toEqual([0, 1, 2, 2, 4]);
});

function split(chunks: readonly Buffer[], maxLineBytes = 1_000_000): Seen[] {
  const [seen, plainly] = [recordShape, undefined].map((shape) => {
    const found: Seen[] = [];
    const splitter = new LineSplitter(
      {
        line: (bytes, number) => found.push({ number, text: bytes.toString() }),
        tooLong: (number, length) => found.push({ number, tooLong: length }),
      },
      maxLineBytes,
      shape,
    );
    for (const chunk of chunks) splitter.push(chunk);
    splitter.end();
    return found;
  });
  expect(plainly).toEqual(seen);
  return seen ?? [];
}

function naiveSplit(input: Buffer, maxLineBytes: number): Seen[] {
  return input
    .toString('latin1')
    .split('\n')
    .map((text) => text.replace(/\r$/, ''))
    .map((text, index): Seen => {
      const number = index + 1;
      if (text.length > maxLineBytes) return { number, tooLong: text.length };
      const bytes = index === 0 ? text.replace(/^\xef\xbb\xbf/, '') : text;
      return { number, text: Buffer.from(bytes, 'latin1').toString() };
    })
    .filter((line) => !('text' in line) || !/^[ \t\r]*$/.test(line.text));
}

function cut(input: Buffer, places: readonly number[]): Buffer[] {
  const borders = [0, ...places.map((place) => Math.min(place, input.length)), input.length].sort((a, b) => a - b);
  return borders.slice(1).map((border, index) => input.subarray(borders[index], border));
}
