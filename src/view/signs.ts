// The signs of tables and pictures. Each means the same in both sets. No meaning depends on a sign or a colour alone.
import type { Paint } from './text.js';

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

const same = (text: string): string => text;

/** Without colours. */
export const noPaint: Paint = {
  bold: same,
  dim: same,
  red: same,
  green: same,
  yellow: same,
  cyan: same,
  blue: same,
  magenta: same,
};
