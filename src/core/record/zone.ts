// Time zones: the offset from UTC at an instant.
import { getOrCreate } from './json.js';

/** Milliseconds that a zone is ahead of UTC at an instant (milliseconds since 1970). */
export type Zone = (instant: number) => number;

/** `UTC`, an offset such as `+02:00`, or a name of the tz database. Throws RangeError for anything else. */
export function zoneNamed(name: string): Zone {
  if (name === 'UTC') return () => 0;
  const offset = offsetIn(name);
  if (offset !== null) return () => offset;
  const calendar = new Intl.DateTimeFormat('en-US', { ...everyPart, hourCycle: 'h23', timeZone: name });
  const offsets = new Map<number, number>();
  // Offsets change only at whole quarters of an hour, so one call of Intl, which is slow, serves a quarter.
  return (instant) => {
    const quarter = Math.floor(instant / quarterMs);
    return getOrCreate(offsets, quarter, () => offsetAt(calendar, quarter * quarterMs));
  };
}

/** What clocks in a zone show, as `2026-11-16T14:30:00.000`. */
export function wallTime(zone: Zone, instant: number): string {
  return new Date(instant + zone(instant)).toISOString().slice(0, -1);
}

/** Milliseconds of `+02:00`; null for anything else. The Intl of Node 20 does not know offsets. */
function offsetIn(name: string): number | null {
  const [, sign, hours = '', minutes = ''] = /^([+-])(\d\d):(\d\d)$/.exec(name) ?? [];
  if (sign === undefined) return null;
  return (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
}

function offsetAt(calendar: Intl.DateTimeFormat, instant: number): number {
  if (Number.isNaN(instant)) return Number.NaN;
  const parts = Object.fromEntries(calendar.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - instant;
}

const quarterMs = 15 * 60 * 1000;

const everyPart = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
} as const;
