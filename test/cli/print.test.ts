import { describe, expect, test } from 'vitest';
import type { Options } from '../../src/cli/command.js';
import { openInput } from '../../src/cli/input.js';
import { openPrinter } from '../../src/cli/print.js';
import { createDiagnostics } from '../../src/io/diagnostics.js';
import { createOutput } from '../../src/io/output.js';
import { Collected, streamsOver, type World } from '../run.js';

const tasks = { name: 'tasks', fields: ['id', 'subject', 'status'] };
const two = [
  { id: '1', subject: 'Read', status: 'completed' },
  { id: '2', subject: 'Write', status: 'pending' },
];

describe('the format', () => {
  test.each<[string, Options, World, string]>([
    [
      'NDJSON into a pipe',
      {},
      {},
      '{"id":"1","subject":"Read","status":"completed"}\n{"id":"2","subject":"Write","status":"pending"}\n',
    ],
    [
      'a table on a terminal',
      {},
      { tty: true, env: { NO_COLOR: '1' } },
      'ID  SUBJECT  STATUS\n1   Read     completed\n2   Write    pending\n',
    ],
    [
      'a table where it is asked for',
      { format: 'table' },
      {},
      'ID  SUBJECT  STATUS\n1   Read     completed\n2   Write    pending\n',
    ],
    [
      'what is asked for on a terminal',
      { format: 'csv' },
      { tty: true },
      'id,subject,status\n1,Read,completed\n2,Write,pending\n',
    ],
    ['fields', { fields: ['status', 'id'] }, {}, '{"status":"completed","id":"1"}\n{"status":"pending","id":"2"}\n'],
    [
      'fields of a table',
      { fields: ['status', 'id'], format: 'table' },
      {},
      'STATUS     ID\ncompleted  1\npending    2\n',
    ],
  ])('%s', async (_name, options, world, text) => {
    expect((await printed(two, options, world)).stdout.replaceAll(/ +\n/g, '\n')).toBe(text);
  });
});

describe('colour', () => {
  test.each<[string, Options, World, boolean]>([
    ['on a terminal', {}, { tty: true }, true],
    ['not into a pipe', { format: 'table' }, {}, false],
    ['not with NO_COLOR', {}, { tty: true, env: { NO_COLOR: '1' } }, false],
    ['not on a dumb terminal', {}, { tty: true, env: { TERM: 'dumb' } }, false],
    ['never', { color: 'never' }, { tty: true }, false],
    ['always', { color: 'always', format: 'table' }, {}, true],
    ['never in data', { color: 'always', format: 'csv' }, {}, false],
  ])('%s', async (_name, options, world, colored) => {
    expect((await printed(two, options, world)).stdout.includes('\x1b[')).toBe(colored);
  });
});

describe('nothing', () => {
  test.each<[string, Options, World, string, string]>([
    ['NDJSON is no line', {}, {}, '', ''],
    ['JSON is an empty array', { format: 'json' }, {}, '[]\n', ''],
    ['CSV is its header', { format: 'csv' }, {}, 'id,subject,status\n', ''],
    ['a table is nothing, and on a terminal it is said', {}, { tty: true }, '', 'cct: no tasks\n'],
    ['a table into a pipe is nothing', { format: 'table' }, {}, '', ''],
  ])('%s', async (_name, options, world, stdout, stderr) => {
    expect(await printed([], options, world)).toEqual({ stdout, stderr, rows: 0 });
  });
});

test('an unknown field is answered with those that exist', async () => {
  const wrong = printed(two, { fields: ['id', 'staus'] }, {});
  await expect(wrong).rejects.toThrow(
    '--fields: unknown field staus; fields: id, subject, status; did you mean status?',
  );
});

async function printed(rows: readonly Record<string, unknown>[], options: Options, world: World) {
  const stdout = new Collected();
  const stderr = new Collected();
  const streams = streamsOver('', stdout, stderr, world);
  const out = createOutput(stdout);
  const diagnostics = createDiagnostics({ stream: stderr }, 'normal', (text) => text);
  const { signal } = new AbortController();
  const input = openInput({ sources: [], division: null, interest: { events: [] }, out, diagnostics, signal });
  const nothing = { operands: [], rest: [], sources: [], division: null, signal, privacy: null };
  const printer = await openPrinter({ ...nothing, options, out, streams, diagnostics, input }, tasks);
  for (const row of rows) printer.row(row);
  printer.end();
  await out.flush();
  return { stdout: stdout.text(), stderr: stderr.text(), rows: printer.rows };
}

test('several unknown fields are named together, and a field that is named twice counts once', async () => {
  const wrong = printed(two, { fields: ['x', 'id', 'constructor', 'x'] }, {});
  await expect(wrong).rejects.toThrow('--fields: unknown fields x, constructor; fields: id, subject, status');
});
