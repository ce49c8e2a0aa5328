import { afterEach, expect, test, vi } from 'vitest';
import { type Clock, type RecognizedTeamToolUse, TeamToolCorrelationBuffer } from '../../src/lib.js';

function call(toolUseId: string, subject = 'Write'): RecognizedTeamToolUse {
  return { toolName: 'TaskCreate', toolUseId, category: 'team_task_update', input: { subject } };
}

test('a call and its result become a pair, once', () => {
  const buffer = new TeamToolCorrelationBuffer();
  const result = { tool_use_id: 'a', content: 'Task #1 created successfully: Write' };
  buffer.onToolUse(call('a'));
  expect(buffer.pendingCount).toBe(1);
  expect(buffer.onToolResult(result)).toEqual({ recognized: call('a'), result });
  expect(buffer.pendingCount).toBe(0);
  expect(buffer.onToolResult(result)).toBeUndefined();
});

test('an error is a result', () => {
  const buffer = new TeamToolCorrelationBuffer();
  buffer.onToolUse(call('a'));
  expect(buffer.onToolResult({ tool_use_id: 'a', is_error: true })?.result?.is_error).toBe(true);
  expect(buffer.pendingCount).toBe(0);
});

test('a result nobody waits for is no pair', () => {
  const buffer = new TeamToolCorrelationBuffer();
  buffer.onToolUse(call('a'));
  expect(buffer.onToolResult({ tool_use_id: 'b' })).toBeUndefined();
  expect(buffer.pendingCount).toBe(1);
});

test('of two calls with one id the later counts', () => {
  const buffer = new TeamToolCorrelationBuffer();
  buffer.onToolUse(call('a', 'first'));
  buffer.onToolUse(call('a', 'second'));
  expect(buffer.pendingCount).toBe(1);
  expect(buffer.onToolResult({ tool_use_id: 'a' })?.recognized.input).toEqual({ subject: 'second' });
});

test.each<[string, (time: () => number) => Clock]>([
  ['a function', (time) => time],
  ['an object', (time) => ({ now: time })],
  ['something like Date', (time) => Object.assign(() => Number.NaN, { now: time })],
])('%s is a clock: calls get old by it', (_, clockOf) => {
  let now = 1_000;
  const buffer = new TeamToolCorrelationBuffer(clockOf(() => now));
  buffer.onToolUse(call('old'));
  now = 11_000;
  buffer.onToolUse(call('young'));
  now = 31_000;
  expect(buffer.flush()).toBe(0);
  now = 31_001;
  expect(buffer.flush()).toBe(1);
  expect(buffer.onToolResult({ tool_use_id: 'old' })).toBeUndefined();
  expect(buffer.flush(20_001)).toBe(0);
  expect(buffer.flush(20_000)).toBe(1);
  expect(buffer.pendingCount).toBe(0);
});

test('without a clock calls get old by Date, after 30 seconds', () => {
  vi.useFakeTimers({ now: 1_000, toFake: ['Date'] });
  const buffer = new TeamToolCorrelationBuffer();
  buffer.onToolUse(call('old'));
  vi.setSystemTime(31_000);
  buffer.onToolUse(call('young'));
  expect(buffer.flush()).toBe(0);
  vi.setSystemTime(31_001);
  expect(buffer.flush()).toBe(1);
  expect(buffer.pendingCount).toBe(1);
  expect(buffer.onToolResult({ tool_use_id: 'old' })).toBeUndefined();
});

test('a clock that a test installs later is asked too', () => {
  const buffer = new TeamToolCorrelationBuffer();
  vi.useFakeTimers({ now: 1_000, toFake: ['Date'] });
  buffer.onToolUse(call('old'));
  vi.setSystemTime(31_001);
  expect(buffer.flush()).toBe(1);
});

afterEach(() => {
  vi.useRealTimers();
});
