import { describe, expect, test } from 'vitest';
import type { Command, Options } from '../../../src/cli/command.js';
import { flagOfLastDay, resolveTimes, timeRange } from '../../../src/cli/flags/times.js';
import { UsageError } from '../../../src/io/exit.js';
import { FakeClock } from '../../fake-clock.js';
import { cct } from '../../run.js';

const command: Command = {
  name: 'any',
  kind: 'fold',
  summary: '',
  description: '',
  options: [],
  shared: ['time'],
  examples: [],
  interest: () => ({ events: [] }),
  run: async () => undefined,
};
const now = '2026-11-16T12:00:00.000Z';
const resolved = (options: Options, at = now) =>
  resolveTimes(command, options, { clock: { date: () => Date.parse(at) }, stdout: { isTTY: false } });

describe('--since', () => {
  test.each([
    ['2026-11-16', 'UTC', '2026-11-16T00:00:00.000Z'],
    ['2026-11-16T14:30', 'UTC', '2026-11-16T14:30:00.000Z'],
    ['2026-11-16 14:30:15.5', 'UTC', '2026-11-16T14:30:15.500Z'],
    ['2026-11-16T14:30:00Z', 'America/New_York', '2026-11-16T14:30:00.000Z'],
    ['2026-11-16T14:30:00+02:00', 'America/New_York', '2026-11-16T12:30:00.000Z'],
    ['2026-11-16', 'America/New_York', '2026-11-16T05:00:00.000Z'],
    ['2026-07-01', 'Europe/Berlin', '2026-06-30T22:00:00.000Z'],
    ['2026-03-29T03:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25T00:30', 'Europe/Berlin', '2026-10-24T22:30:00.000Z'],
    ['1999-12-31', 'Asia/Kolkata', '1999-12-30T18:30:00.000Z'],
    ['2026-11-16', '+05:30', '2026-11-15T18:30:00.000Z'],
    ['2026-11-16', '-3', '2026-11-16T03:00:00.000Z'],
    ['2026-11-16', 'UTC+0545', '2026-11-15T18:15:00.000Z'],
    ['2026-11-16', 'utc', '2026-11-16T00:00:00.000Z'],
    ['2026-11-16', 'local', '2026-11-16T00:00:00.000Z'],
    ['today', 'UTC', '2026-11-16T00:00:00.000Z'],
    ['yesterday', 'UTC', '2026-11-15T00:00:00.000Z'],
    ['today', 'Pacific/Auckland', '2026-11-16T11:00:00.000Z'],
    ['yesterday', 'America/New_York', '2026-11-15T05:00:00.000Z'],
    ['7d', 'UTC', '2026-11-09T00:00:00.000Z'],
    ['7d', 'Europe/Berlin', '2026-11-08T23:00:00.000Z'],
    ['1w1d', 'UTC', '2026-11-08T00:00:00.000Z'],
    ['1d2h', 'UTC', '2026-11-15T10:00:00.000Z'],
    ['90m', 'America/New_York', '2026-11-16T10:30:00.000Z'],
    ['2h30m', 'UTC', '2026-11-16T09:30:00.000Z'],
    ['1w', 'UTC', '2026-11-09T00:00:00.000Z'],
    ['1.5s', 'UTC', '2026-11-16T11:59:58.500Z'],
  ])('%s in %s', (typed, timezone, first) => {
    const since = resolved({ since: typed, timezone });
    const until = resolved({ until: typed, timezone });
    expect(since['since']).toBe(first);
    const before = new Date(Date.parse(first) - 1).toISOString();
    expect([timeRange(since).includes(before), timeRange(since).includes(first)]).toEqual([false, true]);
    expect([timeRange(until).includes(before), timeRange(until).includes(first)]).toEqual([true, false]);
  });

  test.each([
    // The clocks went back on the day before: it had 25 hours.
    ['yesterday', 'Europe/Berlin', '2026-10-26T10:00:00Z', '2026-10-24T22:00:00.000Z'],
    ['today', 'Europe/Berlin', '2026-10-25T22:30:00Z', '2026-10-24T22:00:00.000Z'],
  ])('%s in %s at %s', (since, timezone, at, first) => {
    expect(resolved({ since, timezone }, at)).toMatchObject({ since: first });
  });

  test.each(['2026-13-01', '2026-11-16T25:00', '16.11.2026', '24:00', '7 days', 'd', '2026-11-16T14:30 and more'])(
    '%j is refused',
    (since) => {
      expect(() => resolved({ since })).toThrow(`--since: '${since}' is not a time; use a date (2026-11-16), a time`);
    },
  );

  test.each([
    ['yesteday', 'yesterday'],
    ['Today', 'today'],
  ])('%j is refused, with what was meant', (since, meant) => {
    expect(() => resolved({ since })).toThrow(`--since: '${since}' is not a time; did you mean ${meant}?`);
  });

  test.each([`${'9'.repeat(400)}d`, `${'9'.repeat(20)}w`])('a time before all time is refused: %s', (since) => {
    expect(() => resolved({ since })).toThrow('is not a time');
  });
});

describe('a time without its date', () => {
  test.each([
    ['14:30', 'UTC', '2026-11-16T23:00:00Z', '2026-11-16T14:30:00.000Z'],
    ['9:05', 'UTC', '2026-11-16T23:00:00Z', '2026-11-16T09:05:00.000Z'],
    ['23:36:20', 'UTC', '2026-11-16T23:00:00Z', '2026-11-16T23:36:20.000Z'],
    // There it is the next day already.
    ['08:00', 'Pacific/Auckland', '2026-11-16T23:00:00Z', '2026-11-16T19:00:00.000Z'],
    ['08:00', '-10:00', '2026-11-16T03:00:00Z', '2026-11-15T18:00:00.000Z'],
  ])('%s in %s is one of the last day: %s', (since, timezone, last, first) => {
    const options = resolved({ since, timezone });
    expect(flagOfLastDay(options)).toBe(`--since ${since}`);
    const range = timeRange(options, last);
    const before = new Date(Date.parse(first) - 1).toISOString();
    expect([range.includes(before), range.includes(first)]).toEqual([false, true]);
  });

  test('with --until', () => {
    const options = resolved({ since: '2026-11-16', until: '14:30' });
    expect(flagOfLastDay(options)).toBe('--until 14:30');
    const range = timeRange(options, '2026-11-17T20:00:00Z');
    const asked = ['2026-11-15T14:00:00Z', '2026-11-17T14:00:00Z', '2026-11-17T14:30:00Z'];
    expect(asked.map((time) => range.includes(time))).toEqual([false, true, false]);
  });

  test('of an input without any time selects nothing', () => {
    const range = timeRange(resolved({ since: '14:30' }), null);
    expect([range.includes(null), range.timeless]).toEqual([false, 1]);
  });

  test('is the only one that needs the last day', () => {
    expect(flagOfLastDay(resolved({ since: '7d', until: 'today' }))).toBeNull();
  });
});

test.each([
  ['Berlin', 'did you mean Europe/Berlin?'],
  ['tokio', 'did you mean Asia/Tokyo?'],
  ['New York', 'did you mean America/New_York?'],
  ['Europe/Brelin', 'did you mean Europe/Berlin?'],
  ['UTCC', 'did you mean UTC?'],
  ['locl', 'did you mean local?'],
  ['+15:00', 'use for example local, UTC, Europe/Berlin or +02:00'],
  ['+02:60', 'use for example local, UTC, Europe/Berlin or +02:00'],
  ['Mars/Olympus Mons', 'use for example local, UTC, Europe/Berlin or +02:00'],
])('%j is no zone', (timezone, right) => {
  expect(() => resolved({ timezone })).toThrow(
    new UsageError(`--timezone: '${timezone}' is not a time zone; ${right}`),
  );
});

test('rows without a time are left out, and counted, only when times are asked for', () => {
  const range = timeRange(resolved({ until: '2026-11-16' }));
  expect([range.includes(null), range.includes('some day'), range.includes('2026-11-15T23:59:59.999Z')]).toEqual([
    false,
    false,
    true,
  ]);
  expect(range.timeless).toBe(2);
  const always = timeRange(resolved({}));
  expect([always.includes(null), always.timeless]).toEqual([true, 0]);
});

describe('by the clock', () => {
  // It is noon of 16 November for the clock of the tests; the run ended at 23:36:25 of the 15th.
  test.each([
    ['teams --members --since 13h', 3],
    ['teams --members --since 12h', 0],
    ['teams --members --until 12h', 3],
    ['tasks --since yesterday', 5],
    ['tasks --since today', 0],
    ['tasks --since today --timezone Europe/Berlin', 5],
    ['messages --until today', 9],
    ['normalize --event team:created --since 1d', 1],
    ['normalize --event team:created --since 1h', 0],
    ['usage --since 1w', 3],
    ['audit --since 1h', 0],
  ])('%s', async (words, count) => {
    const run = (clock?: FakeClock) =>
      cct(
        [...words.split(' '), '-q', 'fixtures/sessions/team-2.1.325.ndjson'],
        '',
        clock === undefined ? {} : { clock },
      );
    const { code, stdout } = await run();
    expect([code, stdout.split('\n').length - 1]).toEqual([0, count]);
    // Fifty days later nothing of it is recent, and everything is past.
    const later = new FakeClock();
    later.pass(50 * 24 * 3600 * 1000);
    const rows = (await run(later)).stdout.split('\n').length - 1;
    expect(rows > 0).toBe(words.includes('--until'));
  });
});
