import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { initialState, reduce, selectTasks } from '../../../src/lib.js';
import { readAll } from '../../laws/reading.js';
import { created, joined, pick, rowsOf, session, teamCreated, time, todo, updated } from './task-events.js';

describe('a board task', () => {
  test('from its creation to its end', () => {
    expect(
      rowsOf([
        teamCreated('crew', { session }),
        created('1', { subject: 'Write', description: 'All of it', active_form: 'Writing' }, { at: 1, team: 'crew' }),
        updated('1', { status: 'in_progress', owner: 'writer' }, { at: 3, team: 'crew' }),
        updated('1', { status: 'completed' }, { at: 8, team: 'crew' }),
      ]),
    ).toEqual([
      {
        kind: 'board',
        team: 'crew',
        session_id: session,
        id: '1',
        subject: 'Write',
        description: 'All of it',
        active_form: 'Writing',
        status: 'completed',
        owner: 'writer',
        blocked_by: [],
        blocks: [],
        ready: false,
        created_at: time(1),
        updated_at: time(8),
        started_at: time(3),
        completed_at: time(8),
        duration_ms: 5000,
        metadata: null,
      },
    ]);
  });

  test('seen first in an update is a row with nulls', () => {
    expect(rowsOf([updated('7', { status: 'in_progress' }, { at: 2 })])).toEqual([
      expect.objectContaining({
        id: '7',
        subject: null,
        owner: null,
        team: null,
        created_at: null,
        started_at: time(2),
      }),
    ]);
  });

  test('that is reopened is not completed', () => {
    const row = rowsOf([
      created('1', {}, { at: 1 }),
      updated('1', { status: 'in_progress' }, { at: 2 }),
      updated('1', { status: 'completed' }, { at: 3 }),
      updated('1', { status: 'in_progress' }, { at: 4 }),
    ]);
    expect(pick(row, 'status', 'started_at', 'completed_at', 'duration_ms')).toEqual([
      ['in_progress', time(2), null, null],
    ]);
  });

  test('is released when its owner is emptied', () => {
    expect(pick(rowsOf([created('1', { owner: 'writer' }), updated('1', { owner: '' })]), 'owner')).toEqual([[null]]);
  });

  test('an older record changes nothing, wherever it stands', () => {
    const done = updated('1', { status: 'completed', owner: 'b', subject: 'new' }, { at: 9 });
    const claim = updated('1', { status: 'in_progress', owner: 'a', subject: 'old' }, { at: 5 });
    for (const events of [
      [claim, done],
      [done, claim],
    ])
      expect(pick(rowsOf(events), 'status', 'owner', 'subject', 'started_at', 'completed_at')).toEqual([
        ['completed', 'b', 'new', time(5), time(9)],
      ]);
  });

  test('a hook or file without time that only says it is there takes nothing back', () => {
    const rows = rowsOf([
      created('1', {}, { at: 1 }),
      updated('1', { status: 'completed' }, { at: 2 }),
      created('1', { subject: 'Write' }, { call: null }),
    ]);
    expect(pick(rows, 'status', 'subject', 'completed_at')).toEqual([['completed', 'Write', time(2)]]);
  });

  test.each<[owner: string, shown: string]>([
    ['writer', 'writer'],
    ['awriter-1', 'writer'],
    ['writer@crew', 'writer'],
    ['@writer', 'writer'],
    ['nobody@crew', 'nobody'],
    ['team-lead', 'team-lead'],
    ['main', 'team-lead'],
  ])('of %s is shown as of %s', (owner, shown) => {
    const rows = rowsOf([
      teamCreated('crew'),
      joined('writer', 'awriter-1', 'teammate', { team: 'crew' }),
      created('1', { owner }, { team: 'crew' }),
    ]);
    expect(pick(rows, 'owner')).toEqual([[shown]]);
  });
});

describe('metadata', () => {
  test.each<[name: string, changes: Record<string, unknown>[], shown: unknown]>([
    ['is merged', [{ a: 1 }, { b: [2] }], { a: 1, b: [2] }],
    ['the last value of a key counts', [{ a: 1 }, { a: 2 }], { a: 2 }],
    ['null deletes a key', [{ a: 1, b: 2 }, { a: null }], { b: 2 }],
    ['a key may come back', [{ a: 1 }, { a: null }, { a: 3 }], { a: 3 }],
    ['nothing left is not nothing said', [{ a: 1 }, { a: null }], {}],
    [
      'keys are data',
      [JSON.parse('{"__proto__":{"x":1},"constructor":2}')],
      JSON.parse('{"__proto__":{"x":1},"constructor":2}'),
    ],
  ])('%s', (_name, changes, shown) => {
    const [row] = rowsOf(changes.map((metadata) => updated('1', { metadata })));
    expect(JSON.stringify(row?.metadata)).toBe(JSON.stringify(shown));
  });
});

describe('dependencies', () => {
  const three = [created('1'), created('2'), created('3')];
  const state = (events: Parameters<typeof rowsOf>[0]) => pick(rowsOf(events), 'id', 'blocked_by', 'blocks', 'ready');

  test('show on both tasks, whichever was updated', () => {
    const both = [
      ['1', [], ['3'], true],
      ['2', [], ['3'], true],
      ['3', ['1', '2'], [], false],
    ];
    expect(state([...three, updated('3', { blocked_by: ['2', '1'] })])).toEqual(both);
    expect(state([...three, updated('1', { blocks: ['3'] }), updated('2', { blocks: ['3'] })])).toEqual(both);
    expect(state([...three, updated('1', { blocks: ['3'] }), updated('3', { blocked_by: ['1', '2'] })])).toEqual(both);
  });

  test('what is added stays: a list shows only open blockers', () => {
    expect(state([created('1'), created('2', { blocked_by: ['1'] }), updated('2', { blocked_by: [] })])[1]).toEqual([
      '2',
      ['1'],
      [],
      false,
    ]);
  });

  test.each<[name: string, blocker: Parameters<typeof rowsOf>[0], ready: boolean]>([
    ['pending', [created('1')], false],
    ['in progress', [created('1', { status: 'in_progress' })], false],
    ['completed', [created('1', { status: 'completed' })], true],
    ['deleted', [created('1'), updated('1', { status: 'deleted' })], true],
    ['unknown', [], false],
  ])('a task whose blocker is %s', (_name, blocker, ready) => {
    const row = rowsOf([...blocker, created('2', { blocked_by: ['1'] })]).find(({ id }) => id === '2');
    expect(row?.ready).toBe(ready);
  });

  test.each(['in_progress', 'completed', 'deleted'])('nothing %s is ready', (status) => {
    expect(rowsOf([created('1', { status })])[0]?.ready).toBe(false);
  });

  test('nothing in a cycle is ready, also when part of it is done; what a deletion broke is no cycle', () => {
    const ring = [created('1', { blocked_by: ['2'] }), created('2', { blocked_by: ['1'] })];
    expect(state(ring)).toEqual([
      ['1', ['2'], ['2'], false],
      ['2', ['1'], ['1'], false],
    ]);
    expect(state([...ring, updated('1', { status: 'completed' })])[1]?.[3]).toBe(false);
    expect(state([...ring, updated('1', { status: 'deleted' })])[1]?.[3]).toBe(true);
    expect(state([created('1', { blocked_by: ['1'] })])[0]?.[3]).toBe(false);
  });

  test('adding one is a change of the task it was added to', () => {
    const rows = rowsOf([
      created('1', {}, { at: 1 }),
      created('2', {}, { at: 2 }),
      updated('2', { blocked_by: ['1'] }, { at: 5 }),
    ]);
    expect(pick(rows, 'id', 'updated_at')).toEqual([
      ['1', time(1)],
      ['2', time(5)],
    ]);
  });
});

describe('todos', () => {
  test('each agent has its own list, apart from the board', () => {
    const rows = rowsOf([
      created('1', { subject: 'on the board' }),
      todo(1, { subject: 'mine', status: 'pending' }),
      todo(1, { subject: 'theirs', status: 'in_progress' }, { agent: 'a1' }),
      todo(2, { subject: 'mine too', status: 'completed' }),
    ]);
    expect(pick(rows, 'kind', 'id', 'owner', 'subject', 'ready')).toEqual([
      ['board', '1', null, 'on the board', true],
      ['todo', '1', 'a1', 'theirs', false],
      ['todo', '1', 'main', 'mine', true],
      ['todo', '2', 'main', 'mine too', false],
    ]);
  });

  test('the main conversation keeps its list when it comes to lead a team', () => {
    const rows = rowsOf([
      todo(1, { subject: 'a', status: 'pending' }),
      todo(2, { subject: 'b', status: 'pending' }),
      teamCreated('crew'),
      todo(1, { subject: 'a', status: 'completed' }, { agent: 'team-lead@crew', team: 'crew' }),
    ]);
    expect(pick(rows, 'id', 'owner', 'status', 'team')).toEqual([
      ['1', 'team-lead', 'completed', 'crew'],
      ['2', 'team-lead', 'pending', 'crew'],
    ]);
  });

  test('another subject at the same place is another todo, with times of its own', () => {
    const rows = rowsOf([
      todo(1, { subject: 'a', status: 'in_progress' }, { at: 1 }),
      todo(1, { subject: 'a', status: 'completed' }, { at: 2 }),
      todo(1, { subject: 'b', status: 'pending' }, { at: 3 }),
      todo(1, { subject: 'b', status: 'in_progress' }, { at: 4 }),
      todo(1, { subject: 'b', status: 'completed' }, { at: 6 }),
    ]);
    expect(pick(rows, 'subject', 'started_at', 'completed_at', 'duration_ms')).toEqual([['b', time(4), time(6), 2000]]);
  });

  test('an older todo at that place, told later, changes nothing', () => {
    const rows = rowsOf([
      todo(1, { subject: 'b', status: 'in_progress' }, { at: 4 }),
      todo(1, { subject: 'a', status: 'in_progress' }, { at: 1 }),
    ]);
    expect(pick(rows, 'subject', 'status', 'started_at')).toEqual([['b', 'in_progress', time(4)]]);
  });
});

test('an empty input has no rows', () => {
  expect(selectTasks(initialState)).toEqual([]);
});

describe('the files of a team', () => {
  const homes = readdirSync('fixtures/files').filter((home) => /^team-\d/.test(home) && !home.endsWith('.json'));

  test.each(homes)('%s: in any order, with or without the task files, one board', (home) => {
    const files = readdirSync(`fixtures/files/${home}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.jsonl?$/.test(file))
      .sort();
    const told = (list: readonly string[]) => {
      const parts = list.map((path) => ({ path, bytes: readFileSync(`fixtures/files/${home}/${path}`) }));
      const { events } = readAll(parts);
      const rows = selectTasks(events.reduce(reduce, initialState));
      return rows.filter(({ metadata }) => metadata?.['_internal'] !== true);
    };
    const whole = told(files);
    expect(pick(whole, 'id', 'status', 'owner', 'blocked_by', 'ready')).toEqual([
      ['1', 'completed', 'researcher', [], false],
      ['2', 'completed', 'writer', [], false],
      ['3', 'pending', null, ['1', '2'], true],
    ]);
    expect(told([...files].reverse())).toEqual(whole);
    expect(told(files.filter((file) => !file.startsWith('tasks/')))).toEqual(whole);
    const alone = told(files.filter((file) => file.startsWith('tasks/')));
    expect(pick(alone, 'id', 'status', 'owner', 'blocks', 'metadata')).toEqual(
      pick(whole, 'id', 'status', 'owner', 'blocks', 'metadata'),
    );
  });
});
