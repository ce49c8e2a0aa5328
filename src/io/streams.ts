import { fstatSync, type Stats } from 'node:fs';
import { isNull } from './directory.js';
import { describeSystemError } from './exit.js';
import { FileOutput, type WriteStream } from './output.js';
import type { ByteSource } from './sources.js';

/** The outside world of a run. Commands get it as a value, so that a test can pass buffers instead. */
export interface Streams {
  readonly stdin: StdinStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Environment;
  readonly clock: Clock;
  /** The program of a second thread that reads files; undefined where there is none. */
  readonly reader?: string;
  /** The program of a thread that reads a large file ahead. */
  readonly scanner?: string;
}

export interface StdinStream {
  readonly isTTY: boolean;
  /** It is a file, so all of its content exists already. */
  readonly isFile: boolean;
  /** The bytes still to be read, if it is a regular file; else null. */
  size?(): number | null;
  open(): OpenedSource;
}

export interface OutputStream {
  readonly stream: WriteStream;
  readonly isTTY: boolean;
  /** It is a regular file, which nobody watches while it is written. */
  readonly isFile?: boolean;
  /** The width to draw for; undefined if unknown. */
  readonly columns: number | undefined;
  /** Height to draw for. */
  readonly rows: number | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** `problem` has no place in front: `no such file`. */
export type OpenedSource =
  | { readonly ok: true; readonly bytes: ByteSource }
  | { readonly ok: false; readonly problem: string };

/** The streams of this process. Each is created only when it is used, because that costs start-up time. */
export function processStreams(threads: Pick<Streams, 'reader' | 'scanner'> = {}): Streams {
  let stdout: OutputStream | undefined;
  return {
    stdin: {
      get isTTY() {
        return isDevice(0) && process.stdin.isTTY === true;
      },
      get isFile() {
        // If it cannot be examined, nothing more will come from it either.
        return hasKind(0, 'isFile', true);
      },
      size: () => (hasKind(0, 'isFile') ? fstatSync(0).size : null),
      open: openStdin,
    },
    get stdout() {
      stdout ??= outputStream(openStdout(), process.env);
      return stdout;
    },
    stderr,
    env: process.env,
    clock: systemClock,
    ...threads,
  };
}

const stderr: OutputStream = {
  get stream() {
    return process.stderr;
  },
  get isTTY() {
    return isDevice(2) && process.stderr.isTTY;
  },
  get columns() {
    return outputStream(process.stderr, process.env).columns;
  },
  get rows() {
    return outputStream(process.stderr, process.env).rows;
  },
};

/** Whether it may be a terminal. Only then is Node asked, because asking loads node:tty and node:net. */
function isDevice(fd: number): boolean {
  return hasKind(fd, 'isCharacterDevice') && !isNull(fstatSync(fd));
}

/** `unknown`: the answer if it cannot be examined. */
function hasKind(fd: number, what: 'isFile' | 'isCharacterDevice', unknown = false): boolean {
  try {
    return fstatSync(fd)[what]();
  } catch {
    return unknown;
  }
}

function openStdout(): WriteStream {
  if (hasKind(1, 'isFile') || (hasKind(1, 'isCharacterDevice') && isNull(fstatSync(1)))) return new FileOutput(1);
  // For what Node does not know, such as a datagram socket, it creates a stream that swallows everything.
  return process.stdout.constructor.name === 'Writable' ? new FileOutput(1) : process.stdout;
}

function openStdin(): OpenedSource {
  let stats: Stats;
  try {
    stats = fstatSync(0);
  } catch (error) {
    return { ok: false, problem: describeSystemError(error) };
  }
  if (stats.isDirectory()) return { ok: false, problem: 'is a directory' };
  if (stats.isFile() || isNull(stats)) return { ok: true, bytes: { kind: 'file', fd: 0, keepOpen: true } };
  if (stats.isFIFO() || stats.isSocket()) return { ok: true, bytes: { kind: 'pipe', fd: 0 } };
  return { ok: true, bytes: { kind: 'stream', stream: process.stdin } };
}

/** A terminal knows its size, asked each time because it may be resized. Otherwise COLUMNS and LINES may give it. */
export function outputStream(
  stream: WriteStream & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  },
  env: Environment,
): OutputStream {
  const isTTY = stream.isTTY === true;
  return {
    stream,
    isTTY,
    get isFile() {
      return stream.fd !== undefined && hasKind(stream.fd, 'isFile');
    },
    get columns() {
      // Some pseudo-terminals report 0.
      return isTTY ? stream.columns || undefined : countFrom(env['COLUMNS']);
    },
    get rows() {
      return isTTY ? stream.rows || undefined : countFrom(env['LINES']);
    },
  };
}

function countFrom(text: string | undefined): number | undefined {
  const count = Number(text);
  return Number.isSafeInteger(count) && count > 0 ? Math.min(count, mostCells) : undefined;
}

/** No terminal is larger, and lines of any length would not fit in memory. */
const mostCells = 100_000;

/** Time as a value, so that a test can pass another one. */
export interface Clock {
  /** Milliseconds since some moment. It never goes backwards. */
  now(): number;
  /** Milliseconds since 1970 by the calendar, which may be set back. */
  date(): number;
  /** Resolves after this many milliseconds, perhaps a little early, or as soon as the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  date: Date.now,
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(milliseconds, longestWait));
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    }),
};

/**
 * --stamp: the current time. If the clock is set back, the stamp stands still until the clock catches up: later records
 * must not look older, or last-writer-wins would keep the older state.
 */
export function createStamp(now: () => number): () => string {
  let latest = Number.NEGATIVE_INFINITY;
  return () => {
    latest = Math.max(latest, now());
    return new Date(latest).toISOString();
  };
}

/**
 * Whether a terminal can show more than ASCII. Containers often set no locale but are viewed through a terminal that
 * shows everything. So only a locale with another charset counts, LC_ALL=C, which somebody chose, and the kernel console.
 */
export function hasUnicode(env: Environment): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  const [, charset] = /\.([^@]*)/.exec(locale) ?? [];
  if (/^(?:C|POSIX)$/.test(env['LC_ALL'] ?? '')) return false;
  return env['TERM'] !== 'linux' && (charset === undefined || /^utf-?8$/i.test(charset));
}

export const colorChoices = ['auto', 'always', 'never'] as const;

export type ColorChoice = (typeof colorChoices)[number];

/** As chalk counts: none, 16 colours, 256 colours, 24 bit. */
export type ColorLevel = 0 | 1 | 2 | 3;

/**
 * The first of these that is set decides: --color, NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR, the terminal.
 * Decided per stream, because stdout may be a file while stderr is a terminal. chalk itself ignores NO_COLOR.
 */
export function colorLevel(choice: ColorChoice, isTTY: boolean, env: Environment): ColorLevel {
  if (choice === 'never') return 0;
  if (choice === 'always') return terminalLevel(env) || 1;
  if (env['NO_COLOR']) return 0;
  const forced = env['FORCE_COLOR'];
  if (forced) return forcedLevels.get(forced) ?? 1;
  const { CLICOLOR_FORCE: forcedToo, CLICOLOR: wanted } = env;
  if (forcedToo && forcedToo !== '0') return terminalLevel(env) || 1;
  if (wanted === '0') return 0;
  return isTTY ? terminalLevel(env) : 0;
}

const forcedLevels: ReadonlyMap<string, ColorLevel> = new Map([
  ['0', 0],
  ['false', 0],
  ['2', 2],
  ['3', 3],
]);

function terminalLevel(env: Environment): ColorLevel {
  if (env['TERM'] === 'dumb') return 0;
  if (env['COLORTERM'] === 'truecolor' || env['COLORTERM'] === '24bit') return 3;
  return env['TERM']?.includes('256') ? 2 : 1;
}

export type TerminalLine = ReturnType<typeof createTerminalLine>;

/** A terminal line that is overwritten again and again, and leaves no trace. */
export function createTerminalLine(terminal: OutputStream) {
  let isShown = false;
  const clear = () => {
    if (!isShown) return;
    isShown = false;
    process.removeListener('exit', clear);
    terminal.stream.write('\r\x1b[K');
  };
  return {
    show(text: string): void {
      // Ctrl-C may end the process at any point.
      if (!isShown) process.once('exit', clear);
      isShown = true;
      // Some terminals begin a new line after the last column.
      terminal.stream.write(`\r${text.slice(0, Math.max(0, (terminal.columns ?? 80) - 1))}\x1b[K`);
    },
    clear,
  };
}

export type Timer = ReturnType<typeof startTimer>;

/** Aborts its signal with the given one, or when nothing refreshed it for this long. */
export function startIdleWatch(
  signal: AbortSignal,
  milliseconds: number | undefined,
  expired: () => void,
): Timer & { readonly signal: AbortSignal } {
  if (milliseconds === undefined) return { signal, refresh() {}, stop() {} };
  const idle = new AbortController();
  const timer = startTimer(milliseconds, () => {
    expired();
    idle.abort();
  });
  return { ...timer, signal: AbortSignal.any([signal, idle.signal]) };
}

/** Calls back once, when it was not refreshed for a given time. */
export function startTimer(milliseconds: number, expired: () => void) {
  let handle: NodeJS.Timeout | undefined;
  let due = 0;
  const wait = () => {
    handle = undefined;
    const left = due - performance.now();
    if (left <= 0) expired();
    else handle = setTimeout(wait, Math.min(Math.ceil(left), longestWait));
  };
  const timer = {
    /** Starts again, also after stop. */
    refresh(): void {
      due = performance.now() + milliseconds;
      handle ??= setTimeout(wait, Math.min(milliseconds, longestWait));
    },
    stop(): void {
      clearTimeout(handle);
      handle = undefined;
    },
  };
  timer.refresh();
  return timer;
}

/** Node's timers fire at once if they are longer than this. */
const longestWait = 2 ** 31 - 1;
