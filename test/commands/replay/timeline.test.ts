import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Placed, Timeline } from '../../../src/commands/replay/timing.js';
import { check } from '../../laws/check.js';

interface Line {
  readonly number: number;
  readonly continues: boolean;
}

/** Times of the lines of one source after the other, in seconds; null where a line has none. */
function placesOf(...sources: readonly (number | null)[][]): number[] {
  return played(...sources).map(({ at }) => at / 1000);
}

function played(...sources: readonly (number | null)[][]): Placed<Line>[] {
  const timeline = new Timeline<Line>(100);
  return sources.flatMap((times) => {
    timeline.begin();
    const placed = times.flatMap((time, at) => {
      timeline.holdLine({ number: at + 1, continues: false });
      return time === null ? [] : timeline.placeUpTo(at + 1, time * 1000);
    });
    return [...placed, ...timeline.releaseAll()];
  });
}

test.each<[string, (number | null)[][], number[]]>([
  ['every line has a time', [[50, 51, 54, 60]], [0, 1, 4, 10]],
  ['an even spread between two', [[50, null, null, null, 58]], [0, 2, 4, 6, 8]],
  ['no time at all', [[null, null, null]], [0, 0.1, 0.2]],
  ['a step before the first and behind the last', [[null, null, 50, 51, null, null]], [0, 0.1, 0.2, 1.2, 1.3, 1.4]],
  ['time goes backwards', [[50, 60, 55, 61]], [0, 10, 10, 11]],
  ['backwards for a while', [[50, 60, null, 55, null, 61]], [0, 10, 10, 10, 10.5, 11]],
  [
    'another source, later',
    [
      [50, 51],
      [60, 61],
    ],
    [0, 1, 10, 11],
  ],
  [
    'another source, later, its first line without a time',
    [
      [50, 51],
      [null, 60],
    ],
    [0, 1, 9.9, 10],
  ],
  [
    'another source, earlier',
    [
      [50, 51],
      [10, 12],
    ],
    [0, 1, 1.1, 3.1],
  ],
  [
    'another source without times',
    [
      [50, 51],
      [null, null],
    ],
    [0, 1, 1.1, 1.2],
  ],
])('%s', (_name, sources, places) => {
  expect(placesOf(...sources)).toEqual(places.map((place) => expect.closeTo(place, 6)));
});

test('knows the time at every place, also before the first known one', () => {
  expect(played([null, 50, null, 52]).map(({ time }) => time)).toEqual([49_900, 50_000, 51_000, 52_000]);
  expect(played([null]).map(({ time }) => time)).toEqual([null]);
});

test('pieces of a line stay together', () => {
  const timeline = new Timeline<Line>(100);
  for (const [number, continues] of [
    [1, false],
    [1, true],
    [2, false],
    [2, true],
    [3, false],
  ] as const)
    timeline.holdLine({ number, continues });
  expect(timeline.placeUpTo(3, 9000).map(({ at }) => at)).toEqual([0, 0, 100, 100, 200]);
});

test('a time for a line that has gone is too late', () => {
  const timeline = new Timeline<Line>(100);
  timeline.holdLine({ number: 1, continues: false });
  timeline.releaseAll();
  expect(timeline.placeUpTo(1, 9000)).toEqual([]);
});

test('whatever the times: every line is placed once, in order, never backwards', () => {
  const times = fc.array(fc.array(fc.option(fc.integer({ min: 0, max: 100 }))));
  check(
    fc.property(times, (sources) => {
      const lines = played(...sources);
      expect(lines.map(({ line }) => line.number)).toEqual(sources.flatMap((source) => source.map((_, at) => at + 1)));
      for (const [index, { at }] of lines.entries()) expect(at).toBeGreaterThanOrEqual(lines[index - 1]?.at ?? 0);
    }),
    500,
  );
});
