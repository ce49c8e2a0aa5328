import ansiEscapes from 'ansi-escapes';
import cliCursor from 'cli-cursor';
import { createLogUpdate } from 'log-update';
import wrapAnsi from 'wrap-ansi';
import type { OutputStream } from './streams.js';

/** Lines above the cursor of a terminal, redrawn in place. However the process ends, the cursor is restored. */
export interface Screen {
  /** Draws at most as many lines as the terminal has, less one. Only changed lines are written. */
  draw(lines: readonly string[]): void;
  clear(): void;
  /** Keeps what was drawn, with the cursor below it. */
  close(): void;
}

/** Opens a screen on an output that is a terminal. */
export function openScreen(output: OutputStream): Screen {
  const { stream } = output;
  // Otherwise log-update would hide the cursor through stderr, which may be a file.
  const update = createLogUpdate(stream, { showCursor: true });
  let drawn = nothing;
  const widthNow = () => output.columns ?? 80;
  const clear = () => {
    // A terminal that got narrower has wrapped the long lines. log-update counts them as they were.
    if (widthNow() < drawn.width) {
      stream.write(ansiEscapes.eraseLines(linesIn(drawn.text, widthNow()) + 1));
      update.done();
    } else if (drawn.text !== '') update.clear();
    drawn = nothing;
  };
  // After Ctrl-Z and fg the cursor is below what the shell wrote, so nothing above it can be redrawn.
  const continued = () => {
    update.done();
    drawn = nothing;
    cliCursor.hide(stream);
  };
  process.on('SIGCONT', continued);
  cliCursor.hide(stream);
  return {
    draw(lines) {
      stream.cork();
      // log-update does not move lines. If the number of lines changed, it would leave the old end behind.
      if (widthNow() < drawn.width || lines.length !== drawn.lines) clear();
      drawn = { text: lines.join('\n'), lines: lines.length, width: widthNow() };
      update(drawn.text);
      stream.uncork();
    },
    clear,
    close() {
      process.off('SIGCONT', continued);
      update.done();
      cliCursor.show(stream);
    },
  };
}

const nothing = { text: '', lines: 0, width: 0 };

function linesIn(text: string, width: number): number {
  return wrapAnsi(text, width, { hard: true, trim: false, wordWrap: false }).split('\n').length;
}
