// What a parser has to remember, one story each: the first records are read by one parser, the others by the next.
import { expect, test } from 'vitest';
import { createParser, type Event, initialState, loadState, reduce, saveState } from '../../src/lib.js';

type Records = readonly object[];

function called(id: string, name: string, input: object, more: object = {}): object {
  const message = { id: `m${id}`, role: 'assistant', content: [{ type: 'tool_use', id, name, input }] };
  return { type: 'assistant', session_id: 's', uuid: `call of ${id}`, message, ...more };
}

function returned(id: string, tool_use_result: object, more: object = {}): object {
  const message = { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] };
  return { type: 'user', session_id: 's', uuid: `result of ${id}`, message, tool_use_result, ...more };
}

const team = [
  called('t1', 'TeamCreate', { team_name: 'crew' }),
  returned('t1', { team_name: 'crew', team_file_path: 'x', lead_agent_id: 'team-lead@crew' }),
  called('t2', 'Task', { team_name: 'crew', name: 'ann', prompt: 'p', subagent_type: 'Explore' }),
  returned('t2', { status: 'teammate_spawned', teammate_id: 'ann@crew', name: 'ann', team_name: 'crew' }),
];
const ann = { parent_tool_use_id: 't2' };
const row = { isSidechain: true, sessionId: 's', cwd: '/', version: '2.1.140' };
const turn = (agentId: string, uuid: string, parentUuid: string | null, content: string) => ({
  ...{ type: 'user', ...row, agentId, uuid, parentUuid, message: { role: 'user', content } },
});
const mail = (text: string) => `<teammate-message teammate_id="team-lead">\n${text}\n</teammate-message>`;

test.each<[story: string, before: Records, after: Records]>([
  [
    'a call whose result comes later',
    [...team, called('c', 'TaskCreate', { subject: 'Fix', description: 'all of it' })],
    [returned('c', { task: { id: '1', subject: 'Fix' } }), called('d', 'TaskList', {})],
  ],
  ['a call that is repeated', [...team, called('c', 'Bash', {})], [called('c', 'Bash', {}, { uuid: 'other' })]],
  [
    'a result that is repeated',
    [
      ...team,
      called('c', 'TaskUpdate', { taskId: '1', status: 'in_progress' }),
      returned('c', { success: true, taskId: '1' }),
    ],
    [returned('c', { success: true, taskId: '1' }, { uuid: 'other' })],
  ],
  [
    'a call that is taken back',
    [...team, called('c', 'SendMessage', { to: 'ann', message: 'hi' })],
    [called('d', 'SendMessage', { to: 'ann', message: 'hello' }, { supersedes: ['call of c'] })],
  ],
  [
    'another call is not taken back with it',
    [...team, called('c', 'Bash', { command: 'ls' }, ann)],
    [called('d', 'Bash', {}), called('e', 'Bash', {}, { supersedes: ['call of d'] }), returned('c', {}, ann)],
  ],
  [
    'a snapshot of a board that shows nothing new',
    [...team, called('c', 'TaskCreate', { subject: 'Fix' }), returned('c', { task: { id: '1', subject: 'Fix' } })],
    [called('d', 'TaskList', {}), returned('d', { tasks: [{ id: '1', subject: 'Fix', status: 'pending' }] })],
  ],
  [
    'who asked to shut down, from an envelope',
    [
      ...team,
      {
        type: 'user',
        session_id: 's',
        message: {
          role: 'user',
          content: mail('{"type":"shutdown_request","requestId":"r1","from":"boss"}'),
        },
      },
    ],
    [called('c', 'SendMessage', { type: 'shutdown_response', request_id: 'r1', approve: true })],
  ],
  [
    'who asked for approval of a plan',
    [
      ...team,
      called('c', 'ExitPlanMode', { plan: 'first this' }, ann),
      returned('c', { awaitingLeaderApproval: true, requestId: 'r1', plan: 'first this' }, ann),
    ],
    [called('d', 'SendMessage', { type: 'plan_approval_response', request_id: 'r1', approve: true })],
  ],
  [
    'a task that was completed, and its owner about to claim the next',
    [
      ...team,
      called('c', 'TaskUpdate', { taskId: '1', status: 'completed', owner: 'ann' }, ann),
      returned('c', { success: true, taskId: '1' }, ann),
      called('d', 'TaskUpdate', { taskId: '2', status: 'in_progress' }, ann),
    ],
    [returned('d', { success: true, taskId: '2' }, ann), called('e', 'Bash', {}, ann)],
  ],
  [
    'a shell in the background',
    [called('c', 'Bash', { command: 'sleep 9' }), returned('c', { backgroundTaskId: 'b1' })],
    [{ type: 'system', subtype: 'task_notification', task_id: 'b1', status: 'completed', session_id: 's' }],
  ],
  [
    'the team that only a hook named',
    [{ hook_event_name: 'TeammateIdle', session_id: 's', teammate_name: 'ann', team_name: 'crew' }],
    [called('c', 'Bash', {})],
  ],
  [
    'the turn of a teammate that another goes on from',
    [turn('a1', 'u1', null, mail('work')), turn('a1', 'u2', 'u1', 'more')],
    [turn('a1', 'u3', 'u2', 'even more'), turn('a2', 'u4', 'u3', mail('go on'))],
  ],
  [
    'which prompt a transcript is at',
    [
      {
        type: 'user',
        sessionId: 's',
        uuid: 'u1',
        promptId: 'p1',
        cwd: '/',
        message: { role: 'user', content: 'Do it.' },
      },
    ],
    [
      {
        type: 'user',
        sessionId: 's',
        uuid: 'u2',
        promptId: 'p1',
        cwd: '/',
        message: { role: 'user', content: 'And that.' },
      },
      {
        type: 'user',
        sessionId: 's',
        uuid: 'u3',
        promptId: 'p2',
        cwd: '/',
        message: { role: 'user', content: 'Now this.' },
      },
    ],
  ],
  [
    'files of a team, which are of no session',
    [{ name: 'crew', leadAgentId: 'team-lead@crew', members: [{ name: 'ann', agentId: 'ann@crew' }], createdAt: 1 }],
    [{ type: 'system', subtype: 'status', status: 'compacting' }],
  ],
  ['records that name no session', team, [{ type: 'system', subtype: 'status', status: 'compacting' }]],
  [
    'a team that is made again',
    [...team, called('c', 'TeamDelete', {}), returned('c', { success: true, team_name: 'crew' })],
    [
      called('d', 'TeamCreate', { team_name: 'next' }),
      returned('d', { team_name: 'next', lead_agent_id: 'team-lead@next' }),
    ],
  ],
])('%s', (_, before, after) => {
  const one = createParser();
  const state = before.flatMap((record) => one.push(record)).reduce(reduce, initialState);
  const told = after.flatMap((record) => one.push(record)).map(bare);
  for (const from of [state, loadState(JSON.stringify(saveState(state)))]) {
    const next = createParser({ state: from });
    expect(after.flatMap((record) => next.push(record)).map(bare)).toEqual(told);
  }
});

test('records that follow the events of a stream go on from them', () => {
  const [one, next] = [createParser(), createParser()];
  const before = [...team, called('c', 'TaskCreate', { subject: 'Fix' }, ann)];
  next.push(one.push(before));
  const after = [returned('c', { task: { id: '1', subject: 'Fix' } }, ann), called('d', 'Bash', {})];
  expect(next.push(after).map(bare)).toEqual(one.push(after).map(bare));
});

test('of several files, the one that was read last goes on', () => {
  const one = createParser();
  const init = { type: 'system', subtype: 'init', session_id: 's', uuid: 'i', cwd: '/' };
  const read = [
    one.begin('a.jsonl'),
    one.push([...team, init]),
    one.begin('b.jsonl'),
    one.push(team.slice(0, 1)),
  ].flat();
  const next = createParser({ state: read.reduce(reduce, initialState) });
  next.begin('b.jsonl');
  // Its team is that of the other file: it was not made here yet.
  expect(next.push(called('c', 'Bash', {}))).toMatchObject([{ event: 'tool:called', team: null, agent: 'main' }]);
});

function bare({ line: _line, ...event }: Event): unknown {
  return event;
}
