import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Case {
  readonly name: string;
  /** Words for bash. It reads its file itself, or stdin. */
  readonly command: string;
  /** A file to `cat` into it. */
  readonly pipe?: string;
  /** It writes into a pipe; otherwise into a file, or nowhere if it has no answer. */
  readonly intoPipe?: boolean;
  /** Reduces its output to what can be compared; null if it cannot be compared. */
  readonly answer?: ((text: string) => string) | null;
  readonly bars?: readonly Bar[];
}

/**
 * The limit of a case: so many times as fast as another, at most so many times as slow, or a plain figure; and its
 * goal.
 */
export type Bar = { readonly aim?: number } & (
  | { readonly faster: number; readonly than: string }
  | { readonly slower: number; readonly than: string; readonly by?: 'cpu' }
  | { readonly most: number; readonly of: 'cpu' | 'memory' }
);

export interface Measured {
  /** Milliseconds, medians. */
  readonly wall: number;
  readonly cpu: number;
  /** Megabytes, the most of all rounds; null if GNU time is not installed. */
  readonly memory: number | null;
  readonly answer: string | null;
}

/** Runs the cases round-robin, so that other load affects all of them alike. The first round only warms up. */
export function measure(cases: readonly Case[], rounds: number, folder: string): Map<string, Measured> {
  const runs = new Map(cases.map(({ name }) => [name, [] as Run[]]));
  for (let round = 0; round <= rounds; round++)
    for (const one of cases) {
      const run = runOnce(one, folder);
      if (round > 0 || rounds === 0) runs.get(one.name)?.push(run);
    }
  return new Map([...runs].map(([name, list]) => [name, summary(list)]));
}

/** A launcher may exist without the program it launches. */
export function isInstalled(program: string): boolean {
  return spawnSync('bash', ['-c', `${program} --version`]).status === 0;
}

/** bash measures milliseconds and works everywhere. Only GNU time reports memory. */
export const gnuTime = spawnSync('bash', ['-c', 'command time -f %M true']).status === 0;

interface Run {
  readonly wall: number;
  readonly cpu: number;
  readonly memory: number | null;
  readonly answer: string | null;
}

function runOnce({ command, pipe, intoPipe = false, answer = (text) => text }: Case, folder: string): Run {
  const [out, peak] = [join(folder, 'out'), join(folder, 'peak')];
  const timed = `time ${gnuTime ? `command time -f %M -o ${peak} ` : ''}${command} 2>&4`;
  const feed = pipe === undefined ? '' : `cat ${pipe} | `;
  const output = answer === null ? '/dev/null' : out;
  const sink = intoPipe ? `| cat >${output}` : `>${output}`;
  const script = `set -o pipefail; TIMEFORMAT='%3R %3U %3S'; ${feed}{ ${timed}; } 4>&2 2>&3 ${sink}`;
  const ran = spawnSync('bash', ['-c', script], { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  if (ran.status !== 0) throw new Error(`${command} ended with ${ran.status}: ${ran.stderr}`);
  const [real = 0, user = 0, system = 0] = (ran.output[3] ?? '').trim().split(' ').map(Number);
  return {
    wall: real * 1000,
    cpu: (user + system) * 1000,
    memory: gnuTime ? Number(readFileSync(peak, 'utf8').trim()) / 1000 : null,
    answer: answer === null ? null : checksum(answer(readFileSync(out, 'utf8'))),
  };
}

function summary(runs: readonly Run[]): Measured {
  const memories = runs.flatMap(({ memory }) => memory ?? []);
  return {
    wall: median(runs.map(({ wall }) => wall)),
    cpu: median(runs.map(({ cpu }) => cpu)),
    memory: memories.length === 0 ? null : Math.max(...memories),
    answer: runs[0]?.answer ?? null,
  };
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
