import { afterEach, expect, test, vi } from 'vitest';
import { startTimer } from '../../src/io/streams.js';

afterEach(() => void vi.useRealTimers());

const day = 24 * 3600 * 1000;

test.each([10, 1000, 20 * day, 25 * day, 100 * day])('fires after %d ms, and not before', (milliseconds) => {
  vi.useFakeTimers();
  let fired = 0;
  startTimer(milliseconds, () => void fired++);
  vi.advanceTimersByTime(milliseconds - 1);
  expect(fired).toBe(0);
  vi.advanceTimersByTime(2);
  expect(fired).toBe(1);
  vi.advanceTimersByTime(2 * milliseconds);
  expect(fired).toBe(1);
});

test('begins anew, also after it fired or was stopped', () => {
  vi.useFakeTimers();
  let fired = 0;
  const timer = startTimer(100, () => void fired++);
  vi.advanceTimersByTime(90);
  timer.refresh();
  vi.advanceTimersByTime(90);
  expect(fired).toBe(0);
  vi.advanceTimersByTime(20);
  expect(fired).toBe(1);
  timer.refresh();
  timer.stop();
  vi.advanceTimersByTime(500);
  expect(fired).toBe(1);
  timer.refresh();
  vi.advanceTimersByTime(101);
  expect(fired).toBe(2);
});
