import type { OutputStream } from './streams.js';

/**
 * Pictures on a terminal. One line is drawn in place, so that what a producer says before its first record stays in view.
 * A larger picture has the whole screen, which is given back: nothing of it can be left over, however the terminal is
 * resized. However the process ends, the cursor is shown again.
 */
export interface Screen {
  /** Draws at most as many lines as the terminal has, less one. Only changed lines are written. */
  draw(lines: readonly string[]): void;
  /** Takes the picture away. */
  clear(): void;
  close(): void;
}

interface Drawn {
  readonly lines: readonly string[];
  readonly columns: number | undefined;
  readonly rows: number | undefined;
  readonly isWhole: boolean;
}

/** Opens a screen on an output that is a terminal. `continued` is called after Ctrl-Z and fg, to draw again. */
export function openScreen(output: OutputStream, continued: () => void): Screen {
  const { stream } = output;
  let drawn: Drawn | null = null;
  const clear = () => {
    if (drawn !== null) stream.write(drawn.isWhole ? leaveScreen : erased(drawn.lines, output.columns));
    drawn = null;
  };
  const stop = () => {
    clear();
    stream.write(showCursor);
    process.off('SIGTSTP', stop);
    process.kill(process.pid, 'SIGTSTP');
  };
  const goOn = () => {
    // A process that was stopped by SIGSTOP could not leave the screen.
    clear();
    process.off('SIGTSTP', stop).on('SIGTSTP', stop);
    stream.write(hideCursor);
    continued();
  };
  process.on('SIGTSTP', stop).on('SIGCONT', goOn);
  stream.write(hideCursor);

  return {
    draw(lines) {
      const isWhole = drawn?.isWhole === true || lines.length > 1;
      if (!isWhole && drawn?.lines[0] === lines[0]) return;
      if (drawn?.isWhole === false && isWhole) clear();
      const { columns, rows } = output;
      const isSame = drawn?.columns === columns && drawn?.rows === rows;
      const before = drawn?.lines ?? [];
      const text = isWhole
        ? changes(lines, drawn !== null && isSame ? before : null)
        : erased(before, columns) + (lines[0] ?? '');
      const begin = isWhole && drawn === null ? enterScreen : '';
      drawn = { lines, columns, rows, isWhole };
      if (begin + text !== '') stream.write(beginFrame + begin + text + endFrame);
    },
    clear,
    close() {
      process.off('SIGTSTP', stop).off('SIGCONT', goOn);
      clear();
      stream.write(showCursor);
    },
  };
}

/** Writes the lines that are not as before; all of them if nothing was there. */
function changes(lines: readonly string[], before: readonly string[] | null): string {
  const changed = lines.flatMap((line, at) => (line === before?.[at] ? [] : [`${lineAt(at)}\x1b[2K${line}`]));
  const isShorter = before !== null && before.length > lines.length;
  if (before !== null && changed.length === 0 && !isShorter) return '';
  return [before === null ? '\x1b[2J' : '', ...changed, lineAt(lines.length), isShorter ? '\x1b[J' : ''].join('');
}

function lineAt(index: number): string {
  return `\x1b[${index + 1};1H`;
}

const enterScreen = '\x1b[?1049h';
const leaveScreen = '\x1b[?1049l';
const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';
/** A terminal that knows these shows the frame at once. */
const beginFrame = '\x1b[?2026h';
const endFrame = '\x1b[?2026l';

/** Erases a line in place. A terminal that got narrower may have wrapped it. */
function erased([line = '']: readonly string[], columns = 80): string {
  const wrapped = Math.ceil(line.replaceAll(/\x1b\[[\d;]*m/g, '').length / columns) - 1;
  return `\x1b[1G${wrapped > 0 ? `\x1b[${wrapped}A` : ''}\x1b[J`;
}
