import { fstatSync, type Stats } from 'node:fs';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { type Clock, systemClock } from './clock.js';
import { FileOutput } from './file-output.js';
import type { ByteSource } from './lines.js';
import { keepHeapSmall } from './small-heap.js';
import { describeSystemError } from './system-error.js';

/** The outside world of a run. Commands get it as a value, so a test gives them one over buffers. */
export interface Streams {
  readonly stdin: StdinStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Environment;
  readonly clock: Clock;
  /** The run will be a long one, of which little is kept. */
  spareMemory?(): void;
}

export interface StdinStream {
  readonly isTTY: boolean;
  /** Everything it has to say is there already. */
  readonly isFile: boolean;
  /** Bytes still to come where it is a regular file; null otherwise. */
  size?(): number | null;
  open(): OpenedSource;
}

export interface OutputStream {
  readonly stream: Writable;
  readonly isTTY: boolean;
  /** A regular file: nobody looks at it while it is written. */
  readonly isFile?: boolean;
  /** Width to draw for; undefined when nobody said. */
  readonly columns: number | undefined;
  /** Height to draw for. */
  readonly rows: number | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** `problem` has no place in front: `no such file`. */
export type OpenedSource =
  | { readonly ok: true; readonly bytes: ByteSource }
  | { readonly ok: false; readonly problem: string };

/** The streams of this process. Each is touched only when it is used: creating one costs start-up time. */
export function processStreams(): Streams {
  let stdout: OutputStream | undefined;
  return {
    stdin: {
      get isTTY() {
        return isatty(0);
      },
      get isFile() {
        return isWhole(() => fstatSync(0));
      },
      size: () => (isFile(0) ? fstatSync(0).size : null),
      open: openStdin,
    },
    get stdout() {
      stdout ??= outputStream(openStdout(), process.env);
      return stdout;
    },
    get stderr() {
      return outputStream(process.stderr, process.env);
    },
    env: process.env,
    clock: systemClock,
    spareMemory: keepHeapSmall,
  };
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}

function openStdout(): Writable {
  if (isFile(1)) return new FileOutput(1);
  // What Node does not know, such as a socket of datagrams, it gives a stream that swallows everything.
  return process.stdout.constructor === Writable ? new FileOutput(1) : process.stdout;
}

function openStdin(): OpenedSource {
  let stats: Stats;
  try {
    stats = fstatSync(0);
  } catch (error) {
    return { ok: false, problem: describeSystemError(error) };
  }
  if (stats.isDirectory()) return { ok: false, problem: 'is a directory' };
  if (stats.isFile()) return { ok: true, bytes: { kind: 'file', fd: 0, keepOpen: true } };
  if (stats.isFIFO() || stats.isSocket()) return { ok: true, bytes: { kind: 'pipe', fd: 0 } };
  return { ok: true, bytes: { kind: 'stream', stream: process.stdin } };
}

/** A terminal knows its size (asked anew each time: it may be resized); for anything else COLUMNS and LINES may say it. */
export function outputStream(
  stream: Writable & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
    readonly fd?: number;
  },
  env: Environment,
): OutputStream {
  const isTTY = stream.isTTY === true;
  return {
    stream,
    isTTY,
    get isFile() {
      return stream.fd !== undefined && isFile(stream.fd);
    },
    get columns() {
      // Some pseudo-terminals say 0.
      return isTTY ? stream.columns || undefined : countFrom(env['COLUMNS']);
    },
    get rows() {
      return isTTY ? stream.rows || undefined : countFrom(env['LINES']);
    },
  };
}

function countFrom(text: string | undefined): number | undefined {
  const count = Number(text);
  return Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

/** Whether it is a regular file; of what cannot be looked at there is nothing more to come either. */
export function isWhole(stat: () => Pick<Stats, 'isFile'>): boolean {
  try {
    return stat().isFile();
  } catch {
    return true;
  }
}
