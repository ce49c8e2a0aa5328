import { constants } from 'node:buffer';
import { closeSync, createReadStream, fstatSync, open, openSync, readSync, type Stats, statSync } from 'node:fs';
import type { ConnectOpts, SocketConstructorOpts } from 'node:net';
import type { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { filesUnder, isNull, statsOf } from './directory.js';
import { describeSystemError } from './exit.js';
import type { OpenedSource, StdinStream } from './streams.js';

/** One input of a run, in the order of the command line. */
export interface Source {
  /** For messages and for the `source` field: the path as typed, or `stdin`. */
  readonly name: string;
  /** The path, which may say something about the content; null for stdin. */
  readonly path: string | null;
  /** It was found in a directory, so it may not be a file of Claude Code. */
  readonly found?: boolean;
  /** The size of a regular file in bytes; null if unknown. */
  size?(): number | null;
  /** Opens it when its turn comes. A failure is returned, not thrown: the other files are still read. */
  open(): Promise<OpenedSource>;
}

/**
 * The inputs that a list of files stands for. `-`, or no file at all, is stdin. If that is a terminal, `announce` says that cct
 * waits for it, so that nobody has to guess.
 */
export function sourcesFrom(files: readonly string[], stdin: StdinStream, announce = () => {}): Source[] {
  const names = files.length === 0 ? ['-'] : files;
  return names.map((name) => {
    // Reopening these paths fails if stdin is a socket, and would read an idle pipe in a thread.
    if (isStdin(name)) {
      const size = () => stdin.size?.() ?? null;
      const open = async () => {
        if (stdin.isTTY) announce();
        return stdin.open();
      };
      return { name: name === '-' ? 'stdin' : name, path: null, size, open };
    }
    return { name, path: name, size: () => fileSize(name), open: () => openPath(name) };
  });
}

/** The same, with each directory replaced by its files. Each path is checked once. */
export function inputSources(files: readonly string[], stdin: StdinStream, announce?: () => void): Source[] {
  return sourcesFrom(files, stdin, announce).flatMap((source) => {
    const { name, path } = source;
    const stats = path === null ? undefined : statsOf(path);
    if (stats === undefined) return [source];
    if (!stats.isDirectory()) return [{ ...source, open: () => openKnown(name, stats) }];
    return filesUnder(name).map(({ path, problem }) => ({
      name: path,
      path,
      found: true,
      size: () => (problem === undefined ? fileSize(path) : 0),
      open: async () => (problem === undefined ? openFile(path) : { ok: false, problem }),
    }));
  });
}

/** Whether more input may still come: from a pipe, but not from files or from somebody who types. */
export function isOpenEnded(files: readonly string[], stdin: StdinStream): boolean {
  const names = files.length === 0 ? ['-'] : files;
  return names.some((name) => {
    if (isStdin(name)) return !stdin.isFile && !stdin.isTTY;
    const stats = statsOf(name);
    return stats !== undefined && !stats.isFile() && !stats.isDirectory();
  });
}

export function isStdin(name: string): boolean {
  return name === '-' || stdinPaths.has(name);
}

const stdinPaths: ReadonlySet<string> = new Set(['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

/** The size of a missing file is 0. Opening it reports the problem. */
function fileSize(path: string): number | null {
  const stats = statsOf(path);
  if (stats === undefined || stats.isDirectory()) return 0;
  return stats.isFile() ? stats.size : null;
}

async function openPath(path: string): Promise<OpenedSource> {
  try {
    return await openKnown(path, statSync(path));
  } catch (error) {
    return { ok: false, problem: describeSystemError(error) };
  }
}

function openFile(path: string): OpenedSource {
  try {
    return { ok: true, bytes: { kind: 'file', fd: openSync(path, 'r') } };
  } catch (error) {
    return { ok: false, problem: describeSystemError(error) };
  }
}

async function openKnown(path: string, stats: Stats): Promise<OpenedSource> {
  if (stats.isDirectory()) return { ok: false, problem: 'is a directory' };
  if (stats.isFile() || isNull(stats)) return openFile(path);
  try {
    // `<(command)` is a pipe with a path.
    if (stats.isFIFO()) return { ok: true, bytes: { kind: 'pipe', fd: await openInThread(path) } };
    return { ok: true, bytes: { kind: 'stream', stream: createReadStream(path) } };
  } catch (error) {
    return { ok: false, problem: describeSystemError(error) };
  }
}

// A named pipe has to wait for its writer. Signals and timers continue meanwhile.
function openInThread(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    open(path, 'r', (error, fd) => (error === null ? resolve(fd) : reject(error)));
  });
}

/** Where bytes come from: a descriptor of a regular file, one of a pipe or socket, or any other stream. */
export type ByteSource =
  | { readonly kind: 'file'; readonly fd: number; readonly keepOpen?: boolean }
  | { readonly kind: 'pipe'; readonly fd: number }
  | { readonly kind: 'stream'; readonly stream: Readable };

/** A longer line would not fit in a string. */
export const mostLineBytes = constants.MAX_STRING_LENGTH;

/** Receives the bytes of one source. */
export interface ByteSink {
  /** How many bytes to read at once, at most. */
  readonly most?: number | undefined;
  /** Where the next bytes go; at most this many. */
  room(bytes: number): Uint8Array;
  /** Another thread for a file of this size; null if there is none. It becomes ready while the file is being read. */
  helper?(size: number): ByteHelper | null;
  /** This many bytes of the source were read, compressed or not. */
  taken?(bytes: number): void;
  /** This many bytes were written to the room. The next read waits for a returned promise. */
  filled(bytes: number): Promise<void> | void;
  end(): Promise<void> | void;
}

/** Reads on in place of `readBytes`. */
export interface ByteHelper {
  readonly isReady: boolean;
  /** Resolves where `readBytes` has to go on: at the end of the file, or before. */
  takeOver(fd: number): Promise<void>;
  stop(): Promise<unknown>;
}

/** A sink that passes on chunks, which the receiver may keep. */
export function chunkSink(chunk: (bytes: Buffer) => Promise<void> | void, end: ByteSink['end'] = () => {}): ByteSink {
  let buffer = Buffer.alloc(0);
  return {
    room(bytes) {
      if (buffer.length < bytes) buffer = Buffer.allocUnsafeSlow(bytes);
      return buffer.subarray(0, bytes);
    },
    filled(bytes) {
      const part = buffer.subarray(0, bytes);
      // A short chunk is copied. A long one is given away with its buffer.
      if (bytes < buffer.length / 2) return chunk(Buffer.from(part));
      buffer = Buffer.alloc(0);
      return chunk(part);
    },
    end,
  };
}

/** Reads a source to its end, chunk by chunk, and closes it. Resolves to the reason if it ended too early, else null. */
export function readBytes(source: ByteSource, sink: ByteSink, signal: AbortSignal): Promise<string | null> {
  switch (source.kind) {
    case 'file':
      return readFile(source.fd, source.keepOpen ?? false, sink, signal);
    case 'pipe':
      return readPipe(source.fd, sink, signal);
    case 'stream':
      return readStream(source.stream, sink, signal);
  }
}

/**
 * Reads a regular file in this thread; resolves to a problem or null. The system reads ahead; another thread of ours that did
 * would wait for a core as long as it saves. Signals and timers run between reads. Not for pipes: an idle one would
 * block everything.
 */
async function readFile(fd: number, keepOpen: boolean, sink: ByteSink, signal: AbortSignal): Promise<string | null> {
  const most = Math.min(sink.most ?? fileBytes, fileBytes);
  let helper: ByteHelper | null | undefined;
  try {
    while (!signal.aborted) {
      const bytes = readInto(sink.room(most), fd);
      if (typeof bytes === 'string' || bytes === 0) {
        const ended = sink.end();
        if (ended !== undefined) await ended;
        return bytes === 0 ? null : bytes;
      }
      countRead(bytes);
      if (helper === undefined) helper = bytes === most ? (sink.helper?.(fstatSync(fd).size) ?? null) : null;
      const isHelped: boolean = helper?.isReady ?? false;
      const written = sink.filled(bytes);
      if (written !== undefined) await written;
      if (isHelped && helper?.isReady) await helper.takeOver(fd);
      if (isTurnDue()) await turn();
    }
    return null;
  } finally {
    if (helper) await helper.stop();
    if (!keepOpen) closeSync(fd);
  }
}

/** Closes a file if there is nothing to read in it. Some files of the system have content and a size of 0. */
export function closeIfEmpty(source: ByteSource): boolean {
  if (source.kind !== 'file') return false;
  const { fd, keepOpen = false } = source;
  try {
    if (fstatSync(fd).size > 0 || readSync(fd, Buffer.alloc(1), 0, 1, 0) > 0) return false;
  } catch {
    return false;
  }
  if (!keepOpen) closeSync(fd);
  return true;
}

function countRead(bytes: number): void {
  for (const { after, flag, newest } of tuning)
    if (readSoFar < after && readSoFar + bytes >= after && nodeVersion() <= newest) setFlagsFromString(flag);
  readSoFar += bytes;
}
let readSoFar = 0;

/** What V8 does otherwise from so many bytes on, and the newest Node whose V8 knows the flag. Others would complain. */
const tuning = [
  // A run over much input lasts a second. V8 spends a fifth of that on optimizing code, most of it on copies of small
  // functions inside large ones. With fewer copies the code is as fast. (Optimizing later takes a sixth less CPU in all,
  // but a tenth more on the main thread.)
  { after: 1024 * 1024, flag: '--max-inlined-bytecode-size-cumulative=300', newest: 26 },
  // Our loops are short. Code of its own for their first round gains nothing, and making it takes 2 to 4 % of the CPU.
  { after: 1024 * 1024, flag: '--no-turbo-loop-peeling', newest: 26 },
  // The space for new objects would grow to 48 MB. A quarter of that is as fast: what lives beyond a line is small.
  { after: 8 * 1024 * 1024, flag: '--semi-space-growth-factor=1', newest: 26 },
] as const;

/** Bun and Deno have other engines or flags. */
function nodeVersion(): number {
  const { bun, deno, node } = process.versions;
  return bun === undefined && deno === undefined ? Number.parseInt(node, 10) : Number.POSITIVE_INFINITY;
}

const fileBytes = 1024 * 1024;

// Between reads, signals and timers get their turn. Not after each read: of a short file, a turn takes a tenth of the time.

let lastTurn = 0;
const turnEveryMs = 5;

export function isTurnDue(): boolean {
  return performance.now() - lastTurn > turnEveryMs;
}

/** Lets signals and timers run. */
export async function turn(): Promise<void> {
  await new Promise(setImmediate);
  lastTurn = performance.now();
}

/** The number of bytes read, or what went wrong. */
export function readInto(room: Uint8Array, fd: number): number | string {
  try {
    return readSync(fd, room, 0, room.length, null);
  } catch (error) {
    return describeSystemError(error);
  }
}

/** Reads a pipe or socket with half the CPU and memory of process.stdin; resolves to a problem or null. */
async function readPipe(fd: number, sink: ByteSink, signal: AbortSignal): Promise<string | null> {
  // In Bun a socket with a buffer of its own never gets anything.
  if (process.versions['bun'] !== undefined) return readStream(createReadStream('', { fd }), sink, signal);
  const { Socket } = await import('node:net');
  let onFilled: OnFilled = () => true;
  const options: SocketConstructorOpts & Pick<ConnectOpts, 'onread'> = {
    fd,
    readable: true,
    writable: false,
    onread: {
      buffer: () => sink.room(Math.min(sink.most ?? pipeBytes, pipeBytes)),
      callback: (bytes) => onFilled(bytes),
    },
  };
  let socket: Readable;
  try {
    socket = new Socket(options);
  } catch (error) {
    // A datagram socket cannot be read to its end.
    return describeSystemError(error);
  }
  return readEvents(socket, sink, signal, (listener) => {
    onFilled = listener;
  });
}

const pipeBytes = 256 * 1024;

/** Reads any other stream; resolves to a problem or null. */
function readStream(stream: Readable, sink: ByteSink, signal: AbortSignal): Promise<string | null> {
  return readEvents(stream, sink, signal, (onFilled) => {
    stream.on('data', (chunk: Buffer | string) => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      sink.room(bytes.length).set(bytes);
      if (!onFilled(bytes.length)) stream.pause();
    });
  });
}

/** Called with the number of bytes that came. If it returns false, no more may come until `resume`. */
type OnFilled = (bytes: number) => boolean;

function readEvents(
  stream: Readable,
  sink: ByteSink,
  signal: AbortSignal,
  listen: (onFilled: OnFilled) => void,
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    let written: Promise<void> | void;
    let over = false;

    const onFilled = (bytes: number): boolean => {
      if (over) return false;
      try {
        written = sink.filled(bytes);
      } catch (error) {
        fail(error);
        return false;
      }
      if (written === undefined) return true;
      written.then(() => stream.resume(), fail);
      return false;
    };
    // The first of end, error and close ends the reading. The last line is still delivered.
    const finish = async (problem: string | null) => {
      if (!isFirstToEnd()) return;
      try {
        await written;
        await sink.end();
        resolve(problem);
      } catch (error) {
        reject(error);
      }
    };
    const stop = () => {
      if (!isFirstToEnd()) return;
      stream.destroy();
      resolve(null);
    };
    const fail = (error: unknown) => {
      if (!isFirstToEnd()) return;
      stream.destroy();
      reject(error);
    };
    const isFirstToEnd = (): boolean => {
      if (over) return false;
      over = true;
      signal.removeEventListener('abort', stop);
      return true;
    };

    if (signal.aborted || stream.readableEnded || stream.destroyed) {
      stop();
      return;
    }
    signal.addEventListener('abort', stop, { once: true });
    stream.on('error', (error) => finish(describeSystemError(error)));
    stream.on('close', () => finish(null));
    stream.on('end', () => finish(null));
    listen(onFilled);
    stream.resume();
  });
}

/** Drops repeated files: a file named twice says nothing new the second time. */
export function eachOnce(sources: readonly Source[]): Source[] {
  const paths = new Set<string>();
  return sources.filter(({ path }) => path === null || (!paths.has(path) && paths.add(path)));
}
