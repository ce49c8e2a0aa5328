// Whatever stands in the input, and wherever: a terminal is given nothing that it would obey, hide or turn around.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { sample } from '../effort.js';
import { stateFile, ways } from '../fuzz/ways.js';
import { isObject } from '../json.js';
import { cct } from '../run.js';
import { laws, shareOf } from './laws.js';

const folder = mkdtempSync(join(tmpdir(), 'cct-terminal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A title, a colour by C1, text turned around, what does not show, a new line by C1, a bell. */
const hostile = '\x1b]0;owned\x07\x9b31m\u202e\u2066\u200b\u2028\x85\x7f\x07\r';
const acting = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
/** What cct itself draws with: colours, the cursor, the end of a line. */
const ours = /\x1b\[[0-9;?]*[A-Za-z]|\r(?=\n|\x1b\[K|cct: )/g;

const terminal = { tty: true, columns: 100, rows: 40, env: { NO_COLOR: '1' } } as const;

function problemIn(text: string): string | null {
  const plain = text.replace(ours, '');
  const found = acting.exec(plain);
  return found === null ? null : JSON.stringify(plain.slice(Math.max(0, found.index - 60), found.index + 20));
}

/** The strings under these keys, or under all others, with something hostile at their end. */
function changed(value: unknown, isChosen: (key: string) => boolean, key = ''): unknown {
  if (typeof value === 'string') return isChosen(key) ? value + hostile : value;
  if (Array.isArray(value)) return value.map((item) => changed(item, isChosen, key));
  if (!isObject(value)) return value;
  const isCall = value['type'] === 'tool_use';
  return Object.fromEntries(
    Object.entries(value).map(([inner, item]) => {
      const called = isCall && inner === 'name' ? 'tool' : inner;
      return [inner, changed(item, isChosen, called)];
    }),
  );
}

/** What decides what a record is: with another word it is another record. */
const words = ['type', 'subtype', 'role', 'status', 'tool', 'timestamp', 'hook_event_name', 'session_id', 'uuid', 'id'];
const variants: readonly [string, (line: string) => string][] = [
  ['all texts', over((record) => changed(record, (key) => !words.includes(key)))],
  ...words.map((word): [string, (line: string) => string] => [
    word,
    over((record) => changed(record, (key) => key === word)),
  ]),
  ['keys', over((record) => (isObject(record) ? { ...record, [hostile]: { [hostile]: hostile } } : record))],
  ['raw, behind the record', (line) => line + hostile],
  ['raw, inside', (line) => line.replace(/:"/, () => `:"${hostile}`)],
  ['raw, a prefix', (line) => `${hostile} | ${line}`],
];

function over(change: (record: unknown) => unknown): (line: string) => string {
  return (line) => JSON.stringify(change(JSON.parse(line)));
}

const stories = ['team-2.1.39', 'team-2.1.140', 'hostile-text', 'one-shot', 'billing-fast-2.1.140'];
const lines = new Map(
  stories.map((name) => [name, readFileSync(`fixtures/sessions/${name}.ndjson`, 'utf8').split('\n').filter(Boolean)]),
);

const more = ['ndjson', 'json', 'csv', 'tsv', 'md', 'table'].flatMap((format) =>
  [
    'teams',
    'teams --members',
    'tasks --all',
    'messages --settled',
    'usage --by agent,model,session',
    'calls --by call',
    'sessions',
    'trace',
    'trace --by agent',
    'audit --of teams',
  ].map((command) => `${command} -f ${format}`),
);
const commandLines = [
  ...ways.map((way) => way.words.join(' ')).filter((line) => !line.includes(stateFile)),
  ...more,
  'usage --by agent,model -f github',
  'audit -f junit --deny *',
  'audit -f sarif --deny *',
  'trace -f otlp',
  'trace -f atif',
  'report -f md',
  'replay --no-wait',
  'replay --as-claude - -p x',
  'normalize -v --raw',
];

describe.each(variants.map(([what, change], turn) => ({ what, change, turn })))('$what', ({ what, change, turn }) => {
  test.each(sample(stories, what === 'all texts' ? 3 : laws['terminal: stories'].everyday))('of %s', async (story) => {
    const input = `${(lines.get(story) ?? []).map(change).join('\n')}\n`;
    const isFirst = what === 'all texts' && story === stories[0];
    for (const line of isFirst ? commandLines : shareOf('terminal: commands', commandLines, turn)) {
      const { code, stdout, stderr } = await cct(line.split(' '), input, terminal);
      expect({ line, code, stdout: problemIn(stdout), stderr: problemIn(stderr) }).toEqual({
        line,
        code: expect.not.toBeOneOf([70]),
        stdout: null,
        stderr: null,
      });
    }
  });
});

test.each(['teams', 'tasks', 'messages', 'usage', 'calls', 'sessions', 'teams --members'])(
  'drawn while it comes: %s',
  async (command) => {
    const chunks = (lines.get('team-2.1.140') ?? []).map((line) => `${variants[0]?.[1](line)}\n`);
    const { stdout, stderr } = await cct(command.split(' '), chunks, {
      ...terminal,
      tty: { stdout: true, stderr: true },
      open: true,
    });
    expect(stdout).not.toBe('');
    expect({ stdout: problemIn(stdout), stderr: problemIn(stderr) }).toEqual({ stdout: null, stderr: null });
  },
);

test('names of files', async () => {
  const name = join(folder, `run${hostile}.ndjson`);
  writeFileSync(name, '{"type":\n{"type":"news"}\n');
  for (const command of ['teams', 'normalize', 'replay', 'usage -v', 'replay --as-claude'])
    for (const file of [name, `${name}.gone`]) {
      const { stdout, stderr } = await cct([...command.split(' '), file], '', terminal);
      expect({ command, stdout: problemIn(stdout), stderr: problemIn(stderr) }).toEqual({
        command,
        stdout: null,
        stderr: null,
      });
    }
});

test.each(
  [
    ...['normalize --event', 'teams --fields', 'teams --session', 'teams --team', 'teams --since', 'teams --timezone'],
    ...['usage --by', 'usage --prices', 'usage --max-usd', 'tasks --status', 'tasks --owner', 'messages --type'],
    ...['replay --at', 'teams --color', 'teams --idle-timeout', 'help', 'schema', 'completion', ''],
  ].flatMap((line) => [line, `${line} x`]),
)('a word of the command line: %s', async (line) => {
  const given = [...line.split(' ').filter(Boolean), hostile];
  const { stdout, stderr } = await cct(given, lines.get('hostile-text')?.join('\n'), terminal);
  expect({ stdout: problemIn(stdout), stderr: problemIn(stderr) }).toEqual({ stdout: null, stderr: null });
});

test('the name of a state that cannot be gone on from', async () => {
  const name = join(folder, `state${hostile}`);
  writeFileSync(name, '{}');
  const { code, stderr } = await cct(['teams', '--state', name], '', terminal);
  expect({ code, stderr: problemIn(stderr) }).toEqual({ code: 2, stderr: null });
});

test('a host that talks to --as-claude', async () => {
  const recording = join(folder, 'recording');
  writeFileSync(recording, `${(lines.get('one-shot') ?? []).map(variants[0]?.[1] ?? String).join('\n')}\n`);
  const says = (request: object) => `${JSON.stringify(request)}\n`;
  const host = [
    says({ type: 'control_request', request_id: `r${hostile}`, request: { subtype: 'initialize' } }),
    says({ type: 'user', message: { role: 'user', content: 'go' } }),
    says({ type: 'control_request', request_id: `i${hostile}`, request: { subtype: 'interrupt' } }),
  ];
  const command = ['replay', '--as-claude', recording, '--input-format', 'stream-json'];
  const { stdout } = await cct(command, host, terminal);
  expect(stdout).toContain('control_response');
  expect(problemIn(stdout)).toBeNull();
});

test('a pipe is given every byte', async () => {
  const input = `${(lines.get('one-shot') ?? []).map(variants[0]?.[1] ?? String).join('\n')}\n`;
  expect((await cct(['replay', '--no-wait'], input)).stdout).toBe(input);
  expect((await cct(['replay', '--as-claude', '-'], input)).stdout).toBe(input);
});

test('what acts is noticed', () => {
  const marks = [...hostile].filter((one) => !/[\x20-\x7e]/.test(one));
  expect(marks.filter((one) => problemIn(`a${one}b`) === null)).toEqual([]);
  expect(problemIn('a\x1b[31mred\x1b[0m\n')).toBeNull();
});
