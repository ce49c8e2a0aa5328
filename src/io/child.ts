import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { describeSystemError, systemErrorCode } from './exit.js';

/** A program that was started in a process group and a session of its own. Its stdin and stderr are ours. */
export interface Child {
  readonly ok: true;
  readonly pid: number;
  readonly stdout: Readable;
  /** How it ended; its output may go on, if it left somebody behind. */
  readonly ended: Promise<ChildEnd>;
}

export interface ChildEnd {
  /** null if a signal ended it. */
  readonly code: number | null;
  /** The number of the signal that ended it, else null. */
  readonly signal: number | null;
}

/** As a shell says it: 127 where there is no such program, 126 where it cannot be run. */
export interface NotStarted {
  readonly ok: false;
  readonly problem: string;
  readonly code: 126 | 127;
}

/** Process groups and signals are a matter of Unix. */
export const hasGroups = process.platform !== 'win32';

export function startChild([program = '', ...words]: readonly string[]): Promise<Child | NotStarted> {
  return new Promise((resolve) => {
    const failed = (error: unknown) => {
      const isMissing = systemErrorCode(error) === 'ENOENT';
      const problem = isMissing ? 'no such command' : describeSystemError(error);
      resolve({ ok: false, problem, code: isMissing ? 127 : 126 });
    };
    try {
      const child = spawn(program, words, { stdio: ['inherit', 'pipe', 'inherit'], detached: true });
      const ended = new Promise<ChildEnd>((end) => {
        child.on('exit', (code, signal) => end({ code, signal: signal === null ? null : signalNumber(signal) }));
      });
      child.on('error', failed);
      child.on('spawn', () => resolve({ ok: true, pid: child.pid ?? 0, stdout: child.stdout, ended }));
    } catch (error) {
      failed(error);
    }
  });
}

function signalNumber(signal: NodeJS.Signals): number {
  return constants.signals[signal];
}
