import { describe, expect, test } from 'vitest';
import { interestIn, matches } from '../../../src/core/event/interest.js';

describe('globs', () => {
  test.each([
    ['*', 'team:created', true],
    ['team:*', 'team:member:idle', true],
    ['team:*', 'teams', false],
    ['team:*:idle', 'team:member:idle', true],
    ['*:idle', 'team:member:idle', true],
    ['team:created', 'team:created', true],
    ['team:created', 'team:created2', false],
    ['team', 'team:created', false],
    ['t.am:*', 'team:created', false],
    ['(team|x):*', 'team:created', false],
    ['team:?reated', 'team:created', false],
    ['', 'team:created', false],
  ])('%s and %s: %s', (glob, name, expected) => {
    expect(matches(glob, name)).toBe(expected);
  });
});

describe('who asks', () => {
  const usage = ['usage:recorded', 'session:ended', 'turn:started', 'agent:*'];
  const tasks = ['team:task:*', 'agent:*', 'team:created'];
  const messages = ['team:message:*', 'team:created', 'team:member:joined', 'agent:*'];

  test.each([
    [['*']],
    [['team:*', '*']],
    [['tool:called']],
    [[...usage, 'tool:called']],
    [['usage:recorded', 'session:*']],
    [[]],
  ])('for %j has every line parsed, and open calls counted', (globs) => {
    const { everything, countsCalls, look } = interestIn(globs);
    expect([everything, countsCalls, look('keep_alive')]).toEqual([true, true, 'parse']);
  });

  test.each([usage, tasks, messages])('for less has frames parsed and the rest dropped', (...globs) => {
    const { everything, countsCalls, look } = interestIn(globs);
    expect([everything, countsCalls]).toEqual([false, false]);
    for (const type of ['system', 'result', 'conversation_reset', 'control_request', 'queue-operation', 'attachment'])
      expect(look(type)).toBe('parse');
    for (const type of ['keep_alive', 'tool_progress', 'rate_limit_event', 'mystery', 'constructor', ''])
      expect(look(type)).toBe('skip');
    expect(look('user')).toHaveProperty('answers');
  });

  test('for usage reads all that is said, and the first and last event of a streamed message', () => {
    const { look } = interestIn(usage);
    expect(look('assistant')).toBe('parse');
    expect(look('stream_event')).toEqual({ needles: ['"message_delta"', '"message_start"'] });
  });

  test('for tasks reads every call', () => {
    expect(interestIn(tasks).look('assistant')).toBe('parse');
    expect(interestIn(tasks).look('stream_event')).toBe('skip');
  });

  test('for messages reads the calls that can send one or make somebody who does', () => {
    const look = interestIn(messages).look('assistant');
    expect(look).toHaveProperty('needles', expect.arrayContaining(['"SendMessage"', '"Agent"', '"Team']));
  });
});
