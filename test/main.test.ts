// The real process: what needs real pipes and signals. Runs dist, as the transcripts do.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const record = (number: number) => `{"type":"news","number":${number}}\n`;

describe('Ctrl-C in a pipe', () => {
  test('the first is for the producer: what it still says is read', async () => {
    const cct = start('normalize');
    cct.stdin.write(record(1));
    await cct.saw('"number":1');
    cct.kill('SIGINT');
    await pause(100);
    cct.stdin.end(record(2));
    await cct.saw('"number":2');
    expect(await cct.ended).toEqual({ code: 0, signal: null });
  });

  test('the second is for cct', async () => {
    const cct = start('normalize');
    cct.stdin.write(record(1));
    await cct.saw('"number":1');
    cct.kill('SIGINT');
    await pause(100);
    cct.kill('SIGINT');
    expect(await cct.ended).toEqual({ code: 130, signal: null });
  });
});

describe('cct replay', () => {
  const recording = 'fixtures/sessions/team-2.1.39.ndjson';

  test.each([
    ['a pipe', []],
    ['a file', [recording]],
  ])('stops at the first Ctrl-C, in the middle of a wait: from %s', async (_name, files) => {
    const cct = start('replay', '--interval', '3600', ...files);
    cct.stdin.write(record(1).repeat(2));
    await cct.saw('\n');
    cct.kill('SIGINT');
    expect(await cct.ended).toEqual({ code: 130, signal: null });
    expect(cct.stdoutText().trim().split('\n')).toHaveLength(1);
  });

  test('waits as long as was recorded, at least', async () => {
    const cct = start('replay', '--interval', '0.05', '--until', 'line:4', recording);
    const before = performance.now();
    expect(await cct.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - before).toBeGreaterThanOrEqual(150);
  });

  test('stands in for claude, whose host talks to it', async () => {
    const host = start('replay', '--interval', '3600', '--as-claude', recording, '-p', '--input-format', 'stream-json');
    host.stdin.write('{"type":"user","message":{"role":"user","content":"Go."}}\n');
    await host.saw('"subtype":"init"');
    host.stdin.write('{"type":"control_request","request_id":"r1","request":{"subtype":"interrupt"}}\n');
    await host.saw('{"type":"control_response","response":{"subtype":"success","request_id":"r1"}}\n');
    host.kill('SIGINT');
    expect(await host.ended).toEqual({ code: 130, signal: null });
  });

  test('stands in for a claude that failed', async () => {
    const claude = start(
      'replay',
      '--as-claude',
      'fixtures/sessions/api-error.ndjson',
      '-p',
      'Do it.',
      '--model',
      'opus',
    );
    expect(await claude.ended).toEqual({ code: 1, signal: null });
    expect(claude.stdoutText()).toBe(readFileSync('fixtures/sessions/api-error.ndjson', 'utf8'));
  });
});

test('what a slow producer says is passed on at once', async () => {
  const cct = start('normalize');
  for (const number of [1, 2, 3]) {
    cct.stdin.write(record(number));
    await cct.saw(`"number":${number}`);
  }
  cct.stdin.end();
  expect(await cct.ended).toEqual({ code: 0, signal: null });
});

test('a reader who leaves ends cct while its producer goes on', async () => {
  const cct = start('normalize');
  cct.stdin.on('error', () => {});
  cct.stdin.write(record(1));
  await cct.saw('"number":1');
  cct.stdout.destroy();
  const writing = setInterval(() => cct.stdin.write(record(2)), 5);
  expect(await cct.ended).toEqual({ code: 0, signal: null });
  clearInterval(writing);
  expect(cct.stderrText()).toBe('');
});

// Every stage of a pipe pays for what it loads. Not the list of files but what must not be in it.
const rarelyNeeded = ['zod', 'arguments', 'audit-command', 'usage-command', 'save', 'help', 'privacy'];
test.each([
  ['--version', [], ['cli', 'rows', ...rarelyNeeded]],
  ['teams', ['/dev/null'], rarelyNeeded],
  ['teams', ['fixtures/sessions/team-2.1.325.ndjson'], rarelyNeeded],
])('cct %s %j does not load %j', async (command, words, parts) => {
  const env = { ...process.env, NODE_DEBUG: 'module' };
  const child = spawn(process.execPath, ['dist/cli/main.cjs', command, ...words], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  for await (const chunk of child.stderr.setEncoding('utf8')) text += chunk;
  const loaded = [...text.matchAll(/: load ".*\/dist\/cli\/([\w-]+)\.cjs"/g)].map(([, name]) => name);
  expect(loaded).toContain('main');
  // What became part of a file that is loaded would not be missed.
  expect(parts.filter((part) => !existsSync(`dist/cli/${part}.cjs`))).toEqual([]);
  expect(loaded.filter((name) => parts.includes(name ?? ''))).toEqual([]);
});

test('more output than a pipe holds arrives whole', async () => {
  const cct = start('schema', 'event');
  cct.stdin.end();
  await cct.ended;
  expect(() => JSON.parse(cct.stdoutText())).not.toThrow();
});

test('without WebAssembly the rows are the same', async () => {
  const file = 'fixtures/sessions/team-2.1.325.ndjson';
  for (const words of ['usage --by agent,model', 'teams --members', 'tasks --all', 'messages']) {
    const without = startNode(
      ['--import', 'data:text/javascript,delete globalThis.WebAssembly'],
      ...words.split(' '),
      file,
      '-v',
    );
    const cct = start(...words.split(' '), file, '-v');
    expect(await without.ended).toEqual(await cct.ended);
    expect(without.stdoutText()).toBe(cct.stdoutText());
    // Then nothing can be dropped unparsed.
    expect(without.stderrText()).toContain(' 91 records, 91 parsed whole,');
  }
});

test('work that is not done when nothing is left to wait for is a bug, and never 0', async () => {
  // A turn that never comes stands for any callback that is forgotten.
  const cct = startNode(['--import', 'data:text/javascript,globalThis.setImmediate=()=>{}'], 'teams', 'bin/cct.js');
  expect(await cct.ended).toEqual({ code: 70, signal: null });
  expect(cct.stdoutText()).toBe('');
  expect(cct.stderrText()).toMatch(/^cct: a bug, sorry: it stopped before .*\n$/);
});

function start(...words: string[]) {
  return startNode([], ...words);
}

function startNode(flags: readonly string[], ...words: string[]) {
  const child = spawn(process.execPath, [...flags, 'bin/cct.js', ...words], { stdio: 'pipe', timeout: 20_000 });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return Object.assign(child, {
    ended,
    stdoutText: () => stdout,
    stderrText: () => stderr,
    async saw(text: string) {
      while (!stdout.includes(text)) await once(child.stdout, 'data');
    },
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

test('a clone that was never built says what to do', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cct-clone-'));
  cpSync('bin', join(folder, 'bin'), { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'bin/cct.js'), 'teams'], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect([status, stderr]).toEqual([2, `cct: not built yet; run npm ci in ${folder}\n`]);
});
