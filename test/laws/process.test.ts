// The laws once more for the real program, as it is built: from a pipe, a file and through itself.
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { bytesOf, homes, sessions } from './inputs.js';
import { readAll, written } from './reading.js';

const program = new URL('../../bin/cct.js', import.meta.url).pathname;
const folder = new URL('../../fixtures/', import.meta.url).pathname;
const some = sessions.filter(({ name }) => /team-2.1.140|killed-midway|json-array|partial/.test(name));

describe.each(some)('$name', ({ name, parts }) => {
  const expected = written(readAll(parts).events);

  test('from a pipe', () => {
    expect(cct(['normalize'], bytesOf({ name, parts })).stdout).toBe(expected);
  });

  test('from a file', () => {
    expect(cct(['normalize', `${folder}${name}`]).stdout).toBe(expected);
  });

  test('through itself', () => {
    expect(cct(['normalize'], Buffer.from(expected)).stdout).toBe(expected);
  });

  test('cut in the middle', () => {
    const bytes = bytesOf({ name, parts });
    const half = bytes.subarray(0, bytes.length >> 1);
    const { stdout, stderr, status } = cct(['normalize'], half);
    const { events, missing } = readAll([{ path: null, bytes: half }]);
    expect([stdout, status]).toEqual([written(events), 0]);
    expect(stderr).toContain(`cct: stdin: ${missing}\n`);
  });
});

test('a home, file by file', () => {
  const home = homes.find(({ name }) => name.includes('team-2.1.325'));
  const paths = (home?.parts ?? []).map(({ path }) => `${folder}${home?.name}/${path}`);
  const { events } = readAll(home?.parts ?? []);
  const expected = events.map((event) => ({ ...event, source: `${folder}${home?.name}/${event.source}` }));
  expect(cct(['normalize', ...paths]).stdout).toBe(written(expected));
});

function cct(words: readonly string[], input: Buffer = Buffer.alloc(0)) {
  return spawnSync(process.execPath, [program, ...words], { input, encoding: 'utf8', maxBuffer: 1e9 });
}
