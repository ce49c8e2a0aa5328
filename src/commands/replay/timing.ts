// Places lines in time, waits until they are due, and reads the points of --since, --until and --at.
import type { Context } from '../../cli/command.js';
import { textOf } from '../../cli/flags/flags.js';
import { durationIn, instantIn } from '../../cli/flags/times.js';
import { zoneNamed } from '../../core/record/zone.js';
import { UsageError } from '../../io/exit.js';
import type { Clock } from '../../io/streams.js';

export interface Placed<L> {
  readonly line: L;
  /** Milliseconds of recorded time since the first line. */
  readonly at: number;
  /** Milliseconds since 1970; null if unknown. */
  readonly time: number | null;
}

/**
 * Gives every line a place in time. Lines wait until their own time or a later one is known, and divide the time since
 * the last known one evenly. Before the first known time, after the last, and if there is none, lines are one step
 * apart. Time never goes backwards: a source that begins before the end of the last source follows it at once.
 */
export class Timeline<L extends Placeable> {
  #held: L[] = [];
  /** Where the last line was placed; null before the first. */
  #at: number | null = null;
  /** The time at place 0. */
  #origin: number | null = null;
  /** No time of this source is known yet. */
  #isNew = true;

  constructor(private readonly stepMs: number) {}

  /** Another source begins. The lines of the previous source must have been released. */
  begin(): void {
    this.#isNew = true;
  }

  holdLine(line: L): void {
    this.#held.push(line);
  }

  /** Places the lines up to this one, which has a time. */
  placeUpTo(number: number, time: number): Placed<L>[] {
    const count = this.#held.findLastIndex((line) => line.number <= number) + 1;
    if (count === 0) return [];
    const lines = this.#held.splice(0, count);
    const steps = lines.filter(({ continues }) => !continues).length;
    const from = this.#at;
    const to = this.#origin === null ? null : time - this.#origin;
    const isNew = this.#isNew;
    this.#isNew = false;
    if (from === null || to === null || (isNew && to < from)) {
      this.#origin = time - this.#stepped(steps);
      return this.#placeLines(lines, (k) => this.#stepped(k, from));
    }
    if (isNew) return this.#placeLines(lines, (k) => Math.max(from, to - (steps - k) * this.stepMs));
    const gap = Math.max(0, to - from);
    return this.#placeLines(lines, (k) => (k === steps ? from + gap : from + (gap * k) / steps));
  }

  /** Places all waiting lines one step apart, because no later time is known or it comes too late. */
  releaseAll(): Placed<L>[] {
    const from = this.#at;
    return this.#placeLines(this.#held.splice(0), (k) => this.#stepped(k, from));
  }

  /** The place of the k-th line after the last placed line. */
  #stepped(k: number, from = this.#at): number {
    return from === null ? Math.max(0, k - 1) * this.stepMs : from + k * this.stepMs;
  }

  #placeLines(lines: readonly L[], placeOf: (k: number) => number): Placed<L>[] {
    let k = 0;
    return lines.map((line) => {
      if (!line.continues) k += 1;
      const at = k === 0 ? (this.#at ?? 0) : placeOf(k);
      this.#at = at;
      return { line, at, time: this.#origin === null ? null : this.#origin + at };
    });
  }
}

export interface TempoOptions {
  readonly speed: number;
  /** Longer recorded gaps between two lines are shortened to this. */
  readonly maxGapMs: number | null;
  /** The same time between all lines, whatever was recorded. */
  readonly intervalMs: number | null;
}

/** Waits until each line is due. Due times count from the first line, so one late line does not delay the next. */
export class Tempo {
  #first: { readonly at: number; readonly now: number } | null = null;
  #lastAt = 0;
  /** How long after the first line the last one is due, in recorded time. */
  #played = 0;

  constructor(
    private readonly options: TempoOptions,
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
  ) {}

  /** Milliseconds until a line at this place is due. Call it once per line, in order. */
  dueIn(at: number, continues: boolean): number {
    if (this.#first === null) {
      this.#first = { at, now: this.clock.now() };
      this.#played = 0;
    } else if (!continues) {
      this.#played = this.#playedAt(at, this.#first.at);
    }
    this.#lastAt = at;
    return this.#left();
  }

  /** Waits until the line that was asked for last is due. */
  async waitForDue(): Promise<void> {
    for (let left = this.#left(); left > 0 && !this.signal.aborted; left = this.#left())
      await this.clock.wait(left, this.signal);
  }

  /** The next line counts as the first. */
  restart(): void {
    this.#first = null;
  }

  #playedAt(at: number, firstAt: number): number {
    const { maxGapMs, intervalMs } = this.options;
    if (intervalMs !== null) return this.#played + intervalMs;
    if (maxGapMs === null) return at - firstAt;
    return this.#played + Math.min(at - this.#lastAt, maxGapMs);
  }

  #left(): number {
    if (this.#first === null) return 0;
    return this.#first.now + this.#played / this.options.speed - this.clock.now();
  }
}

/** A point of a recording, as given to --since, --until and --at. */
export type Point =
  | { readonly kind: 'line'; readonly line: number }
  | { readonly kind: 'offset'; readonly ms: number }
  | { readonly kind: 'time'; readonly epoch: number };

export interface Spot {
  /** Its position among all lines of the input, from 1. */
  readonly position: number;
  readonly at: number;
  readonly time: number | null;
}

/** null if the flag is not given. */
export function pointOf(
  { options, streams }: Pick<Context, 'options' | 'streams'>,
  name: 'since' | 'until' | 'at',
): Point | null {
  const typed = textOf(options, name);
  if (typed === null) return null;
  const [, line] = /^line:(\d{1,15})$/.exec(typed) ?? [];
  if (line !== undefined) return { kind: 'line', line: Number(line) };
  const offset = durationIn(typed);
  if (offset !== null) return { kind: 'offset', ms: offset };
  const epoch = instantIn(typed, zoneNamed('UTC'), streams.clock);
  if (Number.isNaN(epoch))
    throw new UsageError(
      `--${name}: '${typed}' is not a point in a recording; use for example 2026-11-16T14:30:00Z, today, 90s, 1h30m or line:120`,
    );
  return { kind: 'time', epoch };
}

/** Lines without a time come before every time. */
export function isBeforePoint(point: Point, { position, at, time }: Spot): boolean {
  if (point.kind === 'line') return position < point.line;
  return point.kind === 'offset' ? at < point.ms : time === null || time < point.epoch;
}

export function isBehind(point: Point, { position, at, time }: Spot): boolean {
  if (point.kind === 'line') return position > point.line;
  return point.kind === 'offset' ? at > point.ms : time !== null && time > point.epoch;
}

/** A line is included, a time is not. So the --until of one part can be the --since of the next. */
export function endsBefore(until: Point, spot: Spot): boolean {
  if (until.kind === 'line') return isBehind(until, spot);
  return !isBeforePoint(until, spot);
}

interface Placeable {
  /** Its number in its source, from 1. */
  readonly number: number;
  /** A piece of the line before it, due at the same time. */
  readonly continues: boolean;
}
