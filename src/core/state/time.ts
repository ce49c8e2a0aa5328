/** Times decide where both are known; without them the later record does. */
export function isOlder(time: string | null, than: string | null): boolean {
  return time !== null && than !== null && time < than;
}

export function earliest(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return b < a ? b : a;
}

export function latest(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? b : a;
}
