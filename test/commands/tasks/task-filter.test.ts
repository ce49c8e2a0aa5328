import { describe, expect, test } from 'vitest';
import { type TaskQuery, taskFilter } from '../../../src/commands/tasks/rows.js';
import { created, finished, other, rowsOf, session, shell, teamCreated, todo, updated } from './task-events.js';

const rows = rowsOf([
  teamCreated('crew'),
  created('1', { owner: 'writer', status: 'completed' }, { team: 'crew' }),
  created('2', { owner: 'reader', status: 'in_progress' }, { team: 'crew' }),
  created('3', { blocked_by: ['1'] }, { team: 'crew' }),
  created('4', { blocked_by: ['1', '2'] }, { team: 'crew' }),
  created('5', { status: 'deleted' }, { team: 'crew' }),
  created('6', { status: 'in_progress', metadata: { _internal: true } }, { team: 'crew' }),
  created('7', { blocked_by: ['5'] }, { team: 'crew' }),
  created('8', { blocked_by: ['99'] }, { team: 'crew' }),
  created('9', { status: 'in_progress', blocked_by: ['2'] }, { team: 'crew' }),
  created('10', { blocked_by: ['11'], blocks: ['11'] }, { team: 'crew' }),
  created('11', { status: 'completed' }, { team: 'crew' }),
  created('12', { status: 'deleted', metadata: { _internal: true } }, { team: 'crew' }),
  updated('13', { subject: 'of unknown state' }, { team: 'crew' }),
  created('1', { owner: 'team-lead', metadata: { _internal: 'so they say' } }, { session: other }),
  todo(1, { subject: 'x', status: 'pending' }, { session: other }),
  shell('b1'),
  shell('b2'),
  finished('b2', { status: 'failed' }, { agent: 'main' }),
]);

const nothing: TaskQuery = {
  kind: [],
  status: [],
  owner: [],
  team: null,
  session: null,
  open: false,
  ready: false,
  blocked: false,
  all: false,
};

describe('asked for', () => {
  const board = ['1', '2', '3', '4', '7', '8', '9', '10', '11', '13'];

  test.each<[name: string, query: Partial<TaskQuery>, ids: string[]]>([
    ['nothing in particular', {}, ['1', '1', ...board, 'b1', 'b2']],
    ['everything', { all: true }, rows.map(({ id }) => id)],
    ['the board', { kind: ['board'] }, ['1', ...board]],
    ['todos and background work', { kind: ['todo', 'background'] }, ['1', 'b1', 'b2']],
    ['a status', { status: ['completed'] }, ['1', '11']],
    ['two', { status: ['completed', 'failed'] }, ['1', '11', 'b2']],
    ['deleted ones, internal too', { status: ['deleted'] }, ['5', '12']],
    ['deleted ones and others', { status: ['deleted', 'in_progress'] }, ['2', '5', '9', '12', 'b1']],
    ['internal ones, with a status', { all: true, status: ['in_progress'] }, ['2', '6', '9', 'b1']],
    ['an owner', { owner: ['writer'] }, ['1']],
    ['an owner, by another name', { owner: ['@writer', 'reader@crew'] }, ['1', '2']],
    ['the lead, by either name', { owner: ['main'] }, ['1', '1', 'b1', 'b2']],
    ['an owner nobody has', { owner: ['nobody'] }, []],
    ['a team', { team: 'crew' }, [...board, 'b1', 'b2']],
    ['a session', { session: other }, ['1', '1']],
    ['a session and a kind', { session, kind: ['background'] }, ['b1', 'b2']],
    ['open ones', { open: true }, ['1', '1', '2', '3', '4', '7', '8', '9', '10', '13', 'b1']],
    ['ready ones', { ready: true }, ['1', '1', '3', '7']],
    ['blocked ones', { blocked: true }, ['4', '8', '9', '10']],
  ])('%s', (_name, query, ids) => {
    expect(rows.filter(taskFilter({ ...nothing, ...query }, rows)).map(({ id }) => id)).toEqual(ids);
  });
});

test('a pending task is ready or blocked', () => {
  const isReady = taskFilter({ ...nothing, ready: true }, rows);
  const isBlocked = taskFilter({ ...nothing, blocked: true }, rows);
  const pending = rows.filter(({ status }) => status === 'pending');
  expect(pending.filter((row) => isReady(row) === isBlocked(row))).toEqual([]);
});
