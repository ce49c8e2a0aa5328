import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { homes, type Input, sessions } from './laws/inputs.js';
import { cct, type Ran } from './run.js';

const goldens = 'fixtures/rows';
const usageKeys = [
  'total',
  'model',
  'session',
  'agent',
  'team',
  'turn',
  'day',
  'project,branch,version,week',
  'message',
];
const callKeys = ['total', 'tool', 'agent', 'server', 'session', 'day', 'call'];
const commands = [
  'teams',
  'teams --members',
  'tasks --all',
  'messages',
  'messages --settled',
  ...usageKeys.map((key) => `usage --by ${key}`),
  ...callKeys.map((key) => `calls --by ${key}`),
  'trace --by agent',
  'audit',
];
const inputs = [...sessions, ...homes];
const longest = 80;

/** What every command says of a fixture, one file each: a line that changes needs a reason. */
describe('rows', () => {
  test.each(inputs)('$name', async (input) => {
    const all = new Map<string, Ran>();
    for (const command of commands) all.set(command, await run(command, input));
    const shown = [...all].flatMap(([command, ran]) => [`$ cct ${command}`, ...parsed(ran).map(line)]);
    const text = [...shown, ...warnings(all)].map((one) => `${one}\n`).join('');
    await expect(text).toMatchFileSnapshot(`../${goldens}/${goldenOf(input)}`);
  });

  test('have no golden file without a fixture', () => {
    const known = inputs.map(goldenOf);
    const files = readdirSync(goldens, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.txt'));
    expect(files.filter((file) => !known.includes(file))).toEqual([]);
  });

  test.each(homes)('of $name have in a team the members that --members prints', async (home) => {
    const teams = parsed(await run('teams', home));
    const inside = teams.flatMap(({ team, session_id, members }) =>
      listed(members).map((member) => ({ team, session_id, ...member })),
    );
    expect(inside).toEqual(parsed(await run('teams --members', home)));
  });
});

async function run(command: string, { name, parts }: Input): Promise<Ran> {
  const files = parts.map(({ path }) => `fixtures/${path === null ? name : `${name}/${path}`}`);
  const ran = await cct([...command.split(' '), '-f', 'ndjson', ...files]);
  expect(ran.code).toBe(0);
  return ran;
}

function parsed({ stdout }: Ran): Record<string, unknown>[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}

/** What stderr said, once, with the commands that said it. */
function warnings(all: ReadonlyMap<string, Ran>): string[] {
  const by = new Map<string, string[]>();
  for (const [command, { stderr }] of all) by.set(stderr, [...(by.get(stderr) ?? []), command]);
  by.delete('');
  return [...by].flatMap(([stderr, some]) => [
    `stderr of ${some.length === all.size ? 'all' : some.join(', ')}`,
    stderr.trimEnd(),
  ]);
}

function line(row: Record<string, unknown>): string {
  return JSON.stringify(lean(short(row)));
}

/** A team with the names of its members: --members prints the whole of them. */
function short(row: Record<string, unknown>): Record<string, unknown> {
  return 'members' in row ? { ...row, members: listed(row['members']).map(({ name }) => name) } : row;
}

function listed(members: unknown): Record<string, unknown>[] {
  return Array.isArray(members) ? members : [];
}

/** Without what says nothing, so that a new field does not touch every line, and with long texts cut. */
function lean(value: unknown): unknown {
  if (typeof value === 'string') return cut(value);
  if (Array.isArray(value)) return value.map(lean);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]): [string, unknown] => [key, lean(inner)])
      .filter(([, inner]) => !isEmpty(inner)),
  );
}

function cut(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}… ${text.length - longest} more`;
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function goldenOf({ name }: Input): string {
  return `${name.replace(/\.ndjson$/, '')}.txt`;
}
