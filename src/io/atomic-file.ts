import {
  type BigIntStats,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describeSystemError, systemErrorCode } from './exit.js';
import { lockFile } from './lock-file.js';

/** A small file that is read once and then replaced as a whole, any number of times. It is locked until it is closed. */
export interface AtomicFile {
  readonly ok: true;
  /** null if there is no file yet. */
  readonly text: string | null;
  /** Atomic: readers see the old text or the new one, even after a crash or on a full disk. Returns a problem or null. */
  replace(text: string): string | null;
  close(): void;
}

export function openAtomicFile(name: string): AtomicFile | { readonly ok: false; readonly problem: string } {
  try {
    // A rename would replace the device, pipe or folder by a file.
    if (statsOf(name)?.isFile() === false) return { ok: false, problem: 'not a regular file' };
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
      ok: true,
      text: before === null ? null : readFileSync(path, 'utf8'),
      replace(next) {
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
    return { ok: false, problem: describeSystemError(error) };
  }
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
