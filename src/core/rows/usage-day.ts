import { once } from './once.js';

/** The day of a time in a zone, as `2026-11-16`. */
export function dayIn(zone: string): (time: string) => string {
  if (zone === 'UTC') return (time) => time.slice(0, 10);
  const days = new Map<number, string>();
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (time) => {
    // Zones differ from UTC by whole quarters of an hour, so days do not change within one; asking Intl each time is slow.
    const quarter = Math.floor(Date.parse(time) / quarterMs);
    return once(days, quarter, () => format.format(new Date(quarter * quarterMs)));
  };
}

const quarterMs = 15 * 60 * 1000;
