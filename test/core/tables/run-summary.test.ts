import { describe, expect, test } from 'vitest';
import { RunSummary } from '../../../src/core/tables/run-summary.js';
import { readText } from '../../laws/reading.js';
import { ndjson } from '../../streams.js';

const init = { type: 'system', subtype: 'init', session_id: 's1' };
const done = { type: 'result', subtype: 'success', is_error: false, session_id: 's1' };
const bash = call('b1', 'Bash', {});
const agent = call('g1', 'Agent', { description: 'work' });
const child = { type: 'user', session_id: 's1', parent_tool_use_id: 'g1', message: { content: 'Do it.' } };
const request = { type: 'control_request', request_id: 'r1', request: { subtype: 'interrupt' } };
const permission = (request_id: string, tool_use_id: string) => ({
  ...{ type: 'control_request', request_id, request: { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id } },
});
const hooked = (request_id: string) => ({
  ...{ type: 'control_request', request_id, request: { subtype: 'hook_callback', callback_id: 'h', input: {} } },
});
const transcript = { type: 'user', sessionId: 's2', cwd: '/home/dev', version: '2', message: { content: 'hello' } };

describe('what is missing', () => {
  test.each<[string, object[], string | null]>([
    ['nothing, of nothing', [], null],
    ['nothing, of a whole run', [init, bash, answer('b1'), done], null],
    ['nothing, of a whole run with a call that never came back', [init, bash, done], null],
    ['nothing, of a result alone', [done], null],
    ['nothing, of a transcript', [transcript], null],
    ['the result', [init], 'no result'],
    ['the result of the second turn', [init, done, init], 'no result'],
    ['nothing, where results were held back', [init, init, done], null],
    ['a call', [init, bash], 'no result; 1 call still open'],
    ['calls', [init, bash, call('b2', 'Read', {})], 'no result; 2 calls still open'],
    ['a call and the agent at work in it', [init, agent, child], 'no result; 1 call and 1 agent still open'],
    ['an agent in the background', [init, agent, launched('g1', 'a1')], 'no result; 1 agent still open'],
    ['nothing of an agent that was told of', [init, agent, launched('g1', 'a1'), notified('a1')], 'no result'],
    ['nothing of an agent in a whole run', [init, agent, launched('g1', 'a1'), done], null],
    [
      'an agent known by three ids',
      [init, agent, child, started('a1', 'g1'), launched('g1', 'a1')],
      'no result; 1 agent still open',
    ],
    ['no shell', [init, bash, { ...answer('b1'), tool_use_result: { backgroundTaskId: 'x' } }], 'no result'],
    ['in two sessions', [init, { ...init, session_id: 's2' }, bash], 'no result in 2 sessions; 1 call still open'],
    ['in one of two sessions', [init, { ...init, session_id: 's2' }, done], 'no result'],
    ['an answer', [init, request, done], '1 control request unanswered (interrupt)'],
    ['an answer and the result', [init, request], 'no result; 1 control request unanswered (interrupt)'],
    [
      'answers',
      [request, { ...request, request_id: 'r2' }, { ...request, request_id: 'r3', request: { subtype: 'initialize' } }],
      '3 control requests unanswered (interrupt, initialize)',
    ],
    [
      'nothing that was answered',
      [init, request, { type: 'control_response', response: { request_id: 'r1', subtype: 'success' } }, done],
      null,
    ],
    ['nothing that was cancelled', [request, { type: 'control_cancel_request', request_id: 'r1' }], null],
    ['nothing that only stdin could show', [init, bash, permission('r2', 'b1'), answer('b1')], 'no result'],
    ['nothing, if the run went on to its result', [init, bash, permission('r2', 'b1'), hooked('r3'), done], null],
    [
      'the permission that a cut run waits for',
      [init, bash, permission('r2', 'b1'), answer('b1'), call('b2', 'Read', {}), permission('r3', 'b2')],
      'no result; 1 call still open; 1 control request unanswered (can_use_tool)',
    ],
    [
      'the last of the questions that are about no call',
      [init, hooked('r2'), hooked('r3')],
      'no result; 1 control request unanswered (hook_callback)',
    ],
    [
      'a request that does not say what for',
      [{ type: 'control_request', request_id: 'r1' }],
      '1 control request unanswered (control)',
    ],
  ])('%s', (_what, records, missing) => {
    expect(readText(ndjson(records)).missing).toBe(missing);
  });

  test('a team that was cleaned up has nobody at work', () => {
    const team = { success: true, team_name: 'crew' };
    const records = [
      init,
      call('t1', 'TeamCreate', { team_name: 'crew' }),
      result('t1', team),
      agent,
      spawned('g1', 'writer'),
    ];
    expect(readText(ndjson(records)).missing).toBe('no result; 1 agent still open');
    const cleaned = [...records, call('t2', 'TeamDelete', {}), result('t2', team)];
    expect(readText(ndjson(cleaned)).missing).toBe('no result');
  });

  test('a teammate that approved its shutdown is gone', () => {
    const records = [init, agent, spawned('g1', 'writer')];
    const heard =
      '<teammate-message teammate_id="writer">\n{"type":"shutdown_approved","from":"writer"}\n</teammate-message>';
    const prompt = { type: 'user', session_id: 's1', message: { content: heard } };
    expect(readText(ndjson([...records, prompt])).missing).toBe('no result');
  });
});

describe('what is open', () => {
  const named = call('g1', 'Agent', { name: 'writer', prompt: 'Write', description: 'Write it' });
  const unnamed = call('g2', 'Agent', { prompt: 'Read', description: 'Read it', subagent_type: 'reader' });
  const inside = { ...call('b2', 'Bash', {}), parent_tool_use_id: 'g2' };

  test.each<[string, object[], string[]]>([
    ['nothing', [init, done], []],
    ['nothing of a finished turn', [init, bash, done], []],
    ['a call', [init, bash], ['open calls: Bash b1 by main at line 2']],
    [
      'agents by name or description, and whose calls',
      [init, named, launched('g1', 'a1'), unnamed, inside],
      ['open agents: Read it, writer', 'open calls: Bash b2 by Read it at line 5, Agent g2 by main at line 4'],
    ],
    ['an agent that is done', [init, named, launched('g1', 'a1'), notified('a1')], []],
    [
      'the last ten of many',
      [init, ...Array.from({ length: 14 }, (_, at) => call(`c${at}`, 'Read', {}))],
      [expect.stringMatching(/^open calls: Read c13 by main at line 15, .*, Read c4 by main at line 6 and 4 more$/)],
    ],
  ])('%s', (_what, records, open) => {
    expect(readText(ndjson(records)).open).toEqual(open);
  });
});

describe('counts', () => {
  test.each<[string, object[], object]>([
    ['nothing', [], { events: 0, unknown: 0, results: 0, failed: true, unfinished: 0 }],
    ['a run', [init, done], { events: 3, unknown: 0, results: 1, failed: false, unfinished: 0 }],
    ['an unknown record', [{ type: 'mystery' }], { events: 1, unknown: 1, results: 0 }],
    ['an error', [init, { ...done, is_error: true }], { results: 1, failed: true }],
    ['an error by its subtype', [init, { ...done, subtype: 'error_max_turns' }], { results: 1, failed: true }],
    ['an error that was made good', [init, { ...done, is_error: true }, init, done], { results: 2, failed: false }],
    [
      'an error in one of two sessions',
      [init, done, { ...init, session_id: 's2' }, { ...done, session_id: 's2', is_error: true }],
      { results: 2, failed: true },
    ],
    ['a cut run', [init, done, init], { results: 1, failed: true, unfinished: 1 }],
    ['a transcript, which has no result', [transcript], { results: 0, failed: false, unfinished: 0 }],
    [
      'a transcript that somebody interrupted',
      [transcript, { ...transcript, message: { content: '[Request interrupted by user]' } }],
      { failed: true },
    ],
    ['a piece of a stream', [bash], { failed: true }],
  ])('%s', (_what, records, expected) => {
    const account = new RunSummary();
    for (const event of readText(ndjson(records)).events) account.note(event);
    const { events, unknown, results, failed, unfinished } = account;
    expect({ events, unknown, results, failed, unfinished }).toMatchObject(expected);
  });
});

function call(id: string, name: string, input: object) {
  return {
    type: 'assistant',
    session_id: 's1',
    message: { id: `m${id}`, content: [{ type: 'tool_use', id, name, input }] },
  };
}

function answer(id: string) {
  return {
    type: 'user',
    session_id: 's1',
    message: { content: [{ type: 'tool_result', tool_use_id: id, content: '' }] },
  };
}

function result(id: string, data: object) {
  return { ...answer(id), tool_use_result: data };
}

function launched(id: string, agentId: string) {
  return result(id, { isAsync: true, status: 'async_launched', agentId });
}

function spawned(id: string, name: string) {
  return result(id, { status: 'teammate_spawned', teammate_id: `${name}@crew`, name, team_name: 'crew' });
}

function started(task: string, id: string) {
  return {
    type: 'system',
    subtype: 'task_started',
    session_id: 's1',
    task_id: task,
    tool_use_id: id,
    task_type: 'local_agent',
  };
}

function notified(task: string) {
  return { type: 'system', subtype: 'task_notification', session_id: 's1', task_id: task, status: 'completed' };
}
