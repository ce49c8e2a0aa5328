import type { OutputStream } from './streams.js';

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
