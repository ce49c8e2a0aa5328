import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tasks } from '../../src/commands/tasks/command.js';
import { noTasks, reduceTasks } from '../../src/commands/tasks/fold.js';
import { type TaskRow, taskRows } from '../../src/commands/tasks/rows.js';
import type { Event } from '../../src/core/event/event.js';
import { noAgents, reduceAgents } from '../../src/core/state/agents.js';
import { check } from '../laws/check.js';
import { all, homes, type Input, sessions } from '../laws/inputs.js';
import { readAll, readText, written } from '../laws/reading.js';
import { cct } from '../run.js';
import { ndjson, streams } from '../streams.js';

const interest = tasks.interest({});

describe('normalize | tasks is tasks', () => {
  test.each(all)('$name', ({ parts }) => {
    const back = readText(written(readAll(parts).events)).events;
    expect(rowsOf(back)).toEqual(rowsOf(readAll(parts, { interest }).events));
  });

  test('of any stream', () => {
    check(
      fc.property(streams(), (records) => {
        const text = ndjson(records);
        const back = readText(written(readText(text).events)).events;
        expect(rowsOf(back)).toEqual(rowsOf(readText(text, { interest }).events));
      }),
      150,
    );
  });

  /** Every flag that chooses rows, with values that choose some and leave some. */
  const flags = [
    '--kind board',
    '--kind background,todo',
    '--status pending,completed',
    '--status deleted',
    '--owner writer,main',
    '--team report-crew',
    '--session 314aac79-5f04-44e3-99f3-66f4f5a982a7',
    '--open',
    '--ready',
    '--blocked',
    '--all',
    '--open --kind board --owner writer',
    '--since 2026-11-15T23:29:19Z --until 2026-11-16',
    '--fields id,status,updated_at',
    '--board',
    '--format mermaid',
    '--format dot',
    '--format csv',
  ];

  test.each(flags)('with %s', async (flag) => {
    const shown = new Set<string>();
    for (const input of withTasks) {
      const { words, stdin } = asTyped(input);
      const direct = await cct(['tasks', ...flag.split(' '), ...words], stdin);
      expect((await cct(['tasks', ...flag.split(' ')], eventsOf(input))).stdout).toBe(direct.stdout);
      shown.add(direct.stdout);
    }
    expect(shown.size).toBeGreaterThan(1);
  });
});

const specimens = /(?:task-update-deleted|todo-write|started-ambient|file-task-internal)\.ndjson$/;
const withTasks = [...sessions, ...homes, ...all.filter(({ name }) => specimens.test(name))].filter(
  ({ parts }) => rowsOf(readAll(parts).events).length > 0,
);

const normalized = new Map(withTasks.map((input) => [input, written(readAll(input.parts).events)]));

function eventsOf(input: Input): string {
  return normalized.get(input) ?? '';
}

describe('twice is once', () => {
  test.each(all)('$name', ({ parts }) => {
    const whole = parts.map(({ path, bytes }) => ({ path, bytes: Buffer.concat([bytes, Buffer.from('\n')]) }));
    expect(rowsOf(readAll([...whole, ...whole]).events)).toEqual(rowsOf(readAll(whole).events));
  });

  test('of any stream', () => {
    check(
      fc.property(streams(), (records) => {
        const { events } = readText(ndjson(records));
        expect(rowsOf(readText(ndjson([...records, ...records])).events)).toEqual(rowsOf(events));
        expect(rowsOf([...events, ...events]).map(untimed)).toEqual(rowsOf(events).map(untimed));
      }),
      150,
    );
  });
});

test('any part of a stream is a board', () => {
  check(
    fc.property(streams(), fc.nat(60), fc.nat(60), (records, from, to) => {
      const rows = rowsOf(readText(ndjson(records.slice(from, to))).events);
      expect(new Set(rows.map(keyOf)).size).toBe(rows.length);
    }),
    150,
  );
});

test('the generated streams have tasks of every kind', () => {
  const kinds = new Set<string>();
  check(
    fc.property(streams(), (records) => {
      for (const { kind } of rowsOf(readText(ndjson(records)).events)) kinds.add(kind);
    }),
    150,
  );
  expect([...kinds].sort()).toEqual(['background', 'board', 'todo']);
});

function rowsOf(events: readonly Event[]): TaskRow[] {
  return taskRows(events.reduce(reduceTasks, noTasks), events.reduce(reduceAgents, noAgents), { all: true });
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

/** Files by their names, where what they hold depends on them. */
function asTyped({ name, parts }: Input): { words: string[]; stdin: string } {
  const files = parts.flatMap(({ path }) => (path === null ? [] : [`fixtures/${name}/${path}`]));
  return { words: files, stdin: files.length > 0 ? '' : (parts[0]?.bytes.toString() ?? '') };
}
