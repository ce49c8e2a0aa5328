// The first and the second Ctrl-C of `normalize` are in test/main.test.ts.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scratch, start } from './shell.js';

let folder: string;
let clear: () => void;
beforeEach(() => {
  ({ folder, clear } = scratch());
});
afterEach(() => clear());

const lines = readFileSync(new URL('../../fixtures/sessions/team-2.1.39.ndjson', import.meta.url), 'utf8').split(
  /(?<=\n)/,
);

test('Ctrl-C in a pipe: a fold prints what is known when its producer has ended', async () => {
  const cct = start(['teams', '--watch', '--fields', 'team,status'], folder);
  cct.stdin.write(lines.slice(0, -1).join(''));
  await cct.saw('report-crew');
  cct.kill('SIGINT');
  cct.stdin.end(lines.at(-1));
  const { code, stdout } = await cct.ended;
  expect({ code, last: stdout.split('\n').at(-2) }).toEqual({
    code: 0,
    last: '{"team":"report-crew","status":"cleaned_up"}',
  });
});

describe.each(['SIGTERM', 'SIGHUP'] as const)('%s', (signal) => {
  test('ends it at once, with nothing more written', async () => {
    const cct = start(['teams', '--watch', '--fields', 'team'], folder);
    cct.stdin.write(lines.join(''));
    await cct.saw('report-crew');
    cct.kill(signal);
    expect(await cct.ended).toMatchObject({ code: null, signal, stderr: '' });
  });
});

test('SIGPIPE alone changes nothing', async () => {
  const cct = start(['normalize'], folder);
  cct.stdin.write('{"type":"news","number":1}\n');
  await cct.saw('"number":1');
  cct.kill('SIGPIPE');
  cct.stdin.end('{"type":"news","number":2}\n');
  await cct.saw('"number":2');
  expect(await cct.ended).toMatchObject({ code: 0, signal: null });
});
