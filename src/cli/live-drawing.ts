// Draws in place while a command reads, with a ticking clock, and says at the end how it ended.
import { endingText, isBad, isByCct, outcomeText, reasonText } from '../core/tables/outcome.js';
import { type State, versionOfState } from '../core/tables/reduce.js';
import { onSuddenEnd } from '../io/exit.js';
import type { TextOutput } from '../io/output.js';
import type { ScreenPlace } from '../io/screen.js';
import { clippedLine, joinedSpans, type PictureLook, type Span, silencePaint, span, ticking } from '../view/glyphs.js';
import { inSigns } from '../view/signs.js';
import { thousands } from '../view/text.js';
import type { Context } from './command.js';
import { flagOf, numberOf } from './flags/flags.js';
import { shownZone } from './flags/times.js';
import { isStillComing } from './live.js';
import { paintOf, signsOf } from './print.js';

/** Lines that fit the given size. */
export type Picture = (size: Size) => readonly string[];

export interface Size {
  readonly width: number;
  readonly height: number;
}

type LiveContext = Pick<Context, 'streams' | 'diagnostics' | 'input' | 'options' | 'operands'>;

export type LiveView = Awaited<ReturnType<typeof openLiveView>>;

/** How pictures look here: colours, signs, and the zone of times. */
export async function lookOf({ options, streams }: Pick<Context, 'options' | 'streams'>): Promise<
  Omit<PictureLook, 'width' | 'height'> & {
    /** A line of a picture, in signs that the terminal can show. */
    shown(text: string): string;
  }
> {
  const glyphs = signsOf(streams);
  return {
    paint: await paintOf({ options, streams }),
    glyphs,
    local: shownZone(options).local,
    shown: (text) => inSigns(text, glyphs),
  };
}

/** `place`: below what the command writes meanwhile, or on the whole screen. */
export async function openLiveView(context: LiveContext, place: ScreenPlace = 'whole') {
  const { streams, diagnostics, input, options } = context;
  const { stdout, stderr, clock } = streams;
  const { paint, glyphs, shown } = await lookOf(context);
  const { openScreen } = await import('../io/screen.js');
  const began = clock.now();
  /** Milliseconds since it began. null for a recording, whose picture depends on the input alone. */
  const elapsed = isStillComing(context) ? () => clock.now() - began : null;
  /** A longer silence ends the reading. */
  const silenceLimit = 1000 * (numberOf(options, 'idleTimeout') ?? Number.POSITIVE_INFINITY);
  let readAt: number | null = null;
  let isInterrupted = false;

  /**
   * Shows pictures while `reading` runs; null shows nothing. Removes the last picture, because the command prints what
   * stays. If the process or the reading breaks off, the last picture stays and says so.
   */
  async function drawWhile<T>(reading: (show: (picture: Picture | null) => void) => Promise<T>): Promise<T> {
    const screen = openScreen(stdout, place, () => drawPicture());
    let picture: Picture | null =
      elapsed === null ? null : ({ width }) => [headline('waiting for the first record', width)];
    let wasShown = false;
    let waiting: { readonly until: number; readonly end: AbortController } | undefined;
    let nextAt = 0;

    const drawPicture = () => {
      waiting?.end.abort();
      waiting = undefined;
      if (picture === null) return;
      const start = clock.now();
      const lines = isInterrupted ? above(picture, span(whileInterrupted, paint.yellow)) : picture(screenSize(stdout));
      screen.drawLines(lines.map(shown));
      // Leaves most of the time to reading, even when there is much to draw.
      nextAt = start + Math.max(leastGap, 4 * (clock.now() - start));
      // A little after the next second begins, because a timer may be early.
      if (elapsed !== null) drawAt(Math.max(nextAt, clock.now() + 1010 - (elapsed() % 1000)));
    };
    const drawAt = async (until: number) => {
      const endDrawing = new AbortController();
      waiting = { until, end: endDrawing };
      await clock.wait(until - clock.now(), endDrawing.signal);
      if (!endDrawing.signal.aborted) drawPicture();
    };
    const soon = () => {
      if (nextAt <= clock.now()) drawPicture();
      else if (waiting === undefined || waiting.until > nextAt) {
        waiting?.end.abort();
        drawAt(nextAt);
      }
    };
    /** Keeps room for the last line within the available lines. */
    const above = (shown: Picture, last: Span) => {
      const size = screenSize(stdout);
      const lines = shown({ ...size, height: Math.max(1, size.height - 1) });
      return [...lines, clippedLine([last], size.width).text].slice(-size.height);
    };
    const leavePicture = (why: string) => {
      picture = wasShown ? picture : null;
      const lines = picture === null ? [] : above(picture, span(`${why}${afterText()}`, paint.yellow));
      end();
      for (const text of lines) stdout.stream.write(`${shown(text)}\n`);
    };
    const end = () => {
      waiting?.end.abort();
      forget();
      stdout.stream.off('resize', soon);
      diagnostics.printVia(null);
      screen.close();
    };
    const forget = onSuddenEnd({
      interrupted() {
        isInterrupted = true;
        soon();
      },
      last: leavePicture,
    });
    stdout.stream.on('resize', soon);
    if (stderr.isTTY)
      diagnostics.printVia((print) => {
        screen.clear();
        print();
        soon();
      });
    try {
      soon();
      const value = await reading((next) => {
        readAt = clock.now();
        wasShown ||= next !== null;
        picture = next;
        if (next === null) screen.clear();
        soon();
      });
      end();
      return value;
    } catch (error) {
      leavePicture('stopped by an error');
      throw error;
    }
  }

  const afterText = () => (elapsed === null ? '' : ` after ${ticking(elapsed())}`);

  /** Words with dots between them. */
  const dotted = (words: readonly (string | Span)[], width: number): string => {
    const spans = words.map((word) => (typeof word === 'string' ? span(word) : word));
    return clippedLine(joinedSpans(spans, span(` ${glyphs.dot} `, paint.dim), width), width).text;
  };

  /** These words, how long the run has taken, and how long nothing has come. */
  const headline = (words: string, width: number): string => {
    if (elapsed === null) return dotted([words], width);
    const silence = readAt === null ? 0 : clock.now() - readAt;
    const silent = silence < 2000 ? '' : `silent ${ticking(silence)}`;
    const time = span(ticking(elapsed()), paint.bold);
    return dotted([words, time, span(silent, silencePaint(silence, paint, silenceLimit))], width);
  };

  /** How the reading ended, to be written below the last picture. `stopped` is why the command stopped it. */
  const ending = (stopped: string | null = null): string => {
    if (elapsed === null) return '';
    const { idle, unreadable, account } = input.seen;
    const endSentence = (color: Span['paint'], how: string, why: string) => {
      const spans = [span(`${how}${afterText()}`, color), span(why === '' ? '' : `: ${why}`)];
      return `${shown(clippedLine(spans, screenSize(stdout).width).text)}\n`;
    };
    if (stopped !== null) return endSentence(paint.yellow, 'stopped', stopped);
    if (idle) return endSentence(paint.yellow, 'stopped', `no record for ${silenceLimit / 1000} s (--idle-timeout)`);
    const { ending } = account;
    const how = ending === null ? '' : endingText(ending);
    // The usual end of following.
    if (isInterrupted && flagOf(options, 'follow')) return endSentence(paint.dim, 'left', how);
    if (isInterrupted) return endSentence(paint.yellow, 'interrupted', how);
    if (unreadable > 0) return endSentence(paint.red, 'stopped', 'the input could not be read to its end');
    if (account.unfinished > 0 && !isByCct(ending))
      return endSentence(paint.yellow, 'cut', 'the input ended without a result');
    if (ending === null) return endSentence(paint.dim, 'ended', '');
    return endSentence(isBad(ending) ? paint.red : paint.green, outcomeText(ending) ?? 'ended', reasonText(ending));
  };

  /** The headline while there are no rows of this name. */
  const nothingYet = (name: string, width: number): string => {
    const read = input.seen.records;
    return headline(`no ${name} yet, ${thousands(read)} ${read === 1 ? 'record' : 'records'} read`, width);
  };

  return { elapsed, silenceLimit, drawWhile, dotted, headline, nothingYet, ending };
}

const whileInterrupted = 'interrupted, waiting for the input to end; press Ctrl-C again to stop now';

/** At most ten pictures a second; nobody sees more. */
const leastGap = 100;

/** The cursor needs a line of its own, below the picture. */
export function screenSize({ columns, rows }: Context['streams']['stdout']): Size {
  return { width: columns ?? 80, height: Math.max(1, (rows ?? 24) - 1) };
}

interface DrawnTable<S> {
  /** What its rows are called, in the plural. */
  readonly name: string;
  /** Writes the table; nothing if there are no rows yet. */
  print(state: S, out: TextOutput): void;
  /** The lines above the table, after this many milliseconds. */
  readonly note: ((state: S, elapsed: number) => readonly string[]) | undefined;
}

/** Draws a table below a headline while `fold` reads. */
export async function drawTable<S extends State>(
  context: LiveContext,
  { name, print, note }: DrawnTable<S>,
  fold: (onChunk: (now: () => S) => void) => Promise<S>,
): Promise<{ readonly state: S; readonly view: LiveView }> {
  const view = await openLiveView(context);
  // A table that did not change is printed once, however often the clock ticks.
  let last: { readonly version: number; readonly width: number; readonly rows: readonly string[] } | null = null;
  const picture = (state: S, { width, height }: Size) => {
    const version = versionOfState(state);
    if (last?.version !== version || last.width !== width)
      last = { version, width, rows: printedLines((out) => print(state, out)) };
    const { rows } = last;
    const head = rows.length === 0 ? view.nothingYet(name, width) : view.headline(`${name} so far`, width);
    const noted = view.elapsed === null ? [] : (note?.(state, view.elapsed()) ?? []);
    return withoutMiddle([head, ...(noted.length === 0 ? [] : [view.dotted(noted, width)]), ...rows], height);
  };
  const state = await view.drawWhile((show) => fold((now) => show((size) => picture(now(), size))));
  return { state, view };
}

function printedLines(print: (out: TextOutput) => void): string[] {
  let text = '';
  print({
    write(more) {
      text += more;
    },
  });
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** Drops the middle: a table begins with its head and ends with its total and notes. */
function withoutMiddle(lines: readonly string[], height: number): readonly string[] {
  if (lines.length <= height) return lines;
  const above = Math.max(0, height - 1 - keptBelow);
  const below = Math.min(keptBelow, Math.max(0, height - 1));
  const left = lines.length - above - below;
  return [...lines.slice(0, above), `… ${left} more`, ...lines.slice(lines.length - below)];
}

const keptBelow = 4;
