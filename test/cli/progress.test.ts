import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseArguments } from '../../src/cli/flags/arguments.js';
import { createProgress, progressText } from '../../src/cli/progress.js';
import { loadCommand } from '../../src/cli/registry.js';
import { runCommand } from '../../src/cli.js';
import { createDiagnostics } from '../../src/io/diagnostics.js';
import { Collected, streamsOver, type World } from '../run.js';

test.each([
  [412e6, 1e9, 1962, 'cct: 412 MB of 1.0 GB, 210 MB/s, 3 s left'],
  [1e6, 100e6, 1000, 'cct: 1.0 MB of 100 MB, 1.0 MB/s, 2 min left'],
  [1e6, 9e9, 1000, 'cct: 1.0 MB of 9.0 GB, 1.0 MB/s, 2 h 30 min left'],
  [999_999, 1e6, 1000, 'cct: 1.0 MB of 1.0 MB, 1.0 MB/s, 1 s left'],
  [0, 2048, 1000, 'cct: 0 B of 2.0 kB, 0 B/s, some time left'],
])('%d of %d bytes in %d ms', (read, total, elapsed, text) => {
  expect(progressText(read, total, elapsed)).toBe(text);
});

test('is said after a second, then five times a second, and not at the end', () => {
  const said: string[] = [];
  const line = { show: (text: string) => said.push(text), clear: () => said.push('') };
  let time = 0;
  const progress = createProgress(
    () => 1500,
    line,
    () => time,
  );
  for (let at = 100; at <= 1500; at += 100) {
    time = at;
    progress.read(100);
  }
  expect(said).toEqual([
    'cct: 1.0 kB of 1.5 kB, 1.0 kB/s, 1 s left',
    'cct: 1.2 kB of 1.5 kB, 1.0 kB/s, 1 s left',
    'cct: 1.4 kB of 1.5 kB, 1.0 kB/s, 1 s left',
    '',
  ]);
});

describe('a run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cct-progress-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const [long, other] = [join(folder, 'long.ndjson'), join(folder, 'other.ndjson')];
  const record = `${JSON.stringify({ type: 'keep_alive', padding: ' '.repeat(16_000) })}\n`;
  writeFileSync(long, record.repeat(195));
  const dear = join(folder, 'dear.ndjson');
  const team = readFileSync('fixtures/sessions/team-2.1.325.ndjson', 'utf8');
  writeFileSync(dear, [record.repeat(140), team, record.repeat(100)].join(''));
  writeFileSync(other, '');
  truncateSync(other, 1 << 20);

  /** Every look at the clock is 600 ms after the one before. */
  async function run(words: readonly string[], world: World, isFile = false, stderr = new Collected()) {
    const stdout = world.tty === true ? stderr : new Collected();
    const given = streamsOver('', stdout, stderr, world);
    let time = 0;
    const clock = { ...given.clock, now: () => (time += 600) };
    const streams = { ...given, clock, stdout: { ...given.stdout, isFile } };
    const command = await loadCommand(words[0] ?? '');
    const parsed = command && parseArguments(command, words.slice(1));
    if (command === null || parsed === null || parsed === 'help') throw new Error('no command');
    const verbosity = parsed.options['quiet'] === true ? 'quiet' : 'normal';
    const said = createDiagnostics({ stream: stderr }, verbosity, (text) => text);
    const code = await runCommand(command, parsed, streams, said, null);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  }

  test('shows the line and takes it away, and stdout never sees it', async () => {
    const { stderr, stdout } = await run(['teams', long], { tty: { stderr: true } });
    expect(stderr).toBe('\rcct: 2.1 MB of 3.1 MB, 1.7 MB/s, 1 s left\x1b[K\r\x1b[K');
    expect(stdout).toBe('');
  });

  const shown: [boolean, string, readonly string[], World, boolean?][] = [
    [true, 'a fold at a terminal', ['tasks', long], { tty: true }],
    [true, 'several files', ['usage', long, other], { tty: { stderr: true } }],
    [true, 'a map into a file', ['normalize', long], { tty: { stderr: true } }, true],
    [false, 'no terminal', ['tasks', long], { tty: { stdout: true } }],
    [false, 'a dumb one', ['tasks', long], { tty: true, env: { TERM: 'dumb' } }],
    [false, '--quiet', ['tasks', '-q', long], { tty: true }],
    [false, '--watch', ['tasks', '--watch', long], { tty: true }],
    [false, 'a map between its rows', ['normalize', long], { tty: true }],
    [false, 'a map that somebody reads', ['normalize', long], { tty: { stderr: true } }],
    [false, 'a pipe of no known length', ['tasks', long, '-'], { tty: { stderr: true } }],
  ];
  test.each(shown)('%s: %s', async (isShown, _name, words, world, isFile) => {
    const { stderr, stdout } = await run(words, world, isFile);
    expect(stderr.includes(' left\x1b[K')).toBe(isShown);
    if (world.tty !== true) expect(stdout).not.toContain('left');
  });

  test.each([
    ['at the end', ['usage', '--by', 'total', '-f', 'csv', '--fields', 'messages', long], /^messages\n0\n$/],
    [
      'when a budget is passed',
      ['usage', '--max-tokens', '1', '-f', 'csv', '--fields', 'model', dear],
      /^cct: passed .*\nmodel\nclaude-opus-4-6\n$/,
    ],
  ])('on the one terminal it is gone before rows come, %s', async (_name, words, rest) => {
    const { stderr } = await run(words, { tty: true });
    const [shown = '', ...after] = stderr.split('\r\x1b[K');
    expect(shown).toMatch(/^\rcct: [^\n]* left\x1b\[K$/);
    expect(after.join('')).toMatch(rest);
  });

  test('a mistake found late stands on a line of its own', async () => {
    const { stderr } = await run(['teams', long, join(folder, 'not-there')], { tty: { stderr: true } });
    expect(stderr).toMatch(/ left\x1b\[K\r\x1b\[Kcct: .*not-there: no such file\n/);
  });
});
