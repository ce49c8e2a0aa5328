import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kanban } from '../../../src/commands/tasks/drawings.js';
import { displayWidth } from '../../../src/view/text.js';
import { check } from '../../laws/check.js';
import { hostileTask, task } from './task-rows.js';

const wide = Number.POSITIVE_INFINITY;

const board = [
  task('1', { subject: 'Survey the sources', status: 'completed', owner: 'researcher' }),
  task('2', { subject: 'Write the summary', status: 'in_progress', owner: 'writer' }),
  task('3', { subject: 'Review the report', blocked_by: ['1', '2'] }),
  task('10', { subject: null, ready: true, blocked_by: ['1'], owner: 'writer' }),
];

describe('a board', () => {
  test('has a column for each status, and a card for each task', () => {
    expect(`\n${kanban(board, wide)}`).toBe(`
crew · board
PENDING (2)          IN PROGRESS (1)      COMPLETED (1)
3 Review the report  2 Write the summary  1 Survey the sources
  after 1, 2           writer               researcher
10
  writer
`);
  });

  test('has further columns only where there is something in them', () => {
    const rows = [task('1', { status: 'deleted' }), task('2', { status: null })];
    expect(`\n${kanban(rows, wide)}`).toBe(`
crew · board
PENDING (0)  IN PROGRESS (0)  COMPLETED (0)  DELETED (1)  UNKNOWN (1)
                                             1 task 1     2 task 2
`);
  });

  test('has no pending column for what runs in the background', () => {
    const rows = [task('b1', { kind: 'background', status: 'failed', subject: 'make' })];
    expect(`\n${kanban(rows, wide)}`).toBe(`
crew · background
IN PROGRESS (0)  COMPLETED (0)  FAILED (1)
                                b1 make
`);
  });

  test('stands apart for each team, session and kind', () => {
    const rows = [task('1'), task('1', { kind: 'todo' }), task('1', { team: null, session_id: 's1' }), task('2')];
    const headings = kanban(rows, wide)
      .split('\n')
      .filter((line) => line.includes('·'));
    expect(headings).toEqual(['crew · board', 'crew · todo', 's1 · board']);
    expect(kanban([task('1', { team: null })], wide).split('\n')[0]).toBe('board');
  });

  test('is cut to the width there is', () => {
    expect(`\n${kanban(board, 40)}`).toBe(`
crew · board
PENDING (2)   IN PROGRESS…  COMPLETED (…
3 Review th…  2 Write the…  1 Survey th…
  after 1, 2    writer        researcher
10
  writer
`);
  });

  test('is nothing without tasks', () => {
    expect(kanban([], wide)).toBe('');
  });
});

test('whatever is in the rows, no line is too wide and nothing in it acts', () => {
  check(
    fc.property(fc.array(hostileTask, { maxLength: 5 }), fc.integer({ min: 1, max: 90 }), (rows, width) => {
      const text = kanban(rows, width);
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Cs}\u200b\u2060\ufeff]/u);
      for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    }),
    300,
  );
});
