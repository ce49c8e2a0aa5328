import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readDecoded } from '../../src/io/decode.js';
import { chunkSink } from '../../src/io/sources.js';

const text = Array.from({ length: 20_000 }, (_, line) => `{"line":${line},"half":${line / 2}}\n`).join('');

async function decoded(chunks: Iterable<Buffer>, slow = false) {
  const parts: Buffer[] = [];
  const sink = chunkSink(async (bytes) => {
    if (slow) await new Promise(setImmediate);
    parts.push(bytes);
  });
  const stream = Readable.from(chunks);
  const read = await readDecoded({ kind: 'stream', stream }, sink, new AbortController().signal);
  return { ...read, text: Buffer.concat(parts).toString() };
}

function cutInto(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

const wide = Buffer.from(`\ufeff${text}`, 'utf16le');
const forms: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['plain text', Buffer.from(text)],
  ['gzip', gzipSync(text)],
  ['gzip in members', Buffer.concat(cutInto(Buffer.from(text), 100_000).map((part) => gzipSync(part)))],
  ['gzip with zeros behind it', Buffer.concat([gzipSync(text), Buffer.alloc(2000)])],
  ['UTF-16', wide],
  ['big-endian UTF-16', Buffer.from(wide).swap16()],
  ['UTF-16 in gzip', gzipSync(wide)],
];

test.each(forms)('%s, in chunks of any size, for a fast and a slow reader', async (_, bytes) => {
  for (const size of [bytes.length, 65_536, 1021])
    for (const slow of [false, true])
      expect(await decoded(cutInto(bytes, size), slow)).toEqual({ problem: null, text });
});

test('a file that contains itself is decompressed once', async () => {
  const packed = gzipSync(text);
  expect((await decoded([gzipSync(packed)])).text).toBe(packed.toString());
});

test('a cut gzip gives all that can be had, and says so', async () => {
  const { text: start, ...read } = await decoded([gzipSync(text).subarray(0, 30_000)]);
  expect(read).toEqual({ problem: null, cut: 'gzip' });
  expect(start.length).toBeGreaterThan(100_000);
  expect(text.startsWith(start)).toBe(true);
});

test('a damaged gzip cannot be read to its end', async () => {
  const bytes = gzipSync(text);
  bytes.fill(0xff, 20_000, 20_100);
  expect((await decoded([bytes])).problem).toMatch(/^damaged gzip \(.*\); the rest cannot be read$/);
});

test.each(['P', 'BZ', '(', '\x1f\x8b', '\x04', 'B', 'PK'])('%j alone is text', async (start) => {
  const bytes = Buffer.from(start, 'latin1');
  expect(await decoded([bytes])).toEqual({ problem: null, text: bytes.toString() });
  const more = Buffer.concat([bytes, Buffer.from(' and more')]);
  expect(await decoded(cutInto(more, 1))).toEqual({ problem: null, text: more.toString() });
});

test('whatever the sink throws comes through', async () => {
  const sink = chunkSink(() => {
    throw new Error('enough');
  });
  const stream = Readable.from([gzipSync(text)]);
  await expect(readDecoded({ kind: 'stream', stream }, sink, new AbortController().signal)).rejects.toThrow('enough');
});
