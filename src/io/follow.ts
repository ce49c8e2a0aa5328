// Reads files as they grow, like `tail -F`: new bytes, new files, and files that are replaced or truncated.
import { closeSync, type FSWatcher, fstatSync, openSync, readSync, type Stats, statSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { formOf } from './decode.js';
import { filesUnder, isFolder } from './directory.js';
import { describeSystemError, systemErrorCode } from './exit.js';
import type { ByteSource } from './sources.js';

export interface Followed {
  readonly path: string;
  /** Whether it was found in a directory. */
  readonly found: boolean;
}

/** Receives what is read. The files take turns. */
export interface FollowSink {
  readonly most: number;
  /** More of a file follows; `again`: from its start. */
  begin(file: Followed, again: boolean): void;
  room(bytes: number): Uint8Array;
  filled(bytes: number): Promise<void> | void;
  /** All of the file that exists so far was read. */
  pause(): void;
  /** Reads a whole file that cannot be read in pieces. */
  wholeFile(file: Followed, bytes: ByteSource): Promise<void>;
  /** Whether a text is one JSON value. */
  isJson(text: string): boolean;
  /** A file cannot be read. */
  problem(file: Followed, problem: string): void;
  notice(file: Followed, text: string): void;
  /** Called when everything there is was checked and something was new; the first time in any case. */
  looked(): Promise<void>;
  /** Whether nothing more is wanted, once everything there is was read. */
  isDone(): boolean;
}

/** Returns when the signal aborts or the sink is done. Returns the operands that never existed. */
export async function followFiles(
  operands: readonly string[],
  sink: FollowSink,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const files = new Files(operands, sink);
  const changes = new ChangeQueue();
  const stop = () => changes.add(null);
  signal.addEventListener('abort', stop);
  const watchers = new Watchers((path) => changes.add(path));
  try {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const changed = changes.take();
      const began = performance.now();
      const isAll = changed === null || !changed.every((path) => files.knows(path));
      const news = await files.look(isAll ? null : changed, watchers, signal);
      if (news || isFirst) await sink.looked();
      else if (isAll && sink.isDone()) break;
      // Leaves most of the time to others, even where there is much to check.
      await changes.rest(Math.min(pollMs, 2 * (performance.now() - began)), signal);
      if (!signal.aborted) await changes.wait(pollMs);
    }
    return files.missing();
  } finally {
    signal.removeEventListener('abort', stop);
    changes.stop();
    watchers.close();
  }
}

/** Watching is not reliable on every file system, so files are also checked this often. */
const pollMs = 1000;

/** Wakes the reader when a path changes; null means any path. */
class ChangeQueue {
  #paths: Set<string> | null = null;
  #wake = () => {};
  #timer: NodeJS.Timeout | undefined;

  add(path: string | null): void {
    if (path === null) this.#paths = null;
    else this.#paths?.add(path);
    this.#wake();
  }

  /** The paths that changed since the last call; null means check everything. */
  take(): readonly string[] | null {
    const paths = this.#paths;
    this.#paths = new Set();
    return paths === null ? null : [...paths];
  }

  /** Resolves on a change, or after this many milliseconds, when everything is to be checked. */
  wait(milliseconds: number): Promise<void> {
    if (this.#paths === null || this.#paths.size > 0) return Promise.resolve();
    return new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#timer = setTimeout(() => this.add(null), milliseconds);
    }).then(() => this.stop());
  }

  rest(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        if (!signal.aborted) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#wake = () => {};
  }
}

/** Watches as many folders as is cheap. The others are checked every second. */
class Watchers {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #onChange: (path: string) => void;

  constructor(onChange: (path: string) => void) {
    this.#onChange = onChange;
  }

  add(folder: string): void {
    if (this.#watchers.has(folder) || this.#watchers.size >= mostWatched) return;
    try {
      const watcher = watch(folder, (_event, name) =>
        this.#onChange(name === null ? folder : folder === '.' ? name : join(folder, name)),
      );
      watcher.on('error', () => this.#remove(folder));
      this.#watchers.set(folder, watcher);
    } catch {
      // Not every file system can be watched, and there may be too many watchers already.
    }
  }

  #remove(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  close(): void {
    for (const folder of [...this.#watchers.keys()]) this.#remove(folder);
  }
}

const mostWatched = 256;

interface State extends Followed {
  inode: number;
  /** Bytes read so far. */
  at: number;
  changedAt: number;
  /** It is read whole whenever it changes: a JSON document, or compressed. */
  isWhole: boolean;
  isRead: boolean;
  problem: string | null;
}

class Files {
  readonly #operands: readonly string[];
  readonly #sink: FollowSink;
  readonly #files = new Map<string, State>();

  constructor(operands: readonly string[], sink: FollowSink) {
    this.#operands = operands;
    this.#sink = sink;
  }

  knows(path: string): boolean {
    return this.#files.has(path);
  }

  /** Named files that never appeared. */
  missing(): readonly string[] {
    return [...this.#files.values()].filter(({ problem }) => problem === 'ENOENT').map(({ path }) => path);
  }

  /** Reads what is new in these files, or in all. Returns whether anything was. */
  async look(paths: readonly string[] | null, watchers: Watchers, signal: AbortSignal): Promise<boolean> {
    let news = false;
    for (const path of paths ?? this.#findAll(watchers)) {
      const file = this.#files.get(path);
      if (signal.aborted) break;
      if (file !== undefined && (await this.#read(file, signal))) news = true;
    }
    return news;
  }

  #findAll(watchers: Watchers): Iterable<string> {
    for (const operand of this.#operands) {
      if (isFolder(operand)) this.#findIn(operand, watchers);
      else {
        this.#add(operand, false);
        watchers.add(dirname(operand));
        // The agents of a session write their own files.
        const session = /^(.*)\.jsonl$/.exec(operand)?.[1];
        if (session !== undefined && isFolder(session)) this.#findIn(session, watchers, 'subagents');
      }
    }
    return [...this.#files.keys()];
  }

  #findIn(folder: string, watchers: Watchers, below?: string): void {
    const start = below === undefined ? folder : join(folder, below);
    if (below !== undefined) watchers.add(folder);
    if (!isFolder(start)) return;
    for (const { path, problem } of filesUnder(start, (each) => watchers.add(each))) {
      const file = this.#add(path, true);
      if (problem !== undefined) this.#refuse(file, problem);
    }
  }

  #add(path: string, found: boolean): State {
    let file = this.#files.get(path);
    if (file === undefined) {
      file = { path, found, inode: 0, at: 0, changedAt: 0, isWhole: false, isRead: false, problem: null };
      this.#files.set(path, file);
    }
    return file;
  }

  #refuse(file: State, problem: string): void {
    if (file.problem === problem) return;
    file.problem = problem;
    this.#sink.problem(file, problem);
  }

  async #read(file: State, signal: AbortSignal): Promise<boolean> {
    let fd: number | undefined;
    try {
      const stats = statSync(file.path);
      // Opening a pipe would wait for its writer.
      if (!stats.isFile()) this.#refuse(file, 'not a regular file, so it cannot be followed');
      if (!stats.isFile() || !hasChanged(file, stats)) return false;
      fd = openSync(file.path, 'r');
      return await this.#readNews(file, fd, fstatSync(fd), signal);
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === null) throw error;
      if (code !== 'ENOENT') this.#refuse(file, describeSystemError(error));
      else if (!file.isRead && !file.found && file.problem === null) {
        file.problem = code;
        this.#sink.notice(file, 'no such file yet; waiting for it');
      }
      return false;
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }

  async #readNews(file: State, fd: number, stats: Stats, signal: AbortSignal): Promise<boolean> {
    const { ino, size, mtimeMs } = stats;
    if (!stats.isFile()) return false;
    const isAgain = file.at > 0 && (ino !== file.inode || size < file.at);
    if (isAgain && !file.isWhole)
      this.#sink.notice(file, `${ino === file.inode ? 'truncated' : 'replaced'}; reading it again from the start`);
    const isNew = isAgain || file.at === 0;
    if (isNew) file.at = 0;
    if (isNew && size > 0) file.isWhole = this.#isWhole(file.path, fd, size);
    Object.assign(file, { inode: ino, changedAt: mtimeMs, problem: null });
    if (file.isWhole) {
      file.at = size;
      return this.#readWhole(file, fd);
    }
    file.isRead = true;
    if (size === file.at) return false;
    this.#sink.begin(file, isNew);
    await this.#readOn(file, fd, signal);
    this.#sink.pause();
    return true;
  }

  async #readOn(file: State, fd: number, signal: AbortSignal): Promise<void> {
    const { most } = this.#sink;
    while (!signal.aborted) {
      const bytes = readSync(fd, this.#sink.room(most), 0, most, file.at);
      if (bytes === 0) return;
      file.at += bytes;
      const written = this.#sink.filled(bytes);
      if (written !== undefined) await written;
      if (bytes === most) await new Promise(setImmediate);
    }
  }

  /** A half-written document waits until it is complete. */
  async #readWhole(file: State, fd: number): Promise<boolean> {
    if (isDocument(file.path) && !this.#sink.isJson(textBefore(fd, file.at))) return false;
    await this.#sink.wholeFile(file, { kind: 'file', fd: openSync(file.path, 'r') });
    file.isRead = true;
    return true;
  }

  #isWhole(path: string, fd: number, size: number): boolean {
    const start = Buffer.alloc(8);
    const form = formOf(start.subarray(0, readSync(fd, start, 0, start.length, 0)));
    if (form !== 'plain' && form !== null) return true;
    if (!isDocument(path) || size > mostDocumentBytes) return false;
    // Some files of one record per line are named .json too.
    const [line = '', rest] = textBefore(fd, size).split('\n', 2);
    return rest === undefined || !this.#sink.isJson(line);
  }
}

function hasChanged({ inode, at, isWhole, changedAt }: State, { ino, size, mtimeMs }: Stats): boolean {
  return inode !== ino || size !== at || (isWhole && mtimeMs !== changedAt);
}

function isDocument(path: string): boolean {
  return path.endsWith('.json');
}

const mostDocumentBytes = 16 * 1024 * 1024;

function textBefore(fd: number, size: number): string {
  const bytes = Buffer.alloc(size);
  return bytes.toString('utf8', 0, readSync(fd, bytes, 0, size, 0));
}
