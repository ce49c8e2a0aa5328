// Where a value ends, and whether it is one: not a type, a variable, a call or a word of a sentence.
import { isSecretName } from './names.js';

export interface Value {
  readonly start: number;
  readonly end: number;
  readonly isQuoted: boolean;
}

/** A quote, after backslashes in a text in a text, or as an entity. */
export const quote = '(?:\\\\{0,4}["\'`]|&(?:quot|apos|#3[49]|#x2[27]);|\\\\{1,4}u002[27])';
const opening = new RegExp(quote, 'y');
const prefixed = /(?:[bBrRfFuULN@$]{1,2}(?=["'])|@(?=["']))?/y;
const triple = /(?:"""|'''|```)/y;

export function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

/** The quote at this place, with its backslashes. */
export function openingAt(text: string, at: number): string | null {
  return matchAt(opening, text, at);
}

/** A text in quotes of any kind. Without its end it goes to the end of the line; in three quotes, of the text. */
export function quotedAt(text: string, from: number, to = text.length): Value | null {
  const at = from + (matchAt(prefixed, text, from)?.length ?? 0);
  const three = matchAt(triple, text, at);
  if (three !== null) {
    const start = at + three.length;
    const close = text.slice(start, to).indexOf(three);
    return filled(text, start, close === -1 ? to : start + close);
  }
  const open = openingAt(text, at);
  if (open === null) return null;
  const start = at + open.length;
  return filled(text, start, closingQuote(text, start, open, to));
}

function filled(text: string, start: number, end: number): Value | null {
  const from = text[start] === '\n' ? start + 1 : start;
  return end - from < 3 ? null : { start: from, end, isQuoted: true };
}

/** The index of the quote that closes the one before `start`: the same sign after as many backslashes. */
export function closingQuote(text: string, start: number, open: string, to = text.length): number {
  if (/[;27]$/.test(open)) {
    const line = wordEnd(text, start, /\n/, to);
    const close = text.slice(start, line).indexOf(open);
    return close === -1 ? line : start + close;
  }
  const mark = open.charCodeAt(open.length - 1);
  const depth = open.length - 1;
  let slashes = 0;
  for (let at = start; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10) return at;
    if (code === 92) slashes += 1;
    else {
      // Fewer backslashes than at the opening quote: the enclosing string has ended.
      if (code === mark && (depth === 0 ? slashes % 2 === 0 : slashes <= depth)) return at - slashes;
      slashes = 0;
    }
  }
  return to;
}

/** The quote right before this place, with its backslashes. */
export function quoteBefore(text: string, at: number): string | null {
  const mark = text[at - 1];
  if (mark !== '"' && mark !== "'" && mark !== '`') return null;
  let start = at - 1;
  while (start > 0 && at - start < 5 && text[start - 1] === '\\') start -= 1;
  return text.slice(start, at);
}

/** The index of the first character of `ends`. */
export function wordEnd(text: string, from: number, ends: RegExp, to = text.length): number {
  let end = from;
  while (end < to && !ends.test(text[end] ?? '')) end += 1;
  return end;
}

/** What ends a value in the middle of a line. */
export const delimiter = /[\s"'`\\&;,|)>}\]]/;

/** The end of the line, or of the word if `ends` says so. A line end may be written as \n. */
export function lineEnd(text: string, from: number, to = text.length, ends = '\r\n'): number {
  let end = from;
  while (end < to && !ends.includes(text[end] ?? '') && !(text[end] === '\\' && /[nr\\]/.test(text[end + 1] ?? '')))
    end += 1;
  return end;
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

const longestPlaceholder = 200;

/** Whether a text is a type, a variable or a name, rather than a secret. */
export function isPlaceholder(text: string): boolean {
  if (text.length > longestPlaceholder) return false;
  const bare = text.replace(/^(?:basic|bearer|token) (?=[$%<{[])/i, '').replace(/[,;\])]$/, '');
  if (
    /^(?:[\w-]{1,30} )?\[redacted:[a-z-]{1,30}\]\W{0,3}$/.test(bare) ||
    /^[0-9]*\.?[0-9]+(?:e[+-]?[0-9]+|\.[0-9]+)$|^[\^~<>=v]{0,2}[0-9]+\.[0-9]+(?:\.[0-9]+)?(?:-[\w.]+)?$/.test(bare)
  )
    return true;
  return (
    /^\W{0,8}$/.test(bare) || typeWord.test(bare) || isVariable(bare) || (/^[\w.-]+$/.test(bare) && isSecretName(bare))
  );
}

const typeWord =
  /^(?:string|str|text|varchar|bytes?|number|int|bool(?:ean)?|any|unknown|never|null|nil|none|undefined|true|false|required|optional|redacted|hidden|masked|changeme|basic|bearer|inherit|include|omit|same-origin|(?:your|insert|enter|replace|example|dummy|sample|placeholder)(?:[_ -][a-z]{1,20}){0,6}|x+|\*+|•+|\.{2,}|…)\W{0,3}$/i;

/** $NAME, ${…}, %NAME%, <…>, {{…}}, [redacted:…]; the end may be missing. */
export function isVariable(text: string): boolean {
  return /^(?:\$\{[^}]{0,100}\}?|\$\([^)]{0,100}\)?|\$\w{1,60}|%\w{1,60}%|%(?:\(\w{1,60}\))?[sdrvq](?:\\[nrt]){0,2}|<[^<>]{0,100}>?|\{{1,3}[\w .$()'"-]{0,100}\}{0,3}|\[[^\]]{0,100}\]?|\*+)$/.test(
    text,
  );
}

/** A call, a member expression, or something in the place of a type. */
export function isCode(text: string, sign: string): boolean {
  if (/^(?:process|import|os|env|self|this|req|args|options|config)[.[]/.test(text)) return true;
  if (/^!{0,2}[A-Za-z_$][\w.$]{0,100}(?:[([]|\?\.)|^[([{<$]/.test(text)) return true;
  if (/^[A-Za-z_$][A-Za-z_$]{0,60}(?:\.[A-Za-z_$]{1,60}){1,6}[;,]?$/.test(text)) return true;
  return /:$| =$/.test(sign) && /^[A-Za-z_$.]{1,60}(?:\[\])?[,;]$/.test(text);
}

/** Letters with digits or signs among them, but not an address, path, time or number with a unit. */
export function looksRandom(text: string, length: number): boolean {
  if (text.length < length || !/[A-Za-z]/.test(text) || !/[0-9]|[A-Za-z][!@#$%^].{0,400}[A-Za-z]/.test(text))
    return false;
  return !ordinary.test(text);
}
const ordinary =
  /^(?:https?:|\/|\.{1,2}\/|~\/|[0-9.,]{1,12}[A-Za-z]{1,2}$|!{0,2}[A-Za-z_]\w{0,60}(?:[([.]|\?\.)|(?:sha|md|base|utf|argon|bcrypt|pbkdf|scrypt|rs|hs|es|oauth|v)-?[0-9]{1,3}(?:id?)?$)/i;

/** Random beyond doubt: cases and digits mixed, signs among them, or a long run of letters and digits. */
export function looksStrong(text: string): boolean {
  if (!looksRandom(text, 10) || /[/:]|[$#{]\{|\.\w{1,5}$|[a-z]\.[A-Za-z_]|^[\w.]{1,60}\(/.test(text) || uuid.test(text))
    return false;
  const digits = text.replace(/[^0-9]/g, '').length;
  if (digits > 0 && /[A-Za-z0-9][!#$%^&*@+][A-Za-z0-9]/.test(text)) return true;
  return (
    digits >= 2 &&
    ((/[a-z]/.test(text) && /[A-Z]/.test(text)) || /[A-Za-z0-9]{20}/.test(text)) &&
    !/^\d{4}-\d\d-\d\d/.test(text)
  );
}
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
