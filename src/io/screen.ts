import ansiEscapes from 'ansi-escapes';
import cliCursor from 'cli-cursor';
import { createLogUpdate } from 'log-update';
import wrapAnsi from 'wrap-ansi';
import type { OutputStream } from './streams.js';

/** The lines above the cursor of a terminal, drawn anew in place. However the process ends, the cursor comes back. */
export interface Screen {
  /** At most as many lines as the terminal has, less one. Only those that changed are written. */
  draw(lines: readonly string[]): void;
  /** Takes what was drawn away. */
  clear(): void;
  /** Leaves what was drawn, and the cursor below it. */
  close(): void;
}

/** Of an output that is a terminal. */
export function openScreen(output: OutputStream): Screen {
  const { stream } = output;
  // It would hide the cursor of stderr, which may be a file.
  const update = createLogUpdate(stream, { showCursor: true });
  let drawn = nothing;
  const widthNow = () => output.columns ?? 80;
  const clear = () => {
    // A terminal that got narrower has broken the long lines in two; log-update counts them as they were.
    if (widthNow() < drawn.width) {
      stream.write(ansiEscapes.eraseLines(linesIn(drawn.text, widthNow()) + 1));
      update.done();
    } else if (drawn.text !== '') update.clear();
    drawn = nothing;
  };
  cliCursor.hide(stream);
  return {
    draw(lines) {
      stream.cork();
      // log-update moves no lines: of a picture that grew or shrank above its end it would leave the old end behind.
      if (widthNow() < drawn.width || lines.length !== drawn.lines) clear();
      drawn = { text: lines.join('\n'), lines: lines.length, width: widthNow() };
      update(drawn.text);
      stream.uncork();
    },
    clear,
    close() {
      update.done();
      cliCursor.show(stream);
    },
  };
}

const nothing = { text: '', lines: 0, width: 0 };

function linesIn(text: string, width: number): number {
  return wrapAnsi(text, width, { hard: true, trim: false, wordWrap: false }).split('\n').length;
}
