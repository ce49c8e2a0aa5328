// Times and zones that people type: --since, --until, --timezone.
import { wallTime, type Zone, zoneNamed } from '../../core/record/zone.js';
import { UsageError } from '../../io/exit.js';
import type { Clock, OutputStream } from '../../io/streams.js';
import type { Column } from '../../view/columns.js';
import type { Zone as ShownZone } from '../../view/formats.js';
import { whenText } from '../../view/text.js';
import type { Command, Context, Options } from '../command.js';
import { flagNamed, nearest, suggestion, textOf } from './flags.js';

export type TimeRange = ReturnType<typeof timeRange>;

/**
 * --since and --until. Times are compared as they are in rows: ISO 8601 in UTC. `last` is the last time of the input. A time
 * without a date means that day.
 */
export function timeRange(options: Options, last: string | null = null) {
  const since = boundOf(options, 'since', last);
  const until = boundOf(options, 'until', last);
  let timeless = 0;
  let isEmpty = true;
  let [first, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return {
    /** A number is milliseconds since 1970. */
    includes(time: string | number | null): boolean {
      if (since === null && until === null) return true;
      const at = typeof time === 'string' ? Date.parse(time) : (time ?? Number.NaN);
      if (Number.isNaN(at)) timeless++;
      const isIncluded = at >= (since ?? Number.NEGATIVE_INFINITY) && at < (until ?? Number.POSITIVE_INFINITY);
      isEmpty &&= !isIncluded;
      if (isEmpty && at < first) first = at;
      if (isEmpty && at > end) end = at;
      return isIncluded;
    },
    /** How many rows were left out because they have no time. */
    get timeless() {
      return timeless;
    },
    /** Says which times there are, if none of them was included; else null. */
    get nothing() {
      if (!isEmpty || !isInstant(first) || !isInstant(end)) return null;
      const { local, name } = shownZone(options);
      const [from, to] = [first, end].map((at) => local(new Date(at).toISOString()).replace('T', ' '));
      const flags = [since === null ? [] : '--since', until === null ? [] : '--until'].flat().join(' and ');
      return `${flags} left nothing: times are from ${from} to ${to} (${name})`;
    },
  };
}

/** Says what --since and --until left out. `name` is what one row is called, such as `task`. */
export function warnOfTimes({ diagnostics }: Context, { timeless: count, nothing }: TimeRange, name: string): void {
  if (nothing !== null) diagnostics.warn(nothing);
  if (count === 1) diagnostics.warn(`1 ${name} has no time and was left out`);
  else if (count > 0) diagnostics.warn(`${count} ${name}s have no time and were left out`);
}

/** The flag with a time but no date, whose date is known only after the input was read; null if there is none. */
export function flagOfLastDay(options: Options): string | null {
  const name = ['since', 'until'].find((each) => clockTime.test(textOf(options, each) ?? ''));
  return name === undefined ? null : `${flagNamed(name)} ${textOf(options, name)}`;
}

/**
 * The options with real times and zone: `7d` and `yesterday` become times, `local` the zone of this machine. A time
 * without a date stays as it is. Throws UsageError for what is not a time or zone.
 */
export function resolveTimes(
  command: Command,
  options: Options,
  { clock, stdout }: { readonly clock: Pick<Clock, 'date'>; readonly stdout: Pick<OutputStream, 'isTTY'> },
): Options {
  if (!command.shared.includes('time')) return options;
  const typed = textOf(options, 'timezone') ?? (stdout.isTTY ? 'local' : 'UTC');
  const timezone = zoneNameOf(typed);
  const zone = zoneNamed(timezone);
  const times = (['since', 'until'] as const).flatMap((name) => {
    const text = textOf(options, name);
    return text === null ? [] : [[name, resolveTime(name, text, zone, clock)]];
  });
  return { ...options, timezone, ...Object.fromEntries(times) };
}

function resolveTime(name: string, typed: string, zone: Zone, clock: Pick<Clock, 'date'>): string {
  if (clockTime.test(typed)) return typed;
  const ago = durationIn(typed);
  const now = clock.date();
  const instant =
    ago === null ? instantIn(typed, zone, clock) : wholeDays.test(typed) ? midnight(now, ago, zone) : now - ago;
  if (isInstant(instant)) return new Date(instant).toISOString();
  throw new UsageError(
    `--${name}: '${typed}' is not a time${suggestion(typed, dayWords) || '; use a date (2026-11-16), a time (2026-11-16T14:30, or 14:30 of the last day), today, yesterday, or a time ago (90m, 2h30m, 7d, 1w)'}`,
  );
}

function boundOf(options: Options, name: 'since' | 'until', last: string | null): number | null {
  const typed = textOf(options, name);
  if (typed === null) return null;
  if (!clockTime.test(typed)) return Date.parse(typed);
  if (last === null) return Number.NaN;
  const zone = zoneNamed(textOf(options, 'timezone') ?? 'UTC');
  const [day = ''] = wallTime(zone, Date.parse(last)).split('T');
  return instantIn(`${day}T${typed.padStart(typed.length + (typed.indexOf(':') === 1 ? 1 : 0), '0')}`, zone);
}

/** `14:30`, `9:30`, `14:30:15`. */
const clockTime = /^(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/;

const dayWords: readonly string[] = ['today', 'yesterday'];

/** Milliseconds since 1970; NaN if it is not a time. Times without a zone are in `zone`. `today` needs a clock. */
export function instantIn(typed: string, zone: Zone, clock?: Pick<Clock, 'date'>): number {
  if (clock !== undefined && dayWords.includes(typed)) {
    return midnight(clock.date(), typed === 'today' ? 0 : dayMs, zone);
  }
  const [, day, time = '00:00', offset] = written.exec(typed) ?? [];
  const local = day === undefined ? Number.NaN : Date.parse(`${day}T${time}Z`);
  if (Number.isNaN(local)) return Number.NaN;
  return offset === undefined ? inZone(local, zone) : Date.parse(`${day}T${time}${offset}`);
}
const written = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/** The beginning of the day that was so many whole days ago. */
function midnight(now: number, ago: number, zone: Zone): number {
  return inZone(Date.parse(`${wallTime(zone, now).slice(0, 10)}T00:00:00Z`) - ago, zone);
}

/** Only weeks and days: `7d`, `2w`, `1w3d`. A day that is asked for is never cut in the middle. */
const wholeDays = /^(?:\d+w)?(?:\d+d)?$/;

/**
 * The instant at which clocks in a zone show `local`. The offset depends on the instant, which depends on the offset.
 * Two steps are enough, even around a clock change.
 */
function inZone(local: number, zone: Zone): number {
  return local - zone(local - zone(local));
}

/** The zone in which tables show times: --timezone. */
export function shownZone(options: Options): ShownZone {
  const name = textOf(options, 'timezone') ?? 'UTC';
  const zone = zoneNamed(name);
  return {
    name,
    local(time) {
      const instant = Date.parse(time);
      return Number.isNaN(instant) ? time : wallTime(zone, instant).slice(0, 19);
    },
  };
}

/** When something started: at a terminal as people say it now, `today 14:02`. */
export function startedColumn(
  { streams, options }: Pick<Context, 'streams' | 'options'>,
  field: string,
): Partial<Column> {
  if (!streams.stdout.isTTY) return { title: 'STARTED' };
  const { local, name } = shownZone(options);
  const now = local(new Date(streams.clock.date()).toISOString());
  // Somebody who chose another zone is reminded of it.
  const title = name === zoneNameOf('local') ? 'STARTED' : `STARTED (${name})`;
  return { title, kind: 'word', value: (row) => whenText(row[field], local, now) };
}

/** Milliseconds of `1w`, `7d`, `2h30m`, `1.5s`, `500ms`; null for anything else. */
export function durationIn(typed: string): number | null {
  const parts = typed === '' ? null : duration.exec(typed);
  return parts === null
    ? null
    : parts.slice(1).reduce((sum, part, at) => sum + Number(part ?? 0) * (unitMs[at] ?? 0), 0);
}
const duration = new RegExp(
  `^${['w', 'd', 'h', 'm', 's', 'ms'].map((unit) => `(?:(\\d+(?:\\.\\d+)?)${unit})?`).join('')}$`,
);
const dayMs = 86_400_000;
const unitMs: readonly number[] = [7 * dayMs, dayMs, 3_600_000, 60_000, 1000, 1];

/** Whether a Date can hold it. */
function isInstant(milliseconds: number): boolean {
  return Math.abs(milliseconds) <= 8.64e15;
}

/** A zone as core/record/zone.ts reads it. */
function zoneNameOf(typed: string): string {
  if (typed === 'local') return new Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (/^(?:utc|gmt|z)$/i.test(typed)) return 'UTC';
  const [, sign, hours, minutes = '00'] = /^(?:utc|gmt)?([+-])(\d\d?)(?::?(\d\d))?$/i.exec(typed) ?? [];
  if (hours !== undefined && Number(hours) <= 14 && Number(minutes) < 60)
    return `${sign}${hours.padStart(2, '0')}:${minutes}`;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: typed });
    return typed;
  } catch {
    const near = nearestZone(typed);
    const right = near === null ? 'use for example local, UTC, Europe/Berlin or +02:00' : `did you mean ${near}?`;
    throw new UsageError(`--timezone: '${typed}' is not a time zone; ${right}`);
  }
}

/** Finds the zone that a typed name is closest to. A city alone stands for its zone. */
function nearestZone(typed: string): string | null {
  const zones = ['local', 'UTC', ...Intl.supportedValuesOf('timeZone')];
  const word = typed.trim().replaceAll(' ', '_');
  const cityOf = (zone: string) => (word.includes('/') ? zone : zone.slice(zone.lastIndexOf('/') + 1));
  const near = nearest(word, zones.map(cityOf));
  return zones.find((zone) => cityOf(zone) === near) ?? null;
}
