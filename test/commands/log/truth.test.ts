// What a log says of real runs, where it once said something else than the records.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { displayWidth } from '../../../src/view/text.js';
import { isObject, parseJson } from '../../json.js';
import { cct, rows } from '../../run.js';
import { ndjson } from '../../streams.js';

/** The lines of a log without their times and the spaces between the columns. */
async function linesOf(...words: string[]): Promise<string[]> {
  const { stdout } = await cct(['log', '-q', ...words]);
  return stdout.split('\n').map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, '').replace(/ {2,}/, '  '));
}

const session = (name: string) => `fixtures/sessions/${name}.ndjson`;
const home = (name: string) => `fixtures/files/${name}`;

test.each([
  ['work that ended says what it did', session('workflow-2.1.326'), /Counts things: finished · 2 calls · 3.2s$/],
  ['the tokens of an agent are its last context', session('team-2.1.325'), /^researcher {2}■ finished · context 15.0k/],
  ['a fork says of what', home('forked-2.1.326'), /^main {2}session f75bd4fc fork of 0eabb733 · /],
  [
    'a workflow goes on in the background',
    session('workflow-2.1.326'),
    /^main {2}Workflow Counts things · in the background$/,
  ],
  [
    'a call that goes on does not say how long it took to start',
    session('background-2.1.325'),
    /\$ sleep 300 · in the background$/,
  ],
  ['work is stopped by its name', session('background-2.1.325'), /^main {2}TaskStop Long sleep/],
  ['a spawn says what for', session('team-2.1.325'), /▸ researcher \(general-purpose, sonnet\): Survey the sources$/],
  [
    'a shell without a command is no command',
    session('several-tools'),
    /✗ Bash: InputValidationError: \[ \{ "expected": "string"/,
  ],
  [
    'an error is told as far as there is room',
    session('team-2.1.325'),
    /No agent named 'nobody' is reachable. Use ListAgents to see/,
  ],
  [
    'results that follow each other are one line',
    session('team-2.1.325'),
    /✓ finished · \$0.2831 · 5\.\ds · 21 turns · 3 agents$/,
  ],
])('%s', async (_says, input, line) => {
  expect((await linesOf(input)).filter((one) => line.test(one))).not.toEqual([]);
});

test('a transcript says in full what its session spent, once, and not if a result says it', async () => {
  const spent = (lines: string[]) => lines.filter((line) => /cost of the session/.test(line));
  const transcripts = home('team-main-2.1.325');
  expect(spent(await linesOf('--full', transcripts))).toEqual(['main  cost of the session · $0.2831']);
  expect(spent(await linesOf('--full', transcripts, session('team-2.1.325')))).toEqual([]);
  expect(spent(await linesOf(transcripts))).toEqual([]);
  // A fork counts what its parent had spent.
  expect(spent(await linesOf('--full', home('forked-2.1.326')))).toEqual([
    'main  cost of the session 0eabb733 · $0.0587',
  ]);
});

test.each([
  ['a fork repeats prompts, and they are told once', home('forked-2.1.326'), /^main {2}you: \[*\w*\]* ?First/],
  ['a broadcast is told when it is sent, not at each arrival', home('team-2.1.39'), /Keep the report short/],
  ['results that follow each other are one line', session('team-2.1.325'), /✓ finished/],
])('%s', async (_says, input, line) => {
  expect((await linesOf(input)).filter((one) => line.test(one))).toHaveLength(1);
});

test.each([
  ['a reminder of the program is no prompt', home('parley-plan-2.1.140'), /you: <system-reminder>/],
  ['work that ended well needs no sentence', home('team-main-2.1.325'), /finished: Background command/],
])('%s', async (_says, input, line) => {
  expect((await linesOf(input)).filter((one) => line.test(one))).toEqual([]);
});

test('a stream that says its times late has them in all lines', async () => {
  const { stdout } = await cct(['log', '-q', session('background-notify-2.1.140')]);
  expect(stdout.split('\n').filter((line) => line !== '' && !/^\d\d:/.test(line))).toEqual([]);
});

test('a spawn makes room for the name of its agent', async () => {
  const { stdout } = await cct(['log', '-q', session('parallel-subagents')]);
  const columns = stdout
    .split('\n')
    .flatMap((line) => /^[\d:]+ {2}(?:main|Survey the sources|Read the README) +/.exec(line)?.[0].length ?? []);
  const spawned = stdout.split('\n').findIndex((line) => line.includes('▸ Survey'));
  expect(new Set(columns.slice(spawned)).size).toBe(1);
});

test('turns are numbered in order of time, whichever file comes first', async () => {
  const files = [session('resume-1'), session('resume-2')];
  for (const flags of [['-f', 'md'], ['-f', 'github'], ['--full']]) {
    const { stdout } = await cct(['log', '-q', ...flags, ...files]);
    expect(stdout).toMatch(/turn 2/i);
    expect((await cct(['log', '-q', ...flags, ...files.toReversed()])).stdout).toBe(stdout);
  }
});

test.each([
  ['This session is being continued from a previous conversation that ran out of context. The summary', []],
  ['<local-command-stdout>Compacted </local-command-stdout>', []],
  ['<bash-stdout>one</bash-stdout><bash-stderr></bash-stderr>', []],
  ['<local-command-stderr>Error: nothing to compact</local-command-stderr>', ['prompt: Error: nothing to compact']],
  ['<bash-input>npm test</bash-input>', ['you: ! npm test']],
  ['<command-name>/clear</command-name>', ['you: /clear']],
])('nobody typed what the program puts into a conversation: %s', async (content, lines) => {
  const record = { type: 'user', session_id: 's', isReplay: true, message: { role: 'user', content } };
  const { stdout } = await cct(['log', '-q'], ndjson([record]));
  expect(stdout).toBe(lines.map((line) => `main        ${line}\n`).join(''));
});

test.each([
  [['--grep', 'zebra'], "no lines with 'zebra' here"],
  [['--grep', 'zebra', '--agent', 'main'], "no lines with 'zebra' here"],
  [['--grep', 'zebra', '--agent', 'nobody'], "no lines with 'zebra' here", "no agent 'nobody' here; agents: main"],
  [['--only', 'messages'], "no lines of kind 'messages' here; kinds: calls, errors, text"],
  [['--only', 'messages', '--grep', 'notes.txt'], "no lines of kind 'messages' here; kinds: calls, text"],
  [['--only', 'messages,text']],
  [['--grep', 'notes.txt']],
])('a filter that leaves nothing says so: %j', async (words, ...says) => {
  const { stderr, code } = await cct(['log', ...words, session('several-tools')]);
  expect(stderr.split('\n').filter(Boolean)).toEqual(says.map((said) => `cct: ${said}`));
  expect(code).toBe(0);
});

test('without Unicode no sign of ours is left', async () => {
  const { stdout } = await cct(['log', '-q', session('team-2.1.325')], '', { env: { LC_ALL: 'C' } });
  expect(stdout.match(/[^\x00-\x7f]/g)).toEqual(['—']);
});

test('a command of several lines shows its first', async () => {
  const call = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'cd src\nls' } };
  const { stdout } = await cct(
    ['log', '-q'],
    ndjson([{ type: 'assistant', session_id: 's', message: { id: 'm', content: [call] } }]),
  );
  expect(stdout).toBe('main        $ cd src … +2 chars · no result\n');
});

test('a retry names its status once', async () => {
  const error = { status: 529, formatted: '529 Overloaded' };
  const retry = { type: 'system', subtype: 'api_error', sessionId: 's', error, retryAttempt: 1, maxRetries: 2 };
  const { stdout } = await cct(['log', '-q'], ndjson([{ ...retry, retryInMs: 571 }]));
  expect(stdout).toBe('main        API retry 1 of 2 · in 571ms: 529 Overloaded\n');
});

test.each([200, 120, 80, 60, 59, 40, 30, 20])('no line is wider than a terminal of %i columns', async (columns) => {
  const stdout = await Promise.all(
    ['team-2.1.325', 'background-2.1.325', 'several-tools', 'hostile-text'].map(
      async (name) =>
        (await cct(['log', '-q', session(name)], '', { tty: true, columns, env: { NO_COLOR: '1' } })).stdout,
    ),
  );
  const lines = stdout.join('').split('\n');
  expect(lines.filter((line) => displayWidth(line) > columns)).toEqual([]);
});

test('a message that its recipient shows before its sender is told once, and two that say the same are two', async () => {
  const { stdout } = await cct(['normalize', '-q', session('team-2.1.325')]);
  const [sent = ''] = stdout.split('\n').filter((line) => line.includes('message:sent') && line.includes('Say hello'));
  const received = sent
    .replace('message:sent', 'message:received')
    .replace(/"tool_use_id":"[^"]*"/g, '"tool_use_id":null');
  const again = sent.replaceAll(/toolu_\w+/g, 'toolu_again').replace('"seq":', '"seq":9');
  const told = async (lines: string[]) =>
    (await cct(['log', '-q'], lines.join('\n'))).stdout.split('\n').filter((line) => line.includes('→')).length;
  expect(await told([received, sent])).toBe(1);
  expect(await told([sent, received])).toBe(1);
  expect(await told([sent, again])).toBe(2);
});

const forks = readdirSync('fixtures/files').filter((name) => /(?:fork|branch).*(?<!\.json)$/.test(name));

test.each(forks)('%s: a call that a fork repeats is told of the session that made it', async (name) => {
  const sessionsOf = (all: Record<string, unknown>[]) =>
    new Map(all.map(({ tool_use_id, session_id }) => [tool_use_id, session_id]));
  const made = sessionsOf(await rows(['calls', '--by', 'call', home(name)]));
  const lines = await rows(['log', '--full', '-f', 'ndjson', home(name)]);
  const told = sessionsOf(lines.filter(({ kind, tool_use_id }) => kind === 'call' && tool_use_id !== null));
  expect([...told]).toEqual([...told.keys()].map((id) => [id, made.get(id)]));
});

test.each(forks)('%s: a prompt that a fork repeats is told once, of the session that wrote it', async (name) => {
  const sessions = await rows(['sessions', home(name)]);
  const parents = new Map(sessions.map(({ session_id, parent_session }) => [session_id, parent_session]));
  /** The main conversations that have a prompt of this time. */
  const holders = new Map<unknown, string[]>();
  for (const path of filesIn(home(name)).filter((file) => !file.includes('subagents')))
    for (const row of readFileSync(path, 'utf8').trim().split('\n').map(parseJson))
      if (isObject(row) && row.type === 'user')
        holders.set(row.timestamp, [...(holders.get(row.timestamp) ?? []), basename(path, '.jsonl')]);
  const lines = await rows(['log', '--full', '-f', 'ndjson', home(name)]);
  const told = lines.filter(({ kind, time }) => kind === 'prompt' && holders.has(time));
  const places = told.map(({ time, session_id, text }) => [time, session_id, text]);
  const writerAt = (time: unknown) => {
    const all = holders.get(time) ?? [];
    return all.find((one) => !all.some((other) => other === parents.get(one)));
  };
  expect(places).toEqual(told.map(({ time, text }) => [time, writerAt(time), text]));
  expect(new Set(told.map(({ time, text }) => `${time} ${text}`)).size).toBe(told.length);
});

function filesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /(?:^|\/)[0-9a-f-]{36}\.jsonl$/.test(file)).map((file) => `${folder}/${file}`);
}

test('a fork repeats an interruption, and it is told once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cct-fork-'));
  const row = (sessionId: string, second: string, content: string) => ({
    type: 'user',
    parentUuid: null,
    isSidechain: false,
    message: { role: 'user', content },
    uuid: content,
    timestamp: `2026-01-01T10:00:${second}.000Z`,
    sessionId,
    cwd: '/p',
  });
  const begun = (sessionId: string) => [
    row(sessionId, '00', 'First'),
    row(sessionId, '05', '[Request interrupted by user]'),
  ];
  const opened = { type: 'queue-operation', operation: 'enqueue', timestamp: '2026-01-01T10:00:30.000Z' };
  const fork = [{ ...opened, sessionId: 'aaaa' }, ...begun('aaaa'), row('aaaa', '31', 'In the fork')];
  writeFileSync(join(folder, 'aaaa.jsonl'), ndjson(fork));
  writeFileSync(join(folder, 'bbbb.jsonl'), ndjson([...begun('bbbb'), row('bbbb', '09', 'Go on')]));
  const told = await linesOf(folder);
  rmSync(folder, { recursive: true });
  expect(told).toEqual([
    'main  session bbbb /p',
    'main  you: First',
    'main  ✗ interrupted',
    'main  you: Go on',
    'main  session aaaa fork of bbbb · /p',
    'main  you: In the fork',
    '',
  ]);
});

test('Markdown quotes what is folded, and has words for signs that it shows itself', async () => {
  const { stdout } = await cct(['log', '-q', '-f', 'md', session('team-2.1.325')]);
  expect(stdout).toContain('<summary>started researcher (general-purpose, sonnet)&#58; Survey the sources</summary>');
  expect(stdout).toContain('<summary>created task 1 · Survey the sources');
  expect(stdout).toContain('\n- claimed task 2 · Write the summary (for writer)\n');
  expect(stdout).toContain('</summary>\n\n> Please also note the line count of each file.\n\n</details>');
  expect(stdout).toContain('\n## Turn 2\n');
  const { stdout: failed } = await cct(['log', '-q', '-f', 'md', home('fork-sorts-first-2.1.327')]);
  expect(failed).toContain('\n- ✗ API Error&#58; 400 messages');
});
