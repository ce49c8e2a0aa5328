import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { describeSystemError, systemErrorCode } from './exit.js';

/** A program started in its own process group and session. It shares our stdin and stderr. */
export interface Child {
  readonly ok: true;
  readonly pid: number;
  readonly stdout: Readable;
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
