import { expect, test } from 'vitest';
import { errorCode } from '../../../src/core/wire/tools/tool-result.js';
import { cpuSeconds } from '../../cpu-seconds.js';

test.each<[string | null, string | null]>([
  ['Task not found', 'task_not_found'],
  ['Task #9 was not found', 'task_not_found'],
  ['No task found with ID: b1', 'task_not_found'],
  ["No agent named 'nobody' is reachable.", 'agent_not_found'],
  ['Teammate writer does not exist', 'agent_not_found'],
  ['Team crew does not exist', 'team_not_found'],
  ['No such team', 'team_not_found'],
  ['Agent writer already exists', 'agent_already_exists'],
  ['Team "crew" already exists', 'team_already_exists'],
  ['Already leading team "crew"', 'team_already_exists'],
  ['Circular dependency', 'circular_dependency'],
  ['Invalid status: done', 'invalid_status'],
  ['Permission denied', 'permission_denied'],
  ['Rate limit reached', 'rate_limit'],
  ['Internal error', 'internal_error'],
  ['broadcast (to: "*") is no longer supported — send a message per recipient', null],
  ['Cannot cleanup team with 2 active member(s): researcher, writer.', null],
  ['', null],
  [null, null],
])('%j', (error, code) => {
  expect(errorCode(null, error)).toBe(code);
});

test('a word that was said is believed before the text', () => {
  expect(errorCode({ error: 'invalid_status' }, 'Task not found')).toBe('invalid_status');
  expect(errorCode({ error: 'something_else' }, 'Task not found')).toBe('task_not_found');
  expect(errorCode({ error: 7 }, null)).toBeNull();
  expect(errorCode({ error: 'rate_limit' }, null)).toBe('rate_limit');
});

test('a long error takes no time', () => {
  const errors = ['task ', 'agent ', 'team ', 'recipient unknow '].map((word) => word.repeat(50_000));
  expect(cpuSeconds(() => errors.map((error) => errorCode(null, error)))).toBeLessThan(5);
});
