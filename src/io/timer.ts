/** Calls back once, when nothing refreshed it for so long. */
export interface Timer {
  /** Begins anew, also after stop. */
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

/** A longer one of Node's fires at once. */
export const longestWait = 2 ** 31 - 1;
