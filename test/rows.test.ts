import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isUpdate } from './effort.js';
import { homes, type Input, sessions } from './laws/inputs.js';
import { shareOf } from './laws/laws.js';
import { cct } from './run.js';

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
  'sessions',
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

/** What a command says of a fixture: its rows as they are shown, and what it writes to stderr. */
interface Said {
  readonly rows: readonly string[];
  readonly stderr: string;
}

/** What every command says of a fixture, one file each: a line that changes needs a reason. */
describe('rows', () => {
  test.each(inputs.map((input, turn) => ({ name: input.name, input, turn })))('$name', async ({ input, turn }) => {
    const golden = `${goldens}/${goldenOf(input)}`;
    const isWhole = isUpdate || !existsSync(golden);
    const all = new Map(isWhole ? [] : saidIn(readFileSync(golden, 'utf8')));
    for (const command of isWhole ? commands : shareOf('rows: commands', commands, turn))
      all.set(command, await said(command, input));
    await expect(written(all)).toMatchFileSnapshot(`../${golden}`);
  });

  test('have no golden file without a fixture', () => {
    const known = inputs.map(goldenOf);
    const files = readdirSync(goldens, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.txt'));
    expect(files.filter((file) => !known.includes(file))).toEqual([]);
  });

  test.each(homes)('of $name have in a team the members that --members prints', async (home) => {
    const teams = await run('teams', home);
    const inside = teams.rows.flatMap(({ team, session_id, members }) =>
      listed(members).map((member) => ({ team, session_id, ...member })),
    );
    expect(inside).toEqual((await run('teams --members', home)).rows);
  });
});

async function said(command: string, input: Input): Promise<Said> {
  const { rows, stderr } = await run(command, input);
  return { rows: rows.map(line), stderr };
}

async function run(command: string, { name, parts }: Input) {
  const files = parts.map(({ path }) => `fixtures/${path === null ? name : `${name}/${path}`}`);
  const { code, stdout, stderr } = await cct([...command.split(' '), '-f', 'ndjson', ...files]);
  expect(code).toBe(0);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return { rows: lines.map((line): Record<string, unknown> => JSON.parse(line)), stderr: stderr.trimEnd() };
}

/** The rows by command, and what stderr said, once, with the commands that said it. */
function written(all: ReadonlyMap<string, Said>): string {
  const by = new Map<string, string[]>();
  for (const command of commands) {
    const stderr = all.get(command)?.stderr ?? '';
    by.set(stderr, [...(by.get(stderr) ?? []), command]);
  }
  by.delete('');
  const lines = [
    ...commands.flatMap((command) => [`$ cct ${command}`, ...(all.get(command)?.rows ?? [])]),
    ...[...by].flatMap(([stderr, some]) => [
      `stderr of ${some.length === commands.length ? 'all' : some.join(', ')}`,
      stderr,
    ]),
  ];
  return lines.map((one) => `${one}\n`).join('');
}

/** What is written there, by command. */
function saidIn(golden: string): [string, Said][] {
  const [first = '', ...warnings] = golden.split(/^stderr of /m);
  const told = warnings.map((text) => {
    const [some = '', ...stderr] = text.trimEnd().split('\n');
    return { some: some === 'all' ? commands : some.split(', '), stderr: stderr.join('\n') };
  });
  const sections = first.split(/^\$ cct /m).slice(1);
  return sections.map((section) => {
    const [command = '', ...rows] = section.trimEnd().split('\n');
    return [command, { rows, stderr: told.find(({ some }) => some.includes(command))?.stderr ?? '' }];
  });
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
