/** Every exit code of cct. `cct help exit-codes` and the man page say the same. */
export const ExitCode = {
  /** Done. Also for empty input, and if the reader of the output went away. */
  done: 0,
  /** With -e: the run failed, or there is nothing to show. Also when --idle-timeout ran out. */
  verdict: 1,
  /** Wrong command line, a file that cannot be read, output that cannot be written. */
  usage: 2,
  /** --max-usd or --max-tokens was exceeded. */
  budget: 3,
  /** With --strict: damaged input. */
  damage: 4,
  /** A bug in cct. */
  bug: 70,
  /** Interrupted twice. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** The user's command line cannot be carried out. The message is one line, without the leading `cct:`. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The reason a system call failed, as a shell would say it (`no such file`), without a path or stack. */
export function describeSystemError(error: unknown): string {
  const code = systemErrorCode(error);
  if (code !== null) return reasons.get(code) ?? code;
  return error instanceof Error ? error.message : String(error);
}

export function systemErrorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EBADF', 'not open'],
  ['EDQUOT', 'disk quota exceeded'],
  ['EFBIG', 'file too large'],
  ['EIO', 'input/output error'],
  ['EISDIR', 'is a directory'],
  ['ELOOP', 'too many symbolic links'],
  ['EMFILE', 'too many open files'],
  ['EMSGSIZE', 'message too long'],
  ['ENAMETOOLONG', 'name too long'],
  ['ENFILE', 'too many open files'],
  ['ENOENT', 'no such file'],
  ['ENOSPC', 'no space left on device'],
  ['ENOTDIR', 'not a directory'],
  ['ENXIO', 'no such device'],
  ['EPERM', 'not permitted'],
  ['ERR_INVALID_ARG_VALUE', 'not a valid name'],
  ['ERR_INVALID_FD_TYPE', 'not a stream'],
  ['EROFS', 'read-only file system'],
  ['ETIMEDOUT', 'timed out'],
]);

/** Runs `last` before SIGTERM or SIGHUP ends the process as usual. The returned function undoes this. */
export function beforeTermination(last: (signal: NodeJS.Signals) => void): () => void {
  const end = (signal: NodeJS.Signals) => {
    forget();
    try {
      last(signal);
    } finally {
      process.kill(process.pid, signal);
    }
  };
  const forget = () => {
    for (const signal of signals) process.removeListener(signal, end);
  };
  for (const signal of signals) process.once(signal, end);
  return forget;
}

/** What somebody who draws on a terminal needs to know about the end of the process. */
interface SuddenEnd {
  /** Ctrl-C was pressed. Others decide whether it ends the process. */
  interrupted(): void;
  /** The process ends now. Nothing that is pending will continue. */
  last(why: 'interrupted' | 'stopped by a bug in cct' | `stopped by ${NodeJS.Signals}`): void;
}

/** The returned function undoes this. */
export function onSuddenEnd({ interrupted, last }: SuddenEnd): () => void {
  const broke = () => end('stopped by a bug in cct');
  // Only the Ctrl-C handler and uncaught errors call process.exit.
  const left = () => end('interrupted');
  const keep = beforeTermination((signal) => end(`stopped by ${signal}`));
  const end = (why: Parameters<SuddenEnd['last']>[0]) => {
    forget();
    last(why);
  };
  const forget = () => {
    keep();
    process.removeListener('SIGINT', interrupted);
    process.removeListener('uncaughtExceptionMonitor', broke);
    process.removeListener('exit', left);
  };
  process.prependListener('SIGINT', interrupted);
  process.on('uncaughtExceptionMonitor', broke);
  process.on('exit', left);
  return forget;
}

const signals = ['SIGTERM', 'SIGHUP'] as const;

let onFirstInterrupt: (() => void) | null = null;

/** The first Ctrl-C calls `act` instead of ending the process. The returned function undoes this. */
export function atFirstInterrupt(act: () => void): () => void {
  onFirstInterrupt = act;
  return () => {
    onFirstInterrupt = null;
  };
}

/** Handles Ctrl-C. Returns whether `act` was called. */
export function interrupt(): boolean {
  const act = onFirstInterrupt;
  onFirstInterrupt = null;
  act?.();
  return act !== null;
}
