/** Runs `last` when the process is told to end (SIGTERM, SIGHUP), which it then does as if nobody had listened. Gives the way to take it back. */
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

/** What somebody who draws on a terminal wants to know of the process. */
interface SuddenEnd {
  /** Ctrl-C came; whether it ends the process is for others to decide. */
  interrupted(): void;
  /** The process ends now, and nothing that waits will go on. */
  last(why: 'interrupted' | 'stopped by a bug in cct' | `stopped by ${NodeJS.Signals}`): void;
}

/** Gives the way to take it back. */
export function onSuddenEnd({ interrupted, last }: SuddenEnd): () => void {
  const broke = () => end('stopped by a bug in cct');
  // Nobody calls process.exit but whoever handles Ctrl-C, and errors that nobody caught.
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

let heedInterrupt: (() => void) | null = null;

/** The first Ctrl-C calls `act` instead of ending the process. Gives the way to take it back. */
export function atFirstInterrupt(act: () => void): () => void {
  heedInterrupt = act;
  return () => {
    heedInterrupt = null;
  };
}

/** Whether somebody heeded it. */
export function interrupt(): boolean {
  const act = heedInterrupt;
  heedInterrupt = null;
  act?.();
  return act !== null;
}
