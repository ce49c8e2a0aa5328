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

describe('bytes', () => {
  test('leave behind the batch, as they are', async () => {
    const written: Buffer[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        written.push(Buffer.from(chunk));
        done();
      },
    });
    const output = createOutput(stream);
    output.write('a');
    await output.send(Buffer.of(0xff, 0));
    expect(Buffer.concat(written)).toEqual(Buffer.of(0x61, 0xff, 0));
  });

  test('have left when it says so', async () => {
    const { stream, release } = slow();
    let left = false;
    const sent = createOutput(stream).send(Buffer.from('abc'));
    sent.then(() => {
      left = true;
    });
    await turn();
    expect(left).toBe(false);
    release();
    await sent;
  });

  test.each([
    ['later', failingLater('EPIPE')],
    ['at once', failingAtOnce('EPIPE')],
  ])('a reader that goes away ends the sending: %s', async (_name, stream) => {
    const output = createOutput(stream);
    await output.send(Buffer.from('abc'));
    await turn();
    expect([output.closed, output.problem]).toEqual([true, null]);
    expect(await output.send(Buffer.from('abc'))).toBeUndefined();
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

describe('the end', () => {
  test('comes when everything has left, also what there was room for', async () => {
    const { stream, writes, release } = slow();
    const output = createOutput(stream);
    output.write('a');
    expect(output.flush()).toBeUndefined();
    let done = false;
    const finished = output.finish().then(() => (done = true));
    await turn();
    expect(done).toBe(false);
    release();
    await finished;
    expect(writes).toEqual(['a']);
  });

  test('of nothing comes at once', async () => {
    expect(await createOutput(slow().stream).finish()).toBeUndefined();
  });

  test.each([
    ['later', failingLater('ENOSPC')],
    ['at once', failingAtOnce('ENOSPC')],
  ])('nobody takes a failed write for a good one: %s', async (_name, stream) => {
    const output = createOutput(stream);
    output.write('a');
    await output.finish();
    expect([output.closed, output.problem]).toEqual([true, 'no space left on device']);
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
