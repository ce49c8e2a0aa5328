import { readFileSync } from 'node:fs';

export interface Sample {
  readonly records: number;
  /** Megabytes. */
  readonly memory: number;
}

/** Megabytes of a process now; null where there is no /proc. */
export function memoryOf(pid: number): number | null {
  try {
    const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found === null ? null : Number(found[1]) / 1000;
  } catch {
    return null;
  }
}

export interface Verdict {
  readonly low: number;
  readonly high: number;
  /** Megabytes a million records, over the second half. */
  readonly slope: number;
  readonly steady: 'yes' | 'NO' | 'too short to say';
}

/** cct remembers the newest two million records, calls and blocks; until there were as many, it grows. */
const enough = 4_000_000;
const seenTable = 33;

/**
 * The first half warms up. Then the peak may not rise: that of the last quarter is at most a tenth and one table of seen keys,
 * which come and go, above that of the third, plus what is allowed a million records.
 */
export function judge(samples: readonly Sample[], allowed: number): Verdict {
  const last = samples.at(-1)?.records ?? 0;
  const part = (from: number, to: number) =>
    samples.filter(({ records }) => records > last * from && records <= last * to).map(({ memory }) => memory);
  const [third, fourth] = [Math.max(...part(0.5, 0.75)), Math.max(...part(0.75, 1))];
  const all = samples.map(({ memory }) => memory);
  const slope = slopeOf(samples.filter(({ records }) => records > last / 2));
  const grown = (allowed * (last / 4)) / 1e6;
  const flat = fourth <= third * 1.1 + seenTable + grown ? 'yes' : 'NO';
  return { low: Math.min(...all), high: Math.max(...all), slope, steady: last < enough ? 'too short to say' : flat };
}

/** Of the line that fits best. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  const [x, y] = [mean(samples.map(({ records }) => records)), mean(samples.map(({ memory }) => memory))];
  const up = samples.reduce((sum, { records, memory }) => sum + (records - x) * (memory - y), 0);
  const across = samples.reduce((sum, { records }) => sum + (records - x) ** 2, 0);
  return across === 0 ? 0 : (up / across) * 1e6;
}
