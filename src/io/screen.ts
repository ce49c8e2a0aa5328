import type { OutputStream } from './streams.js';

export type ScreenPlace = 'whole' | 'below';

/**
 * Pictures on a terminal, drawn below what was written, or on the whole screen, which is given back: nothing of them can be
 * left over, however the terminal is resized. Even then a single line is drawn below, so that what a producer says before
 * its first record stays in view. `continued` is called after Ctrl-Z and fg, to draw again.
 */
export function openScreen(output: OutputStream, place: ScreenPlace, continued: () => void) {
  const { stream } = output;
  let drawn: Drawn | null = null;
  const clear = () => {
    if (drawn !== null) stream.write(drawn.isWhole ? leaveScreen : erased(drawn, output));
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
    /** Draws at most as many lines as the terminal has, less one. Only changed lines are written. */
    drawLines(lines: readonly string[]): void {
      const isWhole = drawn?.isWhole === true || (place === 'whole' && lines.length > 1);
      if (drawn?.isWhole === false && isWhole) clear();
      const { columns, rows } = output;
      const isSame = drawn?.columns === columns && drawn?.rows === rows;
      const before = drawn?.lines ?? [];
      const text = isWhole
        ? changes(lines, drawn !== null && isSame ? before : null)
        : isSame && before.join('\n') === lines.join('\n')
          ? ''
          : // What another program writes begins at the left.
            `${erased(drawn, output)}${lines.join('\n')}\x1b[1G`;
      const begin = isWhole && drawn === null ? enterScreen : '';
      drawn = { lines, columns, rows, isWhole };
      if (begin + text !== '') stream.write(beginFrame + begin + text + endFrame);
    },
    /** Takes the picture away. */
    clear,
    close(): void {
      process.off('SIGTSTP', stop).off('SIGCONT', goOn);
      clear();
      stream.write(showCursor);
    },
  };
}

interface Drawn {
  readonly lines: readonly string[];
  readonly columns: number | undefined;
  readonly rows: number | undefined;
  readonly isWhole: boolean;
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

/** Erases lines above the cursor. A terminal that got narrower may have wrapped them. */
function erased(drawn: Drawn | null, { columns = 80 }: OutputStream): string {
  const isNarrower = columns < (drawn?.columns ?? columns);
  const screenRows = (line: string) => Math.ceil(line.replaceAll(/\x1b\[[\d;]*m/g, '').length / columns) || 1;
  const up = (drawn?.lines ?? []).reduce((sum, line) => sum + (isNarrower ? screenRows(line) : 1), -1);
  return `\x1b[1G${up > 0 ? `\x1b[${up}A` : ''}\x1b[J`;
}
