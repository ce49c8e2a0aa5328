/** What the view needs of colour. A Chalk instance is one; the caller loads chalk only when there is colour to paint. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

const same = (text: string): string => text;

export const noPaint: Paint = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same };

/** The colour of a status, severity or cost source; other words stay as they are. */
export function paintWord(paint: Paint, word: string): string {
  const color = wordColors.get(word);
  return color === undefined ? word : paint[color](word);
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
