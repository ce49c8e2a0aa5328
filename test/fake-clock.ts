import type { Clock } from '../src/io/streams.js';

/** Time passes only while somebody waits for it, or is told to. */
export class FakeClock implements Clock {
  #now = 1_000_000;
  /** How long was waited, each time. */
  readonly waits: number[] = [];

  now(): number {
    return this.#now;
  }

  date(): number {
    return Date.parse('2026-11-16T12:00:00Z') + this.#now - 1_000_000;
  }

  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.waits.push(milliseconds);
    this.pass(milliseconds);
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }
}
