// Reads a value whose place is known: right after a sign, a flag or an element, in a list or an object, alone on a line.

import {
  bareKey,
  closingQuote,
  delimiter,
  fieldName,
  isCode,
  isDigits,
  isNumbered,
  isPlaceholder,
  lineBreak,
  looksLikely,
  looksMixed,
  looksRandom,
  looksStrong,
  matchAt,
  type Name,
  nameStart,
  plainField,
  quoteBefore,
  quotedAt,
  saidAt,
  startsLine,
  uuid,
  type Value,
  valueField,
  wordEnd,
} from './values.js';

export const blanks = /[ \t]{1,80}/y;
const word = /[^\s"'`(){}[\]<>,;|&=\\“”「」『』«»]{1,400}/y;

export function bareAt(text: string, at: number): Value | null {
  const said = matchAt(word, text, at)?.replace(/[.:!?*_]{1,3}$/, '') ?? '';
  const from = /^[*_]{0,3}/.exec(said)?.[0].length ?? 0;
  return said.length === from ? null : { start: at + from, end: at + said.length, isQuoted: false };
}

/** String::from("…"), new SecretString("…"), ConvertTo-SecureString "…". */
const wrapper =
  /[ \t\n]{0,20}\(?\s{0,4}(?:\[\]byte\(|(?:new )?(?:[\w.()]{0,40}(?:::|\.))?(?:from|new|of|some|ok|just|secretstr|str|string|bytes|b64decode|password|encode|md5|sha[0-9]{1,3}|hash|crypt|wrap|(?:string|s)(?:\([0-9]{1,5}\)|:[0-9]{1,5}:)|convertto-securestring|securestring|secretstring|secret|text|literal|value|valueof)[ (!]{1,2}(?:-string )?\s{0,4}){0,2}\*?(?=[bBrRfFuULN@$]{0,2}["'`])/iy;
/** let secret: &str = "…" */
const type = /[ \t]{0,2}[[&*A-Za-z_][[\w.<>\]&*' |?:;]{0,60}?[ \t]{0,4}:?=(?![=>])(?=\s{0,20}\S)/y;
const block = /[ \t]{0,4}[|>][+-]?[0-9]?[+-]?[ \t]{0,4}(?:#[^\n]{0,80})?(?=\r?\n)/y;
const decoration =
  /(?:\*{1,3}|<\/[a-z]{1,8}>|[ \t]<(?:code|b|strong|em|i|tt|kbd|pre|samp)>|[ \t](?:!!?\w{1,10}|&\w{1,20})(?=[ \t](?!=))|[ \t]{0,4}["']?\$\((?:echo|printf)(?: -n| '%s')?[ \t])/y;

/** The value right after a sign: a text in quotes, a word, a block, a list or an object. */
export function givenAt(text: string, name: Name, from: number, sign: string, isFar = false): Value[] | null {
  if (name.isLogin) return null;
  const lines = matchAt(block, text, from);
  if (lines !== null) return indentedValues(text, name, from + lines.length, true);
  const at = from + (matchAt(decoration, text, from)?.length ?? 0);
  const inside = matchAt(/\s{0,4}[[{(]/y, text, at);
  if (inside !== null && !/\s{0,4}\{[{%]/.test(text.slice(at, at + 8))) {
    const values = containedValues(text, name, at + inside.length);
    if (values.length > 0) return values;
  }
  const heredoc = matchAt(/[ \t]?<<[<~-]?["']?\w{1,20}["']?[ \t]{0,2}(?=\r?\n)/y, text, at);
  if (heredoc !== null) return aloneAt(text, name, at + heredoc.length);
  const typed = sign.trim() === ':' ? (matchAt(type, text, at)?.length ?? 0) : 0;
  const begin = at + typed + (matchAt(wrapper, text, at + typed)?.length ?? 0);
  const start = begin + (matchAt(/\s{0,20}/y, text, begin)?.length ?? 0);
  const near = quotedAt(text, start, Math.min(text.length, start + longestLook));
  // Below a line that ends in a colon: the text of a function, a block of code.
  if (near !== null && /^\w?(["'`])\1\1/.test(text.slice(start, start + 4)) && text.slice(at, start).includes('\n'))
    return null;
  if (near !== null) {
    // console.log('password:', …): here the quote closes the text that contains the name.
    if (!isFar && text[name.end] === sign.trim()[0] && quoteBefore(text, nameStart(text, name.start)) === text[start])
      return null;
    const said = text.slice(near.start, near.end);
    if (text[near.start - 1] === '`' && sign === '=' && /\s/.test(said)) return null;
    if (!isGiven(name, said, sign, true) || /^["'`] \| ["'`]/.test(text.slice(near.end, near.end + 5))) return null;
    return joinedValues(text, name, near.end < start + longestLook ? near : (quotedAt(text, start) ?? near));
  }
  if (isFar) return wordAfter(text, name, at);
  const value = setting(text, name, sign, at);
  return value === null ? null : joinedValues(text, name, value);
}
const longestLook = 1000;

/** Whether a text right after a sign is a value. */
function isGiven(name: Name, said: string, sign: string, isQuoted: boolean): boolean {
  if (said.length < 3 || isPlaceholder(said) || /[$#]\{/.test(said) || isCount(name, said)) return false;
  if (!isQuoted && isCode(said, sign)) return false;
  if (name.isCode && isDigits(said)) return true;
  const least = Math.max(name.least, name.isPlural ? 8 : 0);
  if (least === 0) return true;
  if (/\s/.test(said) || (least > 7 && uuid.test(said)) || (name.isPlural && isNumbered(said))) return false;
  if (least !== bareKey) return looksRandom(said, Math.max(6, least));
  const isShort = sign.trim() === '=' && looksRandom(said, 8) && !isNumbered(said) && !/[./:{(]/.test(said);
  return looksStrong(said) || (isShort && !isQuoted);
}

/** Tokens are counted too. */
export function isCount(name: Name, said: string): boolean {
  return name.isToken && /^[0-9.,_]{1,12}[kKmM%]?$/.test(said);
}

/** The value of NAME=value, name: value and the like without quotes. */
function setting(text: string, name: Name, sign: string, before: number): Value | null {
  const from = before + (matchAt(blanks, text, before)?.length ?? 0);
  if (/["'`\\]/.test(text[from] ?? '')) return null;
  const to = Math.min(text.length, from + longestLook);
  // What is not a secret may be read again from the next name, so little of it is read before that is known.
  const value = (end: number, ends: RegExp): Value | null => {
    const said = text.slice(from, Math.min(end, from + 400));
    if (end - from < 3 || !isGiven(name, said, sign, false)) return null;
    return { start: from, end: end < to ? end : wordEnd(text, from, ends), isQuoted: false };
  };
  const isTight = from === before;
  if (text[from - 1] === '>') return value(wordEnd(text, from, /[<\s]/, to), /[<\s]/);
  // -H "X-Api-Key: one two"
  const start = nameStart(text, name.start);
  const isHeader = sign === ':' && !isTight && text.slice(start, name.end).includes('-');
  const open = isHeader ? quoteBefore(text, start) : null;
  if (open !== null) return value(closingQuote(text, from, open, to), open === '"' ? /["\n]/ : /['`\n]/);
  if (/phrase$|mnemonic/i.test(name.word) && matchAt(/(?:[a-z]{3,8} ){3,23}\S{3,24}(?=["'\s]|$)/y, text, from) !== null)
    return value(wordEnd(text, from, /["'`\n\\]/, to), /["'`\n\\]/);
  const short = wordEnd(text, from, delimiter, to);
  if (startsLine(text, name.start)) {
    // In a settings file, the value is everything to the end of the line. Each line is searched once.
    const run = wordEnd(text, from, /\s/, to);
    const isWhole = /^[ \t]{0,8}(?:\r?\n|$|[ \t]#)/.test(text.slice(run, run + 12));
    if (isWhole && (isTight ? sign.trim() === '=' : !isCode(text.slice(from, Math.min(run, from + 200)), sign))) {
      // A comma or semicolon at the end belongs to code or JSON, except in NAME=value.
      const isMore = sign !== '=' && /[,;]/.test(text[run - 1] ?? '');
      return value(isMore ? run - 1 : run, /\s/);
    }
  }
  if (isTight && /[=-]$/.test(sign)) return value(short, delimiter);
  const said = text.slice(from, Math.min(short, from + 400));
  const isLast = /^["'`)]{0,2}\s{0,4}(?:\n|$)/.test(text.slice(short, short + 8));
  if (sign.trim() === ':' && isLast && isSureWord(name, said)) return value(short, delimiter);
  return looksRandom(said, 6) || (name.isCode && isDigits(said)) ? value(short, delimiter) : null;
}

/** One long word, where only a password makes sense. */
export function isSureWord(name: Name, said: string): boolean {
  return (
    name.least === 0 &&
    !name.isOrdinary &&
    !name.isPlural &&
    !/^iden/i.test(name.word) &&
    /^[\w!@#$%^&*+-]{8,}$/.test(said) &&
    !ordinaryWord.test(said) &&
    !isPlaceholder(said)
  );
}

/** required, missing, incorrect: what is said of a password. */
const ordinaryWord = /(?:ed|ing|able|ory|ent|ect|id|ly|ion|ions|ments?|ness|match|[a-z][A-Z]\w{0,40})$/;

/** "…" + "…", also over lines; of several, all: user, password = "…", "…". */
export function joinedValues(text: string, name: Name, first: Value): Value[] {
  const values = [first];
  if (!first.isQuoted) {
    const glue =
      matchAt(/["'`]? (?:to|into|and|or|auf|->|→) (?=\S)/y, text, first.end) ??
      (name.isPlural ? matchAt(/, ?/y, text, first.end) : null);
    const next = glue === null ? null : bareAt(text, first.end + glue.length);
    return next !== null && looksRandom(text.slice(next.start, next.end), 6) ? [first, next] : values;
  }
  const isOne =
    !name.isPlural &&
    !/^cred/i.test(name.word) &&
    !/\w, ?[\w.]{0,60}$/.test(text.slice(Math.max(0, name.start - 70), name.start));
  for (let end = first.end; ; ) {
    const glue = matchAt(isOne ? joined : listed, text, end);
    const next = glue === null ? null : quotedAt(text, end + glue.length);
    if (next === null || /^["'`]?[ \t]{0,4}[:=]/.test(text.slice(next.end, next.end + 8))) return values;
    values.push(next);
    end = next.end;
  }
}
const joined = /["'`](?:\s{0,8}(?:\+|\.{1,2}|&|<>|[-=]>|→)\s{0,40}|[ \t]{0,4}\r?\n[ \t]{0,40})(?=["'`])/y;
const listed = /["'`]\s{0,8}(?:,|\+|\.{1,2}|&|<>|[-=]>|→)\s{0,40}(?=["'`])/y;

/** A field, or an item of a list. */
const fieldOrItem =
  /(?:(["']?)([\w.-]{1,60})\1\s{0,4}(?::|=>?)\s{0,4})?(?:(["'`])((?:\\.|(?!\3)[^\n\\]){3,400})\3|([^\s"'`,{}[\]()<>:;=][^\s"'`,{}[\]()<>;]{2,2000}))/g;

/** The values in a list or an object that has the name: {"secret": {"id": 1, "value": "…"}}, "tokens": ["…"]. */
function containedValues(text: string, name: Name, from: number): Value[] {
  const [opening = '', closing = ''] = ['[]', '{}', '()'].find((pair) => pair[0] === text[from - 1]) ?? '';
  let [to, depth] = [from, 1];
  for (; to < text.length && to - from < longestContainer && depth > 0; to += 1)
    depth += text[to] === opening ? 1 : text[to] === closing ? -1 : 0;
  return valuesIn(text, name, from, to);
}

function valuesIn(text: string, name: Name, from: number, to: number): Value[] {
  const values: Value[] = [];
  for (const match of text.slice(from, to).matchAll(fieldOrItem)) {
    const [whole, , field, quote, inQuotes, bare] = match;
    const said = inQuotes ?? bare ?? '';
    const end = from + match.index + whole.length - (quote === undefined ? 0 : 1);
    if (isInside(name, field, said, quote !== undefined))
      values.push({ start: end - said.length, end, isQuoted: quote !== undefined });
  }
  return values;
}

function isInside(name: Name, field: string | undefined, said: string, isQuoted: boolean): boolean {
  if (said.length < 4 || /[$#]\{/.test(said) || isPlaceholder(said) || (!isQuoted && isCode(said, ':'))) return false;
  if (field === undefined && /\s/.test(said)) return false;
  if (field === undefined) {
    const isAny = /^pass/i.test(name.word) && name.isPlural && !/^[0-9:-]{1,20}$/.test(said);
    return isAny || looksRandom(said, Math.max(6, name.least));
  }
  if (valueField.test(field) && name.least > 0) return looksRandom(said, name.least);
  if (name.least > 8 || fieldName(field) !== null) return false;
  if (valueField.test(field)) return !name.isToken || looksRandom(said, 6);
  const isAny = name.isPlural && /^(?:pass|pw|secret|(?:string)?data)/i.test(name.word);
  if (isAny && !plainField.test(field) && !/\s/.test(said)) return isQuoted || !/^pass/i.test(name.word);
  return !plainField.test(field) && !/\s/.test(said) && looksLikely(said, true);
}
const longestContainer = 1000;

const lineStart = /\r?\n([ \t]{0,80})(?:- )?/y;

/** The lines after a name that are indented: a YAML block, which is one value, or a list or an object. */
export function indentedValues(text: string, name: Name, from: number, isBlock = false): Value[] | null {
  const to = isBlock ? text.length : Math.min(text.length, from + longestContainer);
  let [start, end, depth] = [-1, from, 0];
  while (end < to) {
    lineStart.lastIndex = end;
    const match = lineStart.exec(text);
    if (match === null) break;
    const at = end + match[0].length;
    const indent = (match[1]?.length ?? 0) + (match[0].endsWith('- ') ? 1 : 0);
    const last = wordEnd(text, at, lineBreak, to);
    if (start === -1 ? indent === 0 || last === at : last > at && indent < depth) break;
    if (start === -1) [start, depth] = [at, indent];
    end = last;
  }
  if (start === -1 || end - start < 3) return null;
  if (!isBlock) {
    const values = valuesIn(text, name, start, end);
    return values.length === 0 ? null : values;
  }
  return isPlaceholder(saidAt(text, { start, end })) ? null : [{ start, end, isQuoted: true }];
}

/** A word that is alone on its line; of a plural, all such lines. */
export function aloneAt(text: string, name: Name, from: number): Value[] | null {
  if (name.least > 6) return null;
  const values: Value[] = [];
  let at =
    from +
    (matchAt(/(?:[ \t]{0,40}\r?\n){0,2}(?:[ \t]{0,8}(?:```|~~~)\w{0,12}\r?\n|---[- ]{0,80}\r?\n)?/y, text, from)
      ?.length ?? 0);
  while (at < text.length) {
    at += matchAt(/[ \t+>|-]{0,12}/y, text, at)?.length ?? 0;
    const one = matchAt(/[^\s\\]{3,400}/y, text, at);
    const after = one === null ? null : matchAt(/[ \t]{0,8}(?:\r?\n|$)/y, text, at + one.length);
    if (one === null || after === null) break;
    const value = bareWord(one, at);
    const said = text.slice(value.start, value.end);
    const isValue = name.isCode ? isDigits(said) : looksRandom(said, 6) || looksMixed(said, false);
    if (!isValue || isPlaceholder(said) || /[=(){}<>]|^\W/.test(said)) break;
    values.push(value);
    at += one.length + after.length;
    if (!name.isPlural) break;
  }
  return values.length === 0 ? null : values;
}

/** The word without the quotes and signs around it. */
function bareWord(one: string, at: number): Value {
  const from = /^["'`([<*“«]{0,6}/.exec(one)?.[0].length ?? 0;
  const to = /["'`)>*”».,;:!?\]\\]{1,8}$/.exec(one)?.index ?? one.length;
  return { start: at + from, end: at + Math.max(from, to), isQuoted: false };
}

/** --password …, ENV NAME …, <password>…</password> */
export function wordAfter(text: string, name: Name, from: number): Value[] | null {
  const between = matchAt(afterFlag, text, from) ?? '';
  const at = from + between.length;
  const ends = text[at - 1] === '>' || text[from - 1] === '>' ? /[<\]\n]/ : /[\s"'`\\)]/;
  const read = (to: number) =>
    quotedAt(text, at, to) ?? { start: at, end: wordEnd(text, at, ends, to), isQuoted: false };
  const near = Math.min(text.length, at + longestLook);
  const value = read(near);
  const said = saidAt(text, value);
  if ((ends.test('<') && /\s/.test(said)) || (between.includes(',') && !value.isQuoted)) return null;
  if (/^[-=]/.test(said)) return null;
  return isGiven(name, said, '', value.isQuoted)
    ? joinedValues(text, name, value.end < near ? value : read(text.length))
    : null;
}
const afterFlag = /(?:[ \t]{0,8}\\\r?\n)?["']?,?\s{0,40}(?:<value>|<!\[CDATA\[)?/y;

const userFirst =
  /["'`]?[\])]{0,2}[ \t]{0,4}(?:=>|[:=]|with )?[ \t]{0,4}(?:[([{]\s{0,4}["'`][\w.@+-]{1,60}["'`]\s{0,4},\s{0,4}(?:\w{1,12}\()?(?=["'`])|["'`]?(?!https?:)[A-Za-z][\w.@+-]{0,40} ?[/:] ?(?=[^\s/]))/iy;

/** auth = ("ada", "…"), login: ada / …, basic_auth: ada:… */
export function pairedAfter(text: string, from: number): Value[] | null {
  const user = matchAt(userFirst, text, from);
  if (user === null) return null;
  const at = from + user.length;
  const value = quotedAt(text, at) ?? bareAt(text, at);
  const said = value === null ? '' : saidAt(text, value);
  if (value === null || isPlaceholder(said)) return /^\*{12}/.test(said) ? [] : null;
  return (value.isQuoted ? !/\s/.test(said) : looksRandom(said, 6) && !isNumbered(said)) ? [value] : null;
}
