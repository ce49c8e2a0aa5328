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
  corners: ['+', '+', '+', '+'],
};
