import { describe, expect, test } from 'vitest';
import { timeRange } from '../../src/cli/flags.js';
import { UsageError } from '../../src/io/exit.js';

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
  ])('%s in %s', (since, timezone, first) => {
    const range = timeRange({ since, timezone });
    const before = new Date(Date.parse(first) - 1).toISOString();
    expect([range.includes(before), range.includes(first)]).toEqual([false, true]);
    expect(timeRange({ until: since, timezone }).includes(first)).toBe(false);
    expect(timeRange({ until: since, timezone }).includes(before)).toBe(true);
  });

  test.each(['yesterday', '2026-13-01', '2026-11-16T25:00', '16.11.2026', '', '2026-11-16T14:30 and more'])(
    '%j is refused',
    (since) => {
      expect(() => timeRange({ since })).toThrow(`--since: '${since}' is not a time`);
    },
  );
});

test.each([
  ['Berlin', 'did you mean Europe/Berlin?'],
  ['tokio', 'did you mean Asia/Tokyo?'],
  ['New York', 'did you mean America/New_York?'],
  ['Europe/Brelin', 'did you mean Europe/Berlin?'],
  ['UTCC', 'did you mean UTC?'],
  ['Mars/Olympus Mons', 'names are those of the tz database, such as UTC or Europe/Berlin'],
  ['', 'names are those of the tz database, such as UTC or Europe/Berlin'],
])('%j is no zone', (timezone, right) => {
  expect(() => timeRange({ timezone })).toThrow(new UsageError(`--timezone: '${timezone}' is no time zone; ${right}`));
});

test('rows without a time are left out, and counted, only when times are asked for', () => {
  const range = timeRange({ until: '2026-11-16' });
  expect([range.includes(null), range.includes('some day'), range.includes('2026-11-15T23:59:59.999Z')]).toEqual([
    false,
    false,
    true,
  ]);
  expect(range.timeless).toBe(2);
  const always = timeRange({ timezone: 'UTC' });
  expect([always.includes(null), always.timeless]).toEqual([true, 0]);
});
