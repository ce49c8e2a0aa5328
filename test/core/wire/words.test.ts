import { describe, expect, test } from 'vitest';
import { wordsOf } from '../../../src/core/wire/tools/table.js';
import { saysFailure } from '../../../src/core/wire/tools/tool-result.js';

describe('the program says that it went well', () => {
  test.each([
    '',
    'ok',
    'Team created.',
    'Team deleted successfully.',
    'Cleaned up directories and worktrees for team "failed-tests"',
    'Task #3 created successfully: Handle failed logins, which cannot be seen',
    'Updated task #3 owner, status',
    'Updated task #2 status\n\nTask completed. Call TaskList now to find your next available task or see if your work unblocked others.',
    "Message sent to error-hunter's inbox",
    'Message queued for delivery to writer at its next tool round. If it finishes first, it is resumed; it is not lost.',
    'Message broadcast to 2 teammate(s): unknown, missing',
    'Shutdown request sent to writer. Request ID: shutdown-1@writer',
    'Shutdown rejected. Reason: I am not done. Continuing to work.',
    'Agent "no such" resumed from transcript in the background',
    'Todos have been modified successfully. Ensure that you continue to use the todo list; there is no such thing as enough',
    'Successfully stopped task: b1 (exit with an error)',
    'Deleted the team. One inbox could not be read.',
    'Wrote to \'unknown\' and "not found"',
  ])('%s', (text) => {
    expect(saysFailure(text, 'program')).toBe(false);
  });
});

describe('the program says that it did not', () => {
  test.each([
    'Cleanup failed.',
    'Error: team is busy',
    '<tool_use_error>InputValidationError: subject is missing</tool_use_error>',
    'Cannot cleanup team with 2 active member(s): researcher, writer.',
    'Already leading team "crew". A leader can only manage one team at a time.',
    'Task not found',
    "Team 'crew' is taken",
    'Task #9 does not exist',
    'Not sent — no agent named writer is reachable.',
    "No agent named 'nobody' is reachable.",
    'Message was not delivered.',
    'broadcast (to: "*") is no longer supported — send a message per recipient',
    'Could not update task 3: permission denied',
    "You can't delete a team you do not lead.",
    'No task found with ID: nope123',
    'Task b1 is not running (status: completed)',
    'Invalid status: done',
  ])('%s', (text) => {
    expect(saysFailure(text, 'program')).toBe(true);
  });
});

describe('what an agent reports is no failure of its call', () => {
  test.each([
    ['The tests failed: 3 of 12.', false],
    ['Error: nothing in src could be parsed', false],
    ['#1 [pending] Mend the failed build', false],
    ["Agent type 'poet' not found. Available agents: Explore, Plan", true],
    ['Team "crew" does not exist. Call TeamCreate first.', true],
    ['<tool_use_error>No such tool available: Task</tool_use_error>', true],
    ['Failed to spawn writer: no pane', true],
    ["The user doesn't want to proceed with this tool use. The tool use was rejected.", true],
  ])('%s: %s', (text, expected) => {
    expect(saysFailure(text, 'anybody')).toBe(expected);
  });

  test('nor is what a shell prints', () => {
    expect(saysFailure('Task not found', 'output')).toBe(false);
  });
});

test.each([
  ['TeamDelete', 'program'],
  ['SendMessage', 'program'],
  ['Agent', 'anybody'],
  ['TaskList', 'anybody'],
  [null, 'anybody'],
])('results of %s are the words of %s', (tool, words) => {
  expect(wordsOf(tool)).toBe(words);
});
