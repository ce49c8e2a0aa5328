import { expect, test } from 'vitest';
import { compareIds } from '../../../src/commands/tasks/rows.js';
import { created, other, pick, rowsOf, shell, todo } from './task-events.js';

test('numbers by what they count, before everything else', () => {
  const sorted = ['01', '1', '2', '10', '99999999999999999998', '99999999999999999999', 'a', 'b1', '🦊'];
  expect([...sorted].reverse().sort(compareIds)).toEqual(sorted);
});

test('rows stand by team, then kind, then id, in whichever order they came', () => {
  const events = [
    shell('b1'),
    created('10', {}, { team: 'crew', session: other }),
    todo(2, { subject: 'x' }),
    created('9', {}, { team: 'crew', session: other }),
    created('x'),
    created('3'),
    todo(1, { subject: 'y' }),
  ];
  const sorted = [
    [null, 'board', '3'],
    [null, 'board', 'x'],
    [null, 'todo', '1'],
    [null, 'todo', '2'],
    [null, 'background', 'b1'],
    ['crew', 'board', '9'],
    ['crew', 'board', '10'],
  ];
  expect(pick(rowsOf(events), 'team', 'kind', 'id')).toEqual(sorted);
  expect(pick(rowsOf([...events].reverse()), 'team', 'kind', 'id')).toEqual(sorted);
});
