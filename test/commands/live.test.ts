import { describe, expect, test } from 'vitest';
import { cli } from '../../src/cli.js';
import { outputStream } from '../../src/io/streams.js';
import { ManualClock } from '../fake-clock.js';
import { sessions, textOf } from '../lib/read-fixture.js';
import { Collected, cct, streamsOver } from '../run.js';
import { Terminal, withoutOwnSequences } from '../terminal.js';
import { nasty } from '../view/hostile.js';

const team = textOf('team-2.1.325.ndjson');
/** A session without agents: a list, calls that fail and calls at the same time. */
const alone = textOf('several-tools.ndjson');
const lines = (text: string) => text.split(/(?<=\n)/);

/** A second passes after every fifth line, so that what is known then is drawn. */
async function* slowly(text: string, clock: ManualClock): AsyncGenerator<string> {
  for (const [at, line] of lines(text).entries()) {
    if (at % 5 === 4) await clock.pass(1000);
    yield line;
  }
}

interface World {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** stdin is a pipe. */
  readonly open?: boolean;
  /** stderr is the same terminal. */
  readonly both?: boolean;
}

/** A command line on a terminal, its input coming line by line. */
async function onTerminal(words: readonly string[], stdin: string, world: World = {}) {
  const { columns = 100, rows = 60, env = { NO_COLOR: '1' }, open = true, both = false } = world;
  const terminal = new Terminal(columns, rows);
  const stderr = new Collected();
  const clock = new ManualClock();
  const given = streamsOver(slowly(stdin, clock), new Collected(), stderr, { open, env, clock });
  const stdout = outputStream(terminal, given.env);
  const code = await cli(words, { ...given, stdout, ...(both && { stderr: stdout }) });
  return { code, terminal, text: await terminal.text(), stderr: stderr.text() };
}

describe('teams', () => {
  test.each([60, 100, 160])('leave their last frame on a terminal of %i columns', async (columns) => {
    const { code, text, terminal, stderr } = await onTerminal(['teams'], team, { columns });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(text).toMatchFileSnapshot(`teams/live/live-${columns}.txt`);
    expect(terminal.showsCursor).toBe(true);
    expect(terminal.writes.length).toBeGreaterThan(15);
  });

  test('say what went wrong above their frame', async () => {
    const { text } = await onTerminal(['teams'], `${lines(team).slice(0, 30).join('')}{"type":\n`, { both: true });
    expect(text).toMatch(/^cct: stdin:31: not JSON .*\ncct: stdin: no result; .*\nsession-97a98319 {2}unfinished/);
    expect(text).toMatch(/\ncut after 6s: the input ended without a result\n$/);
    expect(text.match(/session-97a98319/g)).toHaveLength(1);
  });

  test('that cct run stopped say why, in the card of the lead and in the last line', async () => {
    const place = { cct: 1, seq: 0, time: '2026-11-18T03:47:41.897Z', session_id: null, team: null, agent: null };
    const why = { reason: 'budget', limit: 0.05, unit: 'usd', spent: 0.0502, signal: null, ended: ['sleep'] };
    const stop = JSON.stringify({ ...place, line: null, event: 'run:stopped', ...why });
    const { text } = await onTerminal(['teams'], `${lines(team).slice(0, 30).join('')}${stop}\n`);
    expect(text).toContain('error    stopped by cct: passed $0.05 ');
    expect(text).toMatch(/\nstopped by cct after 6s: passed \$0\.05\n$/);
  });

  test('that never come: the session alone, with its last calls, its list and its cost', async () => {
    const { text, terminal } = await onTerminal(['teams'], alone, { both: true });
    await expect(text).toMatchFileSnapshot('teams/live/alone-100.txt');
    expect(terminal.raw).toContain('waiting for the first record · 0s');
    expect(terminal.raw).toContain('no agents yet');
  });

  test('that never come are said to be none where there is not even a session', async () => {
    const { text } = await onTerminal(['teams'], '{"type":"news"}\n', { both: true });
    expect(text).toBe('cct: no teams\nended after 0s\n');
    const filtered = await onTerminal(['teams', '--team', 'crew'], alone, { both: true });
    expect(filtered.text).toMatch(/^cct: no team 'crew' here\nfinished after/);
  });

  test('of a recording have no clock, also on a terminal', async () => {
    const { text } = await onTerminal(['teams', '--live', 'always'], team, { open: false });
    expect(text).toBe((await cct(['teams', '--live', 'always'], team, { columns: 100, env: {} })).stdout);
  });

  test('with columns asked for are a table that is drawn in place', async () => {
    const drawn = await onTerminal(['teams', '--members'], team);
    const printed = await onTerminal(['teams', '--members', '--live', 'never'], team);
    expect(drawn.text).toBe(`${printed.text}finished after 18s\n`);
    expect(drawn.terminal.raw).toContain('members so far');
  });

  test('obey nothing that agents say', async () => {
    const said = JSON.stringify(nasty.join(' ')).slice(1, -1);
    const hostile = team
      .replaceAll('Say hello', said)
      .replaceAll('Survey the sources', said)
      .replaceAll('writer', `w${said}`);
    expect(hostile).not.toBe(team);
    const { terminal } = await onTerminal(['teams'], hostile, { env: {} });
    expect(withoutOwnSequences(terminal.raw)).not.toMatch(/(?!\n)[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\u200b]/u);
    // The check can fail: other sequences stay.
    expect(withoutOwnSequences('\x1b[3J\x1b]0;title\x07\x1b[31m')).toBe('\x1b[3J\x1b]0;title\x07');
  });
});

describe.each([
  ['tasks', ['tasks']],
  ['tasks', ['tasks', '--board', '--kind', 'board']],
  ['usage', ['usage', '--by', 'agent']],
])('%s, as in cct %j', (name, words) => {
  test('are drawn while the stream goes on, and end as the usual table', async () => {
    const drawn = await onTerminal(words, team);
    const printed = await onTerminal([...words, '--live', 'never'], team);
    expect(drawn.text).toBe(`${printed.text}finished after 18s\n`);
    expect([drawn.code, drawn.stderr]).toEqual([printed.code, printed.stderr]);
    expect(drawn.terminal.raw).toContain('waiting for the first record · 0s');
    expect(drawn.terminal.raw).toMatch(new RegExp(`${name} so far · [1-9]`));
    expect(printed.terminal.raw).not.toContain('so far');
  });

  test('fit a low terminal, and the end is whole', async () => {
    const drawn = await onTerminal(words, team, { rows: 5 });
    const printed = await onTerminal([...words, '--live', 'never'], team, { rows: 5 });
    expect(drawn.text).toBe(`${printed.text}finished after 18s\n`);
  });
});

describe('a budget', () => {
  test('is drawn with how much of it is used, and with what stopped the reading', async () => {
    const { code, text, terminal } = await onTerminal(['usage', '--max-usd', '0.1'], team, { both: true });
    expect(code).toBe(3);
    expect(terminal.raw).toMatch(/\$0\.0\d+ of \$0\.1000/);
    expect(text).toMatch(/\nstopped after \d+s: passed --max-usd 0\.1 with at least \$0\.1\d+ \(estimated\)\n$/);
  });
});

describe('messages', () => {
  test('that are yet to come are waited for, and the end is told', async () => {
    const { text, terminal } = await onTerminal(['messages'], team);
    expect(terminal.raw).toMatch(/no messages yet, \d+ records read · \d+s/);
    expect(text).toMatch(/^23:36:20 main → researcher/);
    expect(text).toMatch(/\nfinished after 18s\n$/);
  });

  test('are a conversation on a terminal, in the colours of their agents', async () => {
    const { text, terminal } = await onTerminal(['messages'], textOf('team-2.1.140.ndjson'), { env: {} });
    expect(text).toContain('23:29:19 team-lead → researcher  Ask for line counts\n');
    expect(text).toContain('✗ failed: Keep the report short');
    expect(terminal.raw).toContain('\x1b[34mresearcher\x1b[39m');
  });

  test.each(sessions)('are as many as there are rows, in %s', async (session) => {
    const words = ['messages', '-q'];
    const { stdout: talk } = await cct([...words, '--live', 'always'], textOf(session), { env: {} });
    const { stdout: rows } = await cct(words, textOf(session));
    expect(talk.split('\n').length).toBe(rows.split('\n').length);
  });

  test('are told when they arrive, where nobody saw them sent', async () => {
    const { stdout } = await cct(['messages', '--live', 'always'], textOf('teammate-tool.ndjson'), { env: {} });
    const told = stdout.split('\n').map((line) => line.replace(/^[\d: ]*/, ''));
    expect(told[2]).toMatch(/^planner → team-lead +plan approval request: 1\. List gaps\.\\n2\. Close them\.$/);
    expect(told[3]).toMatch(/^team-lead → planner +plan approval response rejected: Only list them\.$/);
  });

  test('are a table where columns are asked for', async () => {
    const { text } = await onTerminal(['messages', '--fields', 'from,to'], team);
    expect(text).toMatch(/^FROM +TO\n/);
  });
});

describe('--live', () => {
  const frame = /^session-97a98319 {2}ended/;
  const table = /^(?:times in UTC\n)?TEAM +STARTED/;
  test.each<[string, readonly string[], World, RegExp]>([
    ['auto: a pipe on a terminal', [], {}, frame],
    ['auto: a file on a terminal', [], { open: false }, table],
    ['auto: a dumb terminal', [], { env: { TERM: 'dumb' } }, table],
    ['auto: a format', ['-f', 'table'], {}, table],
    ['auto: data', ['-f', 'ndjson'], {}, /^\{"team"/],
    ['auto: --watch', ['--watch'], {}, table],
    ['never', ['--live', 'never'], {}, table],
    ['always: a file on a terminal', ['--live', 'always'], { open: false }, frame],
    ['always: a dumb terminal', ['--live', 'always'], { env: { TERM: 'dumb' } }, frame],
    ['always: a table', ['--live', 'always', '-f', 'table'], {}, table],
  ])('%s', async (_what, words, world, expected) => {
    const { text, terminal } = await onTerminal(['teams', '--color', 'never', ...words], team, world);
    expect(text).toMatch(expected);
    const moves = /\x1b/.test(terminal.raw);
    expect(moves).toBe(!world.env && (expected === frame || words.includes('always')));
  });

  test.each([
    [
      ['teams', '--live', 'always', '-f', 'json'],
      '--live always cannot be used with --format json: one draws, the other prints data',
    ],
    [
      ['tasks', '--live', 'always', '--watch'],
      '--live always and --watch cannot be used together: one draws in place, the other prints line after line',
    ],
    [['usage', '--live', 'sometimes'], "--live: 'sometimes' is not one of auto, always, never"],
  ])('%j is refused', async (words, problem) => {
    expect(await cct(words, team)).toEqual({ code: 2, stdout: '', stderr: `cct: ${problem}\n` });
  });

  test.each([['teams'], ['tasks'], ['usage'], ['messages']])(
    '%s without a terminal: the last picture, without a sequence',
    async (name) => {
      const { stdout } = await cct([name, '--live', 'always'], team, { columns: 100, env: {} });
      expect(stdout).not.toBe('');
      expect(stdout).not.toContain('\x1b');
      expect(stdout).not.toMatch(/^[{[]/);
    },
  );
});
