import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createOutput, FileOutput } from '../../src/io/output.js';

const folder = mkdtempSync(join(tmpdir(), 'cct-file-'));
const path = join(folder, 'out');
let fd: number;
beforeEach(() => {
  fd = openSync(path, 'w');
});
afterAll(() => rmSync(folder, { recursive: true }));

const megabyte = Buffer.alloc(1024 * 1024, 'x');

test('whoever waits for bytes to leave is called back', async () => {
  const output = createOutput(new FileOutput(fd));
  for (let left = 3; left > 0; left -= 1) await output.send(megabyte);
  output.write('end');
  await output.finish();
  expect(output.problem).toBeNull();
  expect(readFileSync(path).equals(Buffer.concat([megabyte, megabyte, megabyte, Buffer.from('end')]))).toBe(true);
});

test('what was written is there at once', () => {
  const stream = new FileOutput(fd);
  for (const text of ['a', 'ä', '\u{1f600}']) stream.write(text);
  stream.write(Buffer.from('z'));
  expect(readFileSync(path, 'utf8')).toBe('aä\u{1f600}z');
});

test('what cannot be written is a problem', async () => {
  closeSync(fd);
  const output = createOutput(new FileOutput(fd));
  output.write('lost');
  await output.finish();
  expect(output.problem).toBe('not open');
});
