// --jobs 2: what two threads say is what one thread says, in the same order.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const program = new URL('../../bin/cct.js', import.meta.url).pathname;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cct-division-'));
  cpSync('fixtures/files', join(folder, 'files'), { recursive: true });
  mkdirSync(join(folder, 'large'));
  for (const name of ['a0', 'b0', 'c0', 'd0', 'e0', 'f0']) writeFileSync(pathOf(name), large(name));
  writeFileSync(pathOf('b2'), `${large('b2').slice(0, 300_000)}\n{"type":\n`);
  writeFileSync(pathOf('e2'), `{"type":"user","broken\n${large('e2').slice(0, 300_000)}`);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The files of a session stay together, so each has a session of its own. */
function pathOf(name: string, inside = 'large'): string {
  return join(folder, inside, `000000${name}-0000-4000-8000-000000000000.jsonl`);
}

/** A transcript of about half a megabyte. */
function large(name: string): string {
  const lines = Array.from({ length: 50 }, (_, at) => {
    const time = new Date(Date.UTC(2026, 10, 1, 0, 0, at)).toISOString();
    const common = { sessionId: `session-${name}`, timestamp: time, cwd: `/home/dev/${name}`, version: '2.1.325' };
    const usage = { input_tokens: at, output_tokens: 3, cache_read_input_tokens: 7, cache_creation_input_tokens: 0 };
    const content = [{ type: 'tool_use', id: `toolu_${name}_${at}`, name: 'Bash', input: { command: 'ls' } }];
    const message = { id: `msg_${name}_${at}`, role: 'assistant', model: 'claude-opus-4-6', content, usage };
    const result = { type: 'tool_result', tool_use_id: `toolu_${name}_${at}`, content: 'x'.repeat(10_000) };
    return [
      { type: 'assistant', uuid: `${name}-a-${at}`, ...common, message },
      { type: 'user', uuid: `${name}-u-${at}`, ...common, message: { role: 'user', content: [result] } },
    ];
  });
  return lines
    .flat()
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

function run(words: string, ...more: string[]): { stdout: string; stderr: string; status: number | null } {
  return runIn(folder, words, ...more);
}

function runIn(folder: string, words: string, ...more: string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, ...words.split(' '), ...more, folder], {
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  return { stdout, stderr, status };
}

describe('two threads', () => {
  test.each([
    'usage --by message',
    'usage --by agent,model -f table',
    'teams --members --strict',
    'tasks --all -e --redact',
    'usage --by project --anonymize',
  ])('%s', (words) => {
    const [one, two] = [run(words), run(words, '--jobs', '2')];
    expect(two).toEqual(one);
    expect(one.stdout.length).toBeGreaterThan(100);
  });
});

describe.each(['begins with', 'ends with'])('a file that %s rows of a session that its name does not say', (where) => {
  const inside = where.replace(' ', '-');
  let home: string;
  beforeAll(() => {
    home = join(folder, inside);
    mkdirSync(home);
    const more = rows(`session-a0`, asked, answered);
    const other = large('b0').slice(0, -1).split('\n').slice(0, 60).join('\n');
    writeFileSync(pathOf('a0', inside), `${large('a0')}${rows('session-a0', called)}`);
    writeFileSync(pathOf('b0', inside), where === 'begins with' ? `${more}${other}\n` : `${other}\n${more}`);
  });

  test.each(['tasks --all', 'teams --members', 'usage --by turn', 'usage --by message'])('%s', (words) => {
    const [one, two] = [runIn(home, words), runIn(home, words, '--jobs', '2')];
    expect(two).toEqual(one);
    expect(runIn(home, 'tasks --all', '--jobs', '2').stdout).toContain('Buy milk');
  });
});

const called = {
  type: 'assistant',
  message: {
    id: 'msg_task',
    role: 'assistant',
    model: 'claude-opus-4-6',
    content: [{ type: 'tool_use', id: 'toolu_task', name: 'TaskCreate', input: { subject: 'Buy milk' } }],
  },
};
const answered = {
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_task', content: 'Task #1 created' }] },
  toolUseResult: { task: { id: '1' } },
};
const asked = { type: 'user', promptId: 'p2', message: { role: 'user', content: 'Go on.' } };

function rows(session: string, ...records: object[]): string {
  const text = (record: object, at: number) => {
    const timestamp = new Date(Date.UTC(2026, 10, 1, 0, 5, at)).toISOString();
    const uuid = `${Object.keys(record).length}-${at}`;
    return `${JSON.stringify({ ...record, uuid, sessionId: session, timestamp, cwd: '/home/dev', version: '2.1.325' })}\n`;
  };
  return records.map(text).join('');
}
