import { constants, copyFileSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemErrorCode } from './exit.js';
import { procStat } from './proc-stat.js';

/** A file beside another one that says that it is in use, and by whom. */
export type Lock =
  | {
      readonly ok: true;
      /** False if no file can be created beside it. Then nothing is locked, but the file cannot be replaced either. */
      readonly isHeld: boolean;
      release(): void;
    }
  | { readonly ok: false; readonly problem: string };

/** Takes over the lock of a process that is gone. Released when this process ends at the latest, unless it is killed. */
export function lockFile(path: string): Lock {
  const lock = `${path}.lock`;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const made = create(lock);
    if (made === 'made') return held(lock);
    if (made === 'impossible') return { ok: true, isHeld: false, release() {} };
    const owner = lockOwner(lock);
    if (owner !== null && isAlive(owner))
      return {
        ok: false,
        problem: `in use by process ${describeOwner(owner)}; if that process is gone, remove ${lock}`,
      };
    takeAway(lock);
  }
  return { ok: false, problem: `too many processes want it at once; ${lock} names the one that has it` };
}

const mostTries = 5;

function held(lock: string): Lock {
  const release = () => {
    process.removeListener('exit', release);
    rmSync(lock, { force: true });
  };
  process.once('exit', release);
  return { ok: true, isHeld: true, release };
}

/** It appears with its text: somebody who is killed here leaves no lock that says nothing. */
function create(lock: string): 'made' | 'there' | 'impossible' {
  const draft = `${lock}.${process.pid}`;
  try {
    writeFileSync(draft, `${process.pid} ${startOf(process.pid)} ${hostname()}\n`);
    try {
      linkSync(draft, lock);
    } catch (error) {
      // Some file systems have no links.
      if (systemErrorCode(error) === 'EEXIST') return 'there';
      copyFileSync(draft, lock, constants.COPYFILE_EXCL);
    }
    return 'made';
  } catch (error) {
    return systemErrorCode(error) === 'EEXIST' ? 'there' : 'impossible';
  } finally {
    rmSync(draft, { force: true });
  }
}

interface Owner {
  readonly pid: number;
  readonly start: string;
  readonly host: string;
}

/** null if the lock is gone, or was created but never written. */
function lockOwner(lock: string): Owner | null {
  try {
    const text = readFileSync(lock, 'utf8').slice(0, longestLock);
    const [, pid, start = '', host = ''] = /^(\d{1,10}) (\d+|-) (.*)\n$/.exec(text) ?? [];
    if (pid !== undefined) return { pid: Number(pid), start, host };
    // Another process is about to write it.
    const isFresh = Date.now() - statSync(lock).mtimeMs < freshMs;
    return isFresh ? { pid: process.pid, start: startOf(process.pid), host: hostname() } : null;
  } catch {
    return null;
  }
}

const longestLock = 300;
const freshMs = 5000;

/** A process on another host counts as alive. A process here may have the number of one that is gone. */
function isAlive({ pid, start, host }: Owner): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (systemErrorCode(error) === 'ESRCH') return false;
  }
  return start === startOf(pid);
}

/** When a process started, if the system says so. */
function startOf(pid: number): string {
  return procStat(pid)?.started ?? '-';
}

function describeOwner({ pid, host }: Owner): string {
  return host === hostname() ? String(pid) : `${pid} on ${host}`;
}

/** Renames it first, which only one of several processes can do. Another may have locked the file again meanwhile. */
function takeAway(lock: string): void {
  const away = `${lock}.${process.pid}`;
  try {
    renameSync(lock, away);
    const owner = lockOwner(away);
    if (owner !== null && isAlive(owner)) renameSync(away, lock);
    else rmSync(away, { force: true });
  } catch {}
}
