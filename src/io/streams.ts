import { fstatSync, type Stats } from 'node:fs';
import { Writable } from 'node:stream';
import { describeSystemError } from './exit.js';
import { FileOutput } from './output.js';
import type { ByteSource } from './sources.js';
import { longestWait } from './timer.js';

/** The outside world of a run. Commands get it as a value, so a test gives them one over buffers. */
export interface Streams {
  readonly stdin: StdinStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Environment;
  readonly clock: Clock;
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
        // Node is asked only about a device: the answer loads node:tty, and node:net with it.
        return is(0, 'isCharacterDevice') && process.stdin.isTTY === true;
      },
      get isFile() {
        return isWhole(() => fstatSync(0));
      },
      size: () => (is(0, 'isFile') ? fstatSync(0).size : null),
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
  };
}

function is(fd: number, what: 'isFile' | 'isCharacterDevice'): boolean {
  try {
    return fstatSync(fd)[what]();
  } catch {
    return false;
  }
}

function openStdout(): Writable {
  if (is(1, 'isFile')) return new FileOutput(1);
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
      return stream.fd !== undefined && is(stream.fd, 'isFile');
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
  return Number.isSafeInteger(count) && count > 0 ? Math.min(count, mostCells) : undefined;
}

/** No terminal is larger, and lines of any length would not fit in memory. */
const mostCells = 100_000;

/** Whether it is a regular file; of what cannot be looked at there is nothing more to come either. */
export function isWhole(stat: () => Pick<Stats, 'isFile'>): boolean {
  try {
    return stat().isFile();
  } catch {
    return true;
  }
}

/** Time as a value, so that a test can give another one. */
export interface Clock {
  /** Milliseconds from some moment on, never backwards. */
  now(): number;
  /** Milliseconds since 1970, as the calendar says; it may be set back. */
  date(): number;
  /** Comes back after so many milliseconds, or as soon as the signal says so; it may come back a little early. */
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
 * Whether a terminal can be given more than ASCII. Containers often name no locale and are looked at through a terminal
 * that has everything, so only a locale that names another charset counts, and the console of the kernel.
 */
export function hasUnicode(env: Environment): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  const [, charset] = /\.([^@]*)/.exec(locale) ?? [];
  return env['TERM'] !== 'linux' && (charset === undefined || /^utf-?8$/i.test(charset));
}

export const colorChoices = ['auto', 'always', 'never'] as const;

export type ColorChoice = (typeof colorChoices)[number];

/** As chalk counts: none, 16 colours, 256 colours, 24 bit. */
export type ColorLevel = 0 | 1 | 2 | 3;

/**
 * The first that says something decides: --color, NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR, the terminal. Decided per
 * stream, because stdout may be a file while stderr is a terminal. chalk's own answer ignores NO_COLOR.
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

/** One line of a terminal that is written over and over, and leaves no trace. */
export interface TerminalLine {
  show(text: string): void;
  clear(): void;
}

export function createTerminalLine(terminal: OutputStream): TerminalLine {
  let isShown = false;
  const clear = () => {
    if (!isShown) return;
    isShown = false;
    process.removeListener('exit', clear);
    terminal.stream.write('\r\x1b[K');
  };
  return {
    show(text) {
      // Ctrl-C ends the process wherever it is.
      if (!isShown) process.once('exit', clear);
      isShown = true;
      // In the last column some terminals begin a new line.
      terminal.stream.write(`\r${text.slice(0, Math.max(0, (terminal.columns ?? 80) - 1))}\x1b[K`);
    },
    clear,
  };
}
