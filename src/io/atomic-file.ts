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

export type OpenedFile = AtomicFile | { readonly ok: false; readonly problem: string };

export function openAtomicFile(name: string): OpenedFile {
  try {
    const before = lookAt(name);
    // A rename would put a file in the place of the device, pipe or folder.
    if (before !== null && !before.isFile) return { ok: false, problem: 'not a regular file' };
    const path = before === null ? name : realpathSync(name);
    const text = before === null ? null : readFileSync(path, 'utf8');
    let known = before?.version ?? null;
    return {
      ok: true,
      text,
      replace(next) {
        try {
          if ((lookAt(path)?.version ?? null) !== known) return 'another process changed it meanwhile';
          replaceText(path, next, before?.mode);
          known = lookAt(path)?.version ?? null;
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

interface Look {
  readonly isFile: boolean;
  readonly mode: number;
  /** Another one after every change. */
  readonly version: string;
}

function lookAt(path: string): Look | null {
  const stats = statsOf(path);
  if (stats === null) return null;
  if (stats.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
  return {
    isFile: stats.isFile(),
    mode: Number(stats.mode) & 0o777,
    version: `${stats.ino} ${stats.size} ${stats.mtimeNs}`,
  };
}

/** Not by throwIfNoEntry, to which a path below a file is none either from Node 22 on. */
function statsOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function replaceText(path: string, text: string, mode = 0o666): void {
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
