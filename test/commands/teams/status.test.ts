import { expect, test } from 'vitest';
import { messageStatuses } from '../../../src/core/event/event.js';
import { isLost, isSent } from '../../../src/core/tables/sends.js';
import { rows } from '../../run.js';

test('an agent known by a hook before its call has the status that was told last', async () => {
  const session_id = 'aaaaaaaa-0000-4000-8000-000000000000';
  const call = { type: 'tool_use', id: 'toolu_g1', name: 'Agent', input: { description: 'Look', prompt: 'p' } };
  const child = { type: 'tool_use', id: 'toolu_c1', name: 'Read', input: {} };
  const result = { type: 'tool_result', tool_use_id: 'toolu_g1', content: 'done' };
  const records = [
    { type: 'system', subtype: 'init', session_id, uuid: 'u1' },
    { hook_event_name: 'SubagentStart', session_id, agent_id: 'a1', agent_type: 'Explore' },
    { type: 'assistant', message: { id: 'm1', content: [call] }, session_id, uuid: 'u2' },
    {
      type: 'assistant',
      message: { id: 'm2', content: [child] },
      parent_tool_use_id: 'toolu_g1',
      session_id,
      uuid: 'u3',
    },
    {
      type: 'user',
      message: { content: [result] },
      tool_use_result: { status: 'completed', agentId: 'a1' },
      session_id,
      uuid: 'u4',
    },
    { type: 'result', subtype: 'success', is_error: false, session_id, uuid: 'u5' },
  ];
  const members = await rows(['teams', '--members'], records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  expect(members.map(({ name, status }) => [name, status])).toEqual([
    ['main', 'finished'],
    ['Look', 'finished'],
  ]);
});

// A new status has to say what it means (core/tables/sends.ts); nobody else may decide who got the message.
test.each(messageStatuses)('a message that is %s counts for those who sent and got it', async (status) => {
  const events = await rows(['normalize', 'fixtures/sessions/team-2.1.39.ndjson']);
  const sent = events.flatMap((event) => {
    if (event.event === 'team:message:received') return [];
    return [event.event === 'team:message:sent' ? { ...event, message: { ...Object(event.message), status } } : event];
  });
  const members = await rows(['teams', '--members'], sent.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const has = (field: string) => members.some((member) => Number(member[field]) > 0);
  expect([has('messages_sent'), has('messages_received')]).toEqual([!isLost({ status }), isSent({ status })]);
});

test('what an earlier run left in the background is no run of the lead', async () => {
  const own = { type: 'system', session_id: 's' };
  const left = { ...own, subtype: 'task_notification', status: 'stopped', output_file: '', summary: 'Orphaned.' };
  const lines = [
    { ...own, subtype: 'init', cwd: '/p', model: 'claude-opus-4-6' },
    { ...own, subtype: 'task_started', task_id: 'a1', tool_use_id: 't1', task_type: 'local_agent', description: 'x' },
    { ...left, task_id: 'b2', tool_use_id: 't2' },
    { ...left, task_id: 'b3', tool_use_id: 't3' },
  ];
  const members = await rows(['teams', '--members'], lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  expect(members.map(({ name, runs }) => [name, runs])).toEqual([
    ['main', 1],
    ['x', 1],
  ]);
});
