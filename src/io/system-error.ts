/** The reason of a failed system call in the words of a shell (`no such file`), never with a path or a stack. */
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
