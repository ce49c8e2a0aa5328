// Draws lines of the log for terminals and pipes: `23:36:21  researcher  $ npm test  · 3.2s`.
import type { Part, StoryLine } from '../../core/story/line.js';
import {
  beginning,
  clip,
  compact,
  cut,
  displayWidth,
  noPaint,
  type Paint,
  paintName,
  sanitize,
  visibleName,
} from '../../view/text.js';
import { type Marks, type Words, wordsOf } from './words.js';

export interface LogLook {
  /** Columns; Infinity for no limit. */
  readonly width: number;
  readonly paint: Paint;
  readonly marks: Marks;
  /** A time as a date and a clock. */
  local(time: string): string;
  /** Write texts and what belongs to a line whole. */
  readonly full: boolean;
}

/** Draws one line after the other. Columns only grow, so that texts stay aligned. */
export class LogText {
  #nameWidth = 10;
  #hasTimes = false;
  #day: string | null = null;

  /** The lines of a line, each with its end. */
  draw(line: StoryLine, look: LogLook): string {
    const { paint, local, marks } = look;
    const [day = '', clock = ''] = line.time === null ? [] : local(line.time).split('T');
    this.#hasTimes ||= clock !== '';
    const time = this.#hasTimes ? `${clock.slice(0, 8).padEnd(8)}  ` : '';
    const name = cut(sanitize(visibleName(line.name)), longestName);
    this.#nameWidth = Math.max(this.#nameWidth, displayWidth(name));
    const space = ' '.repeat(this.#nameWidth - displayWidth(name) + 2);
    const room = look.width - time.length - this.#nameWidth - 2;
    const words = wordsOf(line, marks);
    const head = `${paint.dim(time)}${paintName(paint, name, line.color)}${space}`;
    const said = look.full ? fullWords(words, line, look) : shortWords(words, line, Math.max(20, room), look);
    const body = look.full ? bodyLines(line, words, look) : [];
    const before = this.#day !== null && day !== '' && day !== this.#day ? `${paint.dim(day)}\n` : '';
    if (day !== '') this.#day = day;
    return `${before}${`${head}${said}`.trimEnd()}\n${body.map((one) => `${indent}${one}\n`).join('')}`;
  }
}

const longestName = 20;
const indent = '            | ';

/** Everything in one line, at most `room` columns wide. */
function shortWords(words: Words, line: StoryLine, room: number, { paint, marks }: LogLook): string {
  const toned = tones(paint)[words.tone];
  const { mark, facts } = words;
  const about = firstLine(words.about);
  const said = firstLine(words.said);
  const tail = facts.map((fact) => ` ${marks.dot} ${fact}`).join('');
  const lead = [mark, about.text].filter((one) => one !== '').join(' ');
  // What ended a call matters more than the end of a long command.
  const leadRoom = Math.max(10, room - displayWidth(tail));
  const shownLead = fitted(lead, leadRoom, about.left);
  const rest = room - displayWidth(shownLead) - displayWidth(tail);
  const gap = lead === '' ? '' : saidAfter(line, lead, marks);
  const shownSaid = said.text === '' || rest < 8 ? '' : fitted(said.text, rest - gap.length, said.left + line.left);
  const isSpoken = line.kind === 'text' || line.kind === 'prompt' || line.kind === 'thinking';
  const parts = isSpoken
    ? [toned(shownLead), shownSaid === '' ? '' : gap, words.tone === 'dim' ? paint.dim(shownSaid) : shownSaid]
    : [
        toned(shownLead),
        paint.dim(tail),
        shownSaid === '' ? '' : gap,
        words.tone === 'bad' ? shownSaid : secondary(line, paint)(shownSaid),
      ];
  return parts.join('');
}

/** What stands between what a line is about and what was said. */
function saidAfter({ kind, status }: StoryLine, lead: string, { bad }: Marks): string {
  // What went wrong speaks for itself.
  if (lead === bad) return ' ';
  if (kind === 'prompt' || kind === 'thinking' || kind === 'task' || kind === 'session') return ' ';
  if (kind === 'message') return '  ';
  if (kind === 'agent' && (status === 'started' || status === 'resumed')) return ' ';
  if (kind === 'notice' && status === 'limited') return ' ';
  return ': ';
}

function secondary({ kind, status }: StoryLine, paint: Paint): (text: string) => string {
  return kind === 'session' || (kind === 'agent' && status === 'started') ? paint.dim : noPaint.dim;
}

function tones(paint: Paint): Record<Words['tone'], (text: string) => string> {
  return { plain: noPaint.bold, dim: paint.dim, bad: paint.red, good: paint.green, warning: paint.yellow };
}

/** The first line that is not blank, and how many characters follow it. */
function firstLine(text: string): { text: string; left: number } {
  const start = text.search(/\S/);
  if (start === -1) return { text: '', left: 0 };
  const end = text.indexOf('\n', start);
  if (end === -1) return { text: text.slice(start).trimEnd(), left: 0 };
  const rest = text.slice(end).trim();
  return { text: text.slice(start, end).trimEnd(), left: rest.length };
}

/** Safe text, cut at a word if it is too wide, with how much is left out. */
export function fitted(text: string, width: number, left = 0): string {
  const safe = beginning(text, width);
  // Not its whole width: texts are long, and measuring some letters is slow.
  const whole = clip(safe, width);
  const isWhole = whole.text === safe;
  if (isWhole && left === 0) return safe;
  const note = ` … +${compact(left + text.length)}`;
  const room = width - note.length - 6;
  if (room < 8) return cut(safe, width);
  const shown = isWhole && whole.width <= room ? safe : atWord(cut(safe, room));
  const missing = left + Math.max(0, text.length - shown.length);
  return `${shown} … +${compact(missing)} chars`;
}

function atWord(text: string): string {
  const bare = text.endsWith('…') ? text.slice(0, -1) : text;
  const space = bare.lastIndexOf(' ');
  return (space > bare.length / 2 ? bare.slice(0, space) : bare).trimEnd();
}

function fullWords(words: Words, line: StoryLine, { paint, marks }: LogLook): string {
  const { mark, about, facts } = words;
  const lead = sanitize([mark, firstLine(about).text].filter((one) => one !== '').join(' '));
  const tail = facts.map((fact) => ` ${marks.dot} ${fact}`).join('');
  const said = sanitize(firstLine(words.said).text);
  const gap = lead === '' || said === '' ? '' : saidAfter(line, lead, marks);
  return `${tones(paint)[words.tone](lead)}${paint.dim(tail)}${gap}${said}`;
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
