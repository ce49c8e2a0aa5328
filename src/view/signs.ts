// The signs of tables. Pictures have more of them, in glyphs.ts.

export interface Signs {
  /** Between the parts of a heading. */
  readonly dot: string;
  /** The prefix of an amount of money, by its source. */
  readonly costs: Readonly<Record<'lower_bound' | 'guess', string>>;
  /** The signs of a bar's last column, from the thinnest to the full one. */
  readonly parts: string;
  /** From the lowest to the highest. */
  readonly levels: string;
  /** Where a text was cut. */
  readonly cut: string;
}

export const unicodeSigns: Signs = {
  dot: '·',
  costs: { lower_bound: '≥', guess: '~' },
  parts: '▏▎▍▌▋▊▉█',
  levels: '▁▂▃▄▅▆▇█',
  cut: '…',
};

export const asciiSigns: Signs = {
  dot: '-',
  costs: { lower_bound: '>=', guess: '~' },
  parts: '#',
  levels: '.:-=+*#@',
  cut: '~',
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
