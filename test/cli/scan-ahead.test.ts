// A thread that reads and scans a large file ahead finds the same lines as one thread alone.
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lineReader, openIndex } from '../../src/cli/lines.js';
import { scanAhead } from '../../src/cli/scan-ahead.js';
import type { LineIndex } from '../../src/core/record/line-index.js';
import { recordShape } from '../../src/core/wire/spell.js';

const scanner = new URL('../../dist/cli/scanner.cjs', import.meta.url).pathname;
const mega = 1024 * 1024;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cct-ahead-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const row = (at: number, text: string) =>
  JSON.stringify({ type: 'user', uuid: `u${at}`, message: { content: [{ type: 'text', text }] } });
const rows = (count: number, length: number) =>
  Array.from({ length: count }, (_, at) => `${row(at, 'ä'.repeat(at % length))}\n`).join('');

/** Each is read by the other thread as far as it can, and by this one for the rest. */
const files: Readonly<Record<string, () => string>> = {
  'plain lines': () => rows(26_000, 1000),
  'lines longer than what the thread holds, and than a chunk': () =>
    rows(13_000, 1000) +
    [300_000, 2 * mega, 5 * mega, 26 * mega].map((size) => `${row(0, 'x'.repeat(size))}\n${rows(50, 9)}`).join('') +
    rows(9000, 1000),
  'more lines than fit on a tape': () =>
    rows(8000, 1000) + '{"type":"mode"}\n'.repeat(mega) + '\n \r\n'.repeat(mega / 4),
  'odd lines, CRLF, and no line end at the end': () =>
    `\ufeff${rows(20_000, 1000)}{"type":"a"}{"type":"b"}\r\nnoise\r\n${rows(9000, 1000)}{"type":"cut`,
  'one line without an end': () => `${rows(2, 9)}{"type":"${'x'.repeat(30 * mega)}`,
};

interface Options {
  readonly scanner?: string;
  readonly maxLineBytes?: number;
}

/** An index, and what it found. */
function noting(maxLineBytes: number): { index: LineIndex; found: string[] } {
  const found: string[] = [];
  const line = (entry: number) => {
    const text = index.lineText(entry);
    const uuid = entry + index.slot('uuid');
    const id = index.word(uuid) === 0 ? '' : index.id(uuid);
    found.push(`${index.number(entry)} ${index.isOdd(entry)} ${id} ${text.length} ${text.slice(-40)}`);
  };
  const tooLong = (number: number, bytes: number) => found.push(`${number} ${bytes} bytes`);
  const index = openIndex({ shape: recordShape, seed: 3, maxLineBytes, line, tooLong });
  return { index, found };
}

async function linesOf(path: string, { scanner: program, maxLineBytes = 64 * mega }: Options): Promise<string[]> {
  const { index, found } = noting(maxLineBytes);
  let sum = 0;
  const taken = (bytes: number) => {
    sum += bytes;
  };
  const readLines = lineReader(index, {
    signal: new AbortController().signal,
    scanner: program,
    scanFrom: 24 * mega,
    taken,
  });
  const { lines, problem } = await readLines({ kind: 'file', fd: openSync(path, 'r') });
  return [...found, `${lines} lines, ${sum} bytes, ${problem}`];
}

/** The same, but the other thread reads whenever it can, however fast this one is. Also says how often that was. */
async function linesTogether(path: string, maxLineBytes: number): Promise<{ lines: string[]; times: number }> {
  const { index, found } = noting(maxLineBytes);
  const fd = openSync(path, 'r');
  index.begin();
  let sum = 0;
  let times = 0;
  const chunkEnd = (bytes: number) => {
    sum += bytes;
  };
  const thread = scanAhead(scanner, index, { signal: new AbortController().signal, chunkEnd });
  for (;;) {
    const room = index.room(mega);
    const bytes = readSync(fd, room, 0, room.length, null);
    if (bytes === 0) break;
    sum += bytes;
    index.push(bytes);
    while (index.isLendable && thread?.isReady === false) await new Promise(setImmediate);
    if (thread?.isReady !== true) continue;
    times++;
    await thread.takeOver(fd);
  }
  index.end();
  await thread?.stop();
  closeSync(fd);
  return { lines: [...found, `${index.lines} lines, ${sum} bytes, null`], times };
}

test.each(Object.keys(files))('%s', async (name) => {
  const path = join(folder, 'run.ndjson');
  writeFileSync(path, files[name]?.() ?? '');
  for (const maxLineBytes of [64 * mega, mega]) {
    const { lines, times } = await linesTogether(path, maxLineBytes);
    const alone = await linesOf(path, { maxLineBytes });
    expect(times > 0).toBe(name !== 'one line without an end');
    expect(lines.length).toBe(alone.length);
    expect(lines.find((line, at) => line !== alone[at])).toBeUndefined();
    expect(await linesOf(path, { scanner, maxLineBytes })).toEqual(alone);
  }
});

test('a thread that cannot start changes nothing', async () => {
  const path = join(folder, 'run.ndjson');
  writeFileSync(path, rows(26_000, 1000));
  expect(await linesOf(path, { scanner: join(folder, 'no-such.cjs') })).toEqual(await linesOf(path, {}));
});
