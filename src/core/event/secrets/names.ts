// Finds secrets by what precedes them: a name such as API_KEY, a header, a flag.
import type { Span } from './secrets.js';

const keyWords =
  'access account api app auth client deploy encryption host license master private role secret service shared signing storage webhook';
const secretWord = [
  'pass(?:word|wd|phrase|code)',
  '(?<=[_-])pass',
  '(?<=[_;-])pwd',
  'secret',
  'token',
  'credentials?',
  'authorization',
  `(?:${keyWords.replaceAll(' ', '|')})[_-]?key`,
].join('|');
const ending =
  '(?:[_-]?[0-9]{1,3}|[_-](?:base|prod|production|dev|development|staging|live|test|value|b64|base64|hash|data))?';

/** Whether a field of this name is a secret, whatever its value looks like. */
export function isSecretName(name: string): boolean {
  return secretName.test(name.length > longestName ? name.slice(-longestName) : name);
}
const secretName = new RegExp(`(?:${secretWord})${ending}$`, 'i');
const longestName = 200;

const named = new RegExp(`(?:(?:${secretWord})${ending}|(?<=[A-Z0-9]_)KEY|(?<![A-Za-z])pass)(?![A-Za-z0-9_])`, 'gi');

/** The values after a name and a sign, or after a flag. Each value is read once: the search continues after it. */
export function namedSecretsIn(text: string): Span[] {
  const found: Span[] = [];
  named.lastIndex = 0;
  for (let match = named.exec(text); match !== null; match = named.exec(text)) {
    const name = { start: match.index, end: match.index + match[0].length };
    const value = givenValue(text, name, match[0]);
    if (value === null) continue;
    if (isHarmless(text, value)) continue;
    found.push({ kind: 'password', start: value.start, end: value.end });
    named.lastIndex = value.end;
  }
  return found;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

interface Value extends Place {
  readonly isQuoted: boolean;
  /** The text between the name and the value. */
  readonly sign: string;
}

const quote = '\\\\{0,4}["\'`]';
const colour = '(?:\\u001b\\[[0-9;]{0,12}m){0,3}';
const sign = new RegExp(
  `${colour}(?:${quote})?${colour}[\\])]{0,2}\\s{0,4}${colour}(?:\\?\\?=|=>|:=|\\?=|[:=])${colour}`,
  'y',
);
/** {"name": "DB_PASSWORD", "value": "…"}, and the same in YAML. */
const siblingValue = new RegExp(
  `(?:${quote})?[\\s,]{1,40}(?:[0-9]{1,7}(?:→|\\t|:|-))?[\\s+-]{0,40}(?:${quote})?(?:string)?value(?:${quote})?\\s{0,4}[:=]`,
  'iy',
);
const xml = /[^<>\n]{0,80}>/y;
const space = /[ \t]{0,4}/y;
const opening = new RegExp(quote, 'y');

function givenValue(text: string, name: Place, word: string): Value | null {
  const isWeak = /^KEY$/i.test(word) || (/^pass$/i.test(word) && !/[_-]/.test(text[name.start - 1] ?? ''));
  const first = text[name.end];
  if (first === '>' || (first === ' ' && text[name.start - 1] === '<')) return isWeak ? null : elementOf(text, name);
  const after = matchAt(sign, text, name.end) ?? matchAt(siblingValue, text, name.end);
  if (after === null) return isWeak ? null : (flagOf(text, name) ?? loginOf(text, name));
  const from = name.end + after.length + (matchAt(space, text, name.end + after.length)?.length ?? 0);
  const value =
    matchAt(opening, text, from) === null ? bareValue(text, name, after, from) : quotedValue(text, name, after, from);
  if (value === null || !isWeak) return value;
  // FOO_KEY and pass may mean other things, so their value has to look like a secret.
  const said = text.slice(value.start, Math.min(value.end, value.start + 400));
  return looksRandom(said, word.length === 4 ? 6 : 16) ? value : null;
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

/** A quoted text, up to the closing quote or the end of the line. */
function quotedValue(text: string, name: Place | null, sign: string, from: number): Value | null {
  const open = matchAt(opening, text, from) ?? '';
  // console.log('password:', …): here the quote closes the text that contains the name.
  if (name !== null && quoteBefore(text, nameStart(text, name.start)) === open && !/["'`]/.test(sign)) return null;
  const start = from + open.length;
  const end = closingQuote(text, start, open);
  return end - start < 3 ? null : { start, end, isQuoted: true, sign };
}

/** The index of the quote that closes the one before `start`: the same sign after as many backslashes. */
export function closingQuote(text: string, start: number, open: string): number {
  const mark = open.charCodeAt(open.length - 1);
  const depth = open.length - 1;
  let slashes = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10) return at;
    if (code === 92) slashes += 1;
    else {
      // Fewer backslashes than at the opening quote: the enclosing string has ended.
      if (code === mark && (depth === 0 ? slashes % 2 === 0 : slashes <= depth)) return at - slashes;
      slashes = 0;
    }
  }
  return text.length;
}

function bareValue(text: string, name: Place, sign: string, from: number): Value | null {
  const value = (end: number): Value | null => (end - from < 3 ? null : { start: from, end, isQuoted: false, sign });
  const isTight = from === name.end + sign.length;
  const isQuotedName = /["'`]/.test(sign);
  const header = sign.trim() === ':' && !isTight ? headerEnd(text, name, from) : null;
  if (header !== null) return value(header);
  const short = wordEnd(text, from, delimiter);
  if (startsLine(text, name.start)) {
    // In a settings file, the value is everything to the end of the line. Each line is searched once.
    const run = lineWordEnd(text, from);
    const isWhole = /^[ \t]{0,8}(?:\r?\n|\\{1,4}[nr]|$|[ \t]#)/.test(text.slice(run, run + 12));
    if (isWhole && (isTight ? sign === '=' : !isCode(text.slice(from, Math.min(run, from + 200)), sign)))
      return value(trimmed(text, run, sign));
  }
  if (isTight && sign.endsWith('=')) return value(short);
  const looks = looksRandom(text.slice(from, Math.min(short, from + 400)), 6);
  return (sign.endsWith(':') || isQuotedName) && looks ? value(short) : null;
}

const delimiter = /[\s"'`\\&;,|)>}\]]/;

/** The index of the first character of `ends`. */
function wordEnd(text: string, from: number, ends: RegExp): number {
  let end = from;
  while (end < text.length && !ends.test(text[end] ?? '')) end += 1;
  return end;
}

/** The end of a word that may contain any sign. A line end may be written as \n. */
function lineWordEnd(text: string, from: number): number {
  let end = from;
  while (
    end < text.length &&
    !/\s/.test(text[end] ?? '') &&
    !(text[end] === '\\' && /[nr\\]/.test(text[end + 1] ?? ''))
  )
    end += 1;
  return end;
}

/** A comma or semicolon at the end belongs to code or JSON, except in NAME=value. */
function trimmed(text: string, end: number, sign: string): number {
  return sign.trim() !== '=' && /[,;]/.test(text[end - 1] ?? '') ? end - 1 : end;
}

/** -H "X-Api-Key: …": up to the closing of the quote before the name. Header names of several words contain a dash. */
function headerEnd(text: string, name: Place, from: number): number | null {
  const start = nameStart(text, name.start);
  const open = quoteBefore(text, start);
  if (open === null) return null;
  const end = closingQuote(text, from, open);
  const isHeader = text.slice(start, name.end).includes('-');
  return isHeader || !/\s/.test(text.slice(from, Math.min(end, from + 200))) ? end : null;
}

/** The quote right before this place, with its backslashes. */
export function quoteBefore(text: string, at: number): string | null {
  const mark = text[at - 1];
  if (mark !== '"' && mark !== "'" && mark !== '`') return null;
  let start = at - 1;
  while (start > 0 && at - start < 5 && text[start - 1] === '\\') start -= 1;
  return text.slice(start, at);
}

/** The start of a name whose last word says that it is secret. */
export function nameStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < 64 && /[A-Za-z0-9_.-]/.test(text[start - 1] ?? '')) start -= 1;
  return start;
}

// A line number, a file name with a number, marks of a diff or quotation, or a command that sets a variable.
const lineBegin =
  /^(?:[^\s:]{1,160}[:-][0-9]{1,7}[:-])?[ \t]{0,12}(?:[0-9]{1,7}(?:→|\t|:|-| ?\||\)| {1,4}(?=[+-])))?[ \t]{0,40}(?:[+>|<#*-][ \t]{0,40}){0,3}(?:(?:export|set|setx|env|ENV|ARG|let|local|declare|-e|--env)[ \t]{1,4})?[\w.-]{0,64}$/;

/** Whether the name that ends with the word at this place is the first thing on its line. */
export function startsLine(text: string, at: number): boolean {
  let start = at;
  while (start > 0 && at - start < longestLineBegin && text[start - 1] !== '\n') {
    if (text[start - 1] === 'n' && text[start - 2] === '\\') break;
    start -= 1;
  }
  return at - start < longestLineBegin && lineBegin.test(text.slice(start, at));
}
const longestLineBegin = 240;

/** `--password …`. */
function flagOf(text: string, name: Place): Value | null {
  const start = nameStart(text, name.start);
  if (!text.startsWith('--', start)) return null;
  return spaced(text, name.end);
}

/** `login ada password …` in a .netrc, `IDENTIFIED BY`, and the like. */
function loginOf(text: string, name: Place): Value | null {
  const before = text.slice(Math.max(0, name.start - 80), name.start);
  return /(?:\blogin[ \t]{1,4}[^\s]{1,60}|_(?:auth|password))\s{1,4}$/.test(before) ? spaced(text, name.end) : null;
}

function spaced(text: string, from: number): Value | null {
  const gap = /[ \t]{1,4}/y;
  const between = matchAt(gap, text, from);
  if (between === null) return null;
  const at = from + between.length;
  if (matchAt(opening, text, at) !== null) return quotedValue(text, null, between, at);
  const end = wordEnd(text, at, /[\s"'`\\]/);
  return text[at] === '-' || end - at < 3 ? null : { start: at, end, isQuoted: false, sign: between };
}

/** `<password>…</password>`. */
function elementOf(text: string, name: Place): Value | null {
  const start = nameStart(text, name.start);
  const open = matchAt(xml, text, name.end);
  if (text[start - 1] !== '<' || open === null) return null;
  const from = name.end + open.length;
  const end = wordEnd(text, from, /[<\n]/);
  return text.startsWith('</', end) && end - from >= 3 ? { start: from, end, isQuoted: true, sign: '>' } : null;
}

function isHarmless(text: string, { start, end, isQuoted, sign }: Value): boolean {
  if (end - start > longestPlaceholder) return false;
  const said = text.slice(start, end);
  if (isPlaceholder(said)) return true;
  return !isQuoted && isCode(said, sign);
}
const longestPlaceholder = 200;

/** Whether a text is a type, a variable or a name, rather than a secret. */
export function isPlaceholder(text: string): boolean {
  if (text.length > longestPlaceholder) return false;
  const bare = text.replace(/[,;]$/, '');
  if (
    /^(?:[\w-]{1,30} )?\[redacted:[a-z-]{1,30}\]$/.test(bare) ||
    /^[0-9]*\.?[0-9]+(?:e[+-]?[0-9]+|\.[0-9]+)$/.test(bare)
  )
    return true;
  return bare === '' || typeWord.test(bare) || isVariable(bare) || (/^[\w.-]+$/.test(bare) && isSecretName(bare));
}

const typeWord =
  /^(?:string|str|text|varchar|bytes?|number|int|bool(?:ean)?|any|unknown|never|null|nil|none|undefined|true|false|required|optional|redacted|hidden|masked|changeme|basic|bearer|x+|\*+|•+|\.{2,}|…)\W{0,3}$/i;

/** $NAME, ${…}, %NAME%, <…>, {{…}}, [redacted:…]; the end may be missing. */
export function isVariable(text: string): boolean {
  return /^(?:\$\{[^}]{0,100}\}?|\$\([^)]{0,100}\)?|\$\w{1,60}|%\w{1,60}%|%(?:\(\w{1,60}\))?[sdrvq]|<[^<>]{0,100}>?|\{{1,3}[\w .$()'"-]{0,100}\}{0,3}|\[[^\]]{0,100}\]?|\*+)$/.test(
    text,
  );
}

/** A call, a member expression, or something in the place of a type. */
function isCode(text: string, sign: string): boolean {
  if (/^(?:process|import|os|env|self|this|req|args|options|config)[.[]/.test(text)) return true;
  if (/^[A-Za-z_$][\w.$]{0,100}[([]|^[([{<$]/.test(text)) return true;
  if (/^[A-Za-z_$][A-Za-z_$]{0,60}(?:\.[A-Za-z_$]{1,60}){1,6}[;,]?$/.test(text)) return true;
  return sign.trim() === ':' && /^[A-Za-z_$.]{1,60}(?:\[\])?[,;]$/.test(text);
}

/** Letters and digits, but not an address, path, time or number with a unit. */
function looksRandom(text: string, length: number): boolean {
  if (text.length < length || !/[0-9]/.test(text) || !/[A-Za-z]/.test(text)) return false;
  return !/^(?:https?:|\/|\.{1,2}\/|~\/|[0-9.,]{1,12}[A-Za-z]{1,2}$|[A-Za-z_]\w{0,60}[([.])/.test(text);
}
