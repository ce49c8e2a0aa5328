import { describe, expect, test } from 'vitest';
import type { Event } from '../../../src/lib.js';
import type { JsonObject } from '../../json.js';
import { readText } from '../../laws/reading.js';
import { ndjson } from '../../streams.js';

const spawn = call('g1', 'Agent', { description: 'work', subagent_type: 'Explore' });
const child = { type: 'user', session_id: 's1', parent_tool_use_id: 'g1', message: { content: 'Do it.' } };
const started = frame('task_started', { task_id: 'a1', tool_use_id: 'g1', task_type: 'local_agent' });
const launched = result('g1', { isAsync: true, status: 'async_launched', agentId: 'a1' });
const completed = result('g1', { status: 'completed', agentId: 'a1', content: [{ type: 'text', text: 'done' }] });
const notified = frame('task_notification', { task_id: 'a1', status: 'completed', summary: 'done' });

describe('the life of an agent', () => {
  test.each<[string, JsonObject[], string[]]>([
    ['only asked for', [spawn], []],
    ['refused', [spawn, result('g1', 'Error: no', true)], []],
    ['seen at work', [spawn, child], ['started g1']],
    [
      'seen at work, then refused',
      [spawn, child, result('g1', 'Error: no', true)],
      ['started g1', 'finished g1 failed'],
    ],
    ['done in the foreground', [spawn, child, completed], ['started g1', 'started a1', 'finished a1 completed']],
    ['done unseen', [spawn, completed], ['started a1', 'finished a1 completed']],
    ['in the background', [spawn, started, launched, notified], ['started a1', 'finished a1 completed']],
    ['in the background, joined late', [launched, notified], ['started a1', 'finished a1 completed']],
    ['told of by frames alone', [started, notified], ['started a1', 'finished a1 completed']],
    ['told of by its end alone', [{ ...notified, task_type: 'local_agent' }], ['started a1', 'finished a1 completed']],
    [
      'known by its hook before its call said who it is',
      [spawn, child, hook('SubagentStart', 'a1'), completed],
      ['started g1', 'started a1', 'started a1', 'finished a1 completed'],
    ],
    [
      'run again',
      [spawn, { ...started, run_id: 'r1' }, { ...notified, run_id: 'r1' }, { ...started, run_id: 'r2' }],
      ['started a1', 'finished a1 completed', 'resumed a1'],
    ],
    ['told twice', [spawn, started, started, launched, launched], ['started a1']],
  ])('%s', (_what, records, expected) => {
    expect(livesIn(records)).toEqual(expected);
  });

  test('whatever its id, it is one member', () => {
    const { events } = readText(ndjson([spawn, child, started, completed]));
    const joined = events.filter((event) => event.event === 'team:member:joined');
    expect(joined.map(({ member }) => [member.name, member.agent_id])).toEqual([
      ['main', 'main'],
      ['work', 'g1'],
      ['work', 'a1'],
    ]);
    expect(events.find(({ event }) => event === 'agent:finished')).toMatchObject({ agent: 'a1', tool_use_id: 'g1' });
  });

  test('what is learned of it under one id is known under the other', () => {
    const records = [spawn, child, hook('SubagentStart', 'a1'), completed];
    const last = readText(ndjson(records)).events.findLast((event) => event.event === 'agent:started');
    expect(last).toMatchObject({ agent: 'a1', description: 'work', agent_type: 'Explore' });
  });
});

describe('work that is no agent', () => {
  test.each<[string, JsonObject[], string[]]>([
    [
      'a shell',
      [
        call('b1', 'Bash', {}),
        result('b1', { backgroundTaskId: 'x1' }),
        frame('task_notification', { task_id: 'x1', status: 'killed' }),
      ],
      ['started main local_bash', 'finished main stopped'],
    ],
    [
      'a frame of a shell',
      [frame('task_started', { task_id: 'x1', task_type: 'local_bash' })],
      ['started main local_bash'],
    ],
    [
      'a frame that says nothing',
      [frame('task_notification', { task_id: 'x1', status: 'completed' })],
      ['finished main completed'],
    ],
  ])('%s belongs to whoever started it', (_what, records, expected) => {
    expect(livesIn(records)).toEqual(expected);
  });
});

function livesIn(records: readonly JsonObject[]): string[] {
  return readText(ndjson(records)).events.flatMap(lifeOf);
}

function lifeOf(event: Event): string[] {
  if (event.event === 'agent:finished') return [`finished ${event.agent} ${event.status}`];
  if (event.event !== 'agent:started') return [];
  const isWork = event.task_type !== null && !/agent/.test(event.task_type);
  return [`${event.resumed ? 'resumed' : 'started'} ${event.agent}${isWork ? ` ${event.task_type}` : ''}`];
}

function call(id: string, name: string, input: JsonObject): JsonObject {
  const message = { id: `m-${id}`, content: [{ type: 'tool_use', id, name, input }] };
  return { type: 'assistant', session_id: 's1', message };
}

function result(id: string, data: unknown, isError = false): JsonObject {
  const block = { type: 'tool_result', tool_use_id: id, content: '', is_error: isError };
  return { type: 'user', session_id: 's1', message: { content: [block] }, tool_use_result: data };
}

function frame(subtype: string, fields: JsonObject): JsonObject {
  return { type: 'system', subtype, session_id: 's1', ...fields };
}

function hook(name: string, agent: string): JsonObject {
  return { hook_event_name: name, session_id: 's1', agent_id: agent, agent_type: 'Explore' };
}
