import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  agentNames,
  isTeamState,
  recognizeTeamToolUses,
  reduceTeamState,
  type TeamState,
  type ToolResultContent,
} from '../../src/lib.js';
import { runs, seed } from '../effort.js';

/** A call that came back: its tool, its input, and its result as text, in fields, or as the whole block. */
type Step = [tool: string, input: Record<string, unknown>, result?: string | Partial<ToolResultContent>];

function step(state: TeamState | undefined, [name, input, result = '']: Step): TeamState | undefined {
  const [recognized] = recognizeTeamToolUses({ content: [{ type: 'tool_use', id: 'toolu_1', name, input }] });
  if (recognized === undefined) throw new Error(`${name} was not recognized`);
  const block = typeof result === 'string' ? { content: result } : result;
  return reduceTeamState(state, { recognized, result: { tool_use_id: 'toolu_1', ...block } });
}

function teamAfter(...steps: Step[]): TeamState | undefined {
  return steps.reduce<TeamState | undefined>(step, undefined);
}

const create: Step = ['TeamCreate', { team_name: 'crew' }, '{"team_name":"crew"}'];
const spawn: Step = [
  'Task',
  { team_name: 'crew', name: 'writer', subagent_type: 'general-purpose' },
  'Spawned successfully.\nagent_id: writer@crew\nname: writer\nteam_name: crew\nThe agent is now running.',
];
const task: Step = ['TaskCreate', { subject: 'Write' }, 'Task #1 created successfully: Write'];
const second: Step = ['TaskCreate', { subject: 'Review' }, 'Task #2 created successfully: Review'];
const update = (input: Record<string, unknown>): Step => ['TaskUpdate', { taskId: '1', ...input }, 'Updated task #1'];
const send = (input: Record<string, unknown>): Step => ['SendMessage', input, '{"success":true}'];

const team = teamAfter(create, spawn, task, second);

describe('the table of transitions', () => {
  test('TeamCreate starts a team that this session leads, with nobody in it', () => {
    expect(teamAfter(create)).toEqual({ name: 'crew', role: 'lead', members: [], tasks: [] });
  });

  test('TeamCreate changes nothing when there is a team', () => {
    expect(step(team, ['TeamCreate', { team_name: 'other' }, '{"team_name":"other"}'])).toBe(team);
  });

  test('TeamDelete ends the team, also when there is none', () => {
    expect(step(team, ['TeamDelete', {}, '{"success":true,"team_name":"crew"}'])).toBeUndefined();
    expect(step(undefined, ['TeamDelete', {}, ''])).toBeUndefined();
  });

  test.each(['Task', 'Agent'])('%s with team_name adds a member', (tool) => {
    const [, input, result = ''] = spawn;
    expect(step(teamAfter(create), [tool, input, result])?.members).toEqual([
      { name: 'writer', agentId: 'writer@crew', agentType: 'general-purpose', status: 'active' },
    ]);
  });

  test.each(['writer', 'a@b', '@', ' '])('a member is not added twice: %j', (name) => {
    const again: Step = ['Task', { team_name: 'crew', name }, ''];
    const once = step(team, again);
    expect(once?.members.map((member) => member.name)).toContain(name);
    expect(step(once, again)).toBe(once);
  });

  test('Task without a TeamCreate before it starts a state as teammate', () => {
    expect(teamAfter(spawn)).toEqual({
      name: 'crew',
      role: 'teammate',
      members: [{ name: 'writer', agentId: 'writer@crew', agentType: 'general-purpose', status: 'active' }],
      tasks: [],
    });
  });

  test('TaskCreate adds a task with the id of its result', () => {
    expect(teamAfter(create, task)?.tasks).toEqual([
      { id: '1', subject: 'Write', status: 'pending', blockedBy: [], blocks: [] },
    ]);
  });

  test('a task is not added twice', () => {
    expect(step(team, task)).toBe(team);
  });

  test('TaskUpdate changes status, owner and texts', () => {
    const input = { status: 'in_progress', owner: 'writer', description: 'All of it', activeForm: 'Writing' };
    expect(step(team, update(input))?.tasks[0]).toEqual({
      id: '1',
      subject: 'Write',
      status: 'in_progress',
      owner: 'writer',
      description: 'All of it',
      activeForm: 'Writing',
      blockedBy: [],
      blocks: [],
    });
  });

  test('TaskUpdate adds dependencies to the task it names and to no other', () => {
    const once = step(team, update({ addBlockedBy: ['2'], addBlocks: ['3', '3'] }));
    expect(once?.tasks.map(({ blockedBy, blocks }) => [blockedBy, blocks])).toEqual([
      [['2'], ['3']],
      [[], []],
    ]);
    expect(step(once, update({ addBlockedBy: ['2', '4'] }))?.tasks[0]?.blockedBy).toEqual(['2', '4']);
  });

  test('tasks may block each other', () => {
    const cycle = [update({ addBlockedBy: ['2'] }), ['TaskUpdate', { taskId: '2', addBlockedBy: ['1'] }, ''] as Step];
    expect(cycle.reduce<TeamState | undefined>(step, team)?.tasks.map(({ blockedBy }) => blockedBy)).toEqual([
      ['2'],
      ['1'],
    ]);
  });

  test('of two updates the later counts', () => {
    const twice = step(step(team, update({ owner: 'writer' })), update({ owner: 'reader', status: 'completed' }));
    expect(twice?.tasks[0]).toMatchObject({ owner: 'reader', status: 'completed' });
  });

  test('a deleted task leaves the list', () => {
    expect(step(team, update({ status: 'deleted' }))?.tasks.map(({ id }) => id)).toEqual(['2']);
  });

  test('TaskUpdate of a task nobody knows changes nothing', () => {
    expect(step(team, ['TaskUpdate', { taskId: '9', status: 'completed' }, 'Updated task #9 status'])).toBe(team);
  });

  test('a status nobody knows changes nothing', () => {
    expect(step(team, update({ status: 'paused' }))).toBe(team);
  });

  test.each<[string, Record<string, unknown>]>([
    ['message', { type: 'message', recipient: 'writer', content: 'hello' }],
    ['message without a type', { to: 'writer', message: 'hello' }],
    ['broadcast', { type: 'broadcast', content: 'all' }],
    ['shutdown_request', { type: 'shutdown_request', recipient: 'writer', content: 'done' }],
    ['refused shutdown_response', { type: 'shutdown_response', request_id: 'shutdown-1@writer', approve: false }],
    ['plan_approval_request', { type: 'plan_approval_request', recipient: 'lead', content: 'plan' }],
    ['plan_approval_response', { type: 'plan_approval_response', request_id: 'plan-1@writer', approve: true }],
    ['shutdown_response of a stranger', { type: 'shutdown_response', request_id: 'shutdown-1@nobody', approve: true }],
    ['shutdown_request with an id', { type: 'shutdown_request', recipient: 'writer', request_id: '7f3a' }],
  ])('SendMessage: a %s changes nothing', (_, input) => {
    expect(step(team, send(input))).toBe(team);
  });

  test.each<[string, Step]>([
    ['the id of the request', send({ type: 'shutdown_response', request_id: 'shutdown-1@writer', approve: true })],
    [
      'a structured message',
      send({ to: 'team-lead', message: { type: 'shutdown_response', request_id: 'shutdown-1@writer', approve: true } }),
    ],
    [
      'the result',
      [
        'SendMessage',
        { type: 'shutdown_response', request_id: 'r', approve: true },
        '{"success":true,"routing":{"sender":"writer"}}',
      ],
    ],
    ['the call', send({ type: 'shutdown_response', request_id: 'r', approve: true, from: 'writer' })],
    [
      'an older tool',
      ['Teammate', { operation: 'approveShutdown', request_id: 'shutdown-1@writer' }, '{"success":true}'],
    ],
  ])('an approved shutdown, the sender known from %s, shuts the member down', (_, response) => {
    const shut = step(team, response);
    expect(shut?.members).toEqual([{ ...team?.members[0], status: 'shutdown' }]);
    expect(step(shut, response)).toBe(shut);
  });

  test('an answer that names nobody is from the only member that is left', () => {
    const answer = send({ type: 'shutdown_response', request_id: 'req-abc123', approve: true });
    const gone = { ...team?.members[0], status: 'shutdown' };
    const two = step(team, ['Task', { team_name: 'crew', name: 'reader' }, 'agent_id: reader@crew']);
    expect(step(two, answer)).toBe(two);
    expect(step(team, answer)?.members).toEqual([gone]);
    const first = step(two, send({ type: 'shutdown_response', request_id: 'shutdown-1@writer', approve: true }));
    expect(step(first, answer)?.members.map(({ status }) => status)).toEqual(['shutdown', 'shutdown']);
  });

  test('the caller is the sender where it is known', () => {
    const recognized = {
      toolName: 'SendMessage',
      toolUseId: 'a',
      category: 'team_message' as const,
      input: { type: 'shutdown_response', request_id: 'r', approve: true },
      sender: 'writer',
    };
    const shut = reduceTeamState(team, { recognized, result: { tool_use_id: 'a', content: '{"success":true}' } });
    expect(shut?.members[0]?.status).toBe('shutdown');
  });
});

describe('the extension: what a snapshot shows updates the tasks', () => {
  const shown = [
    { id: '1', subject: 'Write', status: 'completed', owner: 'writer', blockedBy: [] },
    { id: '3', subject: 'Print', status: 'pending', blockedBy: ['1', '2'] },
  ];
  const tasks = [
    { id: '1', subject: 'Write', status: 'completed', owner: 'writer', blockedBy: ['2'], blocks: [] },
    { id: '2', subject: 'Review', status: 'pending', blockedBy: [], blocks: [] },
    { id: '3', subject: 'Print', status: 'pending', blockedBy: ['1', '2'], blocks: [] },
  ];
  const before = step(team, update({ addBlockedBy: ['2'] }));

  test.each<[string, string | Partial<ToolResultContent>]>([
    ['fields', { tool_use_result: { tasks: shown } }],
    ['JSON text', JSON.stringify({ tasks: shown })],
    ['text', '#1 [completed] Write (writer)\n#3 [pending] Print [blocked by #1, #2]'],
  ])('TaskList, in %s, adds and changes but removes neither task nor dependency', (_, result) => {
    expect(step(before, ['TaskList', {}, result])?.tasks).toEqual(tasks);
  });

  test('TaskGet the same for one task', () => {
    const result = { tool_use_result: { task: shown[0] } };
    expect(step(before, ['TaskGet', { taskId: '1' }, result])?.tasks).toEqual(tasks.slice(0, 2));
  });

  test.each<Step>([
    ['TaskList', {}, 'No tasks found'],
    ['TaskList', {}, { tool_use_result: { tasks: [] } }],
    ['TaskList', {}, { tool_use_result: { tasks: [{ id: '9', status: 'deleted' }] } }],
    ['TaskGet', { taskId: '1' }, 'nothing anybody can read'],
  ])('%s %j with %j changes nothing', (...read) => {
    expect(step(before, read)).toBe(before);
  });
});

describe('a call that failed changes nothing', () => {
  const calls: Step[] = [
    ['TeamDelete', {}],
    ['Task', { team_name: 'crew', name: 'reader' }],
    ['TaskCreate', { subject: 'More' }],
    ['TaskUpdate', { taskId: '1', status: 'completed' }],
    ['TaskList', {}],
    ['SendMessage', { type: 'shutdown_response', request_id: 'shutdown-1@writer', approve: true }],
  ];

  test.each(calls)('%s %j', (tool, input) => {
    expect(step(team, [tool, input, { content: 'no', is_error: true }])).toBe(team);
    expect(step(team, [tool, input, '{"success":false,"error":"no"}'])).toBe(team);
    expect(step(team, [tool, input, { tool_use_result: { success: false, message: 'no' } }])).toBe(team);
  });

  test('no team is made by it either', () => {
    expect(teamAfter(['TeamCreate', { team_name: 'crew' }, { content: 'no', is_error: true }])).toBeUndefined();
    expect(teamAfter(['TaskUpdate', { taskId: '99', status: 'completed' }, 'Task not found'])).toBeUndefined();
  });
});

describe('a call without a result is one that worked', () => {
  function called(state: TeamState | undefined, name: string, input: Record<string, unknown>): TeamState | undefined {
    const [recognized] = recognizeTeamToolUses({ content: [{ type: 'tool_use', id: 'a', name, input }] });
    return recognized && reduceTeamState(state, { recognized });
  }

  test('it makes and ends a team', () => {
    expect(called(undefined, 'TeamCreate', { team_name: 'crew' })).toEqual(teamAfter(create));
    expect(called(team, 'TeamDelete', {})).toBeUndefined();
  });

  test('it adds a member, as the call describes it', () => {
    const input = { team_name: 'crew', name: 'reader', agentType: 'Explore', model: 'haiku', color: 'red' };
    expect(called(team, 'Task', input)?.members.at(-1)).toEqual({
      name: 'reader',
      agentId: 'reader@crew',
      agentType: 'Explore',
      status: 'active',
      model: 'haiku',
      color: 'red',
    });
  });

  test('it changes a task and shuts a member down', () => {
    expect(called(team, 'TaskUpdate', { taskId: '1', status: 'completed' })?.tasks[0]?.status).toBe('completed');
    const input = { type: 'shutdown_response', request_id: 'shutdown-1@writer', approve: true };
    expect(called(team, 'SendMessage', input)?.members[0]?.status).toBe('shutdown');
  });

  test.each<[string, Record<string, unknown>]>([
    ['TaskCreate', { subject: 'More' }],
    ['TaskList', {}],
    ['TaskGet', { taskId: '1' }],
  ])('%s says all it has to say in its result', (tool, input) => {
    expect(called(team, tool, input)).toBe(team);
  });
});

describe('names and ids come from the result', () => {
  test.each<[string, Step, object]>([
    ['the team got another name', ['TeamCreate', { team_name: 'crew' }, '{"team_name":"crew-2"}'], { name: 'crew-2' }],
    ['the result says nothing', ['TeamCreate', { team_name: 'crew' }, 'ok'], { name: 'crew' }],
    [
      'Teammate spawnTeam',
      ['Teammate', { operation: 'spawnTeam', team_name: 'crew' }, '{"team_name":"crew"}'],
      { name: 'crew', role: 'lead' },
    ],
  ])('%s', (_, call, like) => {
    expect(teamAfter(call)).toMatchObject(like);
  });

  test.each<[string, string | Partial<ToolResultContent>, string]>([
    ['fields', { tool_use_result: { task: { id: '7', subject: 'Write' } } }, '7'],
    ['content in fields', { content: { taskId: '7' } }, '7'],
    ['documented shape', '{"taskId":"7","status":"pending"}', '7'],
    ['a number', { tool_use_result: { task: { id: 7 } } }, '7'],
    ['text blocks', { content: [{ type: 'text', text: 'Task #7 created successfully: Write' }] }, '7'],
  ])('a task id in %s', (_, result, id) => {
    expect(step(teamAfter(create), ['TaskCreate', { subject: 'Write' }, result])?.tasks.map((made) => made.id)).toEqual(
      [id],
    );
  });

  test('a task whose id nobody can tell is not added', () => {
    const made = teamAfter(create);
    expect(step(made, ['TaskCreate', { subject: 'Write' }, 'done'])).toBe(made);
  });

  test('a member has the model, colour and type of the result, and its address for an id when there is none', () => {
    const told = {
      teammate_id: 'writer@crew',
      agent_type: 'Explore',
      model: 'haiku',
      color: 'green',
      name: 'writer-2',
    };
    expect(
      step(teamAfter(create), [
        'Agent',
        { team_name: 'crew', name: 'writer', model: 'opus' },
        { tool_use_result: told },
      ])?.members,
    ).toEqual([
      {
        name: 'writer-2',
        agentId: 'writer@crew',
        agentType: 'Explore',
        status: 'active',
        model: 'haiku',
        color: 'green',
      },
    ]);
    for (const result of ['ok', '{}', '{"success":true}'])
      expect(step(teamAfter(create), ['Task', { team_name: 'crew', name: 'writer' }, result])?.members).toEqual([
        { name: 'writer', agentId: 'writer@crew', agentType: 'general-purpose', status: 'active' },
      ]);
  });
});

describe('what consumers may rely on', () => {
  const story: Step[] = [
    // Before there is a team, its board changes nothing.
    task,
    create,
    task,
    second,
    spawn,
    ['Task', { team_name: 'crew', name: 'reader' }, 'agent_id: reader@crew'],
    update({ status: 'in_progress', owner: 'writer' }),
    update({ status: 'completed' }),
    ['TaskUpdate', { taskId: '2', status: 'deleted' }, ''],
    send({ type: 'shutdown_request', recipient: 'writer' }),
    send({ type: 'shutdown_response', request_id: 'shutdown-1@writer', approve: true }),
    ['TeamDelete', {}, '{"success":true}'],
  ];
  const states = story.map((_, at) => teamAfter(...story.slice(0, at + 1)));

  test('no team until TeamCreate, none after TeamDelete, a whole one between', () => {
    expect(states.map((state) => state !== undefined)).toEqual([false, ...Array(10).fill(true), false]);
    for (const state of states.slice(1, -1)) expect(isTeamState(state)).toBe(true);
  });

  test('members are added and never removed, and their names are unique', () => {
    const names = states.slice(1, -1).map((state) => state?.members.map(({ name }) => name) ?? []);
    for (const [at, now] of names.entries()) {
      expect(now.slice(0, names[at - 1]?.length ?? 0)).toEqual(names[at - 1] ?? []);
      expect(new Set(now).size).toBe(now.length);
    }
    expect(names.at(-1)).toEqual(['writer', 'reader']);
  });

  test('tasks are never removed, but for deleted ones, and their ids are unique', () => {
    expect(states.slice(1, -1).map((state) => state?.tasks.map(({ id }) => id).join())).toEqual([
      '',
      '1',
      '1,2',
      '1,2',
      '1,2',
      '1,2',
      '1,2',
      '1',
      '1',
      '1',
    ]);
  });

  test('applying a step twice is applying it once', () => {
    for (const [at, again] of story.entries()) {
      const once = states[at];
      expect(step(once, again)).toEqual(once);
    }
  });

  test('a state is not changed by what is made from it', () => {
    const frozen = structuredClone(team);
    for (const one of story) step(team, one);
    expect(team).toEqual(frozen);
    teamAfter(create)?.members.push({ name: 'x', agentId: 'x', agentType: 'x', status: 'active' });
    expect(teamAfter(create)?.members).toEqual([]);
  });

  test('a saved state can be continued', () => {
    const restored: TeamState = JSON.parse(JSON.stringify(team));
    expect(step(restored, update({ status: 'completed' }))).toEqual(step(team, update({ status: 'completed' })));
  });
});

test('whatever is called and comes back, the team is whole, its names and ids are unique, and nothing is changed in place', () => {
  const name = fc.constantFrom('writer', 'reader', 'team-lead', 'main', 'a@b', '__proto__', ' ');
  const id = fc.constantFrom('1', '2', 'shutdown-1@writer', 'req-abc123');
  const odd = fc.oneof(name, id, fc.integer(), fc.boolean(), fc.constant(null), fc.array(id), fc.dictionary(name, id));
  const like = {
    team_name: fc.constant('crew'),
    name,
    subject: name,
    taskId: id,
    request_id: id,
    approve: fc.boolean(),
  };
  const status = fc.constantFrom('pending', 'in_progress', 'completed', 'deleted', 'paused');
  const type = fc.constantFrom('message', 'broadcast', 'shutdown_request', 'shutdown_response');
  const input = fc.record({ ...like, status, type, owner: odd, addBlocks: odd, addBlockedBy: odd, message: odd });
  const tools = ['TeamCreate', 'TeamDelete', 'Task', 'TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet', 'SendMessage'];
  const texts = [
    '',
    'ok',
    '{"id":2}',
    'Task #1 created successfully: x',
    '#2 [completed] x (writer)',
    '{"success":false}',
  ];
  const result = fc.record({ content: fc.oneof(fc.constantFrom(...texts), odd), tool_use_result: odd });
  const call = fc.record({ toolName: fc.constantFrom(...tools), input, result: fc.option(result, { nil: undefined }) });
  const story = fc.array(call, { maxLength: 12 });
  fc.assert(
    fc.property(story, (calls) => {
      let state = teamAfter(create);
      for (const { toolName, input, result } of calls) {
        const recognized = { toolName, toolUseId: 'a', category: 'team_message' as const, input };
        const pair = { recognized, ...(result && { result: { tool_use_id: 'a', ...result } }) };
        const before = structuredClone(state);
        const next = reduceTeamState(state, pair);
        expect(state).toEqual(before);
        expect(reduceTeamState(next, pair)).toEqual(next);
        if (next !== undefined) expect(isTeamState(next)).toBe(true);
        for (const unique of [agentNames(next), next?.tasks.map((task) => task.id) ?? []])
          expect(new Set(unique).size).toBe(unique.length);
        state = next;
      }
    }),
    { seed, numRuns: runs(100, 2000) },
  );
});
