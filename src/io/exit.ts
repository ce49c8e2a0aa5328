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
