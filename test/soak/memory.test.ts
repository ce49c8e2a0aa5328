import { expect, test } from 'vitest';
import { judge, mostMemoryOf } from './memory.js';
import { noKnown } from './world.js';

const mega = 2 ** 20;

/** A run of a million records, a message in every second and a team in every thousandth. */
const samples = (heap: (share: number) => number, buffers = 0) =>
  Array.from({ length: 40 }, (_, at) => {
    const share = (at + 1) / 40;
    const known = { ...noKnown, records: share * 1e6, messages: share * 5e5, teams: share * 1e3 };
    return { heap: heap(share) * mega, buffers: buffers * mega, known };
  });

test.each([
  ['flat after it warmed up', samples((share) => Math.min(share * 3, 1) * 200), {}, true],
  ['growing all the time', samples((share) => 50 + share * 30), {}, false],
  ['growing by what is kept of each message', samples((share) => 50 + share * 100), { messages: 210 }, true],
  ['growing by more than that', samples((share) => 50 + share * 100), { messages: 190 }, false],
  ['growing by messages and teams', samples((share) => 50 + share * 100), { messages: 190, teams: 10_000 }, true],
  ['coming and going', samples((share) => 50 + 2 * Math.sin(share * 40)), {}, true],
  ['tables of keys as large as they become', samples(() => 50, 70), {}, true],
  ['buffers without end', samples(() => 50, 90), {}, false],
] as const)('%s', (_name, run, keeps, steady) => {
  expect(judge(run, keeps)?.steady).toBe(steady);
});

test('bytes a record, as they are and as they may be', () => {
  const { perRecord, allowed } =
    judge(
      samples((share) => (share * 1e6) / mega),
      { messages: 3 },
    ) ?? {};
  expect([perRecord?.toFixed(3), allowed?.toFixed(3)]).toEqual(['1.000', '1.500']);
});

test('too little to judge by', () => {
  expect(judge(samples(() => 50).slice(-1), {})).toBeNull();
});

test('the memory of a process that is not there is not known', () => {
  expect(mostMemoryOf(2 ** 30)).toBeNull();
});
