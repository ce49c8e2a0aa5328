// The code that the build leaves for V8, so that a command need not be compiled when it starts (bin/load.js).
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const { codeFile, pack, unpack } = createRequire(import.meta.url)('../../bin/load.js');
const built = resolve('dist/cli');
const folder = mkdtempSync(join(tmpdir(), 'cct-code-'));
const code = join(folder, 'dist/cli', codeFile());
cpSync('bin', join(folder, 'bin'), { recursive: true });
cpSync(built, join(folder, 'dist/cli'), { recursive: true });
afterAll(() => rmSync(folder, { recursive: true }));

function usage(...words: string[]) {
  const run = resolve('fixtures/sessions/team-2.1.325.ndjson');
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'bin/cct.js'), 'usage', ...words, run], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('the code of this build is accepted', () => {
  // In a process of its own, because code is for one set of V8's flags, and other tests set some in theirs.
  const script = `
    const { codeFile, loader, unpack } = require('./bin/load.js');
    const { load, scripts } = loader('dist/cli', unpack(require('node:fs').readFileSync('dist/cli/' + codeFile())));
    load('cli.cjs');
    console.log(JSON.stringify([...scripts].map(([name, { cachedDataRejected }]) => [name, cachedDataRejected])));`;
  const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  const rejected = new Map(JSON.parse(stdout));
  expect([...rejected.keys()]).toContain('cli.cjs');
  expect(new Set(rejected.values())).toEqual(new Set([false]));
});

test('what is packed is unpacked', () => {
  const codes = new Map([
    ['a.cjs', Buffer.from('\n{}')],
    ['b.cjs', Buffer.alloc(0)],
  ]);
  expect(unpack(pack(codes))).toEqual(codes);
});

test.each([
  ['is missing', () => rmSync(code)],
  ['is empty', () => writeFileSync(code, '')],
  ['is not ours', () => writeFileSync(code, pack(new Map([['cli.cjs', Buffer.from('something else')]])))],
])('the answer is the same if the code %s', (_, damage) => {
  const expected = usage('--by', 'agent');
  damage();
  expect(usage('--by', 'agent')).toEqual(expected);
  cpSync(join(built, codeFile()), code);
});

test('an error in the command is told with its place', () => {
  const main = join(folder, 'dist/cli/main.cjs');
  const whole = readFileSync(main, 'utf8');
  writeFileSync(main, `throw new Error('made for this test');${whole}`);
  const { stderr } = usage();
  writeFileSync(main, whole);
  expect(stderr).toContain('Error: made for this test');
  expect(stderr).toContain('main.cjs:1:7');
});
