import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { describeSystemError, systemErrorCode } from './system-error.js';

export type FileText =
  | { readonly ok: true; readonly text: string | null }
  | { readonly ok: false; readonly problem: string };

/** A whole small file; null where there is none yet. */
export function readText(path: string): FileText {
  try {
    return { ok: true, text: readFileSync(path, 'utf8') };
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT'
      ? { ok: true, text: null }
      : { ok: false, problem: describeSystemError(error) };
  }
}

/** Replaces a file in one step: whoever reads it sees the old text or the new one, also after a crash or on a full disk. */
export function replaceText(path: string, text: string): string | null {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    const file = openSync(draft, 'w');
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
    return null;
  } catch (error) {
    rmSync(draft, { force: true });
    return describeSystemError(error);
  }
}
