/**
 * --stamp: the time now. When the clock is set back it stands still until it is as late again: what was read later must
 * not look older, or last-writer-wins would keep the older state.
 */
export function createStamp(now: () => number): () => string {
  let latest = Number.NEGATIVE_INFINITY;
  return () => {
    latest = Math.max(latest, now());
    return new Date(latest).toISOString();
  };
}
