import { beginning, type Clip, clip, displayWidth, type Paint } from './text.js';

/** The signs of a picture. Each means the same in both sets, and nothing is said by a sign or a colour alone. */
export interface Glyphs {
  readonly agent: string;
  readonly lead: string;
  readonly to: string;
  readonly from: string;
  readonly dot: string;
  readonly wrong: string;
  readonly banner: string;
  readonly done: string;
  readonly doing: string;
  readonly waiting: string;
  readonly line: string;
  readonly side: string;
  /** What stands before an amount of money, by its source. */
  readonly costs: Readonly<Record<'lower_bound' | 'guess', string>>;
  /** From the thinnest to the full column of a bar. */
  readonly parts: string;
  /** From the lowest to the highest. */
  readonly levels: string;
  /** Top left, top right, bottom left, bottom right. */
  readonly corners: readonly [string, string, string, string];
}

export const unicodeGlyphs: Glyphs = {
  agent: '●',
  lead: '◆',
  to: '→',
  from: '←',
  dot: '·',
  wrong: '✗',
  banner: '»',
  done: '█',
  doing: '▒',
  waiting: '░',
  line: '─',
  side: '│',
  costs: { lower_bound: '≥', guess: '~' },
  parts: '▏▎▍▌▋▊▉█',
  levels: '▁▂▃▄▅▆▇█',
  corners: ['╭', '╮', '╰', '╯'],
};

export const asciiGlyphs: Glyphs = {
  agent: '*',
  lead: '#',
  to: '->',
  from: '<-',
  dot: '-',
  wrong: 'x',
  banner: '>>',
  done: '#',
  doing: '=',
  waiting: '.',
  line: '-',
  side: '|',
  costs: { lower_bound: '>=', guess: '~' },
  parts: '#',
  levels: '.:-=+*#@',
  corners: ['+', '+', '+', '+'],
};

/** A bar of exactly `width` columns, filled by `part` of it, 0 to 1; what is something and rounds to nothing has the thinnest sign. */
export function bar(part: number, width: number, { parts }: Glyphs): string {
  const steps = Math.round(Math.min(1, part) * width * parts.length);
  const filled = part > 0 ? Math.max(1, steps) : 0;
  const rest = parts[(filled % parts.length) - 1] ?? '';
  return ((parts.at(-1) ?? '').repeat(Math.floor(filled / parts.length)) + rest).padEnd(width);
}

/** Amounts as a line of blocks, the largest the highest; a space for nothing. */
export function sparkline(amounts: readonly number[], { levels }: Glyphs): string {
  const largest = Math.max(...amounts);
  return amounts
    .map((amount) => (amount > 0 ? (levels[Math.ceil((amount / largest) * levels.length) - 1] ?? '') : ' '))
    .join('');
}

/** Where a picture is drawn. */
export interface Look {
  /** Columns, at least 1. */
  readonly width: number;
  /** Lines there are; Infinity where there may be any number. */
  readonly height: number;
  readonly paint: Paint;
  readonly glyphs: Glyphs;
}

/** A piece of a line, as it came from wherever; it is made safe when the line is put together. */
export interface Span {
  readonly text: string;
  readonly paint?: ((text: string) => string) | undefined;
}

export function span(text: string, paint?: (text: string) => string): Span {
  return { text, paint };
}

/** The spans one after the other in at most `width` columns, with the columns they take. */
export function line(spans: readonly Span[], width: number): Clip {
  let text = '';
  let used = 0;
  for (const piece of spans) {
    const room = width - used;
    if (room <= 0) break;
    const safe = beginning(piece.text, room);
    const fitted = clip(safe, room);
    text += piece.paint === undefined || fitted.text === '' ? fitted.text : piece.paint(fitted.text);
    used += fitted.width;
    if (fitted.text !== safe) break;
  }
  return { text, width: used };
}

/** Exactly `width` columns: `left` gives way to `right`, and `fill` stands between them. */
export function spread(left: readonly Span[], right: readonly Span[], width: number, fill: Span = space): string {
  const end = line(right, width);
  const gap = end.width === 0 ? 0 : 1;
  const start = line(left, Math.max(0, width - end.width - gap));
  const between = fill.text.repeat(Math.max(0, width - start.width - end.width));
  return start.text + (fill.paint === undefined ? between : fill.paint(between)) + end.text;
}

const space = span(' ');

/** Columns the spans would take if there were room for all. */
export function widthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + displayWidth(beginning(text, 1000)), 0);
}

/** Spans with `mark` between them, empty ones left out, and from the end those there is no room for. */
export function joined(spans: readonly Span[], mark: Span, width: number): Span[] {
  const present = spans.filter(({ text }) => text !== '');
  const all = present.flatMap((piece, index) => (index === 0 ? [piece] : [mark, piece]));
  let count = present.length;
  while (count > 1 && widthOf(all.slice(0, 2 * count - 1)) > width) count -= 1;
  return all.slice(0, Math.max(0, 2 * count - 1));
}
