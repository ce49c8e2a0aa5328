// The lines of cct-fleet(7) that keep usage for longer than transcripts last, run day by day in a home of their own.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { homes } from '../laws/inputs.js';
import { commandOf } from './page.js';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cct-history-'));
  mkdirSync(join(home, 'bin'));
  symlinkSync(resolve('bin/cct.js'), join(home, 'bin/cct'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function sh(command: string): string {
  const env = { HOME: home, PATH: `${join(home, 'bin')}:${process.env['PATH']}`, TZ: 'UTC' };
  return execFileSync('bash', ['-c', command], { env, cwd: home, encoding: 'utf8' });
}

const kept = ['resume-2.1.325', 'billing-mix-2.1.325', 'team-2.1.140', 'forked-2.1.326'].map((name) => `files/${name}`);

/** The transcripts, up to a part of each. */
function write(part: number): void {
  for (const { name, parts } of homes.filter((input) => kept.includes(input.name)))
    for (const { path, bytes } of parts) {
      const lines = bytes.toString().split(/(?<=\n)/);
      const file = join(home, '.claude/projects', name, path ?? '');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, lines.slice(0, Math.ceil(lines.length * part)).join(''));
    }
}

test('what was kept day by day is what the transcripts said, once', () => {
  for (const part of [0.5, 0.5, 1, 1]) {
    write(part);
    sh(commandOf('keep-history'));
  }
  const whole = join(home, 'whole');
  cpSync(join(home, '.claude/projects'), whole, { recursive: true });
  rmSync(join(home, '.claude/projects'), { recursive: true });
  mkdirSync(join(home, '.claude/projects'));
  const before = readFileSync(join(home, 'claude-usage.ndjson'), 'utf8');
  sh(commandOf('keep-history'));
  expect(readFileSync(join(home, 'claude-usage.ndjson'), 'utf8')).toBe(before);
  const fields = 'messages,input_tokens,output_tokens,cache_read_tokens,total_tokens,cost_usd,cost_source';
  for (const by of ['total', 'model', 'session', 'day', 'project', 'agent_type', 'program', 'pr', 'label']) {
    const report = (input: string) => sh(`cct usage -q --by ${by} --fields ${fields} ${input}`);
    expect(report('claude-usage.ndjson'), by).toBe(report('whole'));
  }
  expect(sh(commandOf('read-history'))).toMatch(/^\{"month":"2026-11","project":"\/home\/dev\/project",/);
});
