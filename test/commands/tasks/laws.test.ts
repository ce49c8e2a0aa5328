// That the rows are the same of events, and of a stream that comes twice, is a law of all commands: laws/commands.test.ts.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Event, initialState, reduce, selectTasks, type TaskRow } from '../../../src/lib.js';
import { check } from '../../laws/check.js';
import { readText } from '../../laws/reading.js';
import { ndjson, streams } from '../../streams.js';

test('events that are told twice are told once, but for their times', () => {
  check(
    fc.property(streams(), (records) => {
      const { events } = readText(ndjson(records));
      expect(rowsOf([...events, ...events]).map(untimed)).toEqual(rowsOf(events).map(untimed));
    }),
    50,
    150,
  );
});

test('any part of a stream is a board, and the generated streams have tasks of every kind', () => {
  const kinds = new Set<string>();
  check(
    fc.property(streams(), fc.nat(60), fc.nat(60), (records, from, length) => {
      const rows = rowsOf(readText(ndjson(records.slice(from, from + length))).events);
      expect(new Set(rows.map(keyOf)).size).toBe(rows.length);
      for (const { kind } of rows) kinds.add(kind);
    }),
    150,
  );
  expect([...kinds].sort()).toEqual(['background', 'board', 'todo']);
});

function rowsOf(events: readonly Event[]): TaskRow[] {
  return selectTasks(events.reduce(reduce, initialState), { all: true });
}

function keyOf({ kind, team, session_id, id, owner }: TaskRow): string {
  return JSON.stringify([kind, team, session_id, id, kind === 'todo' ? owner : null]);
}

function untimed({
  updated_at: _u,
  started_at: _s,
  completed_at: _c,
  created_at: _n,
  duration_ms: _d,
  ...row
}: TaskRow) {
  return row;
}
