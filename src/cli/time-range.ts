import { UsageError } from '../io/exit.js';
import type { Options } from './command.js';
import { nearest, textOf } from './flags.js';

/** --since and --until. Times are compared as rows have them: ISO 8601 in UTC. */
export interface TimeRange {
  includes(time: string | null): boolean;
  /** Rows left out because they have no time. */
  readonly timeless: number;
}

export function timeRange(options: Options): TimeRange {
  const zone = zoneOf(textOf(options, 'timezone') ?? 'UTC');
  const since = instantOf(options, 'since', zone);
  const until = instantOf(options, 'until', zone);
  let timeless = 0;
  return {
    includes(time) {
      if (since === null && until === null) return true;
      const at = time === null ? Number.NaN : Date.parse(time);
      if (Number.isNaN(at)) timeless++;
      return at >= (since ?? Number.NEGATIVE_INFINITY) && at < (until ?? Number.POSITIVE_INFINITY);
    },
    get timeless() {
      return timeless;
    },
  };
}

/** null for UTC, which needs no calendar: loading one takes a while. */
function zoneOf(typed: string): Intl.DateTimeFormat | null {
  if (typed === 'UTC') return null;
  try {
    return new Intl.DateTimeFormat('en-US', { ...everyPart, hourCycle: 'h23', timeZone: typed });
  } catch {
    const near = nearestZone(typed);
    const right =
      near === null ? 'names are those of the tz database, such as UTC or Europe/Berlin' : `did you mean ${near}?`;
    throw new UsageError(`--timezone: '${typed}' is no time zone; ${right}`);
  }
}

/** A city alone stands for its zone. */
function nearestZone(typed: string): string | null {
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')];
  const word = typed.trim().replaceAll(' ', '_');
  const nameOf = (zone: string) => (word.includes('/') ? zone : zone.slice(zone.lastIndexOf('/') + 1));
  const near = nearest(word, zones.map(nameOf));
  return zones.find((zone) => nameOf(zone) === near) ?? null;
}

const everyPart = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
} as const;

function instantOf(options: Options, name: 'since' | 'until', zone: Intl.DateTimeFormat | null): number | null {
  const typed = textOf(options, name);
  if (typed === null) return null;
  const instant = instantIn(typed, zone);
  if (Number.isNaN(instant))
    throw new UsageError(
      `--${name}: '${typed}' is not a time; times are such as 2026-11-16, 2026-11-16T14:30 or 2026-11-16T14:30:00Z`,
    );
  return instant;
}

/** Milliseconds since 1970; NaN when it is no time. A time without a zone is one of `zone`, null is UTC. */
export function instantIn(typed: string, zone: Intl.DateTimeFormat | null): number {
  const [, day, clock = '00:00', offset] = written.exec(typed) ?? [];
  const local = day === undefined ? Number.NaN : Date.parse(`${day}T${clock}Z`);
  if (Number.isNaN(local)) return Number.NaN;
  if (offset !== undefined) return Date.parse(`${day}T${clock}${offset}`);
  // The offset of a zone depends on the instant, which depends on the offset: two steps are enough also around a change.
  const guess = local - offsetAt(zone, local);
  return local - offsetAt(zone, guess);
}
const written = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/;

function offsetAt(zone: Intl.DateTimeFormat | null, instant: number): number {
  if (zone === null) return 0;
  const parts = Object.fromEntries(zone.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const whole = Math.floor(instant / 1000) * 1000;
  return Date.UTC(year, month - 1, day, hour, minute, second) - whole;
}
