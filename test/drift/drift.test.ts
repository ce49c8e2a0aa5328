import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ndjson } from '../streams.js';
import { driftIn } from './drift.js';
import { main, report } from './main.js';

const call = (name: string, input: object) => ({
  type: 'assistant',
  message: { id: 'm', model: 'claude-opus-4-6', content: [{ type: 'tool_use', id: 'toolu_1', name, input }] },
  session_id: 's',
});
const answer = (tool_use_result: object) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }] },
  session_id: 's',
  tool_use_result,
});

describe('says what is not read', () => {
  test.each([
    [
      'a new field',
      [{ type: 'system', subtype: 'init', session_id: 's', mood: 'good' }],
      'not read in system/init: mood (1)',
    ],
    [
      'one of the input of a team tool, also when it is read only once its result came',
      [call('TaskUpdate', { taskId: '1', status: 'completed', urgency: 9 }), answer({ success: true, taskId: '1' })],
      'not read in TaskUpdate input: urgency (1)',
    ],
    [
      'one of its result',
      [call('TaskCreate', { subject: 'a' }), answer({ task: { id: '1', subject: 'a', shade: 'red' } })],
      'not read in TaskCreate result: task.shade (1)',
    ],
    [
      'nothing of other tools',
      [call('Bash', { command: 'ls', why: '' }), answer({ stdout: '', color: 1 })],
      'everything is read',
    ],
    [
      'nothing of what an event takes over whole',
      [{ type: 'system', subtype: 'status', session_id: 's', status: { deep: { er: 1 } } }],
      'everything is read',
    ],
    [
      'fields of usage by model once for all models',
      [{ type: 'result', modelUsage: { a: { inputTokens: 1, fees: 1 }, b: { inputTokens: 1, fees: 2 } } }],
      'not read in result: modelUsage.*.fees (2)',
    ],
    ['a type it does not know, and none of its fields', [{ type: 'weather', sky: 'blue' }], 'unknown: weather (1)'],
  ])('%s', (_name, records, expected) => {
    expect(report(driftIn([{ path: 'run.ndjson', text: ndjson(records) }]))).toBe(`${expected}\n`);
  });
});

test.each([
  ['record system/task_paused', [{ type: 'system', subtype: 'task_paused', task_id: 'a' }]],
  ['record team_roster', [{ type: 'team_roster', members_of: 'crew' }]],
  ['tool TeamMerge', [call('TeamMerge', {})]],
])('%s is ours and not known', (name, records) => {
  expect([...driftIn([{ path: 'run.ndjson', text: ndjson(records) }]).ours]).toEqual([name]);
});

test.each(['team-2.1.39', 'team-2.1.140', 'team-2.1.325', 'teammate-tool', 'background-2.1.325', 'several-tools'])(
  'of %s nothing of ours is unknown',
  (name) => {
    const path = `fixtures/sessions/${name}.ndjson`;
    const drift = driftIn([{ path, text: readFileSync(path, 'utf8') }]);
    expect([...drift.ours]).toEqual([]);
    expect(drift.unread.size).toBeGreaterThan(0);
  },
);

test('against an older capture, only what is new', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cct-drift-'));
  const write = (name: string, ...records: object[]) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), ndjson(records));
  };
  const init = { type: 'system', subtype: 'init', session_id: 's' };
  write('old/run.ndjson', { ...init, mood: { now: 'good' } }, { type: 'weather' }, { type: 'team_roster' });
  write('new/run.ndjson', { ...init, mood: { now: 'good', later: 'bad' }, wind: 3 }, { type: 'weather' });
  write('newest/deep/run.ndjson', { ...init, mood: { now: 'bad' } }, { type: 'team_roster' }, { type: 'tide' });
  const said: string[] = [];
  const run = (...words: string[]) =>
    main(
      words.map((word) => (word.startsWith('--') ? word : join(folder, word))),
      folder,
      (text) => void said.push(text),
    );
  expect(await run('--against', 'old', 'new')).toBe(0);
  expect(await run('--against', 'old', '--against', 'new/run.ndjson', 'newest')).toBe(0);
  expect(await run('--against', 'new', 'newest')).toBe(1);
  expect(await run('--against', 'new', 'new')).toBe(0);
  expect(said).toEqual([
    'not read in system/init: mood.later (1), wind (1)\n',
    'unknown: tide (1)\n',
    'of the team protocol, and not known: record team_roster\nunknown: team_roster (1)\nunknown: tide (1)\n',
    'nothing new\n',
  ]);
  rmSync(folder, { recursive: true });
});

test('exits with 1 for what is ours, with 2 without a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cct-drift-'));
  const moved = join(folder, 'moved.ndjson');
  writeFileSync(moved, ndjson([{ type: 'system', subtype: 'agent_moved' }]));
  const said: string[] = [];
  const run = (...words: string[]) => main(words, folder, (text) => void said.push(text));
  expect(await run(moved)).toBe(1);
  expect(await run(resolve('fixtures/sessions/team-2.1.39.ndjson'))).toBe(0);
  expect(await run()).toBe(2);
  expect(said[0]).toBe(
    'of the team protocol, and not known: record system/agent_moved\nunknown: system/agent_moved (1)\n',
  );
  rmSync(folder, { recursive: true });
});
