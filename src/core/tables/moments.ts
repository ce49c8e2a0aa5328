// When something happened: by its own time, else by the nearest record before it in its file, else by its place alone.

import type { Event } from '../event/event.js';

/** Milliseconds since 1970. The place shows which of two records without a time came first. */
export interface Moment {
  readonly own: number | null;
  /** The last time before it in its source; null if there was none yet. */
  readonly near: number | null;
  readonly source: string;
  readonly line: number;
}

export function earlier(a: Moment | null, b: Moment | null): Moment | null {
  if (a === null || b === null) return a ?? b;
  const first = isBefore(b, a) || (!isBefore(a, b) && isNearer(b, a)) ? b : a;
  const own = a.own === null || b.own === null ? (a.own ?? b.own) : Math.min(a.own, b.own);
  return own === first.own ? first : { ...first, own };
}

export function later(a: Moment | null, b: Moment | null): Moment | null {
  if (a === null || b === null) return a ?? b;
  const last = isBefore(a, b) || (!isBefore(b, a) && isNearer(b, a)) ? b : a;
  const own = a.own === null || b.own === null ? (a.own ?? b.own) : Math.max(a.own, b.own);
  return own === last.own ? last : { ...last, own };
}

/** If a record is read again after others, what came before it the first time counts. */
function isNearer(a: Moment, b: Moment): boolean {
  return b.near !== null && (a.near === null || a.near < b.near);
}

/** By place, so that the answer does not depend on which was read first. */
export function isBefore(a: Moment, b: Moment): boolean {
  return a.source === b.source ? a.line < b.line : a.source < b.source;
}

/** Where moments are on the time axis of a trace. */
export interface Axis {
  /** false if no record has a time: then every record takes one unit. */
  readonly toScale: boolean;
  /** The earliest moment. */
  readonly first: number;
  at(moment: Moment): number;
  /** Whether a moment has a place of its own. In a file without times none has, if other files have times. */
  knows(moment: Moment): boolean;
  /** Whether the place of a moment is not its own time. */
  isEstimated(moment: Moment): boolean;
}

/** `firstOf` gives the first time in a source. It is used for the records before that time. */
export function axisOf(moments: readonly Moment[], firstOf: (source: string) => number | null): Axis {
  const timeOf = (moment: Moment) => moment.own ?? moment.near ?? firstOf(moment.source);
  let least = Number.POSITIVE_INFINITY;
  for (const moment of moments) least = Math.min(least, timeOf(moment) ?? least);
  if (least !== Number.POSITIVE_INFINITY)
    return {
      toScale: true,
      first: least,
      at: (moment) => timeOf(moment) ?? least,
      knows: (moment) => timeOf(moment) !== null,
      isEstimated: ({ own }) => own === null,
    };
  const places = new Map<string, number>();
  for (const moment of moments.toSorted((a, b) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0))) {
    const key = placeOf(moment);
    if (!places.has(key)) places.set(key, places.size);
  }
  return {
    toScale: false,
    first: 0,
    at: (moment) => places.get(placeOf(moment)) ?? 0,
    knows: () => true,
    isEstimated: () => false,
  };
}

function placeOf({ source, line }: Moment): string {
  return `${line} ${source}`;
}

/** The place and time of an event. */
export function momentOf({ time, line, source = '' }: Event, near: string | null): Moment {
  return { own: millis(time), near: millis(near), source, line: line ?? 0 };
}

function millis(time: string | null): number | null {
  const at = time === null ? Number.NaN : Date.parse(time);
  return Number.isNaN(at) ? null : at;
}
