import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { cli } from '../../../src/cli.js';
import { describedMessage, messageFields } from '../../../src/commands/messages/row.js';
import { rowJsonSchema } from '../../../src/core/event/schema.js';
import { type MessageRow, messageRowSchema } from '../../../src/lib.js';
import { Collected, cct, rows, streamsOver } from '../../run.js';

const read = (file: string) => readFileSync(`fixtures/sessions/${file}`, 'utf8');
const home = (name: string) =>
  readdirSync(`fixtures/files/${name}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.jsonl?$/.test(file))
    .map((file) => `fixtures/files/${name}/${file}`);

describe('a message that wakes an agent is one row', () => {
  const stream = 'fixtures/sessions/woken-agents-2.1.326.ndjson';
  const files = home('woken-agents-2.1.326');
  test.each([
    ['in transcripts', files, 'delivered'],
    ['in the stream, which does not show what agents read', [stream], 'sent'],
    ['in both', [stream, ...files], 'delivered'],
    ['in both, in another order', [...files, stream].reverse(), 'delivered'],
  ])('%s', async (_name, paths, others) => {
    const found = await messagesOf(['--settled', ...paths], '');
    expect(found.map(({ from, to, content, status }) => `${from} ${to} ${content} ${status}`)).toEqual([
      `ping pong PING 1 ${others}`,
      `pong ping PONG 1 ${others}`,
      `ping pong PING 2 ${others}`,
      `ping main PING DONE ${others}`,
      'main ping AGAIN please delivered',
      'main sleeper Are you there? delivered',
    ]);
  });
});

test('files that are followed give messages in order of time, whichever is read first', async () => {
  const { stdout } = await cct(['messages', '--follow', '--idle-timeout', '3', ...home('woken-agents-2.1.326')], '');
  const found = stdout.trimEnd().split('\n');
  expect(found.map((line) => /"content":"([^"]*)"/.exec(line)?.[1])).toEqual([
    ...['PING 1', 'PONG 1', 'PING 2', 'PING DONE', 'AGAIN please', 'Are you there?'],
  ]);
});

describe("the sender of a teammate's turn is the teammate, even where 2.1.178 names the turn", () => {
  const files = home('turn-senders-2.1.178');
  const senders = async (paths: readonly string[]) => {
    const found = await messagesOf(['--settled', '--type', 'message', '--to', 'team-lead', ...paths], '');
    return found.map(({ from, content, status }) => `${from} ${content} ${status}`);
  };
  test.each([
    ['in transcripts', files.filter((file) => file.includes('/projects/'))],
    ['and in an inbox', files],
    ['that is read first', files.toReversed()],
  ])('%s', async (_name, paths) => {
    expect(await senders(paths)).toEqual([
      'writer DONE writer: task 2 is finished. delivered',
      'researcher DONE researcher: task 1 is finished. sent',
    ]);
  });
});

describe('a team of each generation', () => {
  test.each([
    ['2.1.39', ['message', 'message', 'broadcast', 'shutdown_request', 'shutdown_request'], 'team-lead', []],
    [
      '2.1.140',
      ['message', 'message', 'broadcast', 'shutdown_request', 'shutdown_request'],
      'team-lead',
      ['broadcast'],
    ],
  ])('%s', async (version, types, lead, refused) => {
    const found = await messagesOf([], read(`team-${version}.ndjson`));
    expect(found.map(({ type }) => type)).toEqual(types);
    expect(new Set(found.map(({ from }) => from))).toEqual(new Set([lead]));
    expect(found.filter(({ status }) => status === 'failed').map(({ type }) => type)).toEqual(refused);
  });

  test('2.1.325, where agents of a session speak for themselves', async () => {
    const found = await messagesOf([], read('team-2.1.325.ndjson'));
    expect(found.map(({ from, to, status }) => `${from} ${to} ${status}`)).toEqual([
      'main researcher sent',
      'main nobody failed',
      'main null failed',
      'researcher main sent',
      'researcher writer sent',
      'writer main sent',
      'writer researcher sent',
      'main researcher sent',
      'main writer sent',
    ]);
  });

  test('the Teammate tool', async () => {
    const found = await messagesOf(['--settled'], read('teammate-tool.ndjson'));
    expect(found.map(({ type, from, to, approve }) => `${type} ${from} ${to} ${approve}`)).toMatchInlineSnapshot(`
      [
        "message team-lead reader null",
        "broadcast team-lead null null",
        "plan_approval_request planner team-lead null",
        "plan_approval_response team-lead planner false",
        "plan_approval_request planner team-lead null",
        "plan_approval_response team-lead planner true",
        "message reader team-lead null",
        "idle_notification reader team-lead null",
        "shutdown_request team-lead reader null",
        "shutdown_request team-lead planner null",
        "shutdown_response reader team-lead true",
        "shutdown_response planner team-lead true",
      ]
    `);
  });

  test('made-up lines without a session, and calls with one brace too many', async () => {
    const found = await messagesOf([], read('seed-000-swarm.ndjson'));
    expect(found.map(({ type, from, to, recipients, team }) => [type, from, to, recipients, team])).toEqual([
      ['message', 'team-lead', 'go-reader', ['go-reader'], 'port-review'],
      ['broadcast', 'team-lead', null, ['go-reader', 'c-reader'], 'port-review'],
      ['shutdown_request', 'team-lead', 'go-reader', ['go-reader'], 'port-review'],
    ]);
  });
});

describe('a home with transcripts, inboxes and a config', () => {
  test.each([
    ['team-2.1.39', 9, 9],
    ['team-2.1.140', 9, 7],
    ['team-2.1.325', 9, 6],
  ])('%s: each message once', async (name, sent, received) => {
    const found = await messagesOf(home(name));
    expect(found.filter((row) => row.tool_use_id !== null)).toHaveLength(sent);
    expect(found.filter((row) => row.tool_use_id === null)).toHaveLength(received);
    expect(new Set(found.map(({ from }) => from))).toEqual(new Set(['team-lead', 'researcher', 'writer']));
    expect(new Set(found.map(({ team }) => team)).size).toBe(1);
  });

  test.each(['team-2.1.39', 'team-2.1.140', 'team-2.1.325'])(
    '%s: settled, only who never was got nothing',
    async (name) => {
      const found = await messagesOf(['--settled', ...home(name)]);
      expect(found.filter(({ status }) => status === 'sent').map(({ to }) => to)).toEqual(
        name === 'team-2.1.325' ? [] : ['nobody'],
      );
      const times = found.map(({ time }) => time);
      expect(times).toEqual([...times].sort());
      for (const { delivered_at, status } of found) expect(delivered_at !== null).toBe(status === 'delivered');
    },
  );
});

test('a send whose call never came back is open', async () => {
  const found = await messagesOf([], read('killed-midway.ndjson'));
  expect(found.map(({ to, status, recipients }) => [to, status, recipients])).toEqual([
    ['researcher', 'open', []],
    ['nobody', 'open', []],
  ]);
});

test('rows are written while the input is still open', async () => {
  const out = new Collected();
  const seen: number[] = [];
  async function* slowly() {
    for (const line of read('team-2.1.325.ndjson').split(/(?<=\n)/)) {
      yield line;
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(out.text().split('\n').length - 1);
    }
  }
  expect(await cli(['messages'], streamsOver(slowly(), out, new Collected(), {}))).toBe(0);
  expect([...new Set(seen)]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

describe('flags', () => {
  const team = read('team-2.1.325.ndjson');

  test.each<[flags: string, lines: number[]]>([
    ['--from writer', [52, 57]],
    ['--from main,researcher', [33, 34, 36, 47, 49, 75, 77]],
    ['--to main', [47, 52]],
    ['--to team-lead', [47, 52]],
    ['--with writer', [49, 52, 57, 77]],
    ['--type broadcast,shutdown_request', [36, 75, 77]],
    ['--failed', [34, 36]],
    ['--team session-97a98319 --failed', [34, 36]],
    ['--team other', []],
    ['--session 97a98319-1525-44dc-8375-d3f3422179bd --to nobody', [34]],
    ['--session other', []],
    ['--since 2026-11-15T23:36:22Z', [75, 77]],
    ['--until 2026-11-16T00:36:20.5+01:00', [33]],
    ['--until 2026-11-16T00:36:20.5 --timezone Europe/Berlin', [33]],
  ])('%s', async (flags, lines) => {
    expect((await messagesOf(flags.split(' '), team)).map(({ line }) => line)).toEqual(lines);
  });

  test('--no-content keeps who, when and whether', async () => {
    const whole = await messagesOf(home('team-2.1.39'));
    const bare = await messagesOf(['--no-content', ...home('team-2.1.39')]);
    expect(bare).toEqual(whole.map((row) => ({ ...row, summary: null, content: null, error: null })));
    expect(whole.some(({ content }) => content !== null)).toBe(true);
  });

  test('--since leaves out rows without a time, and says so', async () => {
    const { code, stdout, stderr } = await cct(['messages', '--since', '2026-01-01'], read('team-2.1.39.ndjson'));
    expect([code, stdout, stderr]).toEqual([0, '', 'cct: 5 messages have no time and were left out\n']);
  });

  test('-e: no message is a failure', async () => {
    expect((await cct(['messages', '-e'], team)).code).toBe(0);
    expect((await cct(['messages', '-e', '--from', 'nobody'], team)).code).toBe(1);
    expect((await cct(['messages', '--from', 'nobody'], team)).code).toBe(0);
  });

  test('--fields', async () => {
    expect((await rows(['messages', '--fields', 'to,from'], team))[0]).toEqual({ to: 'researcher', from: 'main' });
    const { code, stderr } = await cct(['messages', '--fields', 'sender'], team);
    expect([code, stderr]).toEqual([2, expect.stringContaining('unknown field sender')]);
  });
});

describe('formats', () => {
  const team = read('team-2.1.39.ndjson');

  test.each(['ndjson', 'json', 'csv', 'tsv', 'md', 'table'])(
    '%s of nothing has the shape of something',
    async (format) => {
      const { code, stdout } = await cct(['messages', '-f', format], read('one-shot.ndjson'));
      expect(code).toBe(0);
      if (format === 'json') expect(stdout).toBe('[]\n');
      else if (format === 'ndjson' || format === 'table') expect(stdout).toBe('');
      else expect(stdout).toContain('recipients');
    },
  );

  test('a table fits the terminal', async () => {
    const { stdout } = await cct(['messages', '--color', 'never'], team, { tty: { stdout: true }, columns: 80 });
    expect(stdout.split('\n').slice(1, -1)).toHaveLength(5);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('a table of files is settled, and nothing else that is not told to', async () => {
    const files = home('team-2.1.140');
    const columns = ['--fields', 'time,status'];
    const screen = { tty: { stdout: true }, columns: 200 };
    const settled = (await cct(['messages', '--settled', '-f', 'table', ...columns, ...files])).stdout;
    const lines = settled.split('\n').slice(1, -1);
    expect(lines).toEqual([...lines].sort((a, b) => (a.slice(0, 20) < b.slice(0, 20) ? -1 : 0)));
    expect((await cct(['messages', '-f', 'table', ...columns, ...files])).stdout).toBe(settled);
    const shown = await cct(['messages', '--color', 'never', ...columns, ...files], '', screen);
    expect(shown.stdout).toBe(settled);
    for (const format of ['ndjson', 'json', 'csv', 'tsv', 'md']) {
      const plain = (await cct(['messages', '-f', format, ...files])).stdout;
      expect(plain).not.toBe((await cct(['messages', '--settled', '-f', format, ...files])).stdout);
    }
    const stream = read('refused-shutdown.ndjson');
    expect((await cct(['messages', '-f', 'table', '--fields', 'status', '-'], stream)).stdout).not.toContain(
      'delivered',
    );
    expect((await cct(['messages', '-f', 'table', '--fields', 'status'], stream)).stdout).not.toContain('delivered');
  });

  test('hostile words cannot act', async () => {
    const stdin = team.replaceAll('Are you there?', 'Are\\u001b[2Jyou\\u202ethere?');
    const { stdout } = await cct(['messages'], stdin, { tty: { stdout: true } });
    expect(stdout).not.toMatch(/[\x1b\u202e]\[2J|\u202e/);
  });
});

test('every row of every fixture fits its schema', async () => {
  const schema = z.fromJSONSchema(Object(rowJsonSchema(describedMessage)));
  for (const file of readdirSync('fixtures/sessions').filter((name) => name.endsWith('.ndjson')))
    for (const row of await messagesOf([], read(file))) {
      expect(messageRowSchema.safeParse(row).success).toBe(true);
      expect(schema.safeParse(row).success).toBe(true);
      expect(Object.keys(row)).toEqual(messageFields);
    }
});

async function messagesOf(words: readonly string[], stdin = ''): Promise<MessageRow[]> {
  const found = await rows(['messages', ...words], stdin);
  return found.map((row) => messageRowSchema.parse(row));
}
