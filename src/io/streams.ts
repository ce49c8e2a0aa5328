import { fstatSync, type Stats } from 'node:fs';
import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { FileOutput } from './file-output.js';
import type { ByteSource } from './lines.js';
import { describeSystemError } from './system-error.js';

/** The outside world of a run. Commands get it as a value, so a test gives them one over buffers. */
export interface Streams {
  readonly stdin: StdinStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Environment;
}

export interface StdinStream {
  readonly isTTY: boolean;
  open(): OpenedSource;
}

export interface OutputStream {
  readonly stream: Writable;
  readonly isTTY: boolean;
  /** Width to draw for; undefined when nobody said. */
  readonly columns: number | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** `problem` has no place in front: `no such file`. */
export type OpenedSource =
  | { readonly ok: true; readonly bytes: ByteSource }
  | { readonly ok: false; readonly problem: string };

/** The streams of this process. Each is touched only when it is used: creating one costs start-up time. */
export function processStreams(): Streams {
  return {
    stdin: {
      get isTTY() {
        return isatty(0);
      },
      open: openStdin,
    },
    get stdout() {
      return outputStream(isFile(1) ? new FileOutput(1) : process.stdout, process.env);
    },
    get stderr() {
      return outputStream(process.stderr, process.env);
    },
    env: process.env,
  };
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

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}

/** A terminal knows its width (asked anew each time: it may be resized); for anything else COLUMNS may say it. */
export function outputStream(
  stream: Writable & { readonly isTTY?: boolean; readonly columns?: number },
  env: Environment,
): OutputStream {
  const isTTY = stream.isTTY === true;
  return {
    stream,
    isTTY,
    get columns() {
      // Some pseudo-terminals say 0.
      return isTTY ? stream.columns || undefined : columnsFrom(env);
    },
  };
}

function columnsFrom(env: Environment): number | undefined {
  const columns = Number(env['COLUMNS']);
  return Number.isSafeInteger(columns) && columns > 0 ? columns : undefined;
}
