import type { Clock } from '../../io/clock.js';

export interface TempoOptions {
  readonly speed: number;
  /** Longest recorded time between two lines; what is longer is shortened to it. */
  readonly maxGapMs: number | null;
  /** The same time between all lines, whatever was recorded. */
  readonly intervalMs: number | null;
}

/** Waits for the moment of each line. Every moment counts from the first line, so that being late once makes nothing later. */
export class Tempo {
  readonly #options: TempoOptions;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #first: { readonly at: number; readonly now: number } | null = null;
  #lastAt = 0;
  /** How long after the first line the last one is due, in recorded time. */
  #played = 0;
  #rush = new AbortController();
  #over: AbortSignal;

  constructor(options: TempoOptions, clock: Clock, signal: AbortSignal) {
    this.#options = options;
    this.#clock = clock;
    this.#signal = signal;
    this.#over = AbortSignal.any([signal, this.#rush.signal]);
  }

  /** Milliseconds until a line at this place is due; to be asked once for each line, in order. */
  next(at: number, continues: boolean): number {
    if (this.#rush.signal.aborted) return 0;
    if (this.#first === null) {
      this.#first = { at, now: this.#clock.now() };
      this.#played = 0;
    } else if (!continues) {
      this.#played = this.#playedAt(at, this.#first.at);
    }
    this.#lastAt = at;
    return this.#left();
  }

  /** Until the line asked for last is due, or somebody is in a hurry. */
  async wait(): Promise<void> {
    for (let left = this.#left(); left > 0 && !this.#over.aborted; left = this.#left())
      await this.#clock.wait(left, this.#over);
  }

  /** No more waiting, until it starts again. */
  rush(): void {
    this.#rush.abort();
  }

  /** The next line is the first: what passed meanwhile was not its time. */
  restart(): void {
    this.#rush = new AbortController();
    this.#over = AbortSignal.any([this.#signal, this.#rush.signal]);
    this.#first = null;
  }

  #playedAt(at: number, firstAt: number): number {
    const { maxGapMs, intervalMs } = this.#options;
    if (intervalMs !== null) return this.#played + intervalMs;
    if (maxGapMs === null) return at - firstAt;
    return this.#played + Math.min(at - this.#lastAt, maxGapMs);
  }

  #left(): number {
    if (this.#first === null) return 0;
    return this.#first.now + this.#played / this.#options.speed - this.#clock.now();
  }
}
