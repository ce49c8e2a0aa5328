// The composite action as a runner would carry it out: its steps, with a claude that plays a recorded run. Runs dist, as the transcripts do.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

const project = resolve(import.meta.dirname, '..');
const folder = join(project, '.github/actions/claude');
const yaml = readFileSync(join(folder, 'action.yml'), 'utf8');
const home = mkdtempSync(join(tmpdir(), 'cct-action-'));
afterAll(() => rmSync(home, { recursive: true }));

const bin = join(home, 'bin');
mkdirSync(bin);
symlinkSync(join(project, 'bin/cct.js'), join(bin, 'cct'));
// It would go on for ever if nobody closed the pipe.
const fake = `#!/bin/sh
printf '%s\\n' "$@" > words
cat "$RUN"
if [ -n "$ENDLESS" ]; then while echo '{"type":"keep_alive"}'; do :; done 2>/dev/null; fi
exit "\${CODE:-0}"
`;
writeFileSync(join(bin, 'claude'), fake, { mode: 0o755 });

interface Given {
  readonly run: string;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

function act({ run, inputs = {}, env = {} }: Given) {
  const work = mkdtempSync(join(home, 'work-'));
  const files = { GITHUB_STEP_SUMMARY: join(work, 'summary'), GITHUB_OUTPUT: join(work, 'output') };
  const outside = { PATH: `${bin}:${process.env.PATH}`, RUN: join(project, 'fixtures/sessions', run), ...env };
  let stderr = '';
  let status: number | null = 0;
  for (const step of stepsOf(yaml)) {
    if (status !== 0) break;
    const script = join(work, 'step.sh');
    writeFileSync(script, step.run);
    // As a runner starts `shell: bash`.
    const ran = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: work,
      encoding: 'utf8',
      env: { ...outside, ...files, GITHUB_ACTION_PATH: folder, ...valuesOf(step.env, inputs) },
    });
    stderr += ran.stderr;
    status = ran.status;
  }
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  const outputs = Object.fromEntries(
    read(files.GITHUB_OUTPUT)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  return {
    status,
    stderr,
    outputs,
    summary: read(files.GITHUB_STEP_SUMMARY),
    read: (name: string) => read(join(work, name)),
  };
}

interface Step {
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}

/** As much of YAML as the action is written in: steps with `run: text` and `env:` of plain values. */
function stepsOf(text: string): Step[] {
  const steps = text
    .slice(text.indexOf('  steps:'))
    .split(/^ {4}- /m)
    .slice(1);
  return steps.map((step) => ({
    run: (/^ {6}run: (.+)$/m.exec(step)?.[1] ?? '').replace(/^'(.*)'$/, '$1'),
    env: Object.fromEntries([...step.matchAll(/^ {8}(\w+): (.+)$/gm)].map(([, name, value]) => [name, value])),
  }));
}

function valuesOf(env: Step['env'], inputs: Readonly<Record<string, string>>): Record<string, string> {
  const value = (text: string) =>
    text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/, (_, name) => inputs[name] ?? defaultOf(name));
  return Object.fromEntries(Object.entries(env).map(([name, text]) => [name, value(text)]));
}

function defaultOf(input: string): string {
  const declared = new RegExp(`^  ${input}:\\n((?: {4}.*\\n)+)`, 'm').exec(yaml)?.[1] ?? '';
  return (/default: (.*)/.exec(declared)?.[1] ?? '').replace(/^'(.*)'$/, '$1');
}

describe('action.yml', () => {
  test('uses the inputs it declares, and only in env: text in run would be code', () => {
    const declared = [...yaml.slice(0, yaml.indexOf('outputs:')).matchAll(/^ {2}([\w-]+):$/gm)].map(([, name]) => name);
    const used = [...yaml.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name);
    expect(used.sort()).toEqual(declared.sort());
    for (const { run } of stepsOf(yaml)) expect(run).not.toMatch(/\$\{\{|^$/);
  });

  test('every output is one that the step writes', () => {
    const { outputs, summary } = act({ run: 'one-shot.ndjson' });
    expect(summary).not.toContain('### Who worked');
    const promised = [...yaml.matchAll(/steps\.run\.outputs\.(\w+)/g)].map(([, name]) => name ?? '');
    expect(promised.length).toBeGreaterThan(2);
    expect(promised.filter((name) => (outputs[name] ?? '') === '')).toEqual([]);
  });
});

describe('a run in CI', () => {
  test('that succeeds is kept, summed up and told', () => {
    const inputs = { prompt: `It's "so"; $(rm x)`, 'claude-args': '--model opus', 'max-usd': '5' };
    const ran = act({ run: 'team-2.1.325.ndjson', inputs });
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    expect(ran.outputs).toMatchObject({ cost_usd: '0.283116705', total_tokens: '336629', stream: 'claude.ndjson' });
    expect(ran.summary).toMatch(/^### What it cost\n\n\| model \|(.*\n)+\| claude-opus-4-6 \| 13 \|/);
    expect(ran.summary).toContain('| researcher | finished | claude-sonnet-5-5 |');
    expect(ran.read('claude.ndjson')).toBe(readFileSync('fixtures/sessions/team-2.1.325.ndjson', 'utf8'));
    expect(ran.read('words')).toBe(`-p\n${inputs.prompt}\n--output-format\nstream-json\n--verbose\n--model\nopus\n`);
  });

  test.each<[number, string, Given, string]>([
    [1, 'that fails', { run: 'max-turns.ndjson', env: { CODE: '1' } }, ''],
    [1, 'that only its result calls a failure', { run: 'max-turns.ndjson' }, ''],
    [7, 'that ends badly after a good result', { run: 'one-shot.ndjson', env: { CODE: '7' } }, ''],
    [
      3,
      'that costs too much, and would go on',
      { run: 'team-2.1.325.ndjson', inputs: { 'max-usd': '0.1' }, env: { ENDLESS: '1' } },
      'cct: passed --max-usd 0.1 with $0.1018 at line 41; reading stopped\n',
    ],
    [
      3,
      'that takes too many tokens',
      { run: 'team-2.1.325.ndjson', inputs: { 'max-tokens': '100000' }, env: { ENDLESS: '1' } },
      'cct: passed --max-tokens 100000 with ',
    ],
  ])('%i: %s', (code, _name, given, stderr) => {
    const ran = act(given);
    expect({ status: ran.status, stderr: ran.stderr.slice(0, stderr.length) }).toEqual({ status: code, stderr });
    expect(ran.summary).toContain('### What it cost');
    expect(Number(ran.outputs['cost_usd'])).toBeGreaterThan(0);
  });
});
