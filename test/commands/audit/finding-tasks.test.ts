import { describe, expect, test } from 'vitest';
import { findings, inShort, Story } from './finding-story.js';

describe.each<[name: string, wrong: (story: Story) => void, right: (story: Story) => void, expected: string]>([
  [
    'an owner who is not in the team',
    (story) => {
      story.team('crew');
      story.mate('writer', 'crew');
      story.update(story.task(), { owner: 'ghost' });
    },
    (story) => {
      story.team('crew');
      story.mate('writer', 'crew');
      story.update(story.task(), { owner: 'writer' });
      story.update(story.task(), { owner: 'team-lead' });
      story.update(story.task(), { owner: 'writer@crew' });
    },
    'unknown_owner | ghost | 1 | no agent in the team is called ghost',
  ],
  [
    'an owner nobody knows among the agents of a session',
    (story) => {
      story.agent('writer');
      story.update(story.task(), { owner: 'ghost' });
    },
    (story) => story.update(story.task(), { owner: 'me' }),
    'unknown_owner | ghost | 1 | no agent in the team is called ghost',
  ],
  [
    'an owner the program does not know',
    (story) =>
      story.call(
        'TaskUpdate',
        { taskId: '1', owner: 'ghost' },
        { success: false, error: 'agent_not_found', message: 'No such agent' },
      ),
    (story) => story.update('1', { owner: 'ghost' }),
    'unknown_owner | main | 1 | TaskUpdate: No such agent (agent_not_found)',
  ],
  [
    'a completed task taken up again',
    (story) => {
      const id = story.task();
      story.update(id, { status: 'completed' });
      story.update(id, { status: 'in_progress' });
    },
    (story) => {
      const id = story.task();
      story.update(id, { status: 'in_progress' });
      story.update(id, { status: 'completed' });
      story.update(id, { status: 'deleted' });
    },
    'status_backwards | main | 1 | completed → in_progress',
  ],
  [
    'a task given up, as the result says it',
    (story) => story.update('1', { status: 'pending' }, { from: 'in_progress' }),
    (story) => story.update('1', { status: 'pending', owner: '' }, { from: 'in_progress' }),
    'status_backwards | main | 1 | in_progress → pending',
  ],
  [
    'a status the program does not allow',
    (story) =>
      story.call(
        'TaskUpdate',
        { taskId: '1', status: 'pending' },
        { success: false, error: 'invalid_status', message: 'No' },
      ),
    (story) => story.update('1', { status: 'pending' }),
    'status_backwards | main | 1 | TaskUpdate: No (invalid_status)',
  ],
  [
    'tasks that wait for each other',
    (story) => {
      for (let at = 0; at < 3; at++) story.task();
      story.update('2', { addBlockedBy: ['1'] });
      story.update('3', { addBlockedBy: ['2'] });
      story.update('3', { addBlocks: ['1'] });
    },
    (story) => {
      for (let at = 0; at < 3; at++) story.task();
      story.update('2', { addBlockedBy: ['1'] });
      story.update('3', { addBlockedBy: ['1', '2'] });
      story.update('1', { addBlocks: ['3'] });
    },
    'circular_dependency | main | 3 | 1, 2, 3 wait for each other',
  ],
  [
    'a task that waits for itself',
    (story) => story.update(story.task(), { addBlockedBy: ['1'] }),
    (story) => {
      // A deleted task holds up nobody.
      story.update(story.task(), { addBlockedBy: ['1'] });
      story.update('1', { status: 'deleted' });
    },
    'circular_dependency | main | 1 | 1 waits for itself',
  ],
  [
    'a cycle the program refused',
    (story) =>
      story.call('TaskUpdate', { taskId: '1', addBlocks: ['2'] }, null, { error: 'Circular task dependency detected' }),
    (story) => story.update('1', { addBlocks: ['2'] }),
    'circular_dependency | main | 1 | TaskUpdate: Circular task dependency detected (circular_dependency)',
  ],
  [
    'a task claimed while somebody has it',
    (story) => {
      const id = story.task();
      story.update(id, { status: 'in_progress', owner: 'writer' });
      story.update(id, { status: 'in_progress', owner: 'reader' });
    },
    (story) => {
      const id = story.task();
      story.update(id, { status: 'in_progress', owner: 'writer' });
      story.update(id, { status: 'in_progress', owner: 'writer' });
      // Handed over, then given back and taken by another.
      story.update(id, { owner: 'reader' });
      story.update(id, { status: 'pending', owner: '' });
      story.update(id, { status: 'in_progress', owner: 'writer' });
    },
    'two_owners | reader | 1 | claimed by reader while in progress by writer',
  ],
  [
    'a task two agents claim without a word of owners',
    (story) => {
      const [writer, reader] = [story.agent('writer'), story.agent('reader')];
      const id = story.task();
      story.update(id, { status: 'in_progress' }, { by: writer });
      story.update(id, { status: 'in_progress' }, { by: reader });
    },
    (story) => {
      const writer = story.agent('writer');
      const id = story.task();
      story.update(id, { status: 'in_progress' }, { by: writer });
      // The lead looks after it.
      story.update(id, { status: 'in_progress' });
      story.update(id, { status: 'completed' });
    },
    'two_owners | reader | 1 | claimed by reader while in progress by writer',
  ],
  [
    'a task taken from whoever has it',
    (story) => {
      const [writer, reader] = [story.agent('writer'), story.agent('reader')];
      const id = story.task();
      story.update(id, { status: 'in_progress', owner: 'writer' }, { by: writer });
      story.update(id, { owner: 'reader' }, { by: reader });
    },
    (story) => {
      const writer = story.agent('writer');
      story.agent('reader');
      const id = story.task();
      story.update(id, { status: 'in_progress', owner: 'writer' }, { by: writer });
      story.update(id, { owner: 'reader' }, { by: writer });
    },
    'two_owners | reader | 1 | claimed by reader while in progress by writer',
  ],
  [
    'a task without a description',
    (story) => story.call('TaskCreate', { subject: 'Write' }, { task: { id: '1', subject: 'Write' } }),
    (story) => story.task(),
    'missing_field | main | - | TaskCreate without description',
  ],
  [
    'an update of no task',
    (story) => story.call('TaskUpdate', { status: 'completed' }, null, { error: 'InputValidationError' }),
    (story) => story.call('TaskUpdate', { task_id: 1, status: 'completed' }, { success: true, taskId: '1' }),
    'missing_field | main | - | TaskUpdate without taskId: InputValidationError',
  ],
  [
    'a task that is not there',
    (story) =>
      story.call(
        'TaskUpdate',
        { taskId: '99', status: 'completed' },
        { success: false, taskId: '99', error: 'Task not found' },
      ),
    (story) => story.call('TaskGet', { taskId: '99' }, { task: { id: '99', subject: 'x', status: 'pending' } }),
    'failed_call | main | 99 | TaskUpdate: Task not found (task_not_found)',
  ],
  [
    'a subject that is too long',
    (story) => story.task('x'.repeat(201)),
    // 200 characters, whatever it takes to write them.
    (story) => story.task('😀'.repeat(200)),
    'long_subject | main | 1 | 201 characters of a task subject, limit 200',
  ],
  [
    'a description that is too long',
    (story) => story.task('Write', { description: 'x'.repeat(5001) }),
    (story) => story.task('Write', { description: 'x'.repeat(5000) }),
    'long_description | main | 1 | 5001 characters of a task description, limit 5000',
  ],
])('%s', (_name, wrong, right, expected) => {
  test('is a finding', () => {
    const story = new Story();
    wrong(story);
    expect(inShort(findings('tasks', story.text))).toEqual([expected]);
  });

  test('what looks like it is none', () => {
    const story = new Story();
    right(story);
    expect(inShort(findings('tasks', story.text))).toEqual([]);
  });
});

describe('a board', () => {
  const board = (count: number, seconds: number) => {
    const lines = new Story();
    for (let at = 1; at <= count; at++) {
      const task = { id: `${at}`, subject: 'Write' };
      lines.wait(seconds).call('TaskCreate', { subject: 'Write', description: 'it' }, { task });
    }
    return lines;
  };

  test('of more than a thousand tasks is a note, and so is making them in a day', () => {
    expect(inShort(findings('tasks', board(1001, 0).text))).toEqual([
      'many_tasks | main | 1001 | 1001 tasks of a team, limit 1000',
      'task_rate | main | 1001 | 1001 tasks created in a team within a day, limit 1000',
    ]);
  });

  test('of a thousand is none', () => {
    expect(findings('tasks', board(1000, 0).text)).toEqual([]);
  });

  test('may be made slowly, and deleted tasks do not count', () => {
    const story = board(1001, 90);
    story.update('7', { status: 'deleted' });
    expect(findings('tasks', story.text)).toEqual([]);
  });
});

test('each knot of tasks is one finding', () => {
  const story = new Story();
  for (let at = 0; at < 5; at++) story.task();
  story.update('1', { addBlockedBy: ['2'] });
  story.update('2', { addBlockedBy: ['1'] });
  story.update('4', { addBlockedBy: ['5', '3'] });
  const last = story.update('5', { addBlockedBy: ['4'] });
  const found = findings('tasks', story.text);
  expect(inShort(found)).toEqual([
    'circular_dependency | main | 2 | 1, 2 wait for each other',
    'circular_dependency | main | 5 | 4, 5 wait for each other',
  ]);
  expect(found.at(-1)?.tool_use_id).toBe(last);
});

test('lines without times count in their order', () => {
  const story = new Story({ timeless: true });
  const id = story.task();
  story.update(id, { status: 'completed' });
  story.update(id, { status: 'pending' });
  expect(inShort(findings('tasks', story.text))).toEqual(['status_backwards | main | 1 | completed → pending']);
});

test('a snapshot or a hook that comes late moves nothing back', () => {
  const story = new Story();
  const id = story.task();
  story.update(id, { status: 'completed', owner: 'writer' });
  const tasks = [{ id, subject: 'Write', status: 'in_progress', owner: 'reader', blockedBy: [] }];
  story.call('TaskList', {}, { tasks });
  story.put({ hook_event_name: 'TaskCreated', task_id: id, task_subject: 'Write' });
  expect(findings('tasks', story.text)).toEqual([]);
});
