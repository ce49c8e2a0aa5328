import { expect, test } from 'vitest';
import { Tempo, type TempoOptions } from '../../../src/commands/replay/timing.js';
import { FakeClock } from '../../fake-clock.js';

const signal = new AbortController().signal;
const plain: TempoOptions = { speed: 1, maxGapMs: null, intervalMs: null };

/** The moments, in ms since the first, at which lines at these places are played; `late` is what writing each takes. */
async function momentsOf(places: readonly number[], options: Partial<TempoOptions> = {}, late = 0): Promise<number[]> {
  const clock = new FakeClock();
  const tempo = new Tempo({ ...plain, ...options }, clock, signal);
  const start = clock.now();
  const moments: number[] = [];
  for (const at of places) {
    if (tempo.dueIn(at, false) > 0) await tempo.waitForDue();
    moments.push(clock.now() - start);
    clock.pass(late);
  }
  return moments;
}

test.each<[string, number[], Partial<TempoOptions>, number[]]>([
  ['as recorded', [0, 1000, 5000], {}, [0, 1000, 5000]],
  ['not from the beginning', [7000, 8000], {}, [0, 1000]],
  ['ten times as fast', [0, 1000, 5000], { speed: 10 }, [0, 100, 500]],
  ['slowly', [0, 1000], { speed: 0.5 }, [0, 2000]],
  ['without long gaps', [0, 1000, 61_000, 62_000], { maxGapMs: 2000 }, [0, 1000, 3000, 4000]],
  ['gaps are cut before they are sped up', [0, 60_000], { maxGapMs: 2000, speed: 4 }, [0, 500]],
  ['evenly', [0, 1, 9000], { intervalMs: 250 }, [0, 250, 500]],
])('%s', async (_name, places, options, moments) => {
  expect(await momentsOf(places, options)).toEqual(moments);
});

test('who is late once is not late for ever: what was missed comes at once, the rest is on time', async () => {
  expect(await momentsOf([0, 10, 20, 30, 500, 600], {}, 50)).toEqual([0, 50, 100, 150, 500, 600]);
});

test('no drift over an hour of lines a millisecond late each', async () => {
  const places = Array.from({ length: 36_001 }, (_, line) => line * 100);
  const moments = await momentsOf(places, {}, 1);
  expect(moments.at(-1)).toBe(3_600_000);
  expect(moments).toEqual(places);
});

test('an hour in uneven steps, sped up, ends to the millisecond', async () => {
  const places = Array.from({ length: 10_000 }, (_, line) => (line * 3_600_000) / 9999);
  expect((await momentsOf(places, { speed: 3 })).at(-1)).toBeCloseTo(1_200_000, 3);
});

test('a clock that wakes up too early is asked again', async () => {
  const clock = new FakeClock();
  const hasty = {
    now: () => clock.now(),
    date: () => clock.date(),
    wait: async (ms: number) => clock.pass(Math.max(0.25, ms / 2)),
  };
  const tempo = new Tempo(plain, hasty, signal);
  const start = clock.now();
  tempo.dueIn(0, false);
  tempo.dueIn(1000, false);
  await tempo.waitForDue();
  expect(clock.now() - start).toBeGreaterThanOrEqual(1000);
});

test('started again, the next line is the first', async () => {
  const clock = new FakeClock();
  const tempo = new Tempo(plain, clock, signal);
  tempo.dueIn(0, false);
  clock.pass(5000);
  tempo.restart();
  expect(tempo.dueIn(91_000, false)).toBe(0);
  expect(tempo.dueIn(92_000, false)).toBe(1000);
});
