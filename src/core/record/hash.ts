// A hash of 64 bits for ids. The index of lines (.build/scan/scan.ts) makes the same one from bytes.

/** The two halves, 32 bits each: a collision among a million texts has a chance of one in thirty million. */
export type Hash = readonly [high: number, low: number];

/** A seed makes collisions unpredictable: ids may come from somebody who wants one. */
export function hashOf(text: string, seed: number): Hash {
  return hashEnd(...hashStart(seed), text);
}

/** The hash of no text yet. */
export function hashStart(seed: number): Hash {
  return [(0x9e3779b9 ^ seed) >>> 0, (0x811c9dc5 ^ Math.imul(seed, 0x85ebca6b)) >>> 0];
}

/** The hash of a text, from the hash of its beginning and the rest. */
export function hashEnd(beginHigh: number, beginLow: number, rest: string): Hash {
  let high = beginHigh;
  let low = beginLow;
  for (let at = 0; at < rest.length; at++) {
    const code = rest.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b) + (high >>> 13);
  }
  return [high >>> 0, (low ^ (low >>> 16)) >>> 0];
}
