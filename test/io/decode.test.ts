import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
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
  expect(read).toEqual({ problem: null, damage: 'the gzip data is cut off' });
  expect(start.length).toBeGreaterThan(100_000);
  expect(text.startsWith(start)).toBe(true);
});

describe('damage', () => {
  const packed = gzipSync(text);
  const half = Buffer.from(text).subarray(0, text.length / 2);
  const members = Buffer.concat([gzipSync(half), gzipSync(Buffer.from(text).subarray(half.length))]);
  const hole = Buffer.from(packed).fill(0xff, 20_000, 20_100);
  const flipped = Buffer.from(packed);
  flipped[20_000] = (flipped[20_000] ?? 0) ^ 0x10;
  const wrongSum = Buffer.from(packed);
  wrongSum[packed.length - 6] = (wrongSum[packed.length - 6] ?? 0) ^ 1;

  test.each([
    ['words behind it', Buffer.concat([packed, Buffer.from('and more')]), packed.length],
    ['words behind zeros', Buffer.concat([packed, Buffer.alloc(9), Buffer.from('and more')]), packed.length],
    ['plain lines behind it', Buffer.concat([packed, Buffer.from(text)]), packed.length],
    ['words behind members', Buffer.concat([members, Buffer.from('and more')]), members.length],
    ['one byte behind it', Buffer.concat([packed, Buffer.from('a')]), null],
  ])('%s', async (_, bytes, place) => {
    const damage =
      place === null ? 'the gzip data is cut off' : `something else follows the gzip data at byte ${place}`;
    for (const size of [bytes.length, 65_536, 1021])
      expect(await decoded(cutInto(bytes, size), size === 1021)).toEqual({ problem: null, text, damage });
  });

  test.each([
    ['a hole in it', hole, 20_000],
    ['one byte wrong', flipped, 20_000],
    ['a wrong checksum', wrongSum, packed.length - 8],
  ])('%s', async (_, bytes, place) => {
    const whole = await decoded([bytes]);
    expect(whole.problem).toBe(null);
    const [, at = '0'] = /^the gzip data is damaged at byte (\d+) \(.+\)$/.exec(whole.damage ?? '') ?? [];
    expect(Number(at)).toBeGreaterThanOrEqual(place);
    // What comes before the bad byte is there, whatever is made of it until the damage is noticed.
    const { text: sound } = await decoded([packed.subarray(0, place)]);
    expect(whole.text.startsWith(sound)).toBe(true);
    expect(sound.length).toBeGreaterThan(100_000);
    for (const size of [65_536, 1021]) expect(await decoded(cutInto(bytes, size), size === 1021)).toEqual(whole);
  });

  test('too much to be read again costs one part', async () => {
    const noise = Array.from({ length: 400_000 }, (_, line) => `${line} ${Math.imul(line, 2654435761)}\n`).join('');
    const bytes = gzipSync(noise, { level: 0 });
    const long = Buffer.concat([bytes, bytes, bytes, Buffer.from('and more')]);
    const read = await decoded(cutInto(long, 1_000_000));
    expect(read.damage).toMatch(/^the gzip data is damaged at byte \d+|^something else follows/);
    expect(3 * noise.length - read.text.length).toBeLessThan(70_000);
  });
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
