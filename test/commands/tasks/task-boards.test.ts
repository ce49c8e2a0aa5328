import { describe, expect, test } from 'vitest';
import { created, other, pick, rowsOf, session, type TaskEvent, teamCreated, updated } from './task-events.js';

const implicit = `session-${session.slice(0, 8)}`;
const made = created('1', { subject: 'a' });
const third = '3ad00000-0000-4000-8000-000000000003';

describe('one board', () => {
  test.each<[name: string, events: TaskEvent[], team: string | null, session: string | null]>([
    ['of a session without a team', [made, updated('1', { owner: 'x' })], null, session],
    [
      'of a session before and after its agents make it a team',
      [made, teamCreated(implicit, { protocol: 'implicit' }), updated('1', { owner: 'x' }, { team: implicit })],
      implicit,
      session,
    ],
    [
      'of a session before and after it makes a team',
      [made, teamCreated('crew'), updated('1', { owner: 'x' }, { team: 'crew' })],
      'crew',
      session,
    ],
    [
      'of a session whose agents were read before it made its team',
      [
        teamCreated(implicit, { protocol: 'implicit' }),
        updated('1', { owner: 'x' }, { team: implicit }),
        teamCreated('crew'),
        created('1', { subject: 'a' }, { team: 'crew' }),
      ],
      'crew',
      session,
    ],
    [
      'of a session and the files of its team',
      [
        created('1', { subject: 'a' }, { session: null, team: 'crew', call: null }),
        teamCreated('crew'),
        updated('1', { owner: 'x' }, { team: 'crew' }),
      ],
      'crew',
      session,
    ],
    [
      'of a session and files named after it',
      [updated('1', { owner: 'x' }), created('1', { subject: 'a' }, { session: null, team: implicit, call: null })],
      null,
      session,
    ],
    [
      'of a team and a teammate in a session of its own',
      [
        updated('1', { owner: 'x' }, { session: other, team: 'crew' }),
        teamCreated('crew'),
        created('1', { subject: 'a' }, { team: 'crew' }),
      ],
      'crew',
      session,
    ],
    [
      'of teammates whose lead is not in the input',
      [
        created('1', { subject: 'a' }, { session: other, team: 'crew' }),
        updated('1', { owner: 'x' }, { session: third, team: 'crew' }),
      ],
      'crew',
      null,
    ],
    [
      'of one such teammate',
      [created('1', { subject: 'a', owner: 'x' }, { session: other, team: 'crew' })],
      'crew',
      other,
    ],
    ['of task files', [created('1', { subject: 'a', owner: 'x' }, { session: null, team: 'crew' })], 'crew', null],
    [
      'of records that name no session',
      [
        created('1', { subject: 'a' }, { session: null }),
        teamCreated('crew', { session: null }),
        updated('1', { owner: 'x' }, { session: null, team: 'crew' }),
      ],
      'crew',
      null,
    ],
  ])('%s', (_name, events, team, session_id) => {
    expect(pick(rowsOf(events), 'id', 'subject', 'owner', 'team', 'session_id')).toEqual([
      ['1', 'a', 'x', team, session_id],
    ]);
  });

  test('dependencies told in one place hold in the other', () => {
    const rows = rowsOf([
      created('1', { blocks: ['2'] }, { session: null, team: 'crew', call: null }),
      teamCreated('crew'),
      created('2', {}, { team: 'crew' }),
    ]);
    expect(pick(rows, 'id', 'blocked_by', 'blocks', 'ready')).toEqual([
      ['1', [], ['2'], true],
      ['2', ['1'], [], false],
    ]);
  });

  test('what a file shows was left behind, after all that happened; of two the further one', () => {
    const team = [teamCreated('crew'), created('1', { subject: 'a' }, { at: 1, team: 'crew' })];
    const file = (status = 'completed') => ({
      ...created('1', { status }, { session: null, team: 'crew', call: null }),
      on_disk: true as const,
    });
    const claim = () => updated('1', { status: 'in_progress' }, { at: 2, team: 'crew' });
    expect(pick(rowsOf([...team, claim(), file()]), 'status')).toEqual([['completed']]);
    expect(pick(rowsOf([...team, file(), claim()]), 'status')).toEqual([['completed']]);
    expect(pick(rowsOf([...team, file(), file('in_progress'), claim()]), 'status')).toEqual([['completed']]);
    expect(pick(rowsOf([...team, file('pending'), claim()]), 'status')).toEqual([['pending']]);
  });
});

describe('boards of their own', () => {
  test('two sessions', () => {
    expect(pick(rowsOf([made, created('1', { subject: 'b' }, { session: other })]), 'subject', 'session_id')).toEqual([
      ['b', other],
      ['a', session],
    ]);
  });

  test('two sessions that each make a team of one name, and files that could be of either', () => {
    const rows = rowsOf([
      teamCreated('crew'),
      teamCreated('crew', { session: other }),
      created('1', { subject: 'a' }, { team: 'crew' }),
      created('1', { subject: 'b' }, { team: 'crew', session: other }),
      created('1', { subject: 'c' }, { team: 'crew', session: null }),
    ]);
    expect(pick(rows, 'team', 'session_id', 'subject')).toEqual([
      ['crew', null, 'c'],
      ['crew', other, 'b'],
      ['crew', session, 'a'],
    ]);
  });

  test('two teams one after the other in one session', () => {
    const rows = rowsOf([
      teamCreated('crew'),
      created('1', { subject: 'a' }, { team: 'crew' }),
      teamCreated('next'),
      created('1', { subject: 'b' }, { team: 'next' }),
    ]);
    expect(pick(rows, 'team', 'subject')).toEqual([
      ['crew', 'a'],
      ['next', 'b'],
    ]);
  });
});
