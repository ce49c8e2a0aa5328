import { expect, test } from 'vitest';
import type { Options } from '../../../src/cli/command.js';
import { endsBefore, isBeforePoint, isBehind, pointOf } from '../../../src/commands/replay/timing.js';
import { Collected, streamsOver } from '../../run.js';

const contextWith = (options: Options) => ({
  options,
  streams: streamsOver('', new Collected(), new Collected(), {}),
});

test.each<[string, object]>([
  ['line:120', { kind: 'line', line: 120 }],
  ['90s', { kind: 'offset', ms: 90_000 }],
  ['0s', { kind: 'offset', ms: 0 }],
  ['1m30s', { kind: 'offset', ms: 90_000 }],
  ['2h', { kind: 'offset', ms: 7_200_000 }],
  ['5m', { kind: 'offset', ms: 300_000 }],
  ['500ms', { kind: 'offset', ms: 500 }],
  ['1.5s', { kind: 'offset', ms: 1500 }],
  ['2026-11-15T12:00:00Z', { kind: 'time', epoch: Date.UTC(2026, 10, 15, 12) }],
  ['2026-11-15', { kind: 'time', epoch: Date.UTC(2026, 10, 15) }],
  ['1d', { kind: 'offset', ms: 86_400_000 }],
  // By the clock of the tests it is the 16th.
  ['today', { kind: 'time', epoch: Date.UTC(2026, 10, 16) }],
  ['yesterday', { kind: 'time', epoch: Date.UTC(2026, 10, 15) }],
])('%s', (typed, point) => {
  expect(pointOf(contextWith({ since: typed }), 'since')).toEqual(point);
});

test.each(['tomorrow', '14:30', '90', 's', 'line:', 'line:-1', '1s1h', '2026-13-40'])('%s is none', (typed) => {
  expect(() => pointOf(contextWith({ at: typed }), 'at')).toThrow(`--at: '${typed}' is not a point in a recording`);
});

const spot = { position: 5, at: 1000, time: 100_000 };
test.each<[string, Parameters<typeof isBeforePoint>[0], boolean[]]>([
  ['a line further on', { kind: 'line', line: 6 }, [true, false, false]],
  ['the line itself', { kind: 'line', line: 5 }, [false, false, false]],
  ['a line before', { kind: 'line', line: 4 }, [false, true, true]],
  ['a later offset', { kind: 'offset', ms: 1001 }, [true, false, false]],
  ['the same offset', { kind: 'offset', ms: 1000 }, [false, true, false]],
  ['an earlier offset', { kind: 'offset', ms: 999 }, [false, true, true]],
  ['a later time', { kind: 'time', epoch: 100_001 }, [true, false, false]],
  ['the same time', { kind: 'time', epoch: 100_000 }, [false, true, false]],
  ['an earlier time', { kind: 'time', epoch: 99_999 }, [false, true, true]],
])('%s: left out by since, by until, by at', (_name, point, expected) => {
  expect([isBeforePoint(point, spot), endsBefore(point, spot), isBehind(point, spot)]).toEqual(expected);
});

test('a line without a time is before every time', () => {
  const point = { kind: 'time', epoch: 0 } as const;
  expect([isBeforePoint, endsBefore, isBehind].map((test) => test(point, { ...spot, time: null }))).toEqual([
    true,
    false,
    false,
  ]);
});
