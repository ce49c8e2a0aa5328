// The signs of tables and pictures. Each means the same in both sets. No meaning depends on a sign or a colour alone.
import { type Clip, clip, displayWidth, type Paint, safeBeginning } from './text.js';

/** Top left, top right, bottom left, bottom right. */
type Corners = readonly [string, string, string, string];
const round: Corners = ['╭', '╮', '╰', '╯'];
const square: Corners = ['+', '+', '+', '+'];

export const unicodeSigns = {
  /** Between the parts of a heading. */
  dot: '·',
  /** The prefix of an amount of money, by its source. */
  costs: { lower_bound: '≥', guess: '~' },
  /** The signs of a bar's last column, from the thinnest to the full one. */
  parts: '▏▎▍▌▋▊▉█',
  /** From the lowest to the highest. */
  levels: '▁▂▃▄▅▆▇█',
  /** Where a text was cut; one column. */
  cut: '…',
  agent: '●',
  lead: '◆',
  to: '→',
  from: '←',
  wrong: '✗',
  right: '✓',
  starts: '▸',
  ends: '■',
  minus: '−',
  banner: '»',
  done: '█',
  doing: '▒',
  waiting: '░',
  line: '─',
  side: '│',
  corners: round,
};

export type Signs = Readonly<typeof unicodeSigns>;

export const asciiSigns: Signs = {
  dot: '-',
  costs: { lower_bound: '>=', guess: '~' },
  parts: '#',
  levels: '.:-=+*#@',
  cut: '~',
  agent: '*',
  lead: '#',
  to: '->',
  from: '<-',
  wrong: 'x',
  right: 'ok',
  starts: '>',
  ends: '#',
  minus: '-',
  banner: '>>',
  done: '#',
  doing: '=',
  waiting: '.',
  line: '-',
  side: '|',
  corners: square,
};

/** A text whose ends, where it was cut, are marked in these signs. */
export function inSigns(text: string, { cut }: Signs): string {
  return cut === unicodeSigns.cut ? text : text.replaceAll(unicodeSigns.cut, cut);
}

/** A bar of exactly `width` columns, filled to `part` (0 to 1). Any part above 0 shows at least the thinnest sign. */
export function bar(part: number, width: number, { parts }: Signs): string {
  const steps = Math.round(Math.min(1, part) * width * parts.length);
  const filled = part > 0 ? Math.max(1, steps) : 0;
  const rest = parts[(filled % parts.length) - 1] ?? '';
  return ((parts.at(-1) ?? '').repeat(Math.floor(filled / parts.length)) + rest).padEnd(width);
}

/** Amounts as a line of blocks. The largest amount has the highest block; 0 is a space. */
export function sparkline(amounts: readonly number[], { levels }: Signs): string {
  const largest = Math.max(...amounts);
  return amounts
    .map((amount) => (amount > 0 ? (levels[Math.ceil((amount / largest) * levels.length) - 1] ?? '') : ' '))
    .join('');
}

/** Where a picture is drawn. */
export interface PictureLook {
  /** Columns, at least 1. */
  readonly width: number;
  /** Lines available; Infinity if there is no limit. */
  readonly height: number;
  readonly paint: Paint;
  readonly glyphs: Signs;
  /** The wall time, `2026-11-15T23:36:21`, in the zone of whoever looks. */
  local(time: string): string;
}

/** A piece of a line, as it came from the input. It is sanitised when the line is assembled. */
export interface Span {
  readonly text: string;
  readonly paint?: ((text: string) => string) | undefined;
}

export function span(text: string, paint?: (text: string) => string): Span {
  return { text, paint };
}

/** The spans one after the other, cut to `width` columns, with the width they take. */
export function clippedLine(spans: readonly Span[], width: number): Clip {
  let text = '';
  let used = 0;
  for (const piece of spans) {
    const room = width - used;
    if (room <= 0) break;
    const safe = safeBeginning(piece.text, room);
    const fitted = clip(safe, room);
    text += piece.paint === undefined || fitted.text === '' ? fitted.text : piece.paint(fitted.text);
    used += fitted.width;
    if (fitted.text !== safe) break;
  }
  return { text, width: used };
}

/** Exactly `width` columns: `left` is cut to make room for `right`, and `fill` stands between them. */
export function spread(left: readonly Span[], right: readonly Span[], width: number, fill: Span = space): string {
  const end = clippedLine(right, width);
  const gap = end.width === 0 ? 0 : 1;
  const start = clippedLine(left, Math.max(0, width - end.width - gap));
  const between = fill.text.repeat(Math.max(0, width - start.width - end.width));
  return start.text + (fill.paint === undefined ? between : fill.paint(between)) + end.text;
}

const space = span(' ');

/** `9s`, `2m 14s`, `1h 02m`, `3d 04h`: for times that tick on the screen. */
export function ticking(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours}h ${two(minutes % 60)}m` : `${Math.floor(hours / 24)}d ${two(hours % 24)}h`;
}

function two(count: number): string {
  return String(count).padStart(2, '0');
}

/**
 * The colour of a silence: yellow after a minute, red after five minutes, or after `limit` if reading gives up earlier.
 */
export function silencePaint(ms: number, paint: Paint, limit = Number.POSITIVE_INFINITY): Paint['dim'] {
  if (ms > Math.min(5 * 60_000, limit)) return paint.red;
  return ms > 60_000 ? paint.yellow : paint.dim;
}

/** The columns the spans would take without a limit. */
export function widthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + displayWidth(safeBeginning(text, 1000)), 0);
}

/** Spans with `mark` between them. Empty spans are left out, and spans at the end that do not fit. */
export function joinedSpans(spans: readonly Span[], mark: Span, width: number): Span[] {
  const present = spans.filter(({ text }) => text !== '');
  const all = present.flatMap((piece, index) => (index === 0 ? [piece] : [mark, piece]));
  let count = present.length;
  while (count > 1 && widthOf(all.slice(0, 2 * count - 1)) > width) count -= 1;
  return all.slice(0, Math.max(0, 2 * count - 1));
}
