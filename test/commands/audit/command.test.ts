import { describe, expect, test } from 'vitest';
import { findingFields } from '../../../src/commands/audit/row.js';
import { cct, rows } from '../../run.js';
import { ndjson } from '../../streams.js';
import { Story } from './finding-story.js';

const stream = (version: string) => `fixtures/sessions/team-${version}.ndjson`;
const commands = ['teams', 'tasks', 'messages'];

describe('what went wrong in a real team', () => {
  test.each<[version: string, command: string, found: string[]]>([
    ['2.1.39', 'teams', ['failed_call team-lead 37']],
    ['2.1.39', 'tasks', ['failed_call team-lead 16', 'cleaned_up_with_open_tasks team-lead 47']],
    ['2.1.39', 'messages', ['unknown_recipient team-lead 25']],
    ['2.1.140', 'teams', ['failed_call team-lead 40']],
    ['2.1.140', 'tasks', ['failed_call team-lead 15', 'cleaned_up_with_open_tasks team-lead 55']],
    // The program said that the message to nobody was sent.
    ['2.1.140', 'messages', ['unknown_recipient team-lead 27', 'refused_broadcast team-lead 29']],
    ['2.1.325', 'teams', []],
    ['2.1.325', 'tasks', ['unfinished_task null null', 'failed_call main 17', 'unfinished_task writer null']],
    // The writer was asked too, and ended before it could answer; what is asked of a finished agent reaches nobody.
    [
      '2.1.325',
      'messages',
      ['unknown_recipient main 34', 'refused_broadcast main 36', 'unanswered_request researcher 75'],
    ],
  ])('%s: %s', async (version, command, found) => {
    const shown = await rows(['audit', '--of', command, stream(version)]);
    expect(shown.map(({ rule, agent, line }) => `${rule} ${agent} ${line}`)).toEqual(found);
    for (const row of shown) expect(Object.keys(row)).toEqual(findingFields);
  });

  test('a finding has the fields everybody builds on', async () => {
    const [found] = await rows(['audit', '--of', 'messages', stream('2.1.140')]);
    expect(found).toEqual({
      time: '2026-11-15T23:29:19.112Z',
      session_id: '7b678677-a59d-447f-b357-c04038b33045',
      team: 'report-crew',
      rule: 'unknown_recipient',
      severity: 'problem',
      agent: 'team-lead',
      task: null,
      tool_use_id: 'toolu_01UUtAXvsX8MWiNTm9YM1dR3',
      line: 27,
      detail: 'no agent in the team is called nobody, but the call succeeded',
    });
  });
});

describe('streams without a team have nothing to find', () => {
  test.each([
    'one-shot',
    'tool-use',
    'several-tools',
    'subagent',
    'parallel-subagents',
    'background-2.1.325',
    'api-error',
  ])('%s', async (name) => {
    for (const command of commands)
      expect(await rows(['audit', '--of', command, `fixtures/sessions/${name}.ndjson`])).toEqual([]);
  });
});

describe('what is a note only', () => {
  const init = { type: 'system', subtype: 'init', session_id: 's1' };
  const use = (id: string, name: string, input: object) => ({
    ...{ type: 'assistant', session_id: 's1', uuid: `a${id}` },
    message: { id: `m${id}`, content: [{ type: 'tool_use', id, name, input }] },
  });
  const fails = (id: string, content: string) => ({
    ...{ type: 'user', session_id: 's1', uuid: `u${id}` },
    message: { content: [{ type: 'tool_result', tool_use_id: id, is_error: true, content }] },
  });
  const done = { type: 'result', subtype: 'success', is_error: false, session_id: 's1' };
  const found = async (records: readonly object[]) =>
    (await rows(['audit', '-q'], ndjson([init, ...records, done]))).map(
      ({ rule, severity, agent, detail }) => `${severity} ${rule} ${agent}: ${detail}`,
    );

  test.each([
    ["The user doesn't want to proceed with this tool use. The tool use was rejected.", 'note'],
    ['[Request interrupted by user for tool use]', 'note'],
    ['<tool_use_error>Cancelled: parallel tool call Bash(false) errored</tool_use_error>', 'note'],
    ['<tool_use_error>Sibling tool call errored</tool_use_error>', 'note'],
    ['Agent reviewer ended with an error type unknown', 'problem'],
  ])('%s', async (said, severity) => {
    const task = { subject: 'Write it', description: 'All of it' };
    const [only, ...others] = await found([use('t1', 'TaskCreate', task), fails('t1', said)]);
    expect(only).toMatch(new RegExp(`^${severity} failed_call main: TaskCreate: `));
    expect(only).not.toContain('agent_not_found');
    expect(others).toEqual([]);
  });

  test('failed calls of other tools, once for each tool', async () => {
    const calls = ['1', '2', '3'].flatMap((id) => [use(id, 'Read', { file_path: id }), fails(id, 'no such file')]);
    expect(await found([...calls, use('4', 'Bash', { command: 'false' }), fails('4', 'Exit code 1')])).toEqual([
      'note failed_calls main: 3 calls of Read failed',
      'note failed_calls main: 1 call of Bash failed',
    ]);
  });

  test('but a control request that failed is a problem', async () => {
    const request = { type: 'control_request', request_id: 'r1', request: { subtype: 'set_model' } };
    const response = { subtype: 'error', request_id: 'r1', error: 'no such model' };
    expect(await found([request, { type: 'control_response', response }])).toEqual([
      'problem failed_control main: set_model: no such model',
    ]);
  });
});

describe('-e', () => {
  const note = () => {
    const story = new Story();
    story.team('Odd Name');
    return story;
  };

  test('is 1 for a problem', async () => {
    expect((await cct(['audit', '--of', 'messages', '-e', stream('2.1.140')])).code).toBe(1);
    expect((await cct(['audit', '--of', 'messages', stream('2.1.140')])).code).toBe(0);
  });

  test('is 0 for a note, for nothing, and for an input without results', async () => {
    const found = await cct(['audit', '--of', 'teams', '-e'], note().text);
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining('"team_name_pattern","severity":"note"') });
    expect(await cct(['audit', '--of', 'teams', '-e', stream('2.1.325')])).toMatchObject({ code: 0, stdout: '' });
    expect(await cct(['audit', '--of', 'teams', '-e'])).toMatchObject({ code: 0, stdout: '' });
  });

  test('looks only at what is shown', async () => {
    expect((await cct(['audit', '--of', 'messages', '-e', '--team', 'other', stream('2.1.140')])).code).toBe(0);
  });

  test('is 4 for damage all the same', async () => {
    expect(
      (await cct(['audit', '--of', 'teams', '-e', '--strict', 'fixtures/broken/truncated-line.ndjson'])).code,
    ).toBe(4);
  });
});

describe('flags', () => {
  const messages = ['audit', '--of', 'messages', stream('2.1.140')];
  const lines = async (...more: string[]) => (await rows([...messages, ...more])).map(({ line }) => line);

  test('--team and --session choose', async () => {
    expect(await lines('--team', 'report-crew')).toEqual([27, 29]);
    expect(await lines('--team', 'other')).toEqual([]);
    expect(await lines('--session', '7b678677-a59d-447f-b357-c04038b33045')).toEqual([27, 29]);
    expect(await lines('--session', 'other')).toEqual([]);
  });

  test('--since and --until choose, and what has no time is left out with a word', async () => {
    expect(await lines('--since', '2026-11-15T23:29:19.150Z')).toEqual([29]);
    expect(await lines('--until', '2026-11-15T23:29:19.150Z')).toEqual([27]);
    expect(await cct(['audit', '--of', 'messages', '--since', '2026-11-15', stream('2.1.39')])).toMatchObject({
      stdout: '',
      stderr: 'cct: 1 finding has no time and was left out\n',
    });
  });

  test('--fields chooses and orders columns', async () => {
    const { stdout } = await cct([...messages, '--fields', 'rule,line', '-f', 'csv']);
    expect(stdout).toBe('rule,line\nunknown_recipient,27\nrefused_broadcast,29\n');
    expect((await cct([...messages, '--fields', 'subject'])).code).toBe(2);
  });

  test.each([
    ['json', '[]\n'],
    ['ndjson', ''],
    ['csv', `${findingFields.join(',')}\n`],
    ['table', ''],
  ])('no findings as %s have the shape of some', async (format, stdout) => {
    expect(await cct(['audit', '--of', 'teams', '-f', format, stream('2.1.325')])).toMatchObject({ code: 0, stdout });
  });

  test('--no-content leaves out what errors say', async () => {
    const shown = await rows(['audit', '--of', 'tasks', stream('2.1.140')]);
    expect(shown[0]).toMatchObject({ detail: 'TaskUpdate: Task not found (task_not_found)' });
    const bare = await rows([...messages, '--no-content']);
    expect(bare.map(({ detail }) => detail)).toEqual([
      'no agent in the team is called nobody, but the call succeeded',
      'SendMessage: no reason given',
    ]);
  });

  test.each(['teams', 'tasks', 'messages'])('%s --audit names the new way', async (name) => {
    const stderr = `cct: ${name}: unknown option '--audit'; use cct audit --of ${name}\n`;
    expect(await cct([name, '--audit', stream('2.1.140')])).toMatchObject({ code: 2, stderr });
  });
});

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
  '%s is a type and an operation like any other',
  async (word) => {
    const call = (tool: string, id: string, input: object) => ({ type: 'tool_use', id, name: tool, input });
    const record = {
      type: 'assistant',
      session_id: 's',
      message: {
        id: 'm',
        content: [
          call('SendMessage', 'a', { type: word, recipient: 'writer', content: 'Hello' }),
          call('Teammate', 'b', { operation: word, value: 'Hello', target_agent_id: 'writer' }),
        ],
      },
    };
    for (const words of [...commands.map((command) => ['audit', '--of', command]), ['messages'], ['normalize']]) {
      const { code, stderr } = await cct([...words, '--quiet'], `${JSON.stringify(record)}\n`);
      expect([code, stderr]).toEqual([0, '']);
    }
  },
);
