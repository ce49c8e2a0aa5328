/** Runs `last` when the process is told to end (SIGTERM, SIGHUP), which it then does as if nobody had listened. Gives the way to take it back. */
export function beforeTermination(last: () => void): () => void {
  const end = (signal: NodeJS.Signals) => {
    forget();
    try {
      last();
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
