import {
  type BigIntStats,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { describeSystemError, systemErrorCode } from './exit.js';

/** A small file that is read once and then replaced as a whole, any number of times. */
export interface AtomicFile {
  readonly ok: true;
  /** null where there is no file yet. */
  readonly text: string | null;
  /** In one step: whoever reads it sees the old text or the new one, also after a crash or on a full disk. A problem or null. */
  replace(text: string): string | null;
}

export function openAtomicFile(name: string): AtomicFile | { readonly ok: false; readonly problem: string } {
  try {
    const before = statsOf(name);
    // A rename would put a file in the place of the device, pipe or folder.
    if (before !== null && !before.isFile()) return { ok: false, problem: 'not a regular file' };
    const path = before === null ? name : realpathSync(name);
    const mode = before === null ? 0o666 : Number(before.mode) & 0o777;
    let known = versionOf(before);
    return {
      ok: true,
      text: before === null ? null : readFileSync(path, 'utf8'),
      replace(next) {
        try {
          if (versionOf(statsOf(path)) !== known) return 'another process changed it meanwhile';
          replaceText(path, next, mode);
          known = versionOf(statsOf(path));
          return null;
        } catch (error) {
          return describeSystemError(error);
        }
      },
    };
  } catch (error) {
    return { ok: false, problem: describeSystemError(error) };
  }
}

/** null where there is no file. */
function statsOf(path: string): BigIntStats | null {
  try {
    const stats = statSync(path, { bigint: true });
    if (stats.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    return stats;
  } catch (error) {
    // Not by throwIfNoEntry, to which a path below a file is none either from Node 22 on.
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Another one after every change. */
function versionOf(stats: BigIntStats | null): string | null {
  return stats === null ? null : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}

function replaceText(path: string, text: string, mode: number): void {
  const draft = `${path}.${process.pid}.tmp`;
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
