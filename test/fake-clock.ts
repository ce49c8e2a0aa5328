import type { Clock } from '../src/io/streams.js';

/** Time passes only while somebody waits, or when told to. */
export class FakeClock implements Clock {
  #now = 1_000_000;
  /** How long each wait was. */
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
    // A ticking clock must not block everything else.
    await new Promise(setImmediate);
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

/** Time passes only when told to. */
export class ManualClock implements Clock {
  time = 0;
  #waits: { at: number; end: () => void }[] = [];

  readonly now = () => this.time;

  date(): number {
    return Date.parse('2026-11-16T12:00:00Z') + this.time;
  }

  wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const entry = { at: this.time + milliseconds, end: resolve };
      this.#waits.push(entry);
      signal.addEventListener('abort', () => {
        this.#waits = this.#waits.filter((one) => one !== entry);
        resolve();
      });
    });
  }

  async pass(milliseconds: number): Promise<void> {
    const end = this.time + milliseconds;
    // Those who wait continue at their time, before this does.
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.time = Math.max(this.time, next.at);
      this.#waits = this.#waits.filter((one) => one !== next);
      next.end();
      await new Promise(setImmediate);
    }
    this.time = Math.max(this.time, end);
    await new Promise(setImmediate);
  }

  #next(until: number) {
    return this.#waits.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  }

  get waiting(): number {
    return this.#waits.length;
  }
}
