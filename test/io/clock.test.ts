import { expect, test } from 'vitest';
import { systemClock } from '../../src/io/streams.js';

const never = new AbortController().signal;

test('time passes while one waits', async () => {
  const before = systemClock.now();
  // It may come back a little early, so whoever waits asks again.
  while (systemClock.now() < before + 3) await systemClock.wait(before + 3 - systemClock.now(), never);
  expect(systemClock.now()).toBeGreaterThanOrEqual(before + 3);
});

test.each([60_000, Number.MAX_SAFE_INTEGER])('a wait of %i ms ends when it is told to', async (long) => {
  const stop = new AbortController();
  const waited = systemClock.wait(long, stop.signal);
  stop.abort();
  expect(await waited).toBeUndefined();
  expect(await systemClock.wait(long, stop.signal)).toBeUndefined();
});
