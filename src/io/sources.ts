import { createReadStream, open, openSync, statSync } from 'node:fs';
import { describeSystemError } from './exit.js';
import { isWhole, type OpenedSource, type StdinStream } from './streams.js';

/** One input of a run, in the order of the command line. */
export interface Source {
  /** For messages and for the `source` field: the path as typed, or `stdin`. */
  readonly name: string;
  /** What the path says about its content; null on stdin. */
  readonly path: string | null;
  /** Bytes of a regular file, null where nobody knows how much there is. */
  size?(): number | null;
  /** Opened when its turn comes. A failure is a value: the other files are still read. */
  open(): Promise<OpenedSource>;
}

/** The inputs a file list stands for; `-` and no file at all are stdin. */
export function sourcesFrom(files: readonly string[], stdin: StdinStream): Source[] {
  const names = files.length === 0 ? ['-'] : files;
  return names.map((name) => {
    // Opening these paths anew fails when stdin is a socket, and would read an idle pipe in a thread.
    if (name === '-' || stdinPaths.has(name)) {
      const size = () => stdin.size?.() ?? null;
      return { name: name === '-' ? 'stdin' : name, path: null, size, open: async () => stdin.open() };
    }
    return { name, path: name, size: () => fileSize(name), open: () => openPath(name) };
  });
}

/** Whether anything is yet to be said: by a pipe, not by files nor by somebody who types. */
export function isOpenEnded(files: readonly string[], stdin: StdinStream): boolean {
  const names = files.length === 0 ? ['-'] : files;
  return names.some((name) =>
    name === '-' || stdinPaths.has(name) ? !stdin.isFile && !stdin.isTTY : !isWhole(() => statSync(name)),
  );
}

const stdinPaths: ReadonlySet<string> = new Set(['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

/** A file that is not there holds nothing, and says so when it is opened. */
function fileSize(path: string): number | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return 0;
  return stats.isFile() ? stats.size : null;
}

async function openPath(path: string): Promise<OpenedSource> {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return { ok: false, problem: 'is a directory' };
    if (stats.isFile()) return { ok: true, bytes: { kind: 'file', fd: openSync(path, 'r') } };
    // `<(command)` is a pipe with a path.
    if (stats.isFIFO()) return { ok: true, bytes: { kind: 'pipe', fd: await openInThread(path) } };
    return { ok: true, bytes: { kind: 'stream', stream: createReadStream(path) } };
  } catch (error) {
    return { ok: false, problem: describeSystemError(error) };
  }
}

// A named pipe has to wait for its writer; signals and timers go on meanwhile.
function openInThread(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    open(path, 'r', (error, fd) => (error === null ? resolve(fd) : reject(error)));
  });
}
