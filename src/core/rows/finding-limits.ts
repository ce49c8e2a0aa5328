import type { Limit } from '../state/audit-limits.js';
import type { Spot } from '../state/audit-spot.js';
import { spelled } from './finding-rules.js';
import { compare } from './pick.js';

export interface Passed<S> {
  /** With which the limit was passed. */
  readonly at: S;
  readonly detail: string;
}

/** The first that is one too many; null while there are not. */
export function tooMany<S extends Spot>(all: readonly S[], limit: Limit): Passed<S> | null {
  const at = ordered(all)[limit.max];
  return at === undefined ? null : { at, detail: said(all.length, limit) };
}

/** Where a rate was passed: once for each stretch of time in which it was. Takes time in proportion to the spots. */
export function tooFast<S extends Spot>(all: readonly S[], limit: Limit): Passed<S>[] {
  const timed = ordered(all.filter(({ time }) => time !== null)).map((spot) => ({
    spot,
    at: Date.parse(spot.time ?? ''),
  }));
  const window = (limit.seconds ?? 0) * 1000;
  const stretches: { at: S; most: number }[] = [];
  let from = 0;
  let isOver = false;
  for (const [place, { spot, at }] of timed.entries()) {
    while (at - (timed[from]?.at ?? at) >= window) from++;
    const count = place - from + 1;
    if (count > limit.max) {
      if (!isOver) stretches.push({ at: spot, most: 0 });
      const stretch = stretches.at(-1);
      if (stretch !== undefined) stretch.most = Math.max(stretch.most, count);
    }
    isOver = count > limit.max;
  }
  return stretches.map(({ at, most }) => ({ at, detail: said(most, limit) }));
}

export function said(count: number, { max, counts, seconds }: Limit): string {
  return `${count} ${counts}${seconds === undefined ? '' : ` within ${spelled(seconds)}`}, limit ${max}`;
}

function ordered<S extends Spot>(spots: readonly S[]): S[] {
  return [...spots].sort((a, b) => compare(a.time, b.time) || a.seq - b.seq);
}
