import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RawLine, RawLines } from '../../src/commands/replay/play.js';
import { check } from '../laws/check.js';
import { LineSplitter } from '../line-splitter.js';

test.each<[string, string[], [number, string][]]>([
  ['nothing', [], []],
  ['two lines', ['a\nb\n'], [[1, 'a\n'], [2, 'b\n']]], // biome-ignore format: a table
  ['a line in pieces', ['a', 'b', 'c\nd\n'], [[1, 'abc\n'], [2, 'd\n']]], // biome-ignore format: a table
  ['no line end at the end', ['a\nb'], [[1, 'a\n'], [2, 'b']]], // biome-ignore format: a table
  ['CRLF, blank lines and a BOM', ['\ufeffa\r\n\n\r\n'], [[1, '\ufeffa\r\n'], [2, '\n'], [3, '\r\n']]], // biome-ignore format: a table
])('%s', (_name, chunks, expected) => {
  expect(linesOf(chunks, 100).map(({ number, bytes }) => [number, bytes.toString()])).toEqual(expected);
});

test('a line too long to be held comes in pieces, and the next one is whole again', () => {
  const lines = linesOf(['0123', '4567', '89', 'x\nab\n'], 5);
  expect(lines.map((line) => ({ ...line, bytes: line.bytes.toString() }))).toEqual([
    { bytes: '01234567', number: 1, continues: false, tooLong: true },
    { bytes: '89', number: 1, continues: true, tooLong: true },
    { bytes: 'x\n', number: 1, continues: true, tooLong: true },
    { bytes: 'ab\n', number: 2, continues: false, tooLong: false },
  ]);
});

const chunks = fc.array(fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes.map((byte) => byte % 14))));

test('whatever the bytes and the chunks: nothing is lost, and lines are numbered as everywhere else', () => {
  check(
    fc.property(chunks, fc.integer({ min: 1, max: 9 }), (parts, most) => {
      const lines = linesOf(parts, most);
      expect(Buffer.concat(lines.map(({ bytes }) => bytes))).toEqual(Buffer.concat(parts));
      const numbers: number[] = [];
      const note = (number: number) => numbers.push(number);
      const splitter = new LineSplitter({ line: (_bytes, number) => note(number), tooLong: note }, 1e9);
      for (const part of parts) splitter.push(part);
      splitter.end();
      expect(lines.map(({ number }) => number)).toEqual(expect.arrayContaining(numbers));
      expect(lines.at(-1)?.number ?? 0).toBe(splitter.lines);
    }),
    150,
    500,
  );
});

function linesOf(parts: readonly (string | Buffer)[], most: number): RawLine[] {
  const lines = new RawLines(most);
  lines.index.begin();
  for (const part of parts) lines.index.write(Buffer.from(part));
  lines.index.end();
  return lines.takeLines();
}
