import { eastAsianWidth } from 'get-east-asian-width';

/** One line that is safe on a terminal: what could act, reorder, hide or break a line is written out (`\n`, `\u202e`). */
export function sanitize(text: string): string {
  return asciiOnly.test(text) ? text : text.replace(hidden, spellOut);
}

/** Like `sanitize`, but only enough to fill `width` columns: a text may be megabytes, and a line shows its beginning. */
export function safeBeginning(text: string, width: number): string {
  // Simple characters take at least a column each, and none of them is hidden.
  const start = text.slice(0, width + 1);
  if (simple.test(start)) return start;
  const enough = 8 * width + 64;
  return sanitize(text.length > enough ? `${text.slice(0, enough)}…` : text);
}

/** Whether each character is one column wide, safe, and apart from its neighbours. */
export function isNarrow(text: string): boolean {
  return narrow.test(text);
}

/** For cells of data files: like `sanitize`, but keeps line ends, tabs and the joiners that scripts and emoji need. */
export function sanitizeData(text: string): string {
  return asciiOnly.test(text) ? text : text.replace(hiddenInData, spellOut);
}

const asciiOnly = /^[\x20-\x7e]*$/;

// Default_Ignorable_Code_Point is what renders as nothing: zero-width, bidi controls, fillers, tags, variation
// selectors. The two selectors that choose between text and emoji are kept after a character that can be both.
const stray = String.raw`(?<!\p{Emoji})[\uFE0E\uFE0F]`;
const invisible = String.raw`\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB`;
const hidden = new RegExp(String.raw`(?![\uFE0E\uFE0F])[${invisible}]|${stray}`, 'gu');
const hiddenInData = new RegExp(String.raw`(?![\uFE0E\uFE0F\n\t\u200C\u200D]|\r\n)[${invisible}]|${stray}`, 'gu');

/** `\\u202e` for the character with that code. */
function spellOut(character: string): string {
  const short = shortEscapes.get(character);
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}

const shortEscapes = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** Whether a field holds the name of an agent. */
export function isNameField(field: string): boolean {
  return nameFields.has(field);
}
const nameFields = new Set(['name', 'agent', 'from', 'to', 'recipients', 'owner', 'lead', 'parent']);

/**
 * A name that cannot pass for another. Letters that look like those of another script are written out, word by word
 * (`t\u0435am-lead`), and so are odd spaces, dashes and styled letters. A word in one script stays. Not yet sanitised.
 */
export function visibleName(name: string): string {
  const edged = edgesSpelled(name);
  if (asciiOnly.test(edged)) return edged;
  return edged.replace(/(?! )\p{Zs}/gu, spellOut).replace(/[^\s,;]+/gu, visibleWord);
}

/** No regular expression: anchored at the end, it takes quadratic time over spaces in the middle. */
function edgesSpelled(name: string): string {
  let start = 0;
  while (name[start] === ' ') start += 1;
  let end = name.length;
  while (end > start && name[end - 1] === ' ') end -= 1;
  if (start === 0 && end === name.length) return name;
  return spelledSpace.repeat(start) + name.slice(start, end) + spelledSpace.repeat(name.length - end);
}
const spelledSpace = '\\x20';

function visibleWord(word: string): string {
  const styled = word.replace(notAscii, (character) => (isImpostor(character) ? spellOut(character) : character));
  const isSuspect = /\p{Script=Latin}/u.test(word) || leads.has(skeleton(word));
  return isSuspect ? styled.replace(lookAlike, spellOut) : styled;
}

const notAscii = /[^\x00-\x7f]/gu;
const lookAlike =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Georgian}\p{Script=Lisu}]/gu;

/** Full-width, mathematical and other variants of plain characters, phonetic letters, and dashes that are not hyphens. */
function isImpostor(character: string): boolean {
  const plain = character.normalize('NFKC');
  return (plain !== character && /[A-Za-z0-9-]/.test(plain.normalize('NFD'))) || phonetic.test(character);
}
const phonetic = /[\u0131\u0237\u0250-\u02af\u02d7\u1d00-\u1dbf\u2043\u2212\p{Pd}]/u;

/** What a word in another script looks like in Latin letters, as far as names of leads are concerned. */
function skeleton(word: string): string {
  return [...word.toLowerCase()].map((letter) => likeLatin.get(letter) ?? letter).join('');
}
const leads = new Set(['main', 'lead', 'team-lead']);
const likeLatin = new Map(
  Object.entries({ a: 'аα', d: 'ԁժ', e: 'еε', i: 'іι', l: 'ӏ', m: 'мμ', n: 'пηո', t: 'тτ' }).flatMap(
    ([latin, others]) => [...others].map((letter): [string, string] => [letter, latin]),
  ),
);

/** How many terminal columns sanitised text takes. */
export function displayWidth(text: string): number {
  return clip(text, Number.POSITIVE_INFINITY).width;
}

/** Sanitised text cut to `width` columns, in whole graphemes; `…` marks what was left out. */
export function cut(text: string, width: number): string {
  return clip(text, width).text;
}

/** Text and the columns it takes. */
export interface Clip {
  readonly text: string;
  readonly width: number;
}

/** Like `cut`, with the resulting width. */
export function clip(text: string, width: number): Clip {
  // A text of marks alone takes no column.
  if (width <= 0) return { text: width === 0 && displayWidth(text) === 0 ? text : '', width: 0 };
  if (narrow.test(text)) {
    return text.length <= width ? { text, width: text.length } : { text: `${text.slice(0, width - 1)}…`, width };
  }
  if (simple.test(text)) return clipSimple(text, width);
  let used = 0;
  let kept = { end: 0, width: 0 }; // where the text ends if an ellipsis has to follow
  let end = 0;
  for (const grapheme of graphemes(text)) {
    const wide = graphemeWidth(grapheme);
    if (used + wide > width) return { text: `${text.slice(0, kept.end)}…`, width: kept.width + 1 };
    used += wide;
    end += grapheme.length;
    if (used < width) kept = { end, width: used };
  }
  return { text, width: used };
}

/** The same where each character is a grapheme, one or two columns wide. */
function clipSimple(text: string, width: number): Clip {
  let used = 0;
  let kept = 0;
  let keptWidth = 0;
  for (let at = 0; at < text.length; at++) {
    const wide = text.charCodeAt(at) < firstWide ? 1 : 2;
    if (used + wide > width) return { text: `${text.slice(0, kept)}…`, width: keptWidth + 1 };
    used += wide;
    if (used >= width) continue;
    kept = at + 1;
    keptWidth = used;
  }
  return { text, width: used };
}

// Latin, Greek, Cyrillic, punctuation and our own signs: one column each, and none combines with its neighbour.
const letters = String.raw`\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u2193\u2212\u2264-\u2265\u2581-\u258f\u25a0\u25b8\u2713\u2717`;
const narrow = new RegExp(`^[${letters}]*$`);

// With kana, ideographs and Hangul syllables, which are two columns wide, each character is still one grapheme, so the
// slow segmenter is not needed.
const firstWide = 0x3001;
const simple = new RegExp(
  String.raw`^[${letters}\u3001-\u3002\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*$`,
);

let segmenter: Intl.Segmenter | undefined;

// Created on first use: most runs do not need it, and loading its rules takes time. The text is passed in pieces,
// because the segmenter's own iterator takes quadratic time over a text. A piece begins where a grapheme begins, and
// its last grapheme may continue after it.
function* graphemes(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let size = pieceLength;
  for (let at = 0; at < text.length; ) {
    const end = at + size;
    // A cut surrogate pair would look like the end of a grapheme.
    const piece = text.slice(at, isPairAt(text, end - 1) ? end + 1 : end);
    const isLast = at + piece.length >= text.length;
    let whole = '';
    for (const { segment } of segmenter.segment(piece)) {
      if (whole !== '') {
        yield whole;
        at += whole.length;
        whole = '';
        // A long piece was needed only for its first grapheme.
        if (size > pieceLength) break;
      }
      whole = segment;
    }
    if (whole !== '' && isLast) {
      yield whole;
      at += whole.length;
    }
    size = whole.length === piece.length ? 2 * size : pieceLength;
  }
}
const pieceLength = 256;

function isPairAt(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff;
}

function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1) return zeroWidth.test(grapheme) ? 0 : eastAsianWidth(grapheme.charCodeAt(0));
  if (emojiSequence.test(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) {
    if (!zeroWidth.test(character)) width += eastAsianWidth(character.codePointAt(0) ?? 0);
  }
  return width;
}

// Flags, skin tones, joined emoji, keycaps, and characters that U+FE0F turns into emoji.
const emojiSequence = /^(?:\p{RI}{2}|\p{EBase}\p{EMod}|\p{ExtPict}\p{M}*\u200D\p{ExtPict}|\p{Emoji}\uFE0F)/u;

// Marks, characters that render as nothing, controls, and Hangul vowels and finals, drawn inside their syllable.
const zeroWidth = /[\p{M}\p{Cc}\p{Default_Ignorable_Code_Point}\u1160-\u11FF\uD7B0-\uD7FB]/u;

/** Sanitised text as lines of at most `width` columns, broken at spaces, or inside a word that is too long. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of sanitize(text).split(' ')) {
    const line = lines.at(-1);
    const longer = `${line} ${word}`;
    if (line !== undefined && displayWidth(longer) <= width) lines.splice(-1, 1, longer);
    else lines.push(...brokenWord(word, width));
  }
  return lines;
}

function brokenWord(word: string, width: number): string[] {
  if (displayWidth(word) <= width) return [word];
  const pieces = [''];
  for (const letter of graphemes(word)) {
    const longer = pieces.at(-1) + letter;
    if (displayWidth(longer) <= width) pieces.splice(-1, 1, longer);
    else pieces.push(cut(letter, width));
  }
  return pieces.filter((piece) => piece !== '');
}

/** `1234567` → `1,234,567`; fractions stay as they are. */
export function thousands(amount: number): string {
  return group(String(amount));
}

/** `1 call`, `2,000 calls`. */
export function plural(count: number, what: string): string {
  return `${thousands(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** Dollars: from one dollar on with two decimals, below with four. `<$0.0001` if it rounds to 0. */
export function money(usd: number, decimals = decimalsFor(usd)): string {
  if (!Number.isFinite(usd)) return String(usd);
  const sign = usd < 0 ? '-' : '';
  const size = Math.abs(usd);
  const fixed = size.toFixed(decimals);
  if (size > 0 && Number(fixed) === 0) return `${sign}<$${(10 ** -decimals).toFixed(decimals)}`;
  return `${sign}$${group(fixed)}`;
}

/** How many decimals amounts up to this one have. In a column all have the same, so that decimal points line up. */
export function decimalsFor(usd: number): number {
  return Math.abs(usd) >= 1 ? 2 : 4;
}

/** A count in little room: `999`, `1.2k`, `45.6k`, `789k`, `1.2M`. */
export function compact(amount: number): string {
  const size = Math.abs(amount);
  const unit = units.find(({ from }) => size >= from);
  if (unit === undefined) return String(Math.round(amount * 10) / 10);
  const scaled = amount / unit.size;
  return `${Math.abs(scaled) < 99.95 ? scaled.toFixed(1) : Math.round(scaled)}${unit.letter}`;
}

/** `812 B`, `3.4 kB`, `412 MB`, `1.0 GB`; in steps of 1000. */
export function byteText(amount: number): string {
  const unit = units.find(({ from }) => amount >= from);
  if (unit === undefined) return `${Math.round(amount)} B`;
  const scaled = amount / unit.size;
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)} ${byteUnits[unit.letter]}`;
}

const byteUnits = { k: 'kB', M: 'MB', B: 'GB' } as const;

/** `850ms`, `12.3s`, `4m05s`, `2h03m`, `3d04h`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return String(ms);
  if (ms < 0) return `-${duration(-ms)}`;
  if (ms < 999.5) return `${Math.round(ms)}ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return twoUnits(seconds, 60, 'm', 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 24 * 60) return twoUnits(minutes, 60, 'h', 'm');
  return twoUnits(Math.round(minutes / 60), 24, 'd', 'h');
}

function group(digits: string): string {
  const [whole = '', fraction] = digits.split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+(?!\d))/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

// A unit begins where the one below would round up to it: 999,500 is 1.0M, not 1000k.
const units = [
  { from: 999_500_000, size: 1_000_000_000, letter: 'B' },
  { from: 999_500, size: 1_000_000, letter: 'M' },
  { from: 1000, size: 1000, letter: 'k' },
] as const;

function twoUnits(amount: number, base: number, large: string, small: string): string {
  return `${Math.floor(amount / base)}${large}${String(amount % base).padStart(2, '0')}${small}`;
}

/** What the view needs of colour. A Chalk instance fits; the caller loads chalk only when there is colour to paint. */
export type Paint = Readonly<Record<Color, (text: string) => string>>;

type Color = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'blue' | 'magenta';

/** A name in its agent's colour. Colours that terminals do not have are replaced by the nearest. */
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

/** Paints a status, severity or cost source, or the text shown for it, in its colour. Other words are not painted. */
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

/**
 * A time as people say it now: `today 14:02`, `Mon 22:10` within a week, `12 Nov 08:15`, `12 Nov 2025`. `local` gives the
 * wall time in the reader's zone, and `now` is that of the moment.
 */
export function whenText(time: unknown, local: (time: string) => string, now: string): string | null {
  if (typeof time !== 'string') return null;
  const [day = '', clock = ''] = local(time).split('T');
  const [date, today] = [new Date(`${day}T00:00:00Z`), new Date(`${now.slice(0, 10)}T00:00:00Z`)];
  const ago = Math.round((today.getTime() - date.getTime()) / 86_400_000);
  if (Number.isNaN(ago)) return time;
  const minutes = clock.slice(0, 5);
  if (ago === 0) return `today ${minutes}`;
  if (ago > 0 && ago < 7) return `${weekdays[date.getUTCDay()]} ${minutes}`;
  const name = `${date.getUTCDate()} ${months[date.getUTCMonth()]}`;
  return date.getUTCFullYear() === today.getUTCFullYear() ? `${name} ${minutes}` : `${name} ${day.slice(0, 4)}`;
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
