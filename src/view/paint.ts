/** What the view needs of colour. A Chalk instance is one; the caller loads chalk only when there is colour to paint. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
  blue(text: string): string;
  magenta(text: string): string;
}

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

const agentColors = new Map<string, keyof Paint>([
  ['red', 'red'],
  ['green', 'green'],
  ['yellow', 'yellow'],
  ['orange', 'yellow'],
  ['cyan', 'cyan'],
  ['blue', 'blue'],
  ['purple', 'magenta'],
  ['pink', 'magenta'],
]);

/** The colour of a status, severity or cost source, on the word itself or on what is shown for it; other words have none. */
export function paintWord(paint: Paint, word: string, text = word): string {
  const color = wordColors.get(word);
  return color === undefined ? text : paint[color](text);
}

const wordColors = new Map<string, keyof Paint>([
  ['active', 'cyan'],
  ['in_progress', 'cyan'],
  ['completed', 'green'],
  ['finished', 'green'],
  ['delivered', 'green'],
  ['failed', 'red'],
  ['problem', 'red'],
  ['stopped', 'yellow'],
  ['unfinished', 'yellow'],
  ['open', 'yellow'],
  ['shutting_down', 'yellow'],
  ['unpriced', 'yellow'],
  ['lower_bound', 'yellow'],
  ['guess', 'yellow'],
  ['idle', 'dim'],
  ['pending', 'dim'],
  ['shutdown', 'dim'],
  ['ended', 'dim'],
  ['cleaned_up', 'dim'],
  ['deleted', 'dim'],
  ['unknown', 'dim'],
  ['note', 'dim'],
]);
