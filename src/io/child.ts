import { spawn, spawnSync } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { describeSystemError, systemErrorCode } from './exit.js';

/** A program started in its own process group and session. It shares our stdin and stderr. */
export interface Child {
  readonly ok: true;
  readonly pid: number;
  readonly stdout: Readable;
  /** How it and everything it starts are known. */
  readonly marks: Marks;
  /** How it ended. Its output may continue, if it left a process behind. */
  readonly ended: Promise<ChildEnd>;
}

/** What children inherit. Each may be null or lost, but hardly all. */
export interface Marks {
  /** Stands in the environment. */
  readonly environment: string;
  /** What Linux calls the output. */
  readonly output: string | null;
  /** A limit that nobody else has. */
  readonly limit: string | null;
}

export interface ChildEnd {
  /** null if a signal ended it. */
  readonly code: number | null;
  /** The number of the signal that ended it, else null. */
  readonly signal: number | null;
}

/** As in a shell: 127 if there is no such program, 126 if it cannot be run. */
export interface NotStarted {
  readonly ok: false;
  readonly problem: string;
  readonly code: 126 | 127;
}

/** Only Unix has process groups and signals. */
export const hasGroups = process.platform !== 'win32';

export function startChild([program = '', ...words]: readonly string[]): Promise<Child | NotStarted> {
  return new Promise((resolve) => {
    const failed = (error: unknown) => {
      const isMissing = systemErrorCode(error) === 'ENOENT';
      const problem = isMissing ? 'no such command' : describeSystemError(error);
      resolve({ ok: false, problem, code: isMissing ? 127 : 126 });
    };
    const mark = randomUUID();
    // One cct run may start another, and both know their own.
    const env = { ...process.env, CCT_RUN: [process.env['CCT_RUN'], mark].filter(Boolean).join(':') };
    const limit = ownLimit();
    try {
      const child = spawn(program, words, { stdio: ['inherit', 'pipe', 'inherit'], detached: true, env });
      const ended = new Promise<ChildEnd>((end) => {
        child.on('exit', (code, signal) => end({ code, signal: signal === null ? null : signalNumber(signal) }));
      });
      child.on('error', failed);
      child.on('spawn', () => {
        const { pid = 0, stdout } = child;
        resolve({ ok: true, pid, stdout, marks: { environment: mark, output: outputOf(pid), limit }, ended });
      });
    } catch (error) {
      failed(error);
    }
  });
}

function outputOf(pid: number): string | null {
  try {
    const link = readlinkSync(`/proc/${pid}/fd/1`);
    return /^(?:socket|pipe):/.test(link) ? link : null;
  } catch {
    return null;
  }
}

/**
 * Gives this process a limit that its children inherit, even those with an empty environment whose parents are gone:
 * 36,000 years of computing in real time. Not every Linux has prlimit.
 */
function ownLimit(): string | null {
  if (process.platform !== 'linux') return null;
  const limit = String(2n ** 60n + BigInt(randomInt(2 ** 47)));
  const { status } = spawnSync('prlimit', [`--pid=${process.pid}`, `--rttime=${limit}:`], { stdio: 'ignore' });
  return status === 0 ? limit : null;
}

function signalNumber(signal: NodeJS.Signals): number {
  return constants.signals[signal];
}
