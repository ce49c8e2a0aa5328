/** Time as a value, so that a test can give another one. */
export interface Clock {
  /** Milliseconds from some moment on, never backwards. */
  now(): number;
  /** Comes back after so many milliseconds, or as soon as the signal says so; it may come back a little early. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(milliseconds, longestTimer));
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    }),
};

/** A longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;
