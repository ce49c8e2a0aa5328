/** What the view needs of colour. A Chalk instance is one; the caller loads chalk only when there is colour to paint. */
export type Paint = Readonly<Record<Color, (text: string) => string>>;

type Color = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'blue' | 'magenta';

const same = (text: string): string => text;

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

/** A name in the colour its agent was given; colours a terminal has no word for take the nearest. */
export function paintName(paint: Paint, name: string, color: unknown): string {
  const known = typeof color === 'string' ? agentColors.get(color) : undefined;
  return known === undefined ? name : paint[known](name);
}

const agentColors = colorsOf([
  ['red', 'red'],
  ['green', 'green'],
  ['yellow', 'yellow', 'orange'],
  ['cyan', 'cyan'],
  ['blue', 'blue'],
  ['magenta', 'purple', 'pink'],
]);

/** The colour of a status, severity or cost source, on the word itself or on what is shown for it; other words have none. */
export function paintWord(paint: Paint, word: string, text = word): string {
  const color = wordColors.get(word);
  return color === undefined ? text : paint[color](text);
}

const wordColors = colorsOf([
  ['cyan', 'active', 'in_progress'],
  ['green', 'completed', 'finished', 'delivered'],
  ['red', 'failed', 'problem'],
  ['yellow', 'stopped', 'unfinished', 'open', 'shutting_down', 'unpriced', 'lower_bound', 'guess'],
  ['dim', 'idle', 'pending', 'shutdown', 'ended', 'cleaned_up', 'deleted', 'unknown', 'note'],
]);

function colorsOf(groups: readonly (readonly [Color, ...words: string[]])[]): ReadonlyMap<string, Color> {
  return new Map(groups.flatMap(([color, ...words]) => words.map((word): [string, Color] => [word, color])));
}
