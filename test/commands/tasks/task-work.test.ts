import { describe, expect, test } from 'vitest';
import { taskRows } from '../../../src/commands/tasks/rows.js';
import { newAgents } from '../../../src/core/tables/agents.js';
import {
  created,
  finished,
  fold,
  joined,
  pick,
  progressed,
  rowsOf,
  session,
  shell,
  started,
  type TaskEvent,
  teamCreated,
  time,
} from './task-events.js';

const byMain = { agent: 'main' };

describe('which work is shown', () => {
  test.each<[name: string, events: TaskEvent[], ids: string[]]>([
    ['an agent started in the background', [started('a1', { background: true })], ['a1']],
    ['an agent in the foreground', [started('a1', { background: false })], []],
    ['an agent of whom nobody says', [started('a1')], []],
    [
      'an agent that was sent to the background',
      [started('a1', { background: false }), progressed('a1', { background: true })],
      ['a1'],
    ],
    [
      'an agent whose receipt says less than its start',
      [started('a1', { background: true }), started('a1', { background: false })],
      ['a1'],
    ],
    ['a shell in the background', [shell('b1')], ['b1']],
    ['a shell in the foreground', [shell('b1', { background: false }), finished('b1', {}, byMain)], []],
    ['a shell of whom nobody says, as up to 2.1.140', [shell('b1', { background: null })], ['b1']],
    [
      'a shell that was sent to the background',
      [shell('b1', { background: false }), progressed('b1', { background: true, task_type: 'local_bash' }, byMain)],
      ['b1'],
    ],
    ['a monitor', [shell('m1', { task_type: 'monitor' })], ['m1']],
    ['a workflow', [shell('w1', { task_type: 'local_workflow' })], ['w1']],
    ['an agent far away', [started('r1', { background: true, task_type: 'remote_agent' })], ['r1']],
    ['a teammate, by its type', [started('t1', { background: true, task_type: 'in_process_teammate' })], []],
    [
      'a teammate, by its team',
      [
        started('writer@crew', { background: true, name: 'writer' }),
        joined('writer', 'writer@crew', 'teammate'),
        finished('t1', {}, { agent: 'writer@crew' }),
      ],
      [],
    ],
    ['one turn of a teammate', [started('a1', { background: true, turn_only: true })], []],
    ['work whose start is not in the input', [finished('b1', { status: 'stopped' }, byMain)], ['b1']],
    [
      'an agent whose start is not in the input, looked after',
      [progressed('a1', { background: true, task_type: 'local_agent', status: 'running' }, byMain)],
      ['a1'],
    ],
    [
      'an agent known first by its call',
      [
        started(null, { background: true, tool_use_id: 'toolu_1' }, { agent: 'toolu_1' }),
        started('a1', { background: true, tool_use_id: 'toolu_1' }),
      ],
      ['a1'],
    ],
  ])('%s', (_name, events, ids) => {
    expect(rowsOf(events).map(({ id }) => id)).toEqual(ids);
  });

  test("the program's own work only when everything is asked for", () => {
    const { tasks: state } = fold([shell('b1', { ambient: true }), shell('b2')]);
    expect(taskRows(state, newAgents()).map(({ id }) => id)).toEqual(['b2']);
    expect(taskRows(state, newAgents(), { all: true }).map(({ id }) => id)).toEqual(['b1', 'b2']);
  });

  test('a board task of the same id is another task', () => {
    expect(pick(rowsOf([created('7'), shell('7')]), 'kind', 'id')).toEqual([
      ['board', '7'],
      ['background', '7'],
    ]);
  });
});

test('however many records tell of it, it is one row', () => {
  const events = [
    teamCreated('crew'),
    started('a1', { background: true, description: 'Count lines', run_id: 'r1', task_type: 'local_agent' }),
    started('a1', { background: true, description: 'Count lines', tool_use_id: 'toolu_1' }, { at: 1, team: 'crew' }),
    progressed('a1', { run_id: 'r1', duration_ms: 300 }),
    finished('a1', { run_id: 'r1' }, { at: 4 }),
    finished('a1', { run_id: 'r1', duration_ms: 2863 }),
    finished('a1', { run_id: 'r1', duration_ms: 2863 }, { at: 5 }),
  ];
  expect(rowsOf(events)).toEqual([
    {
      kind: 'background',
      team: 'crew',
      session_id: session,
      id: 'a1',
      subject: 'Count lines',
      description: null,
      active_form: null,
      status: 'completed',
      owner: 'team-lead',
      blocked_by: [],
      blocks: [],
      ready: false,
      created_at: time(1),
      updated_at: time(4),
      started_at: time(1),
      completed_at: time(4),
      duration_ms: 2863,
      metadata: null,
    },
  ]);
});

test('it began when it was launched, whether or not its own records are read before', () => {
  const own = started(null, {}, { agent: 'a1', at: 1 });
  const launch = started('a1', { background: true }, { at: 2 });
  for (const events of [[own, launch], [launch, own], [launch]])
    expect(pick(rowsOf(events), 'id', 'started_at', 'created_at')).toEqual([['a1', time(2), time(2)]]);
});

test('an agent that failed has failed, although its stream says that it completed', () => {
  const start = started('a1', { background: true }, { at: 1 });
  const failed = finished('a1', { status: 'failed' }, { at: 2 });
  const ended = [failed, finished('a1', { status: 'completed' }, { at: 3 })];
  for (const events of [ended, ended.toReversed()])
    expect(pick(rowsOf([start, ...events]), 'status')).toEqual([['failed']]);
  const again = started('a1', { background: true, resumed: true }, { at: 4 });
  const last = finished('a1', { status: 'completed' }, { at: 5 });
  expect(pick(rowsOf([start, ...ended, again, last]), 'status')).toEqual([['completed']]);
});

describe('how it ends', () => {
  const shown = (events: TaskEvent[]) => pick(rowsOf(events), 'status', 'completed_at', 'duration_ms')[0];
  const start = shell('b1', {}, { at: 1 });

  test.each<[status: string | null, shown: string]>([
    ['completed', 'completed'],
    ['failed', 'failed'],
    ['stopped', 'stopped'],
    [null, 'completed'],
  ])('%s', (status, word) => {
    expect(shown([start, finished('b1', { status }, { ...byMain, at: 3 })])).toEqual([word, time(3), 2000]);
  });

  test('not yet', () => {
    expect(shown([start])).toEqual(['in_progress', null, null]);
    expect(shown([start, progressed('b1', { status: 'running' }, byMain)])).toEqual(['in_progress', null, null]);
  });

  test('what is learned of it afterwards does not start it again', () => {
    const end = finished('a1', {}, { at: 3 });
    const again = started('a1', { background: true, name: 'writer' });
    expect(shown([started('a1', { background: true }, { at: 1 }), end, again])).toEqual(['completed', time(3), 2000]);
    expect(shown([end, started('a1', { background: true }, { at: 1 })])).toEqual(['completed', time(3), 2000]);
  });

  describe('and begins again', () => {
    const first = [
      started('a1', { background: true, run_id: 'r1' }, { at: 1 }),
      finished('a1', { run_id: 'r1', duration_ms: 900 }, { at: 2 }),
    ];
    const second = started('a1', { run_id: 'r2', tool_use_id: 'toolu_2' });

    test('with a new run', () => {
      expect(shown([...first, second])).toEqual(['in_progress', null, null]);
      expect(shown([...first, second, finished('a1', { run_id: 'r2' }, { at: 9 })])).toEqual([
        'completed',
        time(9),
        8000,
      ]);
    });

    test('when it is resumed', () => {
      expect(shown([...first, started('a1', { resumed: true }, { at: 5 })])).toEqual(['in_progress', null, null]);
    });

    test('but not at a time when it had not ended', () => {
      expect(shown([...first, started('a1', { resumed: true }, { at: 1 })])).toEqual(['completed', time(2), 900]);
    });

    test('late news of the earlier run does not end the new one', () => {
      const late = finished('a1', { run_id: 'r1', duration_ms: 900 }, { at: 7 });
      expect(shown([...first, second, late])).toEqual(['in_progress', null, null]);
    });

    test('the same events once more', () => {
      const events = [...first, second];
      expect(rowsOf([...events, ...events])).toEqual(rowsOf(events));
    });
  });
});

describe('whose it is', () => {
  test.each<[name: string, events: TaskEvent[], owner: string | null]>([
    ['the lead', [teamCreated('crew'), shell('b1', {}, { agent: 'team-lead@crew' })], 'team-lead'],
    ['the main conversation', [shell('b1')], 'main'],
    [
      'the agent that started it',
      [started('a1', { name: 'writer', background: false }), shell('b1', {}, { agent: 'a1' })],
      'writer',
    ],
    ['of an agent, its parent', [started('a2', { background: true, parent: 'a1' })], 'a1'],
    [
      'not who resumed it, whoever is told of first',
      [
        started('a2', { background: true, parent: 'a1', resumed: true }, { at: 5 }),
        started('a2', { background: true, parent: 'main' }, { at: 1 }),
      ],
      'main',
    ],
    ['nobody knows', [finished('b1', {}, byMain)], null],
  ])('%s', (_name, events, owner) => {
    expect(pick(rowsOf(events), 'owner')).toEqual([[owner]]);
  });
});
