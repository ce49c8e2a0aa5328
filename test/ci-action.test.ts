// The composite action as a runner would carry it out: its steps, with a claude that plays a recorded run. Runs dist, as the transcripts do.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { sample } from './effort.js';

const project = resolve(import.meta.dirname, '..');
const folder = join(project, '.github/actions/claude');
const yaml = readFileSync(join(folder, 'action.yml'), 'utf8');
const home = mkdtempSync(join(tmpdir(), 'cct-action-'));
afterAll(() => rmSync(home, { recursive: true }));

const bin = join(home, 'bin');
mkdirSync(bin);
// It would go on for ever if nobody stopped it: it does not care about a closed pipe.
const fake = `#!/bin/sh
if [ "$1" = --help ]; then echo "$FLAGS"; exit; fi
printf '%s\\n' "$@" > words
trap '' PIPE
printf '%s' "$NOISE" >&2
cat "$RUN"
if [ -n "$ENDLESS" ]; then while :; do echo '{"type":"keep_alive"}'; sleep 0.1; done; fi
if [ -n "$SILENT" ]; then exec sleep 60; fi
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
  const added = join(work, 'path');
  const outside = { RUN: join(project, 'fixtures/sessions', run), GITHUB_PATH: added, RUNNER_TEMP: work, ...env };
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  let stderr = '';
  let stdout = '';
  let status: number | null = 0;
  for (const step of stepsOf(yaml)) {
    if (status !== 0) break;
    const script = join(work, 'step.sh');
    writeFileSync(script, step.run);
    // As a runner starts `shell: bash`.
    const ran = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: work,
      encoding: 'utf8',
      env: {
        PATH: [...read(added).split('\n').filter(Boolean), bin, process.env['PATH']].join(':'),
        ...outside,
        ...files,
        GITHUB_ACTION_PATH: folder,
        ...valuesOf(step.env, inputs),
      },
    });
    stderr += ran.stderr;
    stdout += ran.stdout;
    status = ran.status;
  }
  const outputs = Object.fromEntries(
    read(files.GITHUB_OUTPUT)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  return {
    status,
    stderr,
    stdout,
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
  // Steps of other actions are theirs to test.
  return steps
    .filter((step) => !/^ {6}uses: /m.test(step))
    .map((step) => ({
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
    expect(summary).not.toContain('### Agents');
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
    expect(ran.summary).toMatch(
      /^### Succeeded\n\n## session-97a98319\n\n\*\*finished\*\* · time 6\.1s · cost \$0\.2831 /,
    );
    expect(ran.summary).toContain('| opus-4-6 | 13 | 78 | 2,626 | 15,684 | 171,251 | $0.2497 | reported |\n');
    expect(ran.summary).toContain('| total | 23 | 135 | 4,719 | 27,899 | 303,876 | $0.2831 | reported |\n');
    expect(ran.summary).toContain('| researcher | subagent | finished | sonnet-5-5 |');
    expect(ran.read('claude.html')).toMatch(/^<!doctype html><!-- cct report 1 -->/);
    const [first = '', ...rest] = ran.read('claude.ndjson').split('\n');
    expect(rest.join('\n')).toBe(readFileSync('fixtures/sessions/team-2.1.325.ndjson', 'utf8'));
    expect(first).toContain('"event":"run:started"');
    expect(first).not.toContain('rm x');
    expect(ran.read('words')).toBe(
      `-p\n--output-format\nstream-json\n--verbose\n--model\nopus\n--\n${inputs.prompt}\n`,
    );
  });

  // 2.1.39 and 2.1.326 print their version and exit with 0 when the prompt of `claude -p '--version'` is no last word behind --.
  const prompts = ['--version', '-- hello', '-h', '--output-format=text'];
  test.each(sample(prompts, 2))('with the prompt %s asks just that', (prompt) => {
    const ran = act({ run: 'one-shot.ndjson', inputs: { prompt, 'claude-args': '--allowedTools Bash\n  Read(*)  *' } });
    expect(ran.read('words').trimEnd().split('\n').slice(4)).toEqual([
      ...['--allowedTools', 'Bash', 'Read(*)', '*', '--', prompt],
    ]);
  });

  test('is not believed what it prints on stderr', () => {
    const NOISE = '\u001b]0;owned\u0007cct: [a](https://b.example) wrote nothing for 3 s\n::error::<b>\n';
    const env = { NOISE, CODE: '7', GITHUB_ACTIONS: 'true' };
    const { summary, stdout, status } = act({ run: 'one-shot.ndjson', env });
    expect([status, summary.split('\n')[0]]).toEqual([7, '### Failed: after a good result (exit code 7)']);
    expect(summary).not.toMatch(/owned|b\.example/);
    const [, word] = /^::stop-commands::(\w{32})\n/.exec(stdout) ?? [];
    expect(stdout).toBe(`::stop-commands::${word}\n::${word}::\n`);
  });

  test('nor what its result calls the end', () => {
    const RUN = join(home, 'odd-end.ndjson');
    const text = readFileSync('fixtures/sessions/max-turns.ndjson', 'utf8');
    writeFileSync(RUN, text.replaceAll('error_max_turns', 'error_\\u001b[31m<b>[a](https://b.example)|*x*'));
    const { summary } = act({ run: '', env: { RUN } });
    expect(summary.split('\n')[0]).toMatch(/^### Failed: error/);
    expect(summary.split('\n')[0]).not.toMatch(/\u001b|<b>|[^\\]\[a|https:\/\/|[^\\]\*x/);
  });

  test('asks claude to show as much as it can, and to count for itself', () => {
    const env = { FLAGS: '--include-partial-messages --forward-subagent-text --max-budget-usd <amount>' };
    const ran = act({ run: 'one-shot.ndjson', inputs: { prompt: 'x', 'max-usd': '5' }, env });
    expect(ran.read('words').trim().split('\n').slice(4)).toEqual([
      '--include-partial-messages',
      '--forward-subagent-text',
      '--max-budget-usd',
      '5',
      '--',
      'x',
    ]);
  });

  test('is told in words that are no markup, whatever its model is called', () => {
    const RUN = join(home, 'odd.ndjson');
    const model = '<b>[a](https://b.example)`*|';
    writeFileSync(RUN, readFileSync('fixtures/sessions/one-shot.ndjson', 'utf8').replaceAll('claude-opus-4-6', model));
    const { summary } = act({ run: '', inputs: { 'max-usd': '5' }, env: { RUN } });
    // The stream may have ended before cct could stop it.
    expect(summary).toMatch(
      /^### (?:Stopped by cct: a model has no price|Failed: a budget was passed \(exit code 3\))\n/,
    );
    expect(summary).not.toMatch(/<b>|[^\\]\[a/);
  });

  test.each<[number, string, Given, string]>([
    [1, 'that fails', { run: 'max-turns.ndjson', env: { CODE: '1' } }, 'Failed: max turns (exit code 1)'],
    [1, 'that only its result calls a failure', { run: 'max-turns.ndjson' }, 'Failed: max turns (exit code 0)'],
    [1, 'without a result', { run: 'killed-midway.ndjson' }, 'Failed: it ended without a result (exit code 0)'],
    [
      7,
      'that ends badly after a good result',
      { run: 'one-shot.ndjson', env: { CODE: '7' } },
      'Failed: after a good result (exit code 7)',
    ],
    [
      3,
      'that costs too much, and would go on',
      { run: 'team-2.1.325.ndjson', inputs: { 'max-usd': '0.1' }, env: { ENDLESS: '1' } },
      'Stopped by cct: passed $0.1',
    ],
    [
      3,
      'that takes too many tokens',
      { run: 'team-2.1.325.ndjson', inputs: { 'max-tokens': '100000' }, env: { ENDLESS: '1' } },
      'Stopped by cct: passed 100000 tokens',
    ],
    [
      1,
      'that says nothing any more',
      { run: 'stop-int-2.1.39.ndjson', inputs: { 'idle-timeout': '1' }, env: { SILENT: '1' } },
      'Stopped by cct: nothing came for 1 s',
    ],
  ])('%i: %s', (code, _name, given, first) => {
    const ran = act(given);
    expect({ status: ran.status, first: ran.summary.split('\n')[0] }).toEqual({ status: code, first: `### ${first}` });
    expect(ran.summary).toMatch(/\n\| total \| \d+ \|.* \| \$\d+\.\d{4} \| \w+/);
    expect(ran.read('claude.html')).toContain('<title>');
    expect(Number(ran.outputs['cost_usd'])).toBeGreaterThan(0);
  });
});
