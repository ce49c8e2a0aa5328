import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { SessionChoice } from '../../../src/cli/flags/choice.js';
import { cct } from '../../run.js';

function chosen(typed: string, sessions: readonly string[], writesAtOnce = false): string | null {
  const choice = new SessionChoice(typed, writesAtOnce);
  for (const id of sessions) choice.note(id);
  return choice.id;
}

describe('--session by a prefix', () => {
  test.each([
    ['a whole id', 'abc', ['abc'], 'abc'],
    ['a prefix', 'ab', ['x', 'abc', 'y', 'abc'], 'abc'],
    ['no session fits', 'ab', ['x'], 'ab'],
    ['the whole id of one, the prefix of others', 'abc', ['abc', 'abcd', 'abce'], 'abc'],
    ['the whole id comes last', 'abc', ['abcd', 'abc'], 'abc'],
  ])('%s', (_, typed, sessions, id) => {
    expect(chosen(typed, sessions)).toBe(id);
  });

  test.each([
    ['two fit', 'ab', ['abc', 'x', 'abd'], false],
    ['the whole id comes when rows of another are written', 'abc', ['abcd', 'abc'], true],
  ])('is an error that names both: %s', (_, typed, sessions, writesAtOnce) => {
    expect(() => chosen(typed, sessions, writesAtOnce)).toThrow(
      `--session: '${typed}' matches two sessions, ${sessions[0]} and ${sessions.at(-1)}; use more of the id`,
    );
  });
});

const init = (session_id: string) => JSON.stringify({ type: 'system', subtype: 'init', session_id, model: 'm' });
const said = (session_id: string, id: string) =>
  JSON.stringify({
    type: 'assistant',
    session_id,
    message: {
      id,
      model: 'claude-opus-4-6',
      content: [
        {
          type: 'tool_use',
          id: `todo-${id}`,
          name: 'TodoWrite',
          input: { todos: [{ content: 'x', status: 'pending' }] },
        },
      ],
      usage: { input_tokens: 1e6, output_tokens: 1 },
    },
  });
const done = (session_id: string, id: string) =>
  JSON.stringify({
    type: 'user',
    session_id,
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `todo-${id}`, content: 'ok' }] },
  });
const run = (session: string, id: string) => [init(session), said(session, id), done(session, id)];
const one = '97a98319-1525-44dc-8375-d3f3422179bd';
const two = '97a9ffff-1525-44dc-8375-d3f3422179bd';
const other = 'b0000000-1525-44dc-8375-d3f3422179bd';
const text = (...lines: string[][]) => `${lines.flat().join('\n')}\n`;

describe.each([
  'normalize',
  'tasks',
  'tasks --watch',
  'messages',
  'usage --by session',
  'teams',
  'audit --of teams',
  'replay --states --no-wait',
])('%s', (words) => {
  const rows = async (prefix: string, input: string, ...more: string[]) =>
    cct([...words.split(' '), '--session', prefix, ...more], input);

  test('a prefix chooses what the whole id does', async () => {
    const input = text(run(other, 'm0'), run(one, 'm1'));
    for (const strict of [[], ['--strict']])
      expect(await rows('97a9', input, ...strict)).toEqual(await rows(one, input, ...strict));
    expect((await rows('97a9', input)).stdout).not.toContain(other);
  });

  test('one that fits two sessions is an error', async () => {
    const { code, stderr } = await rows('97a9', text(run(one, 'm1'), run(other, 'm0'), run(two, 'm2')));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `cct: --session: '97a9' matches two sessions, ${one} and ${two}; use more of the id\n`,
    });
  });

  test('one that fits none is said', async () => {
    const { code, stderr } = await rows('zz', text(run(one, 'm1'), run(two, 'm2')));
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("cct: no session 'zz' here; sessions: 97a98319, 97a9ffff\n"),
    });
    expect((await rows('zz', text(run(one, 'm1')), '-q')).stderr).toBe('');
  });
});

test('a budget counts the session that the prefix means', async () => {
  const input = text(run(one, 'm1'), run(other, 'm0'), run(other, 'm2'));
  expect((await cct(['usage', '--max-usd', '6', '--session', '97a9'], input)).code).toBe(0);
  expect((await cct(['usage', '--max-usd', '6', '--session', 'b0'], input)).code).toBe(3);
});

describe('with --state', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cct-choice-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const tasks = (file: string, input: string, ...more: string[]) =>
    cct(['tasks', '--state', join(folder, file), ...more], input);

  test('sessions of the saved state count', async () => {
    await tasks('a', text(run(one, 'm1')));
    expect((await tasks('a', text(run(other, 'm0')), '--session', '97a9')).stdout).toContain(one);
    expect((await tasks('a', text(run(two, 'm2')), '--session', '97a9')).code).toBe(2);
  });
});

test('a name the terminal would obey is spelled out', async () => {
  const { stderr } = await cct(['tasks', '--owner', 'a\u001b[31m\u202eb'], text(run(one, 'm1')));
  expect(stderr).not.toMatch(/[\u001b\u202e]/);
  expect(stderr).toContain('; agents: main\n');
});

test('many names are not all listed', async () => {
  const sessions = Array.from({ length: 30 }, (_, index) => `${index + 10}-session`);
  const { stderr } = await cct(['usage', '--session', 'zz'], text(...sessions.map((id) => run(id, id))));
  expect(stderr).toContain("no session 'zz' here; sessions: 10-sessi, 11-sessi");
  expect(stderr).toContain(' and 20 more\n');
});

test('nothing was read: one message is enough', async () => {
  expect((await cct(['tasks', '--owner', 'x'], '')).stderr).toBe('');
  expect((await cct(['tasks', '--owner', 'x'], 'hello\n')).stderr).toMatch(
    /^cct: stdin: the only line is not [^\n]*\n$/,
  );
});
