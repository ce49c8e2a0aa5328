/** Calls back once, when it was not refreshed for a given time. */
export interface Timer {
  /** Starts again, also after stop. */
  refresh(): void;
  stop(): void;
}

export function startTimer(milliseconds: number, expired: () => void): Timer {
  let handle: NodeJS.Timeout | undefined;
  let due = 0;
  const wait = () => {
    handle = undefined;
    const left = due - performance.now();
    if (left <= 0) expired();
    else handle = setTimeout(wait, Math.min(Math.ceil(left), longestWait));
  };
  const timer: Timer = {
    refresh() {
      due = performance.now() + milliseconds;
      handle ??= setTimeout(wait, Math.min(milliseconds, longestWait));
    },
    stop() {
      clearTimeout(handle);
      handle = undefined;
    },
  };
  timer.refresh();
  return timer;
}

/** Node's timers fire at once if they are longer than this. */
export const longestWait = 2 ** 31 - 1;
