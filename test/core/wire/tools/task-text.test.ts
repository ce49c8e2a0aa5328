import { expect, test } from 'vitest';
import { tasksInText } from '../../../../src/core/wire/tools/task.js';
import { cpuSeconds } from '../../../cpu-seconds.js';

test.each<[string, object[]]>([
  ['#1 [pending] Survey', [{ id: '1', status: 'pending', subject: 'Survey', blockedBy: [] }]],
  [
    '#2 [in_progress] Write (writer)',
    [{ id: '2', status: 'in_progress', subject: 'Write', owner: 'writer', blockedBy: [] }],
  ],
  [
    '#3 [pending] Review [blocked by #1, #2]',
    [{ id: '3', status: 'pending', subject: 'Review', blockedBy: ['1', '2'] }],
  ],
  [
    '#3 [pending] Review (a b) [blocked by #1]',
    [{ id: '3', status: 'pending', subject: 'Review', owner: 'a b', blockedBy: ['1'] }],
  ],
  [
    '#4 [completed] Fix (really) the [bug] (writer)',
    [{ id: '4', status: 'completed', subject: 'Fix (really) the [bug]', owner: 'writer', blockedBy: [] }],
  ],
  ['  #a-1 [pending] x  \r', [{ id: 'a-1', status: 'pending', subject: 'x', blockedBy: [] }]],
  [
    '#1 [pending] a\n\nno task\n#2 [pending] b',
    [
      { id: '1', status: 'pending', subject: 'a', blockedBy: [] },
      { id: '2', status: 'pending', subject: 'b', blockedBy: [] },
    ],
  ],
  ['No tasks found', []],
  ['# [pending] x', []],
  ['#1 pending x', []],
  ['', []],
])('%j', (text, tasks) => {
  expect(tasksInText(text)).toEqual(tasks);
});

test('a hostile subject takes no time', () => {
  const texts = [' [blocked by'.repeat(50_000), ' (x'.repeat(100_000)].map((subject) => `#1 [pending] ${subject}`);
  expect(cpuSeconds(() => texts.map(tasksInText))).toBeLessThan(5);
});
