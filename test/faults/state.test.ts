// --state and the world: the old state stays whole whatever happens.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Ended, scratch, shell, start } from './shell.js';

let folder: string;
let clear: () => void;
beforeEach(() => {
  ({ folder, clear } = scratch());
});
afterEach(() => clear());

const team = new URL('../../fixtures/sessions/team-2.1.39.ndjson', import.meta.url);
const other = '$fixtures/sessions/team-2.1.140.ndjson';
const saveFirst = 'cct teams --state s.json $fixtures/sessions/team-2.1.39.ndjson > first; cp s.json before;';
const isRoot = process.getuid?.() === 0;

describe('what cannot be written', () => {
  test.each<[string, string, Partial<Ended>]>([
    [
      'a full disk',
      `${saveFirst} (ulimit -f 1; cct teams --state s.json ${other}) | wc -l; echo \${PIPESTATUS[0]}; cmp s.json before; ls`,
      {
        stdout: '2\n2\nbefore\nfirst\ns.json\n',
        stderr: 'cct: s.json: file too large; the state was not saved, what was there is as it was\n',
      },
    ],
    [
      'a pipe in its place',
      `mkfifo p; cct teams --state p ${other}; echo $?; test -p p`,
      { code: 0, stdout: '2\n', stderr: 'cct: --state: p: not a regular file\n' },
    ],
    [
      'a folder in its place',
      `mkdir d; cct teams --state d ${other}`,
      { code: 2, stdout: '', stderr: 'cct: --state: d: is a directory\n' },
    ],
    [
      'below a file',
      `touch f; cct teams --state f/s.json ${other}`,
      { code: 2, stdout: '', stderr: 'cct: --state: f/s.json: not a directory\n' },
    ],
  ])('%s', async (_what, script, expected) => {
    expect(await shell(script, folder)).toMatchObject(expected);
  });

  test.skipIf(isRoot)('a folder that is read-only', async () => {
    const script = `mkdir d; cd d; ${saveFirst} chmod 555 .; cct teams --state s.json ${other} | wc -l; echo \${PIPESTATUS[0]}; cmp s.json before; chmod 755 .`;
    expect(await shell(script, folder)).toMatchObject({
      stdout: '2\n2\n',
      stderr: 'cct: s.json: permission denied; the state was not saved, what was there is as it was\n',
    });
  });
});

test('a link stays a link, and permissions stay', async () => {
  const script = `${saveFirst} chmod 600 s.json; ln -s s.json link; cct teams -q --state link ${other} > rows; test -L link; echo $?; stat -c %a s.json; cmp -s s.json before; echo $?`;
  expect(await shell(script, folder)).toMatchObject({ stdout: '0\n600\n1\n', stderr: '' });
});

test('a reader who leaves does not keep the state from being saved', async () => {
  const script = `cct normalize ${other} | cct teams --watch --state s.json | head -1 | wc -l; cct teams --state s.json < /dev/null | wc -l`;
  expect(await shell(script, folder)).toMatchObject({ stdout: '1\n1\n' });
});

describe('two processes with one state', () => {
  test('the second to save is told, and the state of the first stays', async () => {
    const slow = start(['teams', '--watch', '--state', 's.json'], folder);
    slow.stdin.write(readFileSync(team));
    await slow.saw('report-crew');
    await shell(`cct teams --state s.json ${other}`, folder);
    const saved = readFileSync(join(folder, 's.json'), 'utf8');
    slow.stdin.end();
    expect(await slow.ended).toMatchObject({
      code: 2,
      stderr:
        'cct: s.json: another process changed it meanwhile; the state was not saved, what was there is as it was\n',
    });
    expect(readFileSync(join(folder, 's.json'), 'utf8')).toBe(saved);
  });

  test('many at once leave one whole state and no drafts', async () => {
    const script = `for i in 1 2 3 4; do cct teams -q --state s.json ${other} > $i 2> e$i & done; wait; cmp 1 2; cmp 3 4; cct teams --state s.json < /dev/null | cmp - 1`;
    expect(await shell(script, folder)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

test('a stream that is killed leaves the state as it was', async () => {
  writeFileSync(join(folder, 'run'), readFileSync(team));
  await shell('cct teams --state s.json run', folder);
  const saved = readFileSync(join(folder, 's.json'), 'utf8');
  const running = start(['teams', '--watch', '--state', 's.json'], folder);
  running.stdin.write(`${JSON.stringify({ type: 'system', subtype: 'init', session_id: 'other' })}\n`);
  await running.saw('report-crew');
  running.kill('SIGKILL');
  expect(await running.ended).toMatchObject({ code: null, signal: 'SIGKILL' });
  expect(readFileSync(join(folder, 's.json'), 'utf8')).toBe(saved);
});
