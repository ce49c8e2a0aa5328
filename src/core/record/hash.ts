// A 64-bit hash for ids. The line index (.build/scan/scan.ts) computes the same hash from bytes.

/** The last hash, as two 32-bit halves. Returning a pair would allocate an object each time. */
export const hashed = { high: 0, low: 0 };

/** Hashes a text. The seed makes collisions unpredictable, because somebody could craft ids that collide. */
export function hash(text: string, seed: number): void {
  hashRest(startHigh(seed), startLow(seed), text);
}

/** The hash before the first character. */
export function startHigh(seed: number): number {
  return 0x9e3779b9 ^ seed;
}

export function startLow(seed: number): number {
  return 0x811c9dc5 ^ Math.imul(seed, 0x85ebca6b);
}

/** The hash of a text that `hashRest` can continue. */
export function hashStart(text: string, seed: number): HashStart {
  hash(text, seed);
  // The last step of a hash undoes itself.
  return { high: hashed.high, low: hashed.low ^ (hashed.low >>> 16) };
}

export interface HashStart {
  readonly high: number;
  readonly low: number;
}

/** Hashes a text when its beginning is already hashed, by the line index or by `hashStart`. */
export function hashRest(beginHigh: number, beginLow: number, rest: string): void {
  let high = beginHigh | 0;
  let low = beginLow | 0;
  for (let at = 0; at < rest.length; at++) {
    const code = rest.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = (Math.imul(high ^ code, 0x85ebca6b) + (high >>> 13)) | 0;
  }
  hashed.high = high >>> 0;
  hashed.low = (low ^ (low >>> 16)) >>> 0;
}

/** A number that stands for an id: most of its hash. Where an id is only compared, no text of it need be made. */
export function markOf(id: string, seed: number): number {
  hash(id, seed);
  return mark();
}

/** The same for an id whose text the line index has hashed. */
export function markAt(high: number, low: number): number {
  hashRest(high, low, '');
  return mark();
}

function mark(): number {
  // 53 bits; 0 stands for none.
  return hashed.high * 0x200000 + (hashed.low >>> 11) || 1;
}
