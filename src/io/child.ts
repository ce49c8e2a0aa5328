import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { describeSystemError, systemErrorCode } from './exit.js';

/** A program started in its own process group and session. It shares our stdin and stderr. */
export interface Child {
  readonly ok: true;
  readonly pid: number;
  readonly stdout: Readable;
  /** Stands in its environment, and in that of everything it starts. */
  readonly mark: string;
  /** What Linux calls its end of the output; null if that is not known. */
  readonly output: string | null;
  /** How it ended. Its output may continue, if it left a process behind. */
  readonly ended: Promise<ChildEnd>;
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
    try {
      const child = spawn(program, words, { stdio: ['inherit', 'pipe', 'inherit'], detached: true, env });
      const ended = new Promise<ChildEnd>((end) => {
        child.on('exit', (code, signal) => end({ code, signal: signal === null ? null : signalNumber(signal) }));
      });
      child.on('error', failed);
      child.on('spawn', () => {
        const { pid = 0, stdout } = child;
        resolve({ ok: true, pid, stdout, mark, output: outputOf(pid), ended });
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

function signalNumber(signal: NodeJS.Signals): number {
  return constants.signals[signal];
}
