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
  test('for everything has every line parsed', () => {
    expect(interestIn(['team:*', '*']).everything).toBe(true);
    expect(interestIn(['team:*']).everything).toBe(false);
  });

  test('for calls or their results has the open ones counted', () => {
    expect(interestIn(['tool:called']).countsCalls).toBe(true);
    expect(interestIn(['tool:*']).countsCalls).toBe(true);
    expect(interestIn(['team:*']).countsCalls).toBe(false);
  });

  test.each([
    [['usage:recorded'], 'system', 'parse'],
    [['usage:recorded'], 'result', 'parse'],
    [['usage:recorded'], 'assistant', 'parse'],
    [['team:*'], 'assistant', 'parse'],
    [['tool:called'], 'user', 'parse'],
    [['prompt:received'], 'user', 'parse'],
    [['session:changed'], 'tool_progress', 'parse'],
    [['session:limited'], 'rate_limit_event', 'parse'],
    [['control:*'], 'control_response', 'parse'],
    [['unknown'], 'mystery', 'parse'],
    [['usage:recorded'], 'mystery', 'skip'],
    [['usage:recorded'], 'constructor', 'skip'],
    [['team:*'], 'stream_event', 'skip'],
    [['team:*'], 'tool_progress', 'skip'],
  ])('for %j looks at %s: %s', (globs, type, look) => {
    expect(interestIn(globs).look(type)).toBe(look);
  });

  test('for usage reads the first and the last event of a streamed message', () => {
    expect(interestIn(['usage:*']).look('stream_event')).toEqual({ needles: ['"message_delta"', '"message_start"'] });
  });

  test('for what calls do reads only results somebody waits for', () => {
    expect(interestIn(['team:message:*']).look('user')).toHaveProperty('answers');
  });
});
