import { describe, expect, test } from 'vitest';
import { matches, rulesFor } from '../../../src/core/wire/interest.js';

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
    ['a*a', 'a', false],
    ['*a*', 'team', true],
    ['team:**:*idle', 'team:member:idle', true],
    ['*e*m*b*i*', 'team:member:idle', true],
    ['*m*t*', 'team:member:idle', false],
    ['*'.repeat(50_000), 'team:member:idle', true],
    [`${'*'.repeat(50_000)}a`, 'team:member:idle', false],
    ['*e'.repeat(50_000), 'team:member:idle', false],
  ])('%.40s and %s: %s', (glob, name, expected) => {
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
  ])('for %j has every line parsed', (globs) => {
    const { everything, ruleFor } = rulesFor({ events: globs });
    expect([everything, ruleFor('keep_alive')]).toEqual([true, 'parse']);
  });

  test.each([usage, tasks, messages])('for less has frames parsed and the rest dropped', (...globs) => {
    const { everything, ruleFor } = rulesFor({ events: globs });
    expect(everything).toBe(false);
    for (const type of ['system', 'result', 'conversation_reset', 'control_request', 'queue-operation', 'attachment'])
      expect(ruleFor(type)).toBe('parse');
    for (const type of ['keep_alive', 'tool_progress', 'rate_limit_event', 'mystery', 'constructor', ''])
      expect(ruleFor(type)).toBe('drop');
    for (const type of ['assistant', 'user']) expect(ruleFor(type)).toBe('talk');
  });

  test('for everything without content has all but the conversation parsed', () => {
    const { everything, talk, ruleFor } = rulesFor({ events: ['*'], lean: true });
    expect([everything, talk, ruleFor('keep_alive')]).toEqual([false, 'lean', 'parse']);
    expect([ruleFor('assistant'), ruleFor('user')]).toEqual(['talk', 'talk']);
  });

  test('for usage reads the first and last event of a streamed message', () => {
    expect(rulesFor({ events: usage }).ruleFor('stream_event')).toBe('partial');
    expect(rulesFor({ events: tasks }).ruleFor('stream_event')).toBe('drop');
  });

  test.each([
    ['usage', usage, { Agent: true, SendMessage: true, TaskUpdate: false, Bash: false, Read: false, TeamRename: true }],
    ['tasks', tasks, { Agent: true, SendMessage: true, TaskUpdate: true, Bash: false, Read: false, toString: false }],
    ['messages', messages, { Agent: true, SendMessage: true, TodoWrite: false, Bash: false, Read: false }],
  ])('for %s follows the calls that can do something for it', (_what, globs, tools) => {
    const { follows } = rulesFor({ events: globs });
    expect(Object.fromEntries(Object.keys(tools).map((tool) => [tool, follows(tool)]))).toEqual(tools);
  });
});
