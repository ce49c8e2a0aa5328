import { readFileSync } from 'node:fs';
import type { Known } from './world.js';

/** What a process keeps in memory, and what it had read by then. */
export interface Sample {
  /** Bytes of JavaScript values that are still in use. */
  readonly heap: number;
  /** Bytes of buffers and typed arrays: what is being read, and the tables of seen keys. */
  readonly buffers: number;
  readonly known: Readonly<Known>;
}

/** Bytes that may be kept per item, because the answer needs them. */
export type Keeps = Partial<Readonly<Record<keyof Known, number>>>;

export interface Verdict {
  /** Bytes of heap per record, after warming up. */
  readonly perRecord: number;
  /** How much it may be. */
  readonly allowed: number;
  readonly steady: boolean;
}

/** cct remembers the newest two million records, calls and blocks in two tables of 32 MiB. The rest is being read. */
const mostBuffers = 2 * 32 * 2 ** 20 + 16 * 2 ** 20;
/** Compiled code, caches and the inaccuracy of measuring. */
const slack = 3 * 2 ** 20;

/** The first third warms up. After that the heap may grow only by what has to be kept. */
export function judge(samples: readonly Sample[], keeps: Keeps): Verdict | null {
  const last = samples.at(-1);
  const records = last?.known.records ?? 0;
  const first = samples.find(({ known }) => known.records >= records / 3);
  if (last === undefined || first === undefined || last === first) return null;
  const grown = last.heap - first.heap;
  const added = last.known.records - first.known.records;
  let allowed = 0;
  for (const thing of thingsIn(keeps)) allowed += (keeps[thing] ?? 0) * (last.known[thing] - first.known[thing]);
  const buffers = Math.max(...samples.map((sample) => sample.buffers));
  return {
    perRecord: grown / added,
    allowed: allowed / added,
    steady: grown <= allowed + slack && buffers <= mostBuffers,
  };
}

function thingsIn(keeps: Keeps): (keyof Known)[] {
  return Object.keys(keeps).filter((thing): thing is keyof Known => thing in keeps);
}

/** The peak memory of a process so far in megabytes; null where there is no /proc. */
export function mostMemoryOf(pid: number): number | null {
  try {
    const found = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found === null ? null : Number(found[1]) / 1000;
  } catch {
    return null;
  }
}
