/** Every exit code of cct; `cct help exit-codes` and the man page say the same. */
export const ExitCode = {
  /** Done; also empty input and a reader that went away. */
  done: 0,
  /** With -e: the run failed or there is nothing to show; also when --idle-timeout ran out. */
  verdict: 1,
  /** Wrong command line, a file that cannot be read, output that cannot be written. */
  usage: 2,
  /** --max-usd or --max-tokens was passed. */
  budget: 3,
  /** With --strict: damaged input. */
  damage: 4,
  /** A bug in cct. */
  bug: 70,
  /** Interrupted twice. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** What the user typed cannot be carried out; the message is one line without the `cct:` in front. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
