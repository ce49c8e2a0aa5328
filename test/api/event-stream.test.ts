import { Readable, type Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, test } from 'vitest';
import { type ParseStreamOptions, parseStream, type StreamParser } from '../../src/api/event-stream.js';

/** Says what it was given: lines as they are, lengths of lines that were too long. */
function recorder(): StreamParser<string> {
  let seen: string[] = [];
  return {
    line: (text) => seen.push(text),
    tooLong: (bytes) => seen.push(`too long: ${bytes}`),
    end: () => seen.push('end'),
    take() {
      const taken = seen;
      seen = [];
      return taken;
    },
  };
}

async function linesOf(chunks: Iterable<string | Buffer>, options: ParseStreamOptions = {}): Promise<unknown[]> {
  return (await Readable.from(chunks, { objectMode: false })
    .pipe(parseStream(recorder(), options))
    .toArray()) as unknown[];
}

function* cut(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test('by default, a line may be as long as everywhere else', async () => {
  const long = 'x'.repeat(65 * 1024 * 1024);
  const [line, ...others] = await linesOf([`${long}\n`]);
  expect(line === long).toBe(true);
  expect(others).toEqual(['end']);
});

describe('lines, wherever the chunks are cut', () => {
  const text = Buffer.from('\ufeffone\r\ntwo\n\nfür 🎈\u2028\n{"a":\rb}\nlast');
  const expected = ['one', 'two', '', 'für 🎈\u2028', '{"a":\rb}', 'last', 'end'];

  test.each([1, 2, 3, 5, 1000])('in chunks of %i', async (size) => {
    expect(await linesOf(cut(text, size))).toEqual(expected);
  });

  test('as text', async () => expect(await linesOf([text.toString()])).toEqual(expected));
});

test.each<[string[], string[]]>([
  [[], ['end']],
  [['a\n'], ['a', 'end']],
  [['a'], ['a', 'end']],
  [['\n\n'], ['', '', 'end']],
])('%j', async (chunks, expected) => expect(await linesOf(chunks)).toEqual(expected));

describe('a line of more than the allowed bytes is counted and dropped', () => {
  const long = 'x'.repeat(40);
  test.each<[string, string[], string[]]>([
    ['whole in a chunk', [`a\n${long}\nb\n`], ['a', 'too long: 40', 'b', 'end']],
    ['over several chunks', ['a\n', ...cutText(long, 7), '\nb\n'], ['a', 'too long: 40', 'b', 'end']],
    ['its end with others behind it', [long, `${long}\nb\nc\nd`], ['too long: 80', 'b', 'c', 'd', 'end']],
    ['its end alone', [long, '\n', 'b'], ['too long: 40', 'b', 'end']],
    ['at the end of input', ['a\n', long, long], ['a', 'too long: 80', 'end']],
    ['two in a row', [long, `\n${long}`, '\nb'], ['too long: 40', 'too long: 40', 'b', 'end']],
    ['by bytes, not by characters', [`${'é'.repeat(6)}\n${'é'.repeat(5)}\nb`], ['too long: 12', 'ééééé', 'b', 'end']],
    ['a carriage return is no part of it', ['1234567890\r\nb'], ['1234567890', 'b', 'end']],
  ])('%s', async (_, chunks, expected) => {
    expect(await linesOf(chunks, { maxLineBytes: 10 })).toEqual(expected);
  });

  function cutText(text: string, size: number): string[] {
    return [...cut(Buffer.from(text), size)].map(String);
  }
});

test('what a chunk brings comes before the next chunk is asked for', async () => {
  const source = new Readable({ read() {} });
  const lines = source.pipe(parseStream(recorder()));
  source.push('one\ntw');
  await new Promise((resolve) => lines.once('readable', resolve));
  expect(lines.read()).toBe('one');
  expect(lines.read()).toBeNull();
  source.push('o\n');
  await new Promise((resolve) => lines.once('readable', resolve));
  expect(lines.read()).toBe('two');
});

test('a slow reader slows the source', async () => {
  let made = 0;
  const source = Readable.from(
    (function* () {
      for (made = 0; made < 2_000; made++) yield `${'x'.repeat(1_000)}\n`;
    })(),
    { objectMode: false },
  );
  const lines = source.pipe(parseStream(recorder()));
  await new Promise((resolve) => lines.once('readable', resolve));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(made).toBeLessThan(500);
  lines.destroy();
});

describe('an end before the end', () => {
  const forever = () => new Readable({ read() {} });

  test('a signal destroys it', async () => {
    const stop = new AbortController();
    const lines: Transform = forever().pipe(parseStream(recorder(), { signal: stop.signal }));
    stop.abort();
    await expect(lines.toArray()).rejects.toThrow(/abort/i);
  });

  test('an error of the source reaches the reader through a pipeline', async () => {
    const source = forever();
    const done = pipeline(
      source,
      parseStream(recorder()),
      new Writable({ objectMode: true, write: (_c, _e, next) => next() }),
    );
    source.push('one\n');
    source.destroy(new Error('gone'));
    await expect(done).rejects.toThrow('gone');
  });

  test('destroying it while it works does no harm', async () => {
    const lines = parseStream(recorder());
    lines.write('one\ntwo\n');
    lines.destroy();
    await new Promise((resolve) => lines.once('close', resolve));
    expect(lines.destroyed).toBe(true);
  });
});
