import type { Output } from '../io/output.js';
import type { Context } from './command.js';

/** Lines for the room there is. */
export type Picture = (size: Size) => readonly string[];

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Shows pictures while `reading` goes on, and takes the last one away: what stays behind is the command's to print. */
export async function drawWhile<T>(
  { streams, diagnostics }: Pick<Context, 'streams' | 'diagnostics'>,
  reading: (show: (picture: Picture) => void) => Promise<T>,
): Promise<T> {
  const { stdout, stderr, clock } = streams;
  const { openScreen } = await import('../io/screen.js');
  const screen = openScreen(stdout);
  let picture: Picture | undefined;
  let waiting: AbortController | undefined;
  let nextAt = 0;

  const draw = () => {
    waiting?.abort();
    waiting = undefined;
    if (picture === undefined) return;
    const began = clock.now();
    screen.draw(picture(sizeOf(stdout)));
    // Most of the time is for reading, also when there is much to draw.
    nextAt = began + Math.max(leastGap, 4 * (clock.now() - began));
  };
  const drawAfter = async (milliseconds: number, { signal }: AbortController) => {
    await clock.wait(milliseconds, signal);
    if (!signal.aborted) draw();
  };
  const soon = () => {
    const wait = nextAt - clock.now();
    if (wait <= 0) draw();
    else if (waiting === undefined) {
      waiting = new AbortController();
      drawAfter(wait, waiting);
    }
  };

  stdout.stream.on('resize', soon);
  if (stderr.isTTY)
    diagnostics.printVia((print) => {
      screen.clear();
      print();
      soon();
    });
  try {
    return await reading((next) => {
      picture = next;
      soon();
    });
  } finally {
    waiting?.abort();
    stdout.stream.off('resize', soon);
    diagnostics.printVia(null);
    screen.clear();
    screen.close();
  }
}

/** Ten pictures a second are as many as anybody sees. */
const leastGap = 100;

/** The cursor needs a line of its own, below. */
export function sizeOf({ columns, rows }: Context['streams']['stdout']): Size {
  return { width: columns ?? 80, height: Math.max(1, (rows ?? 24) - 1) };
}

/** The table that `print` writes, or that there are no rows of this name yet. */
export function tablePicture(name: string, print: (out: Output) => void): Picture {
  return ({ height }) => {
    const text = written(print);
    if (text === '') return [`no ${name} yet`];
    return shortened([`${name} so far`, ...text.replace(/\n$/, '').split('\n')], height);
  };
}

function written(print: (out: Output) => void): string {
  let text = '';
  print({
    write(more) {
      text += more;
    },
    async send() {},
    async finish() {},
    flush() {},
    closed: false,
    problem: null,
  });
  return text;
}

/** The middle goes: a table begins with its head and ends with its total and notes. */
function shortened(lines: readonly string[], height: number): readonly string[] {
  if (lines.length <= height) return lines;
  const above = Math.max(0, height - 1 - keptBelow);
  const below = Math.min(keptBelow, Math.max(0, height - 1));
  const left = lines.length - above - below;
  return [...lines.slice(0, above), `… ${left} more`, ...lines.slice(lines.length - below)];
}

const keptBelow = 4;
