// What the world does to files and pipes, and what comes of it: `cct help exit-codes` promises it.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Ended, scratch, shell } from './shell.js';

let folder: string;
let clear: () => void;
beforeEach(() => {
  ({ folder, clear } = scratch());
});
afterEach(() => clear());

const news = `'{"type":"news"}'`;
const isRoot = process.getuid?.() === 0;

describe('output', () => {
  const full = 'cct: stdout: no space left on device\n';
  test.each<[string, string, Partial<Ended>]>([
    [
      'a disk full of rows',
      'cct teams -f csv $fixtures/sessions/team-2.1.39.ndjson > /dev/full',
      { code: 2, stderr: full },
    ],
    ['a full disk, and nothing to write', 'cct teams < /dev/null > /dev/full', { code: 0, stderr: '' }],
    ['a disk full of help', 'cct help > /dev/full', { code: 2, stderr: full }],
    ['a disk full of version', 'cct --version > /dev/full', { code: 2, stderr: full }],
    ['a full disk under both', 'cct --version > /dev/full 2>&1', { code: 2, stdout: '', stderr: '' }],
    [
      'a full disk under stderr',
      `echo ${news} | cct normalize --event unknown nosuch - 2> /dev/full | wc -l`,
      { code: 0, stdout: '1\n' },
    ],
    ['stderr closed', `cct normalize nosuch 2>&-`, { code: 2, stdout: '', stderr: '' }],
    [
      'a limit on the size of files',
      `(ulimit -f 1; cct schema event > file); echo $?`,
      { stdout: '2\n', stderr: 'cct: stdout: file too large\n' },
    ],
  ])('%s', async (_what, script, expected) => {
    expect(await shell(script, folder)).toMatchObject(expected);
  });
});

describe('input', () => {
  test.each<[string, string, Partial<Ended>]>([
    ['stdin closed', 'cct normalize <&-', { code: 0, stdout: '', stderr: '' }],
    [
      'a file that vanishes before its turn',
      `mkfifo first; touch gone; (exec 3> first; rm gone; echo ${news} >&3) & cct normalize first gone | wc -l; echo \${PIPESTATUS[0]}`,
      { stdout: '1\n2\n', stderr: 'cct: gone: no such file\n' },
    ],
    [
      'a file that vanishes while it is read',
      `mkfifo go; echo ${news} > gone; cct normalize gone go | wc -l & (exec 3> go; rm gone; echo ${news} >&3); wait`,
      { code: 0, stdout: '2\n', stderr: '' },
    ],
    [
      'a file that cannot be read to its end',
      `echo ${news} | cct normalize /proc/self/mem - | wc -l; echo \${PIPESTATUS[1]}`,
      { stdout: '1\n2\n', stderr: 'cct: /proc/self/mem: input/output error\n' },
    ],
    [
      'a link to itself',
      'ln -s loop loop; cct normalize loop',
      { code: 2, stderr: 'cct: loop: too many symbolic links\n' },
    ],
    [
      'a producer that dies in the middle of a line',
      '(head -c 9000 $fixtures/sessions/team-2.1.39.ndjson; kill -9 $BASHPID) | cct teams -e --fields team,status',
      {
        code: 1,
        stdout: '{"team":"report-crew","status":"unfinished"}\n',
        stderr: expect.stringMatching(
          /^cct: stdin:17: not JSON \(unexpected end\); line skipped\ncct: stdin: no result.*\n$/,
        ),
      },
    ],
    [
      'a producer that was never there',
      `nosuch 2> /dev/null | cct teams -e; echo "\${PIPESTATUS[@]}"`,
      { stdout: '127 1\n', stderr: '' },
    ],
  ])('%s', async (_what, script, expected) => {
    expect(await shell(script, folder)).toMatchObject(expected);
  });

  test.skipIf(isRoot)('a file without permission', async () => {
    const ran = await shell(`echo ${news} > mine; chmod 000 mine; cct normalize mine`, folder);
    expect(ran).toMatchObject({ code: 2, stderr: 'cct: mine: permission denied\n' });
  });
});
