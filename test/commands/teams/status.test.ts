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

test('a teammate whose turn an error of the API ended has failed, until it works again', async () => {
  const home = 'fixtures/files/teammate-failed-2.1.328';
  const lead = `${home}/projects/-home-dev-project/b123f9df-d73c-4787-b440-b5fc2e7082ce.jsonl`;
  const failed = ['crash', 'failed', 'API Error: 400 bad'];
  const memberIn = async (...args: [string[], string?]) => {
    const members = await rows(...args);
    return members.map(({ name, status, error }) => [name, status, error])[1];
  };
  expect(await memberIn(['teams', '--members', home])).toEqual(failed);
  // Its own file may be missing, or the notice that it is idle.
  expect(await memberIn(['teams', '--members', lead])).toEqual(failed);
  const events = (await rows(['normalize', home])).map((event) => `${JSON.stringify(event)}\n`);
  const noticed = events.findIndex((event) => event.includes('"team:member:idle"'));
  expect(await memberIn(['teams', '--members'], events.toSpliced(noticed, 1).join(''))).toEqual(failed);
  expect(await memberIn(['teams', '--members', '--no-content', lead])).toEqual(['crash', 'failed', null]);

  const again = { ...JSON.parse(events[noticed] ?? ''), time: '2026-11-20T01:19:00.000Z', error: undefined };
  const talk = { event: 'text:produced', message_id: 'm9', model: null, text: 'Done' };
  const answer = { ...again, agent: 'crash@session-b123f9df', ...talk };
  const later = [...events, JSON.stringify(answer), '\n', JSON.stringify(again)].join('');
  expect(await memberIn(['teams', '--members'], later)).toEqual(['crash', 'idle', null]);
});

test('an agent whose call failed has failed, also where only its own file says which agent it was', async () => {
  const events = await rows(['normalize', 'fixtures/files/agents-without-answer-2.1.300']);
  const statuses = async (more: object[]) => {
    const members = await rows(
      ['teams', '--members'],
      [...events, ...more].map((event) => `${JSON.stringify(event)}\n`).join(''),
    );
    return members.map(({ name, status, error }) => [name, status, error]).slice(1);
  };
  const broken = ['Be e400', 'failed', 'API Error: 400 bad'];
  // It may have been interrupted.
  expect(await statuses([])).toEqual([broken, ['Be empty', 'unknown', null]]);
  // Later versions write into its meta file that it ended.
  const [start] = events.filter(({ event, description }) => event === 'agent:started' && description === 'Be empty');
  const end = { task_type: null, run_id: null, status: null, on_disk: true };
  const nothing = { summary: null, result: null, total_tokens: null, tool_uses: null, duration_ms: null };
  const ended = { ...start, ...end, ...nothing, event: 'agent:finished', tool_use_id: null, time: null };
  expect(await statuses([ended])).toEqual([broken, ['Be empty', 'failed', null]]);
});

test('an agent whose frame names it after its call failed has failed', async () => {
  const stream = 'fixtures/specimens/agents/agent-failed-before-it-was-named.ndjson';
  const rowsOfIt = 'fixtures/specimens/transcripts/transcript-queue-operation-agent.ndjson';
  for (const files of [[stream], [rowsOfIt], [stream, rowsOfIt], [rowsOfIt, stream]]) {
    const [, agent] = await rows(['teams', '--members', ...files]);
    expect(agent).toMatchObject({ name: 'Be empty', agent_id: 'af1545a', status: 'failed', runs: 1 });
    const spans = await rows(['trace', ...files]);
    expect(spans.filter(({ kind, open }) => kind === 'agent' && open === true)).toEqual([]);
  }
});

test('an agent whose result is a limit of its output or a refusal has failed', async () => {
  const members = await rows(['teams', '--members', 'fixtures/specimens/agents/agent-cut-off-by-the-api.ndjson']);
  expect(members.slice(1).map(({ name, status }) => [name, status])).toEqual([
    ['Be maxtok', 'failed'],
    ['Be refuse', 'failed'],
  ]);
});

test('the model that a call returns counts, not the family that it asked for', async () => {
  const [, agent] = await rows([
    'teams',
    '--members',
    'fixtures/specimens/agents/agent-in-background-names-its-model.ndjson',
  ]);
  expect(agent).toMatchObject({ name: 'Be e400', model: 'claude-sonnet-5' });
});
