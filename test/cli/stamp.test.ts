import { expect, test } from 'vitest';
import { createStamp } from '../../src/io/streams.js';

test('the read time never goes back, and goes on when the clock is as late again', () => {
  const clock = [10, 20, 5, 19, 21, 1e12, 22].map((seconds) => seconds * 1000);
  const stamp = createStamp(() => clock.shift() ?? 0);
  const seconds = Array.from({ length: 7 }, () => Date.parse(stamp()) / 1000);
  expect(seconds).toEqual([10, 20, 20, 20, 21, 1e12, 1e12]);
});
