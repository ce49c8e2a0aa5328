// A thread that reads and scans a large file ahead finds the same lines as one thread alone.
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { lineReader, openIndex } from '../../src/cli/lines.js';
import { LineIndex } from '../../src/core/record/line-index.js';
import { recordShape } from '../../src/core/wire/spell.js';

const scanner = new URL('../../dist/cli/scanner.cjs', import.meta.url).pathname;
const mega = 1024 * 1024;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cct-ahead-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.restoreAllMocks();
});

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

async function linesOf(path: string, options: { scanner?: string; maxLineBytes?: number }): Promise<string[]> {
  const { maxLineBytes = 64 * mega } = options;
  const found: string[] = [];
  const note = (entry: number) => {
    const text = index.lineText(entry);
    const uuid = entry + index.slot('uuid');
    const id = index.word(uuid) === 0 ? '' : index.id(uuid);
    found.push(`${index.number(entry)} ${index.isOdd(entry)} ${id} ${text.length} ${text.slice(-40)}`);
  };
  const tooLong = (number: number, bytes: number) => found.push(`${number} ${bytes} bytes`);
  const index = openIndex({ shape: recordShape, seed: 3, maxLineBytes, line: note, tooLong });
  let sum = 0;
  const taken = (bytes: number) => {
    sum += bytes;
  };
  const readLines = lineReader(index, { scanner: options.scanner, taken });
  const { lines, problem } = await readLines({ kind: 'file', fd: openSync(path, 'r') });
  return [...found, `${lines} lines, ${sum} bytes, ${problem}`];
}

test.each(Object.keys(files))('%s', async (name) => {
  const path = join(folder, 'run.ndjson');
  writeFileSync(path, files[name]?.() ?? '');
  for (const maxLineBytes of [64 * mega, mega]) {
    const lend = vi.spyOn(LineIndex.prototype, 'lend');
    const together = await linesOf(path, { scanner, maxLineBytes });
    expect(lend.mock.calls.length > 0).toBe(name !== 'one line without an end');
    lend.mockRestore();
    const alone = await linesOf(path, { maxLineBytes });
    expect(together.length).toBe(alone.length);
    expect(together.find((line, at) => line !== alone[at])).toBeUndefined();
  }
});

test('a thread that cannot start changes nothing', async () => {
  const path = join(folder, 'run.ndjson');
  writeFileSync(path, rows(26_000, 1000));
  expect(await linesOf(path, { scanner: join(folder, 'no-such.cjs') })).toEqual(await linesOf(path, {}));
});
