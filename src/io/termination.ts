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
