// What a command costs before it reads anything, without a clock: what is loaded and how many functions run.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const chunks = resolve('dist/cli');
/** What bin/cct.js loads, here always in the way of Node, which says what was loaded. */
const program = `${chunks}/main.cjs`;

interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

/** The scripts of cct that a run loads, as the engine counts them. */
function scriptsOf(...words: string[]): Script[] {
  const folder = mkdtempSync(join(tmpdir(), 'cct-start-'));
  try {
    const env = { ...process.env, NODE_V8_COVERAGE: folder };
    const { status } = spawnSync(process.execPath, [program, ...words], { env });
    expect(status).toBe(0);
    const scripts = readdirSync(folder).flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).result);
    return scripts.filter(({ url }: Script) => url.includes('/dist/cli/'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('cct teams on empty input loads little and does little', () => {
  const scripts = scriptsOf('teams', '/dev/null');
  const bytes = scripts.reduce((sum, { url }) => sum + statSync(new URL(url)).size, 0);
  const run = scripts.flatMap(({ functions }) => functions).filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
  expect(scripts.map(({ url }) => basename(url)).sort()).toEqual([
    'cli.cjs',
    'main.cjs',
    'rolldown-runtime.cjs',
    'rows.cjs',
    'start.cjs',
    'teams-command.cjs',
  ]);
  expect(bytes).toBeLessThan(380_000);
  expect(run.length).toBeLessThan(300);
});

test.each(['teams', 'teams -f ndjson', 'usage --by agent'])(
  'cct %s on an empty file loads few modules of Node',
  (words) => {
    const folder = mkdtempSync(join(tmpdir(), 'cct-start-'));
    const [empty, list] = [join(folder, 'empty.ndjson'), join(folder, 'modules')];
    const script = `process.argv.splice(1, 0, 'cct'); require(${JSON.stringify(program)});
    process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(list)}, process.moduleLoadList.join('\\n')));`;
    writeFileSync(empty, '');
    const { status } = spawnSync(process.execPath, ['-e', script, ...words.split(' '), empty], { stdio: 'ignore' });
    const modules = readFileSync(list, 'utf8');
    rmSync(folder, { recursive: true });
    expect(status).toBe(0);
    expect(modules).toContain('NativeModule fs\n');
    expect(modules.match(/^NativeModule (?:stream|net|tty|worker_threads|zlib|v8|os|child_process)$/gm)).toBeNull();
  },
);

// A file that is asked for something while it is still being loaded has only a part of it.
test('a file of the command loads another only when all it needs of that is there', () => {
  const load = `require(${JSON.stringify(`${chunks}/cli.cjs`)});
    const first = Object.keys(require.cache);
    console.log(first.map((path) => path.split('/').at(-1)).join(' '));
    for (const name of ${JSON.stringify(readdirSync(chunks).filter((name) => name.endsWith('.cjs') && !isProgram.test(name)))}) {
      for (const path of Object.keys(require.cache)) if (!first.includes(path)) delete require.cache[path];
      const made = require(${JSON.stringify(`${chunks}/`)} + name);
      for (const [key, value] of Object.entries(made)) if (value === undefined) console.log(name, key);
    }`;
  const { NO_COLOR: _, ...env } = process.env;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', load], { encoding: 'utf8', env });
  expect(stderr).toBe('');
  expect(stdout).toBe('cli.cjs rolldown-runtime.cjs start.cjs\n');
});

const isProgram = /^(?:main|reader|scanner)\.cjs$/;
