import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lineReader, openIndex } from '../../src/cli/lines.js';
import type { ByteSource } from '../../src/io/sources.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cct-lines-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const kinds: [kind: string, source: (bytes: Buffer) => ByteSource][] = [
  ['file', (bytes) => fileOf(bytes)],
  ['stream', (bytes) => ({ kind: 'stream', stream: Readable.from(inPieces(bytes, 64 * 1024)) })],
];

describe.each(kinds)('a %s', (_kind, source) => {
  test('gives its lines with their numbers', async () => {
    const sink = collector();
    const result = await readLines(source(Buffer.from('\ufeffa\r\n\nb\u2028\nc')), sink);
    expect(sink.lines).toEqual(['1:a', '3:b\u2028', '4:c']);
    expect(result).toEqual({ lines: 4, problem: null });
  });

  test('may be empty', async () => {
    const sink = collector();
    expect(await readLines(source(Buffer.alloc(0)), sink)).toEqual({ lines: 0, problem: null });
    expect(sink.lines).toEqual([]);
  });

  test('is read whole when it is larger than any chunk', async () => {
    const lines = Array.from({ length: 3000 }, (_, index) => `${index} ${'é'.repeat(index)}`);
    const sink = collector();
    await readLines(source(Buffer.from(lines.join('\n'))), sink);
    expect(sink.lines.map((line) => line.slice(line.indexOf(':') + 1))).toEqual(lines);
  });

  test('says which lines are too long', async () => {
    const sink = collector();
    await readLines(source(Buffer.from(`a\n${'x'.repeat(3_000_000)}\nb\n`)), sink, { maxLineBytes: 1000 });
    expect(sink.lines).toEqual(['1:a', '2 too long: 3000000', '3:b']);
  });

  test('waits for what was written, and ends with a chance to write', async () => {
    let busy = false;
    const lines: number[] = [];
    await readLines(source(Buffer.from('x'.repeat(999).concat('\n').repeat(4000))), {
      line(_text, number) {
        expect(busy).toBe(false);
        lines.push(number);
      },
      tooLong: () => {},
      async chunkEnd() {
        busy = true;
        await turn();
        busy = false;
      },
    });
    expect(lines).toHaveLength(4000);
    expect(busy).toBe(false);
  });

  test('stops in the middle of a chunk', async () => {
    const controller = new AbortController();
    const sink = collector((number) => number === 3 && controller.abort());
    const result = await readLines(source(Buffer.from('a\n'.repeat(2_000_000))), sink, { signal: controller.signal });
    expect(sink.lines).toEqual(['1:a', '2:a', '3:a']);
    expect(result.problem).toBeNull();
  });

  test('is not read at all when stopped before', async () => {
    const sink = collector();
    await readLines(source(Buffer.from('a\n')), sink, { signal: AbortSignal.abort() });
    expect(sink.lines).toEqual([]);
  });

  test('rejects with what the sink threw', async () => {
    const sink = collector(() => {
      throw new Error('a bug');
    });
    await expect(readLines(source(Buffer.from('a\nb\n')), sink)).rejects.toThrow('a bug');
    const flushing = { ...collector(), chunkEnd: () => Promise.reject(new Error('another')) };
    await expect(readLines(source(Buffer.from('a\nb\n')), flushing)).rejects.toThrow('another');
  });
});

describe('a file', () => {
  test('is closed after reading unless told otherwise', async () => {
    const closed = fileOf(Buffer.from('a'));
    await readLines(closed, collector());
    await expect.poll(() => isOpen(closed.fd)).toBe(false);

    const kept = { ...fileOf(Buffer.from('a')), keepOpen: true };
    await readLines(kept, collector());
    await turn();
    expect(isOpen(kept.fd)).toBe(true);
    closeSync(kept.fd);
  });

  test('is read from where its descriptor stands', async () => {
    const source = fileOf(Buffer.from('a\nb\n'));
    readSync(source.fd, Buffer.alloc(2));
    const sink = collector();
    await readLines(source, sink);
    expect(sink.lines).toEqual(['1:b']);
  });

  test('that cannot be read is a problem, not an exception', async () => {
    const result = await readLines({ kind: 'file', fd: openSync(folder, 'r') }, collector());
    expect(result.problem).toBe('is a directory');
  });
});

describe('a stream', () => {
  test('delivers each line as soon as it is there', async () => {
    const stream = new PassThrough();
    const sink = collector();
    const done = readLines({ kind: 'stream', stream }, sink);
    stream.write('{"a":');
    await turn();
    expect(sink.lines).toEqual([]);
    stream.write('1}\n{"b"');
    await turn();
    expect(sink.lines).toEqual(['1:{"a":1}']);
    stream.end();
    await done;
    expect(sink.lines).toEqual(['1:{"a":1}', '2:{"b"']);
  });

  test('is destroyed by the signal while it is idle', async () => {
    const stream = new PassThrough();
    const controller = new AbortController();
    const sink = collector();
    const done = readLines({ kind: 'stream', stream }, sink, { signal: controller.signal });
    stream.write('a\nhalf');
    await turn();
    controller.abort();
    await done;
    expect(stream.destroyed).toBe(true);
    expect(sink.lines).toEqual(['1:a']);
  });

  test('that breaks gives its last line and the reason', async () => {
    const stream = new PassThrough();
    const sink = collector();
    const done = readLines({ kind: 'stream', stream }, sink);
    stream.write('a\nhalf');
    await turn();
    stream.destroy(Object.assign(new Error('read EIO'), { code: 'EIO' }));
    expect(await done).toEqual({ lines: 2, problem: 'input/output error' });
    expect(sink.lines).toEqual(['1:a', '2:half']);
  });

  test('that breaks while we write gives its last line only after that', async () => {
    const stream = new PassThrough();
    const sink = collector();
    let written = () => {};
    const done = readLines(
      { kind: 'stream', stream },
      { ...sink, chunkEnd: () => new Promise<void>((resolve) => (written = resolve)) },
    );
    stream.write('a\nhalf');
    await turn();
    stream.destroy();
    await turn();
    expect(sink.lines).toEqual(['1:a']);
    written();
    await turn();
    expect(sink.lines).toEqual(['1:a', '2:half']);
    written();
    await done;
  });

  test('that is closed by somebody else ends', async () => {
    const stream = new PassThrough();
    const sink = collector();
    const done = readLines({ kind: 'stream', stream }, sink);
    stream.write('a');
    await turn();
    stream.destroy();
    expect(await done).toEqual({ lines: 1, problem: null });
    expect(sink.lines).toEqual(['1:a']);
  });

  test('that has ended before is empty', async () => {
    const stream = Readable.from([Buffer.from('a\n')]);
    await readLines({ kind: 'stream', stream }, collector());
    await turn();
    expect(await readLines({ kind: 'stream', stream }, collector())).toEqual({ lines: 0, problem: null });
  });

  test('may give text', async () => {
    const sink = collector();
    await readLines({ kind: 'stream', stream: Readable.from(['é\n', 'b']) }, sink);
    expect(sink.lines).toEqual(['1:é', '2:b']);
  });
});

interface Sink {
  line(text: string, number: number): void;
  tooLong(number: number, bytes: number): void;
  chunkEnd(): Promise<void> | void;
}

function readLines(source: ByteSource, sink: Sink, options: { signal?: AbortSignal; maxLineBytes?: number } = {}) {
  const { maxLineBytes, signal = new AbortController().signal } = options;
  const index = openIndex({
    ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
    line: (entry) => sink.line(index.lineText(entry), index.number(entry)),
    tooLong: (number, bytes) => sink.tooLong(number, bytes),
  });
  return lineReader(index, { signal, chunkEnd: () => sink.chunkEnd() })(source);
}

function collector(onLine: (number: number) => unknown = () => {}): Sink & { lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    line(text, number) {
      lines.push(`${number}:${text}`);
      onLine(number);
    },
    tooLong: (number, bytes) => lines.push(`${number} too long: ${bytes}`),
    chunkEnd: () => {},
  };
}

function fileOf(bytes: Buffer): { kind: 'file'; fd: number } {
  const path = join(folder, 'input');
  writeFileSync(path, bytes);
  return { kind: 'file', fd: openSync(path, 'r') };
}

function* inPieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function isOpen(fd: number): boolean {
  try {
    fstatSync(fd);
    return true;
  } catch {
    return false;
  }
}
