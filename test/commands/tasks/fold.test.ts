import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { copyState, reduce, type State } from '../../../src/core/tables/reduce.js';
import { versionOf } from '../../../src/core/tables/table.js';
import type { Event, TaskChange } from '../../../src/lib.js';
import { check } from '../../laws/check.js';
import {
  created,
  finished,
  fold,
  progressed,
  rowsOf,
  shell,
  started,
  type TaskEvent,
  teamCreated,
  time,
  todo,
  updated,
} from './task-events.js';

/** One event of each kind that changes tasks. */
const samples: readonly TaskEvent[] = [
  teamCreated('crew'),
  created('1', { subject: 'a', metadata: { size: 1 }, blocked_by: ['2'] }, { at: 1 }),
  created('1', { subject: 'a', metadata: { size: 1 }, blocked_by: ['2'] }),
  updated('1', { status: 'in_progress', owner: 'writer', blocks: ['3'] }, { at: 2, team: 'crew' }),
  todo(1, { subject: 'a', status: 'pending' }),
  started('a1', { background: true, run_id: 'r1', description: 'd' }),
  shell('b1'),
  progressed('a1', { background: true, status: 'running' }),
  finished('a1', { run_id: 'r1', duration_ms: 5 }, { at: 3 }),
];

test.each(samples.map((event): [string, TaskEvent] => [event.event, event]))(
  'the same %s again changes nothing',
  (_name, event) => {
    const once = fold([event]);
    const [before, version] = [copyState(once), versionOf(once.tasks)];
    expect(version).toBeGreaterThan(0);
    expect(tablesOf(fold([event], once))).toEqual(tablesOf(before));
    expect([versionOf(once.tasks), once.isStale]).toEqual([version, false]);
  },
);

test('an event of something else changes nothing', () => {
  const state = fold(samples);
  const text: Event = { ...envelope, event: 'text:produced', message_id: null, model: null, text: 'x' };
  const [before, version] = [copyState(state), versionOf(state.tasks)];
  reduce(state, text);
  expect(tablesOf(state)).toEqual(tablesOf(before));
  expect([versionOf(state.tasks), state.isStale]).toEqual([version, false]);
});

const envelope = {
  cct: 1,
  seq: 1,
  time: null,
  session_id: null,
  team: null,
  agent: 'main',
  line: 1,
  source: undefined,
} as const;

test('a copy of a state stays as it was', () => {
  const state = fold(samples.slice(0, 4));
  const [copy, before] = [copyState(state), tablesOf(state)];
  fold(samples, state);
  expect(tablesOf(copy)).toBe(before);
  expect(tablesOf(state)).not.toBe(before);
});

function tablesOf({ tasks }: State): string {
  return JSON.stringify(Object.entries(tasks).map(([name, table]) => [name, table.entries()]));
}

test('the state is plain JSON in tables', () => {
  const { changes, work, runs, teams } = fold(samples).tasks;
  for (const table of [changes, work, runs, teams]) {
    expect(table.size).toBeGreaterThan(0);
    expect(JSON.parse(JSON.stringify(table.entries()))).toEqual(table.entries());
  }
});

const change = fc.record({
  id: fc.constantFrom('1', '2', '3'),
  status: fc.option(fc.constantFrom('pending', 'in_progress', 'completed', 'deleted'), { nil: null }),
  owner: fc.option(fc.constantFrom('writer', 'reader', ''), { nil: null }),
  subject: fc.option(fc.constantFrom('a', 'b'), { nil: null }),
  blocked_by: fc.option(fc.subarray(['1', '2', '3']), { nil: null }),
  metadata: fc.option(fc.dictionary(fc.constantFrom('x', 'y'), fc.option(fc.nat(2), { nil: null })), { nil: null }),
  at: fc.option(fc.nat(9), { nil: null }),
  kind: fc.constantFrom('created', 'updated', 'todo'),
});

const events: fc.Arbitrary<TaskEvent[]> = fc
  .array(change, { maxLength: 14 })
  .map((changes) =>
    changes.map(({ id, at, kind, ...task }) =>
      kind === 'created'
        ? created(id, task, { at })
        : kind === 'updated'
          ? updated(id, task, { at })
          : todo(Number(id), todoOf(task), { at }),
    ),
  );

/** TodoWrite tells all of a todo, or that there is none at its place any more. */
function todoOf({ subject, status }: { subject: string | null; status: string | null }): Partial<TaskChange> {
  return status === 'deleted' ? { status } : { subject: subject ?? 'c', status: status ?? 'pending' };
}

describe('any events', () => {
  test('twice are once', () => {
    check(
      fc.property(events, (list) => {
        const untimed = (rows: ReturnType<typeof rowsOf>) =>
          rows.map(
            ({ updated_at: _u, completed_at: _c, started_at: _s, created_at: _n, duration_ms: _d, ...row }) => row,
          );
        expect(untimed(rowsOf([...list, ...list]))).toEqual(untimed(rowsOf(list)));
      }),
      300,
    );
  });

  test('twice are once, times too, where every event has one', () => {
    check(
      fc.property(events, (list) => {
        const timed = list.map((event, second) => ({ ...event, time: event.time ?? time(20 + second) }));
        expect(rowsOf([...timed, ...timed])).toEqual(rowsOf(timed));
      }),
      300,
    );
  });

  test('in any order are the same board, where every event has a time of its own', () => {
    check(
      fc.property(
        events.chain((list) => {
          const board = list.filter((event) => !('kind' in event) || event.kind === 'board');
          const timed = board.map((event, second) => ({ ...event, time: time(second) }));
          const order = fc.shuffledSubarray(timed, { minLength: timed.length });
          return fc.tuple(fc.constant(timed), order);
        }),
        ([timed, shuffled]) => {
          const said = (rows: ReturnType<typeof rowsOf>) =>
            rows.map(({ updated_at: _u, completed_at: _c, duration_ms: _d, ...row }) => row);
          expect(said(rowsOf(shuffled))).toEqual(said(rowsOf(timed)));
        },
      ),
      300,
    );
  });
});

test('20,000 tasks take linear time', () => {
  const spent = (tasks: number) => {
    const list = Array.from({ length: tasks }, (_, at) => `${at + 1}`).flatMap((id) => [
      created(id, { subject: `task ${id}`, blocked_by: [`${Number(id) - 1}`] }, { at: 1 }),
      updated(id, { status: 'in_progress', owner: 'writer' }, { at: 2 }),
      updated(id, { status: 'completed', metadata: { id } }, { at: 3 }),
    ]);
    expect(rowsOf(list)).toHaveLength(tasks);
  };
  // Quadratic would not end within the time a test has.
  spent(20_000);
});
