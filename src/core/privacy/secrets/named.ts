// Finds secrets by what precedes them: a name that means secret, a way of writing "is", a value.

import { bareKey, type Name, nextName, plainField } from './names.js';
import { saidAfter, saidBefore } from './prose.js';
import type { Span } from './secrets.js';
import { columnSecretsIn } from './tables.js';
import {
  closingQuote,
  delimiter,
  isCode,
  isDigits,
  isNumbered,
  isPlaceholder,
  lineBreak,
  looksMixed,
  looksRandom,
  looksStrong,
  matchAt,
  nameStart,
  quoteBefore,
  quotedAt,
  startsLine,
  uuid,
  type Value,
  wordEnd,
} from './values.js';
import { type Way, ways } from './ways.js';

/** Each value is read once: the search continues after it. */
export function namedSecretsIn(text: string): Span[] {
  const found: Span[] = [];
  const first = nextName(text, 0);
  if (first === null) return found;
  for (let name: Name | null = first; name !== null; ) {
    const valueTo =
      givenValue(text, name) ?? saidAfter(text, name) ?? valueBefore(text, name) ?? saidBefore(text, name);
    const end = valueTo === null ? name.end : wholeEnd(text, name, valueTo);
    if (valueTo !== null) found.push({ kind: 'password', start: valueTo.start, end });
    name = nextName(text, Math.max(name.end, end));
  }
  return [...found, ...columnSecretsIn(text)];
}

/** "…" + "…", also over lines; of several, all: user, password = "…", "…". */
function wholeEnd(text: string, name: Name, { end: first, isQuoted }: Value): number {
  const isOne =
    !name.isPlural &&
    !/^cred/i.test(name.word) &&
    !/\w, ?[\w.]{0,60}$/.test(text.slice(Math.max(0, name.start - 70), name.start));
  let end = first;
  while (end < text.length) {
    const glue = matchAt(isQuoted ? (isOne ? joined : listed) : isOne ? never : /, ?/y, text, end) ?? '';
    const next = isQuoted ? quotedAt(text, end + glue.length) : plainItem(text, end + glue.length);
    if (glue === '' || next === null || /^["'`]?[ \t]{0,4}[:=]/.test(text.slice(next.end, next.end + 8))) break;
    end = next.end;
  }
  return end;
}
const joined = /["'`](?:\s{0,8}(?:\+|\.{1,2}|&|<>|[-=]>|→)\s{0,40}|[ \t]{0,4}\r?\n[ \t]{0,40})(?=["'`])/y;
const listed = /["'`]\s{0,8}(?:,|\+|\.{1,2}|&|<>|[-=]>|→)\s{0,40}(?=["'`])/y;
const never = /(?!)/y;

function plainItem(text: string, start: number): Value | null {
  const end = wordEnd(text, start, delimiter, start + 400);
  return looksRandom(text.slice(start, end), 6) ? { start, end, isQuoted: false } : null;
}

function givenValue(text: string, name: Name): Value | null {
  const next = text[name.end];
  if (next === undefined) return null;
  const start = nameStart(text, name.start);
  const before = text.slice(Math.max(0, start - 120), start);
  const whole = text.slice(start, name.end);
  for (const way of ways) {
    const between = matchAt(way.between, text, name.end);
    if (between === null) continue;
    if (way.isFlag ? !whole.startsWith('-') : name.isLogin && !way.isPair) continue;
    if (way.before?.test(before) === false || way.name?.test(whole) === false) continue;
    if (way.startsLine && !startsLine(text, name.start)) continue;
    // What is not a secret may be read again from the next name, so little of it is read before that is known.
    const to = Math.min(text.length, name.end + between.length + longestLook);
    const value = readValue(text, name, way, between, to);
    if (value !== null && isSecret(text, name, way, value, between))
      return value.end < to ? value : readValue(text, name, way, between, text.length);
  }
  return null;
}

const longestLook = 1000;

function readValue(text: string, name: Name, way: Way, between: string, to: number): Value | null {
  const from = name.end + between.length;
  if (way.ends === 'block' || way.ends === 'lines') return indentedLines(text, from, to);
  if (way.ends === 'list') return listItems(text, name, from);
  if (way.ends === 'object') return fieldsOf(text, from);
  if (way.ends === 'setting') return setting(text, name, between, from, to);
  const at = from + (matchAt(blanks, text, from)?.length ?? 0);
  const open = matchAt(quoteMark, text, at);
  // console.log('password:', …): here the quote closes the text that contains the name.
  if (open !== null && !/["'`]/.test(between) && quoteBefore(text, nameStart(text, name.start)) === open) return null;
  const quoted = quotedAt(text, at, to);
  if (quoted !== null || open !== null || way.takes === 'quoted') return quoted;
  const end = wordEnd(text, at, way.ends ?? delimiter, to);
  const last = /[.!?:]/.test(text[end - 1] ?? '') && way.ends?.test(')') ? end - 1 : end;
  if (between.endsWith('>') && !text.startsWith('</', end)) return null;
  return last - at < 3 ? null : { start: at, end: last, isQuoted: between.endsWith('>') };
}
const blanks = /[ \t]{0,4}/y;
const quoteMark = /["'`]/y;

function isSecret(text: string, name: Name, way: Way, { start, end, isQuoted }: Value, between: string): boolean {
  const said = text.slice(start, Math.min(end, start + 400));
  if (way.ends === 'block' || way.ends === 'object') return !isPlaceholder(said);
  if (way.ends === 'list' || way.ends === 'lines') return said.split(/[\s,"'`]/).some((item) => isItem(name, item));
  // TOKEN=`cat file`
  if (text[start - 1] === '`' && between.endsWith('=') && /\s/.test(said)) return false;
  if (end - start <= longestCode && (isPlaceholder(said) || (!isQuoted && isCode(said, between)))) return false;
  if (name.isToken && /^[0-9.,_]{1,12}[kKmM%]?$/.test(said)) return false;
  if (name.isCode && isDigits(said)) return true;
  if (name.least === bareKey)
    return (
      looksStrong(said) ||
      (/^=$|^ $/.test(between) && looksRandom(said, 8) && !isNumbered(said) && !/[./:{(]/.test(said))
    );
  const isSure = way.takes === 'any' || way.takes === 'quoted';
  const isWord = way.takes === 'word' && isQuoted && !name.isToken && !/\s/.test(said);
  const least = Math.max(name.least, name.isPlural ? 8 : 0, isSure || isWord ? 0 : 6);
  if (least === 0) return true;
  return looksRandom(said, least) && !/\s|[$#{]\{/.test(said) && !(name.least === 16 && uuid.test(said));
}
const longestCode = 200;

function isItem(name: Name, item: string): boolean {
  if (item.length < 4 || isPlaceholder(item)) return false;
  return /^pass/i.test(name.word) && name.isPlural
    ? !/^[0-9:-]{1,20}$/.test(item)
    : looksRandom(item, Math.max(6, name.least));
}

/** The value of NAME=value, name: value and the like without quotes. */
function setting(text: string, name: Name, sign: string, before: number, to: number): Value | null {
  const from = before + (matchAt(blanks, text, before)?.length ?? 0);
  if (/["'`\\]/.test(text[from] ?? '')) return null;
  const value = (end: number): Value | null => (end - from < 3 ? null : { start: from, end, isQuoted: false });
  const isTight = from === before;
  const isQuotedName = /["'`]/.test(sign);
  if (/<\/?\w{1,8}>$/.test(sign)) return value(wordEnd(text, from, /[<\s]/, to));
  const header = sign.trim() === ':' && !isTight ? headerEnd(text, name, from, to) : null;
  if (header !== null) return value(header);
  const short = wordEnd(text, from, delimiter, to);
  if (startsLine(text, name.start)) {
    // In a settings file, the value is everything to the end of the line. Each line is searched once.
    const run = wordEnd(text, from, /\s/, to);
    const isWhole = /^[ \t]{0,8}(?:\r?\n|$|[ \t]#)/.test(text.slice(run, run + 12));
    if (isWhole && (isTight ? sign === '=' : !isCode(text.slice(from, Math.min(run, from + 200)), sign)))
      return value(trimmed(text, run, sign));
  }
  if (isTight && /[=-]$/.test(sign)) return value(short);
  const said = text.slice(from, Math.min(short, from + 400));
  const isNumber = /^pass/i.test(name.word) && /^[0-9]{6,40}$/.test(said);
  const looks = looksRandom(said, 6) || (name.isCode && isDigits(said)) || isNumber;
  return looks || (isQuotedName && !isTight && /\*$/.test(sign)) ? value(short) : null;
}

/** A comma or semicolon at the end belongs to code or JSON, except in NAME=value. */
function trimmed(text: string, end: number, sign: string): number {
  return sign.trim() !== '=' && /[,;]/.test(text[end - 1] ?? '') ? end - 1 : end;
}

/** -H "X-Api-Key: …": up to the closing of the quote before the name. Header names of several words contain a dash. */
function headerEnd(text: string, name: Name, from: number, to: number): number | null {
  const start = nameStart(text, name.start);
  const open = quoteBefore(text, start);
  if (open === null) return null;
  const end = closingQuote(text, from, open, to);
  const isHeader = text.slice(start, name.end).includes('-');
  return isHeader || !/\s/.test(text.slice(from, Math.min(end, from + 200))) ? end : null;
}

const lineStart = /\r?\n([ \t]{0,80})/y;

/** The lines after a name that are indented alike, as a YAML block or list has them. */
function indentedLines(text: string, from: number, to: number): Value | null {
  let [start, end, depth] = [-1, from, 0];
  for (;;) {
    if (end >= to) break;
    lineStart.lastIndex = end;
    const match = lineStart.exec(text);
    if (match === null) break;
    const at = end + match[0].length;
    const indent = match[1]?.length ?? 0;
    const last = wordEnd(text, at, lineBreak, to);
    if (start === -1 ? indent === 0 || last === at : last > at && indent < depth) break;
    if (start === -1) [start, depth] = [at, indent];
    end = last;
  }
  return start === -1 || end - start < 3 ? null : { start, end, isQuoted: true };
}

/** What is between the brackets of a list of texts. */
function listItems(text: string, name: Name, from: number): Value | null {
  const piece = text.slice(from, from + longestList);
  const opening = text[from - 1] ?? '';
  const close = piece.search(opening === '(' ? /\)/ : opening === '{' ? /\}/ : /[\]{}]/);
  const said = close === -1 ? piece : piece.slice(0, close);
  const start = from + said.length - said.trimStart().length;
  const end = from + said.trimEnd().length;
  if (piece[close] === '{' || (!name.isPlural && text[from - 1] !== '(' && matchAt(quoteMark, text, start) === null))
    return null;
  return end - start < 3 ? null : { start, end, isQuoted: true };
}
const longestList = 2000;

/** From the first to the last mixed value between the braces, except where a field is about the secret. */
function fieldsOf(text: string, from: number): Value | null {
  const said = /^(?:[^{}]|\{[^{}]{0,200}\}){0,300}/.exec(text.slice(from, from + longestObject))?.[0] ?? '';
  const values = [...said.matchAll(fieldAndValue)].filter(
    ([, name = '', , value = '']) => !plainField.test(name) && looksMixed(value, true) && !isCode(value, ':'),
  );
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return null;
  const ends = (match: RegExpExecArray) => from + match.index + match[0].length;
  return { start: ends(first) - (first[3]?.length ?? 0), end: ends(last), isQuoted: true };
}
const longestObject = 300;
const fieldAndValue = /([\w.-]{1,60})["']?\s{0,4}(?:[:=]|=>)\s{0,4}(["']?)([^\s"',{}]{6,200})/g;

/** {"value": "…", "name": "DB_PASSWORD"}. */
function valueBefore(text: string, name: Name): Value | null {
  if (name.least > 0 || !namedBefore.test(text.slice(Math.max(0, name.start - 90), name.start))) return null;
  const low = Math.max(0, name.start - 300);
  const match = reversed.exec(text.slice(low, nameStart(text, name.start)));
  if (match === null) return null;
  const said = match[2] ?? '';
  const start = low + match.index + (match[1]?.length ?? 0);
  return isPlaceholder(said) ? null : { start, end: start + said.length, isQuoted: true };
}
const namedBefore = /(?:name|key)["']?\s{0,4}[:=]\s{0,4}["']?[\w.-]{0,64}$/i;
const reversed =
  /((?:value["']?\s{0,4}[:=]|set\w{0,12}\()\s{0,4}["'])([^"'\n]{3,200}?)["']\s{0,4},?\s{0,40}["']?(?:name|(?:for)?key)["']?\s{0,4}[:=]\s{0,4}["']?$/i;
