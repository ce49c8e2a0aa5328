// --state and the world: the old state stays whole whatever happens.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
        stderr: 'cct: s.json: file too large; the new state was not saved, and the old one is unchanged\n',
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
      stderr: 'cct: s.json: permission denied; the new state was not saved, and the old one is unchanged\n',
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

/** What is there after a run: the state, and neither a draft nor a lock. */
function left(): string[] {
  return readdirSync(folder).filter((name) => /tmp|lock/.test(name));
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

const init = (session_id: string) => `${JSON.stringify({ type: 'system', subtype: 'init', session_id })}\n`;

describe('two processes with one state', () => {
  test('the second is told at once, and the first goes on', async () => {
    const slow = start(['teams', '--watch', '--state', 's.json'], folder);
    slow.stdin.write(readFileSync(team));
    await slow.saw('report-crew');
    const second = await shell(`cct teams --state s.json ${other}`, folder);
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(second.stderr).toMatch(
      /^cct: --state: s\.json: in use by process \d+; if that process is gone, remove .*s\.json\.lock\n$/,
    );
    slow.stdin.end();
    expect(await slow.ended).toMatchObject({ code: 0, stderr: '' });
    expect(await shell('cct teams --state s.json --fields team < /dev/null', folder)).toMatchObject({
      stdout: '{"team":"report-crew"}\n',
    });
    expect(left()).toEqual([]);
  });

  test('by a link and by its name it is the same file', async () => {
    await shell('touch s.json; ln -s s.json link', folder);
    const slow = start(['teams', '--watch', '--state', 'link'], folder);
    slow.stdin.write(readFileSync(team));
    await slow.saw('report-crew');
    expect(await shell(`cct teams --state s.json ${other}`, folder)).toMatchObject({ code: 2 });
    slow.stdin.end();
    expect(await slow.ended).toMatchObject({ code: 0 });
  });

  test('of many at once each is told or has its part in the state', async () => {
    const record = `{"type":"assistant","session_id":"s","message":{"id":"m'$n'","role":"assistant","content":[],"usage":{"input_tokens":1}}}`;
    const one = `echo '${record}' | cct usage -q --by total --state s.json > /dev/null 2> /dev/null; echo $? >> codes`;
    const script = `for n in 1 2 3 4 5 6 7 8; do (${one}) & test $((n % 3)) = 0 && wait; done; wait; sort codes | uniq -c; cct usage --by total --fields messages --state s.json < /dev/null`;
    const { stdout } = await shell(script, folder);
    const done = /(\d) 0\n/.exec(stdout)?.[1];
    expect(stdout).toMatch(new RegExp(`^ +${done} 0\n(?: +\\d 2\n)?\\{"messages":${done}\\}\n$`));
    expect(left()).toEqual([]);
  });

  test.each([
    ['a process that is gone', '999999999 - $(hostname)'],
    ['a process whose number another has now', '$$ 1 $(hostname)'],
    ['nobody, some time ago', ''],
  ])('the lock of %s is no lock', async (_whose, text) => {
    const script = `printf %s "${text}" > s.json.lock; test -s s.json.lock && echo >> s.json.lock; touch -d '1 minute ago' s.json.lock; cct teams -q --state s.json ${other} | wc -l`;
    expect(await shell(script, folder)).toMatchObject({ code: 0, stdout: '1\n', stderr: '' });
    expect(left()).toEqual([]);
  });

  test('the lock of another machine is one', async () => {
    const script = `echo '1 - elsewhere' > s.json.lock; cct teams --state s.json ${other}`;
    const { code, stderr } = await shell(script, folder);
    expect(code).toBe(2);
    expect(stderr).toMatch(/in use by process 1 on elsewhere; if that process is gone, remove /);
    expect(left()).toEqual(['s.json.lock']);
  });
});

test('a link to nothing stays a link, and its target is made', async () => {
  const script = `mkdir d; ln -s d/there link; ln -s link second; cct teams -q --state second ${other} > rows; test -L second && test -L link && test -f d/there && cct teams --state link < /dev/null | cmp - rows`;
  expect(await shell(script, folder)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(left()).toEqual([]);
});

test('a quiet stream is saved all the same', async () => {
  const quiet = start(['usage', '--state', 's.json'], folder);
  quiet.stdin.write(init('one'));
  await until(() => existsSync(join(folder, 's.json')));
  const first = readFileSync(join(folder, 's.json'), 'utf8');
  quiet.stdin.write(init('two'));
  await until(() => readFileSync(join(folder, 's.json'), 'utf8') !== first);
  expect(readFileSync(join(folder, 's.json'), 'utf8')).toContain('"two"');
  quiet.stdin.end();
  expect(await quiet.ended).toMatchObject({ code: 0 });
});

describe.each(['SIGTERM', 'SIGHUP'] as const)('%s', (signal) => {
  test('saves what was read, and ends it as ever', async () => {
    const running = start(['teams', '--watch', '--state', 's.json'], folder);
    running.stdin.write(readFileSync(team));
    await running.saw('report-crew');
    await until(() => existsSync(join(folder, 's.json')));
    running.stdin.write(init('the-last-one'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    running.kill(signal);
    expect(await running.ended).toMatchObject({ code: null, signal, stderr: '' });
    expect(readFileSync(join(folder, 's.json'), 'utf8')).toContain('the-last-one');
    expect(left()).toEqual([]);
  });
});

test('Ctrl-C twice leaves neither draft nor lock', async () => {
  const running = start(['teams', '--watch', '--state', 's.json'], folder);
  running.stdin.write(readFileSync(team));
  await running.saw('report-crew');
  running.kill('SIGINT');
  await new Promise((resolve) => setTimeout(resolve, 100));
  running.kill('SIGINT');
  expect(await running.ended).toMatchObject({ code: 130 });
  expect(left()).toEqual([]);
});

test('what a killed process left is cleared away', async () => {
  const killed = start(['teams', '--watch', '--state', 's.json'], folder);
  killed.stdin.write(readFileSync(team));
  await killed.saw('report-crew');
  killed.kill('SIGKILL');
  await killed.ended;
  writeFileSync(join(folder, 's.json.tmp'), '{"cct_state":');
  expect(left()).toEqual(['s.json.lock', 's.json.tmp']);
  expect(await shell(`cct teams -q --state s.json ${other} > rows`, folder)).toMatchObject({ code: 0, stderr: '' });
  expect(left()).toEqual([]);
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
