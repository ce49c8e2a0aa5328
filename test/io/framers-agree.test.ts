// Bytes are cut for the command, text for the library, and split2 cuts for eventStream: one input has the same lines everywhere.
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseStream } from '../../src/api/event-stream.js';
import { TextLines } from '../../src/core/record/line.js';
import { checkLater } from '../laws/check.js';
import { broken, bytesOf, homes, sessions, specimens } from '../laws/inputs.js';
import { LineSplitter } from '../line-splitter.js';

/** Its number, and its text or null where it was too long. */
type Line = [number: number, text: string | null];

describe('wherever it is cut', () => {
  test.each([
    ['CRLF', 'a\r\nb\r\n'],
    ['a CR alone', 'a\rb\n\r\n\r'],
    ['blank lines', '\n \t\n\na'],
    ['a BOM', '\ufeffa\n\ufeffb'],
    ['a BOM and nothing else', '\ufeff'],
    ['no line end at the end', 'a\nb'],
    ['characters of several bytes', 'é🎈\u2028\n🎈'],
    ['lines at the limit', '12345678\n12345678\r\n12345678'],
    ['lines over the limit', '123456789\n123456789\r\nb\n123456789'],
    ['lines far over the limit', `${'x'.repeat(40)}\r\nb\n${'é'.repeat(40)}\nc\n${'x'.repeat(40)}`],
  ])('%s', async (_what, text) => {
    const bytes = Buffer.from(text);
    for (let at = 0; at <= bytes.length; at += 1) await expectSameLines(bytes, [at], 8);
    await expectSameLines(bytes, [...bytes.keys()], 8);
  });
});

test('any text, any cuts, any limit', async () => {
  // Few different pieces, so that they meet often.
  const piece = fc.constantFrom('\n', '\r\n', '\r', ' ', 'a', '{"a":1}', 'é', '🎈', '\u2028', '\0', '\ufeff');
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
  const cuts = fc.array(fc.nat(60), { maxLength: 12 });
  await checkLater(
    fc.asyncProperty(text, cuts, fc.constantFrom(1, 2, 5, 8, 1000), async (input, places, limit) => {
      // Bytes count a BOM, text does not: one line of that length may be too long for one of them.
      fc.pre(limit === 1000 || !input.startsWith('\ufeff'));
      await expectSameLines(Buffer.from(input), places, limit);
    }),
    150,
    500,
  );
});

test.each([
  ...[...sessions, ...homes, ...broken].map((input) => [input.name, bytesOf(input)] as const),
  ['specimens', Buffer.concat(specimens.map(bytesOf))] as const,
])('%s', async (_name, bytes) => {
  const places = Array.from({ length: 20 }, (_, index) => (index * 7919) % (bytes.length + 1));
  await expectSameLines(bytes, places, 1e9);
  await expectSameLines(bytes, places, 2000);
});

async function expectSameLines(bytes: Buffer, places: readonly number[], limit: number): Promise<void> {
  const chunks = cut(bytes, places);
  const expected = linesOfBytes(chunks, limit);
  expect(linesOfText(chunks, limit)).toEqual(expected);
  expect(await linesOfStream(chunks, limit)).toEqual(expected);
}

function linesOfBytes(chunks: readonly Buffer[], limit: number): Line[] {
  const lines: Line[] = [];
  const splitter = new LineSplitter(
    {
      line: (bytes, number) => lines.push([number, bytes.toString()]),
      tooLong: (number) => lines.push([number, null]),
    },
    limit,
  );
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

function linesOfText(chunks: readonly Buffer[], limit: number): Line[] {
  const collected = collector();
  const lines = new TextLines(collected, limit);
  const decoder = new TextDecoder('utf8', { ignoreBOM: true });
  for (const chunk of chunks) lines.push(decoder.decode(chunk, { stream: true }));
  lines.push(decoder.decode());
  lines.end();
  return collected.take();
}

async function linesOfStream(chunks: readonly Buffer[], limit: number): Promise<Line[]> {
  const source = Readable.from(chunks, { objectMode: false });
  const lines: Line[] = [];
  for await (const line of source.pipe(parseStream(collector(), { maxLineBytes: limit }))) lines.push(line);
  return lines;
}

/** Keeps the lines that are not blank, as the framer of bytes does. */
function collector() {
  let lines: Line[] = [];
  let number = 0;
  return {
    line(text: string) {
      number += 1;
      if (!/^[ \t\r]*$/.test(text)) lines.push([number, text]);
    },
    tooLong: () => void lines.push([++number, null]),
    end() {},
    take() {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const borders = [0, ...places, bytes.length].map((place) => Math.min(place, bytes.length)).sort((a, b) => a - b);
  const chunks = borders.slice(1).map((border, index) => bytes.subarray(borders[index], border));
  return chunks.filter((chunk) => chunk.length > 0);
}
