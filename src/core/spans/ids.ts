// Ids of traces and spans, made from Claude Code's own ids, so that exporting again gives the same ids.
import { hash, hashed } from '../record/hash.js';

/** 16 hexadecimal digits, never all zero. */
export function spanId(...parts: (string | null)[]): string {
  return digits(JSON.stringify(parts), 0);
}

/** 32 hexadecimal digits. */
export function traceId(...parts: (string | null)[]): string {
  const text = JSON.stringify(parts);
  return digits(text, 1) + digits(text, 2);
}

function digits(text: string, seed: number): string {
  hash(text, seed);
  const { high, low } = hashed;
  return eight(high) + eight(high === 0 && low === 0 ? 1 : low);
}

function eight(half: number): string {
  return half.toString(16).padStart(8, '0');
}
