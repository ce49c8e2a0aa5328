// Draws lines of the log for terminals and pipes: `23:36:21  researcher  $ npm test · 3.2s`.
import { getOrCreate } from '../../core/record/json.js';
import type { Part, StoryLine } from '../../core/story/line.js';
import { type Signs, unicodeSigns } from '../../view/signs.js';
import {
  type Clip,
  clip,
  compact,
  cut,
  displayWidth,
  isNarrow,
  type Paint,
  paintName,
  safeBeginning,
  sanitize,
  visibleName,
} from '../../view/text.js';
import { type Words, wordsOf } from './rows.js';

export interface LogLook {
  /** Columns; Infinity for no limit. */
  readonly width: number;
  readonly paint: Paint;
  readonly signs: Signs;
  /** A time as a date and a clock. */
  local(time: string): string;
  /** Write texts and what belongs to a line whole. */
  readonly full: boolean;
}

/** Draws one line after the other. Columns only grow, so that texts stay aligned. */
export class LogText {
  #nameWidth = 10;
  #day: string | null = null;
  /** The last second, and how it is shown. */
  #second = '';
  #clock = '';
  /** Names as they are shown, by their longest width. */
  readonly #names = new Map<string, Clip>();

  /** The lines of a line, each with its end. */
  draw(line: StoryLine, look: LogLook): string {
    const { paint, signs, width: columns } = look;
    const before = line.time === null ? '' : this.#tick(line.time, look);
    // On a narrow terminal, what happened matters more than when.
    const isSmall = columns < narrow;
    const time = this.#second === '' || isSmall ? '' : `${line.time === null ? ' '.repeat(8) : this.#clock}  `;
    const longest = isSmall ? 8 : longestShownName;
    const { text: name, width } = getOrCreate(this.#names, `${longest} ${line.name}`, () => {
      const text = cutTo(sanitize(visibleName(line.name)), longest, signs);
      return { text, width: displayWidth(text) };
    });
    this.#nameWidth = isSmall ? longest : Math.max(this.#nameWidth, width, this.#nameAhead(line));
    const space = ' '.repeat(Math.max(0, this.#nameWidth - width) + 2);
    const room = columns - time.length - this.#nameWidth - 2;
    const words = wordsOf(line, signs);
    const head = `${paint.dim(time)}${paintName(paint, name, line.color)}${space}`;
    if (!look.full) return `${before}${`${head}${shortWords(words, line, Math.max(10, room), look)}`.trimEnd()}\n`;
    const body = bodyLines(line, words, look).map((one) => `${indent}${one}\n`);
    return `${before}${`${head}${fullWords(words, line, look)}`.trimEnd()}\n${body.join('')}`;
  }

  /** Reads the clock, and returns a line with the date if it is another day. */
  #tick(time: string, { local, paint }: LogLook): string {
    const second = time.slice(0, 19);
    if (second === this.#second) return '';
    this.#second = second;
    const [day = '', clock = ''] = local(time).split('T');
    this.#clock = clock.slice(0, 8).padEnd(8);
    const isNewDay = this.#day !== null && day !== this.#day;
    this.#day = day;
    return isNewDay ? `${paint.dim(day)}\n` : '';
  }

  /** An agent that starts will have lines of its own. */
  #nameAhead({ kind, status, target }: StoryLine): number {
    if (kind !== 'agent' || status !== 'started' || target === null) return 0;
    return Math.min(longestShownName, displayWidth(sanitize(visibleName(target.slice(0, longestShownName)))));
  }
}

const longestShownName = 20;
const narrow = 60;
const indent = '            | ';

/** Everything in one line, at most `room` columns wide. */
function shortWords(words: Words, line: StoryLine, room: number, { paint, signs }: LogLook): string {
  const { mark, tone } = words;
  const about = openingLine(words.about);
  const lead = withMark(mark, about.text);
  const tail = tailOf(words, signs, room - Math.min(lead.length, 10));
  // What ended a call matters more than the end of a long command.
  const shownLead = fitted(lead, Math.max(10, room - tail.length), about.left, signs);
  // Why something failed is told as far as there is room, everything else in its first line.
  const said = line.bad ? flat(words.said, room) : openingLine(words.said);
  const gap = lead === '' ? '' : saidAfter(line, lead, signs);
  const rest = said.text === '' ? 0 : room - displayWidth(shownLead) - tail.length;
  const shownSaid = rest < 8 ? '' : fitted(said.text, rest - gap.length, said.left + line.left, signs);
  const toned = toneOf(tone, paint, shownLead);
  const after = shownSaid === '' ? '' : gap;
  if (line.kind === 'text' || line.kind === 'prompt' || line.kind === 'thinking')
    return `${toned}${after}${tone === 'dim' ? paint.dim(shownSaid) : shownSaid}`;
  const isDim = tone !== 'bad' && (line.kind === 'session' || (line.kind === 'agent' && line.status === 'started'));
  return `${toned}${tail === '' ? '' : paint.dim(tail)}${after}${isDim ? paint.dim(shownSaid) : shownSaid}`;
}

/** ` · exit 1 · 3.2s`, as much as there is room for. Each character of it is one column wide. */
function tailOf({ facts }: Words, { dot }: Signs, room = Number.POSITIVE_INFINITY): string {
  let tail = '';
  for (const fact of facts) {
    if (tail.length + fact.length + 3 > room) break;
    tail += ` ${dot} ${fact}`;
  }
  return tail;
}

/** Everything that is said, not yet safe. */
export function inOneLine(line: StoryLine, signs: Signs): string {
  const words = wordsOf(line, signs);
  const lead = withMark(words.mark, words.about);
  const gap = lead === '' || words.said === '' ? '' : saidAfter(line, lead, signs);
  return `${lead}${tailOf(words, signs)}${gap}${words.said}`;
}

function withMark(mark: string, about: string): string {
  return mark === '' || about === '' ? mark + about : `${mark} ${about}`;
}

/** What stands between what a line is about and what was said. */
function saidAfter({ kind, status, text }: StoryLine, lead: string, { wrong }: Signs): string {
  // What went wrong speaks for itself.
  if (lead === wrong) return ' ';
  if (kind === 'prompt' || kind === 'thinking' || kind === 'task' || kind === 'session') return ' ';
  if (kind === 'message') return '  ';
  if (kind === 'agent' && text?.startsWith('(')) return ' ';
  return kind === 'notice' && status === 'limited' ? ' ' : ': ';
}

function toneOf(tone: Words['tone'], paint: Paint, text: string): string {
  switch (tone) {
    case 'plain':
      return text;
    case 'dim':
      return paint.dim(text);
    case 'bad':
      return paint.red(text);
    case 'good':
      return paint.green(text);
    case 'warning':
      return paint.yellow(text);
  }
}

/** The first line that is not blank, and how many characters follow it. */
function openingLine(text: string): { text: string; left: number } {
  const first = text.charCodeAt(0);
  const start = first > 0x20 && first < 0x7f ? 0 : text.search(/\S/);
  if (start === -1) return { text: '', left: 0 };
  const end = text.indexOf('\n', start);
  if (end === -1) return { text: text.slice(start).trimEnd(), left: 0 };
  let last = text.length;
  while (last > end && isBlank(text.charCodeAt(last - 1))) last -= 1;
  let next = end;
  while (next < last && isBlank(text.charCodeAt(next))) next += 1;
  return { text: text.slice(start, end).trimEnd(), left: last - next };
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** In one line, as much as may be shown, and how many characters follow. */
function flat(text: string, room: number): { text: string; left: number } {
  const said = text.trim();
  const shown = said.slice(0, 8 * room);
  return { text: shown.replace(/\s+/g, ' '), left: said.length - shown.length };
}

/** Safe text, cut at a word if it is too wide, with how much is left out. */
export function fitted(text: string, width: number, left = 0, signs: Signs = unicodeSigns): string {
  const start = text.slice(0, width + 1);
  // Nearly all texts: then nothing has to be measured.
  const isPlain = isNarrow(start);
  if (isPlain && left === 0 && text.length <= width) return start;
  const safe = isPlain ? start : safeBeginning(text, width);
  // Not its whole width: texts are long, and measuring some letters is slow.
  const whole = isPlain ? { text: start.slice(0, width), width: Math.min(start.length, width) } : clip(safe, width);
  const isWhole = whole.text === safe;
  if (isWhole && left === 0) return safe;
  const room = width - ` ${signs.cut} +${compact(left + text.length)}`.length - 6;
  if (room < 16) return cutTo(safe, width, signs);
  const shown =
    isWhole && whole.width <= room ? safe : atWord(isPlain ? `${safe.slice(0, room - 1)}…` : cut(safe, room));
  const missing = left + Math.max(0, text.length - shown.length);
  return `${shown} ${signs.cut} +${compact(missing)} chars`;
}

function cutTo(text: string, width: number, { cut: more }: Signs): string {
  const shown = cut(text, width);
  return shown === text ? shown : `${shown.slice(0, -1)}${more}`;
}

function atWord(text: string): string {
  const bare = text.endsWith('…') ? text.slice(0, -1) : text;
  const space = bare.lastIndexOf(' ');
  return (space > bare.length / 2 ? bare.slice(0, space) : bare).trimEnd();
}

function fullWords(words: Words, line: StoryLine, { paint, signs }: LogLook): string {
  const lead = sanitize(withMark(words.mark, openingLine(words.about).text));
  const said = sanitize(openingLine(words.said).text);
  const gap = lead === '' || said === '' ? '' : saidAfter(line, lead, signs);
  return `${toneOf(words.tone, paint, lead)}${paint.dim(tailOf(words, signs))}${gap}${said}`;
}

/** The rest of what was said, and what belongs to the line. */
function bodyLines(line: StoryLine, words: Words, look: LogLook): string[] {
  const start = words.said.search(/\S/);
  const end = start === -1 ? -1 : words.said.indexOf('\n', start);
  const said = end === -1 ? [] : textLines(words.said.slice(end + 1));
  // Why a call failed was just said.
  const parts = line.parts.filter(({ is }) => !(line.bad && is === 'output'));
  return [...said, ...parts.flatMap((part) => partLines(part, look))];
}

function partLines({ text, changes }: Part, { paint }: LogLook): string[] {
  if (changes === undefined) return textLines(text);
  const color = { '+': paint.green, '-': paint.red, ' ': paint.dim };
  return changes.map((change) => color[change.sign](`${change.sign} ${sanitize(change.text)}`));
}

/** Line by line, so that no text can pretend to be a line of the log. */
export function textLines(text: string): string[] {
  const lines = text.replace(/\r\n/g, '\n').split('\n');
  while (lines.length > 0 && lines.at(-1)?.trim() === '') lines.pop();
  return lines.map((line) => sanitize(line.replaceAll('\t', '    ')));
}
