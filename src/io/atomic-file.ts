import {
  type BigIntStats,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { describeSystemError, systemErrorCode } from './exit.js';
import { procStat } from './processes.js';

/** A small file that is read once and then replaced as a whole, any number of times. It is locked until it is closed. */
export function openAtomicFile(name: string) {
  try {
    // A rename would replace the device, pipe or folder by a file.
    if (statsOf(name)?.isFile() === false) return refused('not a regular file');
    const path = linkTarget(name);
    const lock = lockFile(path);
    if (!lock.ok) return lock;
    const before = statsOf(path);
    const mode = before === null ? 0o666 : Number(before.mode) & 0o777;
    const draft = `${path}.tmp`;
    // Left behind by a process that was killed.
    if (lock.isHeld) rmSync(draft, { force: true });
    let known = versionOf(before);
    return {
      ok: true as const,
      /** null if there is no file yet. */
      text: before === null ? null : readFileSync(path, 'utf8'),
      /** Atomic: readers see the old text or the new one, even after a crash or on a full disk. Returns a problem or null. */
      replace(next: string): string | null {
        try {
          if (versionOf(statsOf(path)) !== known) return 'another process has changed it in the meantime';
          replaceText(path, draft, next, mode);
          known = versionOf(statsOf(path));
          return null;
        } catch (error) {
          return describeSystemError(error);
        }
      },
      close: lock.release,
    };
  } catch (error) {
    return refused(describeSystemError(error));
  }
}

function refused(problem: string) {
  return { ok: false as const, problem };
}

/** null if there is no file. */
function statsOf(path: string): BigIntStats | null {
  try {
    const stats = statSync(path, { bigint: true });
    if (stats.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    return stats;
  } catch (error) {
    // Not throwIfNoEntry: since Node 22 it also treats a path below a file as missing.
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Where links lead, even if nothing is there yet. So a link stays a link. */
function linkTarget(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
  try {
    return linkTarget(resolve(dirname(path), readlinkSync(path)));
  } catch {
    return path;
  }
}

/** Different after every change. */
function versionOf(stats: BigIntStats | null): string | null {
  return stats === null ? null : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}

function replaceText(path: string, draft: string, text: string, mode: number): void {
  try {
    rmSync(draft, { force: true });
    const file = openSync(draft, 'wx', mode);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Writes a file atomically; a device or pipe is written to directly. Returns a problem or null. */
export function writeWhole(name: string, text: string): string | null {
  try {
    if (statsOf(name)?.isFile() === false) writeFileSync(name, text);
    else {
      const path = linkTarget(name);
      const before = statsOf(path);
      replaceText(path, `${path}.tmp`, text, before === null ? 0o666 : Number(before.mode) & 0o777);
    }
    return null;
  } catch (error) {
    return describeSystemError(error);
  }
}

/**
 * Creates a file beside another one that says that it is in use, and by whom. Takes over the lock of a process that is gone.
 * Released when this process ends at the latest, unless it is killed.
 */
function lockFile(path: string) {
  const lock = `${path}.lock`;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const made = create(lock);
    if (made === 'made') return held(lock);
    // Nothing is locked, but the file cannot be replaced either.
    if (made === 'impossible') return { ok: true as const, isHeld: false, release() {} };
    const owner = lockOwner(lock);
    if (owner !== null && isAlive(owner))
      return refused(`in use by process ${describeOwner(owner)}; if that process is gone, remove ${lock}`);
    takeAway(lock);
  }
  return refused(`too many processes want it at once; ${lock} names the one that has it`);
}

const mostTries = 5;

function held(lock: string) {
  const release = () => {
    process.removeListener('exit', release);
    rmSync(lock, { force: true });
  };
  process.once('exit', release);
  return { ok: true as const, isHeld: true, release };
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
