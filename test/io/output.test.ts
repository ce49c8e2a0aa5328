import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createOutput } from '../../src/io/output.js';

describe('batches', () => {
  test('nothing leaves before flush, then all at once', async () => {
    const { stream, writes } = fast();
    const output = createOutput(stream);
    output.write('a\n');
    output.write('b\n');
    expect(writes).toEqual([]);
    await output.flush();
    expect(writes).toEqual(['a\nb\n']);
  });

  test('an empty flush writes nothing', () => {
    const { stream, writes } = fast();
    expect(createOutput(stream).flush()).toBeUndefined();
    expect(writes).toEqual([]);
  });

  test('a full batch leaves by itself', () => {
    const { stream, writes } = fast();
    const output = createOutput(stream);
    output.write('x'.repeat(65_535));
    expect(writes).toEqual([]);
    output.write('y');
    expect(writes.join('')).toHaveLength(65_536);
  });
});

describe('a slow reader', () => {
  test('is waited for', async () => {
    const { stream, writes, release } = slow();
    const output = createOutput(stream);
    output.write('a'.repeat(100));
    const flushed = output.flush();
    expect(flushed).toBeInstanceOf(Promise);
    let done = false;
    void Promise.resolve(flushed).then(() => (done = true));
    await turn();
    expect(done).toBe(false);
    release();
    await flushed;
    expect(writes).toEqual(['a'.repeat(100)]);
    output.write('b');
    expect(output.flush()).toBeUndefined();
  });

  test('that goes away does not keep us waiting', async () => {
    const { stream } = slow();
    const output = createOutput(stream);
    output.write('a'.repeat(100));
    const flushed = output.flush();
    stream.destroy(systemError('EPIPE'));
    await flushed;
    expect(output.closed).toBe(true);
  });
});

describe('errors', () => {
  test.each<[code: string, problem: string | null]>([
    ['EPIPE', null],
    ['ECONNRESET', null],
    ['ENOSPC', 'no space left on device'],
    ['EIO', 'input/output error'],
    ['EWHATEVER', 'EWHATEVER'],
  ])('%s', async (code, problem) => {
    for (const failing of [failingLater(code), failingAtOnce(code)]) {
      let closed = 0;
      const output = createOutput(failing, () => (closed += 1));
      expect(output.closed).toBe(false);
      output.write('a');
      await output.flush();
      await turn();
      expect(output.closed).toBe(true);
      expect(output.problem).toBe(problem);
      output.write('b');
      await output.flush();
      await turn();
      failing.emit('error', systemError('EACCES'));
      expect(closed).toBe(1);
      expect(output.problem).toBe(problem);
    }
  });
});

function fast() {
  const writes: string[] = [];
  const stream = new Writable({
    highWaterMark: 1_000_000,
    decodeStrings: false,
    write(text: string, _encoding, done) {
      writes.push(text);
      done();
    },
  });
  return { stream, writes };
}

function slow() {
  const writes: string[] = [];
  let release = () => {};
  const stream = new Writable({
    highWaterMark: 10,
    decodeStrings: false,
    write(text: string, _encoding, done) {
      writes.push(text);
      release = done;
    },
  });
  return { stream, writes, release: () => release() };
}

function failingLater(code: string) {
  return new Writable({ write: (_chunk, _encoding, done) => done(systemError(code)) });
}

function failingAtOnce(code: string) {
  return new Writable({
    write() {
      throw systemError(code);
    },
  });
}

function systemError(code: string) {
  return Object.assign(new Error(`write ${code}`), { code });
}
