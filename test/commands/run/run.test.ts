// Real processes: runs dist, as the transcripts do. A stand-in plays claude.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, type ExpectStatic, test } from 'vitest';
import { listProcesses } from '../../../src/io/processes.js';

const scratch = mkdtempSync(join(tmpdir(), 'cct-run-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const standIn = join(import.meta.dirname, 'stand-in.js');
const bin = resolve('bin/cct.js');

const started: ChildProcess[] = [];
afterAll(() => {
  for (const cct of started) if (cct.exitCode === null && cct.signalCode === null) cct.kill('SIGKILL');
});

let serial = 0;

/** `cct run <flags> -- <words>`; `LOG` in the words is the stand-in's log. */
function start(flags: string, words: readonly string[] = [process.execPath, standIn, 'LOG'], env = {}) {
  const log = join(scratch, `log-${++serial}`);
  const program = words.map((word) => (word === 'LOG' ? log : word));
  const cct = spawn(process.execPath, [bin, 'run', ...flags.split(' ').filter(Boolean), '--', ...program], {
    env: { ...process.env, ...env },
  });
  started.push(cct);
  const texts = { stdout: '', stderr: '' };
  cct.stdout.on('data', (chunk) => (texts.stdout += chunk));
  cct.stderr.on('data', (chunk) => (texts.stderr += chunk));
  const ended = once(cct, 'close').then(([code, signal]) => ({ code, signal, ...texts }));
  const entries = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
  return {
    process: cct,
    kill: (signal: NodeJS.Signals) => cct.kill(signal),
    ended,
    log: entries,
    calls: () => entries().filter((line) => line.startsWith('call')).length,
    shell: () =>
      Number(
        entries()
          .find((line) => line.startsWith('shell'))
          ?.split(' ')[1] ?? 0,
      ),
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
  };
}

function claude(...words: string[]): string[] {
  return [process.execPath, standIn, 'LOG', ...words];
}

async function until(what: () => boolean): Promise<void> {
  for (let tries = 0; !what(); tries++) {
    if (tries > 1500) throw new Error(`waited in vain for ${what}`);
    await new Promise((next) => setTimeout(next, 10));
  }
}

function runs(pid: number): boolean {
  return listProcesses().some((one) => one.pid === pid);
}

/** What the stand-in started has become a shell, which it is not at once. */
function isShell(pid: number): boolean {
  return listProcesses().some((one) => one.pid === pid && one.name === 'sh');
}

/** It made no call after this. */
async function staysAt(run: ReturnType<typeof start>, expect: ExpectStatic): Promise<number> {
  const calls = run.calls();
  await new Promise((next) => setTimeout(next, 200));
  expect(run.calls()).toBe(calls);
  return calls;
}

/** A record that takes 5000 tokens. */
const costly = JSON.stringify({
  ...{ type: 'assistant', session_id: 's1', uuid: 'u' },
  message: { id: 'm', model: 'claude-opus-4-6', role: 'assistant', content: [], usage: { input_tokens: 5000 } },
});

// They wait more than they work, so some run at the same time.
describe.concurrent('a limit', () => {
  // A call costs half a cent.
  test('stops the command at the record that passes it', async ({ expect }) => {
    const run = start('--max-usd 0.02', claude('every=50'));
    const { code, stderr, stdout } = await run.ended;
    expect(code).toBe(3);
    expect(stderr).toBe(
      'cct: passed --max-usd 0.02 with at least $0.0202 (estimated); node is being stopped (SIGINT)\n',
    );
    expect(run.log()).toContain('SIGINT');
    // The fourth call passes it; it would go on for ever.
    expect(await staysAt(run, expect)).toBeGreaterThanOrEqual(4);
    expect(stdout.split('\n').filter((line) => line.includes('"assistant"')).length).toBe(run.calls());
  });

  test('and a result that is written then is passed on', async ({ expect }) => {
    const { code, stdout } = await start('--max-tokens 3000', claude('every=50', 'result')).ended;
    expect(code).toBe(3);
    const [result, stop] = stdout.trimEnd().split('\n').slice(-2);
    expect(result).toContain('"type":"result"');
    expect(JSON.parse(stop ?? '')).toMatchObject({ event: 'run:stopped', reason: 'budget', limit: 3000, spent: 3006 });
  });

  test('counts when only the last result showed it', async ({ expect }) => {
    const { code, stderr } = await start('--max-usd 1', claude('calls=2', 'costs=7')).ended;
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^cct: passed --max-usd 1 with \$7.0000; node (?:is being stopped \(SIGINT\)|has already ended)\n$/,
    );
  });

  test('is passed by a model without a price', async ({ expect }) => {
    const { code, stderr } = await start('--max-usd 1', claude('model=glm-5.1')).ended;
    expect([code, stderr]).toEqual([
      3,
      'cct: --max-usd 1: no price for glm-5.1; add a price with --prices, or use --allow-unpriced to count it as $0; node is being stopped (SIGINT)\n',
    ]);
    const allowed = await start('--max-usd 1 --allow-unpriced', claude('model=glm-5.1', 'calls=2', 'mute')).ended;
    expect([allowed.code, allowed.stderr]).toEqual([0, 'cct: glm-5.1 has no price and is counted as $0\n']);
  });

  test('that nothing is known of is not watched, and says so', async ({ expect }) => {
    const words = 'the limit was not watched: sh wrote no usage; claude needs --output-format stream-json --verbose';
    const good = await start('--max-usd 1', ['sh', '-c', 'echo hello']).ended;
    expect([good.code, good.stdout, good.stderr]).toEqual([2, 'hello\n', `cct: ${words}\n`]);
    const bad = await start('--max-usd 1', ['sh', '-c', 'exit 5']).ended;
    expect([bad.code, bad.stderr]).toEqual([5, `cct: ${words}\n`]);
  });

  test('is seen when the record is whole, although its newline has not come', async ({ expect }) => {
    const half = costly.length - 20;
    const script = `printf %s '{"type":"keep_alive"}${costly.slice(0, half)}'; sleep 0.1; printf '%s ' '${costly.slice(half)}'; sleep 300`;
    const { code, stdout } = await start('--max-tokens 1500', ['sh', '-c', script]).ended;
    expect(code).toBe(3);
    const [first, stop, end] = stdout.split('\n');
    expect([first, end]).toEqual([`{"type":"keep_alive"}${costly} `, '']);
    expect(JSON.parse(stop ?? '')).toMatchObject({ event: 'run:stopped', spent: 5000, ended: [] });
  });

  test('is not added to what has to stay one JSON text', async ({ expect }) => {
    const kept = join(scratch, 'one.json');
    const words = ['sh', '-c', `printf %s '${costly}'; sleep 300`, '--output-format', 'json'];
    const { code, stdout } = await start(`--max-tokens 1500 --keep ${kept}`, words).ended;
    expect([code, stdout]).toEqual([3, costly]);
    expect(readFileSync(kept, 'utf8').trimEnd().split('\n')[2]).toContain('"event":"run:stopped"');
  });

  test('stops one that does not want to: SIGINT, SIGTERM, SIGKILL', async ({ expect }) => {
    const run = start('--max-tokens 1500 --grace 0.3', claude('deaf'));
    const { code, stderr } = await run.ended;
    expect(code).toBe(3);
    expect(run.log().filter((line) => line.startsWith('SIG'))).toEqual(['SIGINT', 'SIGTERM']);
    expect(stderr.split('\n').slice(1)).toEqual([
      'cct: node is still running after 0.3 s; sending SIGTERM',
      'cct: node is still running after 0.3 s; sending SIGKILL',
      '',
    ]);
    await staysAt(run, expect);
  });
});

describe.concurrent('silence', () => {
  test('stops the command', async ({ expect }) => {
    const { code, stderr } = await start('--idle-timeout 2', claude('calls=2', 'mute', 'hangs')).ended;
    expect([code, stderr]).toEqual([1, 'cct: node wrote nothing for 2 s; node is being stopped (SIGINT)\n']);
  });

  test('is why it was stopped, also where a limit was not watched', async ({ expect }) => {
    const { code, stderr } = await start('--idle-timeout 0.3 --max-usd 1', ['sleep', '60']).ended;
    expect([code, stderr]).toEqual([1, 'cct: sleep wrote nothing for 0.3 s; sleep is being stopped (SIGINT)\n']);
  });

  test('is not the time that a reader takes', async ({ expect }) => {
    const run = start('--idle-timeout 2', ['sh', '-c', 'head -c 3000000 /dev/zero; echo']);
    run.process.stdout.pause();
    await new Promise((next) => setTimeout(next, 3000));
    run.process.stdout.resume();
    const { code, stdout } = await run.ended;
    expect([code, stdout.length]).toEqual([0, 3_000_001]);
  });

  test('of a month does not begin at once', async ({ expect }) => {
    const { code } = await start('--idle-timeout 2592000', claude('calls=3')).ended;
    expect(code).toBe(0);
  });
});

describe.concurrent('what it leaves behind', () => {
  test.for(['--max-tokens 1500', '--idle-timeout 2'])('is ended and named: %s', async (flags, { expect }) => {
    const run = start(flags, claude('shell', 'calls=2', 'mute', 'hangs'));
    await until(() => isShell(run.shell()));
    const { stderr } = await run.ended;
    expect(stderr).toMatch(
      new RegExp(`\\ncct: ended processes that node left behind: sh \\(${run.shell()}\\), sleep \\(\\d+\\)\\n$`),
    );
    await until(() => !runs(run.shell()));
    expect(run.log()).toContain('SIGINT');
  });

  test.for<NodeJS.Signals>(['SIGINT', 'SIGTERM', 'SIGHUP'])('also after %s', async (signal, { expect }) => {
    const run = start('', claude('shell', 'hangs'));
    await until(() => isShell(run.shell()));
    run.kill(signal);
    expect((await run.ended).stderr).toContain(`left behind: sh (${run.shell()})`);
    await until(() => !runs(run.shell()));
  });

  test('also when it was killed', async ({ expect }) => {
    const run = start('--max-tokens 1500 --grace 0.2', claude('shell', 'deaf'));
    expect((await run.ended).stderr).toContain(`left behind: sh (${run.shell()})`);
    await until(() => !runs(run.shell()));
  });

  const leave = join(scratch, 'leave');
  // Right after the fork it has the name of the script.
  const isSleep = 'until [ "$(cat /proc/$!/comm)" = sleep ]; do :; done';
  writeFileSync(leave, `#!/bin/sh\nsleep 300 </dev/null 2>/dev/null &\n${isSleep}\necho $! > "$1"\n`, { mode: 0o755 });
  test.skipIf(process.platform !== 'linux').for([
    ['what a finished call started in a session of its own', 'setsid LEAVE "$0" >/dev/null'],
    ['who lost its parents and holds the output', 'setsid LEAVE "$0"'],
    ['who has no environment and holds the output', 'setsid env -i LEAVE "$0"'],
    ['who has neither, but was seen with its parent', 'setsid env -i sh -c \'sleep 2; LEAVE "$0"\' "$0" >/dev/null'],
    ['who has neither, nor parents', 'setsid env -i LEAVE "$0" >/dev/null'],
    ['who does not want to end', 'setsid sh -c \'trap "" TERM; LEAVE "$0"\' "$0" >/dev/null'],
  ])('is ended and named: %s', async ([, call = ''], { expect }) => {
    const script = `${call.replace('LEAVE', leave)}; echo '${costly}'; sleep 300`;
    const run = start('--max-tokens 1500 --grace 0.3', ['sh', '-c', script, 'LOG']);
    const { code, stderr, stdout } = await run.ended;
    const [left] = run.log();
    expect([code, runs(Number(left))]).toEqual([3, false]);
    expect(stderr).toContain(`sleep (${left})`);
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '').ended).toContain('sleep');
  });

  test('is left alone when it ended by itself', async ({ expect }) => {
    const run = start('', claude('shell', 'calls=1'));
    const { code, stderr } = await run.ended;
    expect([code, stderr, runs(run.shell())]).toEqual([0, '', true]);
    process.kill(-run.shell(), 'SIGKILL');
  });

  test('holds the output open: silence ends that too', async ({ expect }) => {
    const { code, stderr } = await start('--idle-timeout 2', ['sh', '-c', 'echo hello; sleep 300 &']).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/ended processes that sh left behind: sleep \(\d+\)\n$/);
  });
});

describe.concurrent('signals', () => {
  test.for<[string, NodeJS.Signals, number]>([
    ['the first Ctrl-C', 'SIGINT', 0],
    ['SIGTERM', 'SIGTERM', 143],
    ['SIGHUP', 'SIGHUP', 129],
  ])('%s is passed on, and the code is that of the command', async ([, signal, code], { expect }) => {
    const run = start('', claude('result'));
    await until(() => run.calls() > 1);
    run.kill(signal);
    const ended = await run.ended;
    expect([ended.code, ended.stderr]).toEqual([code, '']);
    expect(run.log()).toContain(signal);
    const [result, stop] = ended.stdout.trimEnd().split('\n').slice(-2);
    expect(result).toContain('"type":"result"');
    expect(JSON.parse(stop ?? '')).toMatchObject({ event: 'run:stopped', reason: 'signal', signal });
  });

  test('one that comes while it starts is not lost', async ({ expect }) => {
    for (const wait of [60, 90, 120, 150]) {
      const run = start('--grace 1', ['sh', '-c', 'echo $$ > "$0"; sleep 60; true', 'LOG']);
      await new Promise((next) => setTimeout(next, wait));
      run.kill('SIGTERM');
      const { code, signal } = await run.ended;
      // Before cct knows what it is to do, it is ended itself.
      expect(signal ?? code).toBe(signal === null ? 143 : 'SIGTERM');
      await until(() => !runs(Number(run.log()[0] ?? 0)));
    }
  });

  test('the second Ctrl-C is SIGTERM, the third SIGKILL', async ({ expect }) => {
    const run = start('', claude('deaf'));
    await until(() => run.calls() > 1);
    run.kill('SIGINT');
    await until(() => run.log().includes('SIGINT'));
    run.kill('SIGINT');
    await until(() => run.log().includes('SIGTERM'));
    run.kill('SIGINT');
    expect((await run.ended).code).toBe(137);
  });

  test.skipIf(!existsSync('/proc/self/stat'))('Ctrl-Z stops both, and both go on', async ({ expect }) => {
    const run = start('--idle-timeout 8', claude('calls=200', 'every=5'));
    await until(() => run.calls() > 1);
    const pid = run.process.pid ?? 0;
    const stateOf = (of: number) => /\) (\S)/.exec(readFileSync(`/proc/${of}/stat`, 'utf8'))?.[1];
    run.kill('SIGTSTP');
    const child = listProcesses().find(({ parent }) => parent === pid)?.pid ?? 0;
    await until(() => stateOf(pid) === 'T' && stateOf(child) === 'T');
    const calls = run.calls();
    // Longer than --idle-timeout.
    await new Promise((next) => setTimeout(next, 8500));
    expect(run.calls()).toBe(calls);
    run.kill('SIGCONT');
    const { code, stderr } = await run.ended;
    expect([code, stderr, run.calls()]).toEqual([0, '', 200]);
  });

  test('a signal of somebody else ends the command: 128 and its number', async ({ expect }) => {
    expect((await start('', ['sh', '-c', 'kill -9 $$']).ended).code).toBe(137);
    expect((await start('', ['sh', '-c', 'kill -15 $$']).ended).code).toBe(143);
  });
});

describe.concurrent('a reader that leaves', () => {
  test('stops the command', async ({ expect }) => {
    const run = start('', claude());
    await until(() => run.calls() > 1);
    run.process.stdout.destroy();
    const { code, stderr } = await run.ended;
    expect([code, stderr]).toEqual([0, 'cct: the reader of the output went away; node is being stopped (SIGINT)\n']);
    await staysAt(run, expect);
  });

  test('does not with --keep, which has everything', async ({ expect }) => {
    const kept = join(scratch, 'alone.ndjson');
    const run = start(`--keep ${kept}`, claude('calls=30', 'every=10', 'ends=4'));
    await until(() => run.calls() > 1);
    run.process.stdout.destroy();
    const { code, stderr } = await run.ended;
    expect([code, stderr, run.calls()]).toEqual([4, '', 30]);
    const lines = readFileSync(kept, 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(33);
    expect(lines.at(-1)).toContain('"type":"result"');
  });

  test('with --keep, a limit still holds', async ({ expect }) => {
    const run = start(`--max-tokens 9000 --keep ${join(scratch, 'limit.ndjson')}`, claude());
    await until(() => run.calls() > 1);
    run.process.stdout.destroy();
    expect((await run.ended).code).toBe(3);
    await staysAt(run, expect);
  });
});

describe.concurrent('--keep', () => {
  test('has what was written to stdout, behind a line that says what ran', async ({ expect }) => {
    const kept = join(scratch, 'kept.ndjson');
    const env = { GITHUB_ACTIONS: 'true', GITHUB_RUN_ID: '77', GITHUB_REF: 'refs/pull/12/merge', CI: 'true' };
    const { stdout, code } = await start(`--keep ${kept} --label team=a=b`, claude('calls=2'), env).ended;
    const [first = '', ...rest] = readFileSync(kept, 'utf8').split('\n');
    expect([code, rest.join('\n')]).toEqual([0, stdout]);
    expect(JSON.parse(first)).toMatchObject({
      cct: 1,
      event: 'run:started',
      ci: 'github-actions',
      run_id: '77',
      pull_request: '12',
      labels: { team: 'a=b' },
      command: ['node'],
    });
  });

  test('has it also of a run that was stopped', async ({ expect }) => {
    const kept = join(scratch, 'stopped.ndjson');
    const { stdout } = await start(`--max-tokens 3000 --keep ${kept}`, claude('result')).ended;
    expect(readFileSync(kept, 'utf8').split('\n').slice(1).join('\n')).toBe(stdout);
  });

  test('that cannot be written: nothing is started, or the rest is not kept', async ({ expect }) => {
    const run = start('--keep /no/such/folder/run.ndjson', claude('calls=1'));
    const { code, stderr } = await run.ended;
    expect([code, stderr, run.calls()]).toEqual([2, 'cct: --keep: /no/such/folder/run.ndjson: no such file\n', 0]);
    if (!existsSync('/dev/full')) return;
    const full = start('--keep /dev/full', claude('calls=2'));
    const ended = await full.ended;
    expect([ended.code, ended.stderr, full.calls()]).toEqual([
      2,
      'cct: --keep: /dev/full: no space left on device; the rest of the stream is not kept\n',
      2,
    ]);
  });
});

describe.concurrent('bytes', () => {
  test('pass unchanged, however many and whatever they are', async ({ expect }) => {
    const bytes = Buffer.from(Array.from({ length: 2_000_000 }, (_, at) => (at * 7919) % 251));
    const file = join(scratch, 'bytes');
    writeFileSync(file, bytes);
    const cct = spawn(process.execPath, [bin, 'run', '--max-usd', '5', '--', 'cat', file]);
    const chunks: Buffer[] = [];
    cct.stdout.on('data', (chunk) => chunks.push(chunk));
    await once(cct, 'close');
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
  });

  test('stdin is the command’s', async ({ expect }) => {
    const cct = spawn(process.execPath, [bin, 'run', 'cat']);
    cct.stdin.end('hello');
    const [chunk] = await once(cct.stdout, 'data');
    expect(String(chunk)).toBe('hello');
  });

  test('come at once', async ({ expect }) => {
    const run = start('', ['sh', '-c', 'echo one; read x; echo two']);
    await until(() => run.stdout() === 'one\n');
    run.process.stdin.end('go\n');
    expect((await run.ended).stdout).toBe('one\ntwo\n');
  });
});
