import { expect, test } from 'vitest';
import { judge, memoryOf } from './memory.js';

const samples = (last: number, memory: (share: number) => number) =>
  Array.from({ length: 40 }, (_, at) => ({ records: ((at + 1) / 40) * last, memory: memory((at + 1) / 40) }));

test.each([
  ['flat after it warmed up', 6e6, (share: number) => Math.min(share * 2, 1) * 200, 0, 'yes'],
  ['growing all the time', 6e6, (share: number) => 50 + share * 400, 0, 'NO'],
  ['growing as much as it may', 6e6, (share: number) => 50 + share * 400, 70, 'yes'],
  ['a short run', 1e6, (share: number) => 50 + share * 400, 0, 'too short to say'],
] as const)('%s', (_name, last, memory, allowed, steady) => {
  expect(judge(samples(last, memory), allowed).steady).toBe(steady);
});

test('the slope is that of the second half, a million records', () => {
  const { low, high, slope } = judge(
    samples(4e6, (share) => (share <= 0.5 ? 10 : 10 + (share - 0.5) * 80)),
    0,
  );
  expect([low, high, Math.round(slope)]).toEqual([10, 50, 20]);
});

test('the memory of a process that is not there is not known', () => {
  expect(memoryOf(2 ** 30)).toBeNull();
});
