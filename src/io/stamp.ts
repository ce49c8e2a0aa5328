/**
 * --stamp: the current time. If the clock is set back, the stamp stands still until the clock catches up: later records
 * must not look older, or last-writer-wins would keep the older state.
 */
export function createStamp(now: () => number): () => string {
  let latest = Number.NEGATIVE_INFINITY;
  return () => {
    latest = Math.max(latest, now());
    return new Date(latest).toISOString();
  };
}
