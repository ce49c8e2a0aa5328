import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cct-process-'));
  await build({
    input: join(import.meta.dirname, 'print-lines.ts'),
    platform: 'node',
    output: { file: join(folder, 'print-lines.mjs'), codeSplitting: false },
  });
  writeFileSync(join(folder, 'a'), 'one\ntwo');
  writeFileSync(join(folder, 'b'), '\ufeffthree\r\n');
  writeFileSync(join(folder, 'many'), 'x\n'.repeat(5_000_000));
  mkdirSync(join(folder, 'dir'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('stdin', () => {
  test.each<[what: string, script: string, output: string]>([
    ['a pipe', 'printf "a\\nb" | run', 'stdin:1:a\nstdin:2:b\n'],
    ['a file', 'run < a', 'stdin:1:one\nstdin:2:two\n'],
    ['a file half read by another program', '{ read line; run; } < a', 'stdin:1:two\n'],
    ['a here-document', 'run <<< "a"', 'stdin:1:a\n'],
    ['/dev/null', 'run < /dev/null', ''],
    ['closed', 'run <&-', ''],
    ['named by -', 'echo x | run a - b', 'a:1:one\na:2:two\nstdin:1:x\nb:1:three\n'],
    ['named by its device', 'echo x | run /dev/stdin', '/dev/stdin:1:x\n'],
    ['named twice', 'echo x | run - -', 'stdin:1:x\n'],
    ['a file named twice', 'run - - < a', 'stdin:1:one\nstdin:2:two\n'],
  ])('%s', async (_what, script, output) => {
    expect(await shell(script)).toEqual({ code: 0, stdout: output, stderr: '' });
  });

  test('a socket, as another Node program gives it', async () => {
    const child = start(['/dev/stdin'], { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin?.end('x\n');
    expect(await finished(child)).toEqual({ code: 0, stdout: '/dev/stdin:1:x\n', stderr: '' });
  });

  test('lines are written while the producer lives', async () => {
    const child = start([], { stdio: ['pipe', 'pipe', 'pipe'] });
    const first = new Promise((resolve) => child.stdout?.once('data', resolve));
    child.stdin?.write('a\n');
    expect(String(await first)).toBe('stdin:1:a\n');
    child.stdin?.end();
    await finished(child);
  });
});

describe('files', () => {
  test('process substitution', async () => {
    const { code, stdout } = await shell('run <(echo a) <(sleep 0.2; echo b) | sed "s/^[^:]*://"');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '1:a\n1:b\n' });
  });

  test('a named pipe', async () => {
    const result = await shell('mkfifo fifo; (sleep 0.2; echo a > fifo) & run fifo');
    expect(result).toEqual({ code: 0, stdout: 'fifo:1:a\n', stderr: '' });
  });

  test('what cannot be read is named, the rest is read, the code is 2', async () => {
    const result = await shell('run nosuch a dir a/b b');
    expect(result).toEqual({
      code: 2,
      stdout: 'a:1:one\na:2:two\nb:1:three\n',
      stderr: 'cct: "nosuch: no such file"\ncct: "dir: is a directory"\ncct: "a/b: not a directory"\n',
    });
  });

  test('stdin that is a directory', async () => {
    expect(await shell('run < dir')).toEqual({ code: 2, stdout: '', stderr: 'cct: "stdin: is a directory"\n' });
  });
});

describe('an early end', () => {
  test.each([
    ['of the reader, from a file', '(run many || echo failed >&2) | head -1', 'many:1:x\n'],
    ['of the reader, from a pipe', 'yes | (run || echo failed >&2) | head -1', 'stdin:1:y\n'],
    ['by the program, on a file', 'STOP_AT=2 run many', 'many:1:x\nmany:2:x\n'],
  ])('%s', async (_what, script, output) => {
    expect(await shell(script)).toEqual({ code: 0, stdout: output, stderr: '' });
  });
});

describe('a silent producer does not keep a stopped program alive', () => {
  test.each([{ STOP_AT: '1' }, { IDLE_MS: '100' }])('on stdin with %o', async (variables) => {
    const env = { ...process.env, ...variables };
    const child = start([], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin?.write('a\n');
    expect(await finished(child)).toEqual({ code: 0, stdout: 'stdin:1:a\n', stderr: '' });
  });

  test.each([{ STOP_AT: '1' }, { IDLE_MS: '100' }])('on a named pipe with %o', async (variables) => {
    const env = { ...process.env, ...variables };
    const pipe = join(folder, 'silent');
    execFileSync('mkfifo', [pipe]);
    const child = start(['silent'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const producer = await open(pipe, 'w');
    await producer.write('a\n');
    expect(await finished(child)).toEqual({ code: 0, stdout: 'silent:1:a\n', stderr: '' });
    await producer.close();
    rmSync(pipe);
  });
});

test('output that cannot be written', async () => {
  const full = openSync('/dev/full', 'w');
  const child = start(['many'], { stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  expect(await finished(child)).toEqual({
    code: 2,
    stdout: '',
    stderr: 'cct: "stdout: no space left on device"\n',
  });
});

test('a slow reader gets everything', async () => {
  const { stdout } = await shell('seq 200000 | run | (sleep 0.3; cksum)');
  expect(stdout).toBe(execFileSync('bash', ['-c', 'seq 200000 | sed "s/.*/stdin:&:&/" | cksum']).toString());
});

function start(args: string[], options: SpawnOptions): ChildProcess {
  return spawn(process.execPath, [join(folder, 'print-lines.mjs'), ...args], { cwd: folder, ...options });
}

interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

function shell(script: string): Promise<Finished> {
  const run = `run() { "${process.execPath}" "${join(folder, 'print-lines.mjs')}" "$@"; }\n`;
  return finished(spawn('bash', ['-c', run + script], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }));
}

function finished(child: ChildProcess): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => (stdout += chunk));
  child.stderr?.on('data', (chunk) => (stderr += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}
