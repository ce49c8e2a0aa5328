// Finds what a sentence says of a secret, in the same line or alone in the next: "the password for ada is …".
import type { Name } from './names.js';
import {
  isDigits,
  isNumbered,
  isPlaceholder,
  looksMixed,
  looksRandom,
  looksStrong,
  matchAt,
  nameStart,
  type Value,
} from './values.js';

const mostWords = 9;
const closing = /["'`]?\)?[*_]{0,2}[})\]'"`]{0,3}(?:\.{2,40}|…)?/y;
const blanks = /[ \t]{0,60}/y;
const token = /[^\s]{1,400}/y;
/** The end of a line, with an empty line, the begin of a code block, and what a tool puts before a line. */
const nextLine = /[ \t]{0,4}(?:\r?\n[ \t+>|-]{0,12}(?:(?:```|~~~)\w{0,12}|---[- ]{0,80})?(?=\s|\S)){1,3}/y;
/** A way of saying "is" right before the value. */
const linking =
  /^(?:is|was|are|be|to|from|with|as|now|equals|ist|lautet|es|est|é|è|är|er|jest|это|là|adalah|ialah|je|on|yra|este|為|为|[0-9]|REG_\w{1,12}|[:：=–—/-]|--|>>|[:：][*_]{1,2}|[=-]>|→)$/i;
const wordOpening = /^["'`([<*“«]{0,6}/;
const wordClosing = /["'`)>*”».,;:!?\]\\]{1,8}$/;

/** The value that the words after a name say, or that a command with this name printed. */
export function saidAfter(text: string, name: Name): Value | null {
  const said = inSentence(text, name);
  if (said !== null || name.least > 0) return said;
  const isCommand = /[$#>%❯] [^\n]{2,100}$/.test(text.slice(Math.max(0, name.start - 90), name.start));
  const line = isCommand ? matchAt(/[^\n]{0,200}\n/y, text, name.end) : null;
  return line === null ? null : aloneAt(text, name, name.end + line.length);
}

function inSentence(text: string, name: Name): Value | null {
  let at = name.end + (matchAt(closing, text, name.end)?.length ?? 0);
  let isNear = true;
  // After signs of code, only what is mixed beyond doubt counts.
  let isCode = false;
  for (let words = 0; words < (name.isOrdinary && name.least > 0 ? 2 : mostWords); words += 1) {
    if (/[:：]/.test(text[at] ?? '')) at += 1;
    const isSaid = /[:：]/.test(text[at - 1] ?? '');
    const line = words === 0 || isSaid ? matchAt(nextLine, text, at) : null;
    if (line !== null) return aloneAt(text, name, at + line.length);
    isNear ||= isSaid;
    const gap = matchAt(blanks, text, at)?.length ?? 0;
    at += gap;
    const word = matchAt(token, text, at);
    if (word === null) return null;
    const value = bareWord(word, at);
    const said = text.slice(value.start, value.end);
    if (!isCode && gap > 0 && counts(name, said, words, isNear, value.isQuoted)) return withNext(text, name, value);
    isCode ||= gap === 0 || (/[(){}=<>$\\/|[\]]/.test(word.replace(/^\(|\)[:,]?$/g, '')) && !linking.test(word));
    if (isCode && name.least === 0 && !(name.isToken && name.isPlural)) {
      if (at - name.end > longestReach) return null;
      const mixed = mixedIn(word.slice(0, longestReach), at, gap === 0);
      if (mixed !== null) return mixed;
    } else if (isCode) return null;
    if (
      /[.!?;]$|^(?:&&|\/\/|#)$/.test(word) ||
      (!isCode && /^[^(].*,$/.test(word)) ||
      (!isCode && isPlaceholder(said) && /[<$%{*]/.test(word))
    )
      return null;
    isNear = linking.test(word);
    at += word.length;
  }
  return null;
}

const longestReach = 120;

/** The first part of a word that is mixed: the text of toBe("…"), {secure:…}; not where another name begins. */
function mixedIn(word: string, at: number, isFirst: boolean): Value | null {
  // password.ts:12
  if (isFirst && /^\.[a-z]{1,5}(?:[:)\]\s]|$)/.test(word)) return null;
  for (const { 0: part, index } of word.matchAll(parts)) {
    const [before, after] = [word[index - 1] ?? '', word[index + part.length] ?? ''];
    const isOther = /^["'`]?[:=](?![:=])/.test(word.slice(index + part.length)) && !(isFirst && index === 0);
    if (isOther && !/^(?:value|val|default|secure|secret|data|text|content|string|from|or|else)$/i.test(part))
      return null;
    const isQuoted = /["'`]/.test(before);
    if (after !== '(' && looksMixed(part.replace(/[.:!?]{1,3}$/, ''), isQuoted) && !isPlaceholder(part))
      return { start: at + index, end: at + index + part.length, isQuoted };
  }
  return null;
}
const parts = /[^\s"'`(){}[\]<>,;|&=“”「」『』«»\\]{1,400}/g;

/** The word without the quotes and signs around it. */
function bareWord(word: string, at: number): Value {
  const from = wordOpening.exec(word)?.[0].length ?? 0;
  const to = wordClosing.exec(word)?.index ?? word.length;
  return {
    start: at + from,
    end: at + Math.max(from, to),
    isQuoted: /["'`]/.test(word.slice(0, from)) && to < word.length,
  };
}

/** An expression, a variable, an address of mail, RFC6749. */
const other = /[=<>{}()]|^[$\\-]|\w@\w[\w-]{0,60}\.|^[A-Z]{2,8}-?[0-9]{1,6}$/;

function counts(name: Name, said: string, words: number, isNear: boolean, isQuoted: boolean): boolean {
  if (said.length < 3 || isPlaceholder(said) || other.test(said)) return false;
  if (!isQuoted && !/[0-9]/.test(said)) return false;
  if (name.isCode) return isNear && (isDigits(said) || looksRandom(said, 6));
  if (name.least > 8 || name.isPlural || !isNear) return looksStrong(said);
  if (words > 0 && isQuoted && name.least === 0 && !name.isToken) return /^\S{3,}$/.test(said);
  // Right after a name that is an ordinary word too, without a word for "is".
  const isBare = words === 0 && name.isOrdinary;
  return (
    (looksRandom(said, name.least === 0 ? 6 : 7) || (name.least === 0 && looksMixed(said, false))) &&
    !(isBare && isNumbered(said) && said.length < 7)
  );
}
/** A word that is alone on its line; of a plural, all such lines. */
function aloneAt(text: string, name: Name, from: number): Value | null {
  let [first, last] = [-1, -1];
  for (let at = from; at < text.length; ) {
    at += matchAt(blanks, text, at)?.length ?? 0;
    const word = matchAt(/[^\s\\]{3,400}/y, text, at);
    const after = word === null ? null : matchAt(/[ \t]{0,8}(?:\r?\n|$)/y, text, at + word.length);
    if (word === null || after === null) break;
    const { start, end } = bareWord(word, at);
    const said = text.slice(start, end);
    const isValue = name.isCode ? isDigits(said) : looksRandom(said, 6) || looksMixed(said, false);
    if (!isValue || isPlaceholder(said) || /[=(){}<>]|^\W/.test(said)) break;
    [first, last] = [first === -1 ? start : first, end];
    at += word.length + after.length;
    if (!name.isPlural) break;
  }
  return first === -1 ? null : { start: first, end: last, isQuoted: false };
}

/** From one value to another. */
function withNext(text: string, name: Name, value: Value): Value {
  const gap = matchAt(/["'`]? (?:to|into|and|or|auf|->|→) (?=\S)/y, text, value.end);
  const word = gap === null ? null : matchAt(token, text, value.end + gap.length);
  if (gap === null || word === null) return value;
  const next = bareWord(word, value.end + gap.length);
  return counts(name, text.slice(next.start, next.end), 1, true, false) ? { ...value, end: next.end } : value;
}

const saidFirst =
  /(?:^|[\s"'`(*])([^\s"'`(*]{6,80})["'`)*;,]{0,3} (?:\(|(?:\/\/|#|--|<-|←|as|is|for|=) ?(?:the|my|your|our|its|a|an|new|this)? ?(?:[a-z]{2,12} ){0,2})$/i;

/** Use … as the password. */
export function saidBefore(text: string, name: Name): Value | null {
  const first = nameStart(text, name.start);
  // … # db_password
  const end = /(?:\/\/|#|--) $/.test(text.slice(Math.max(0, first - 3), first)) ? first : name.start;
  const near = text.slice(Math.max(0, end - 40), end);
  if (name.least > 0 || !/ (?:\(|(?:\/\/|#|--|<-|←) ?[a-z ]{0,32}|(?:as|is|for|=) [a-z ]{0,32})$/i.test(near))
    return null;
  const low = Math.max(0, end - 130);
  const match = saidFirst.exec(text.slice(low, end));
  const said = match?.[1]?.replace(/[.,;:]$/, '') ?? '';
  if (match === null || !counts(name, said, 0, true, false) || /\/|:$/.test(said)) return null;
  const start = low + match.index + match[0].indexOf(said);
  return { start, end: start + said.length, isQuoted: false };
}
