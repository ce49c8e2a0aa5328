// Finds secrets in headers, in addresses, and in flags that take a user and a password.

import { pairAt } from './commands.js';
import { charactersOf, runEnd } from './keys.js';
import type { SecretKind, Span } from './secrets.js';
import {
  closingQuote,
  isPlaceholder,
  isVariable,
  lineBreak,
  looksRandom,
  matchAt,
  nameStart,
  quoteBefore,
  startsLine,
  wordEnd,
} from './values.js';

type Read = (text: string, start: number, end: number) => Span | null;
const pair: Read = (text, _start, end) => pairAt(text, end);

/** What precedes a secret, and how it is read. */
const readers: readonly (readonly [begin: string, read: Read])[] = [
  ['authorization(?![A-Za-z0-9_])', authorization],
  ['(?<![A-Za-z])bearer:?[ \\t]', bearer],
  ['(?<![A-Za-z])cookie["\']?[ \\t]{0,2}[:=]', cookie],
  [':\\/\\/', address],
  ['(?<![A-Za-z0-9-])(?:-u|--user|--proxy-user)[ =]|\\]:(?:25|465|587)[ \\t]{1,8}', pair],
  ['(?<![A-Za-z0-9])_?auth["\']?[ \\t]{0,4}[:=]', basicAuth],
  // .pgpass, and what a pipeline is told to hide
  [
    ':(?:543[0-9]|6432|\\*):[\\w*-]{1,63}:[\\w.*-]{1,63}:(?=\\S{3})|::add-mask::|issecret=true\\]',
    (text, _start, end) => span('password', text, end, wordEnd(text, end, lineBreak)),
  ],
  ['oracle:(?:thin|oci8?):[\\w$]{1,30}\\/', (text, _, end) => span('password', text, end, runEnd(text, end, query))],
  ['@(?=[A-Za-z0-9[])(?!sha[0-9])', bareAddress],
  [
    '[?&](?:sig|code|(?:x-amz-|x-goog-)?signature)=',
    (text, _start, end) => longEnough(16, span('authorization', text, end, runEnd(text, end, query))),
  ],
];
// Groups would make the search slower.
const finder = new RegExp(readers.map(([begin]) => begin).join('|'), 'gi');
const single = readers.map(([begin]) => new RegExp(begin, 'iy'));

export function headerSecretsIn(text: string): Span[] {
  const found: Span[] = [];
  finder.lastIndex = 0;
  for (let match = finder.exec(text); match !== null; match = finder.exec(text)) {
    const at = match.index;
    const end = at + match[0].length;
    const secret = readers[single.findIndex((one) => matchAt(one, text, at) !== null)]?.[1](text, at, end) ?? null;
    if (secret === null) continue;
    found.push(secret);
    finder.lastIndex = Math.max(secret.end, end);
  }
  return found;
}

const query = charactersOf('A-Za-z0-9%_.+/=~-');
const tokenCharacters = charactersOf('A-Za-z0-9._~+/=-');

function longEnough(length: number, found: Span | null): Span | null {
  return found === null || found.end - found.start < length ? null : found;
}

function span(kind: SecretKind, text: string, from: number, end: number): Span | null {
  const start = skip(text, from);
  const said = text.slice(start, Math.min(end, start + 400));
  return end - start < 3 || isPlaceholder(said) ? null : { kind, start, end };
}

/** The index after blanks and a quote. */
function skip(text: string, from: number): number {
  const gap = /[ \t]{0,4}["'`]?/y;
  gap.lastIndex = from;
  return from + (gap.exec(text)?.[0].length ?? 0);
}

const headerSign = /["'`]?[\])]{0,2}(?:[ \t]{0,4}[:=,][ \t]{0,4}|[ \t]{1,4}(?=["']))(["'`])?/y;
const scheme = /[A-Za-z][A-Za-z0-9-]{1,30}(?:[ \t]{1,4}|%20|\+(?=[A-Za-z0-9]))/y;
const knownScheme =
  /^(?:basic|bearer|digest|token|api-?key|key|negotiate|ntlm|hawk|oauth|gssapi|kerberos|sso-key|splunk|aws4?(?:-[a-z0-9-]{1,20})?|genie-?key|snowflake|sharedkey(?:lite)?|vapid|scram-[a-z0-9-]{1,20}|dpop|mac|signature|apikey-[a-z0-9]{1,20}|bot)\b/i;

/** Everything after the scheme, to the end of the header: some schemes have many parts. */
function authorization(text: string, start: number, end: number): Span | null {
  headerSign.lastIndex = end;
  const sign = headerSign.exec(text);
  if (sign === null) return null;
  const from = end + sign[0].length;
  const open = sign[1] ?? quoteBefore(text, nameStart(text, start));
  const isHeader = open !== null || startsLine(text, start);
  scheme.lastIndex = from;
  const named = scheme.exec(text)?.[0] ?? '';
  const value = from + named.length;
  const first = wordEnd(text, value, /[\s"'`\\,;)]/);
  const isKnown = knownScheme.test(named);
  const word = text.slice(value, Math.min(first, value + 200));
  // In a list of names, the next name is not a value.
  if (sign[0].includes(',') && !isKnown) return null;
  const isSecret = isKnown || named === '' || /[0-9=]/.test(word) || word.length >= 20;
  if (!isSecret || isVariable(word) || isPlaceholder(word) || /^\W{0,3}$/.test(word)) return null;
  // An unknown scheme may be the secret itself.
  const last = isHeader && (isKnown || named !== '') ? headerEnd(text, value, open) : first;
  return last - value < (named === '' ? 6 : 3) ? null : { kind: 'authorization', start: value, end: last };
}

/** Ends at the quote that closes the header or its value, else at the end of the line. */
function headerEnd(text: string, from: number, open: string | null): number {
  return open === null ? wordEnd(text, from, lineBreak) : closingQuote(text, from, open);
}

function bearer(text: string, _start: number, end: number): Span | null {
  const start = skip(text, end);
  const last = runEnd(text, start, tokenCharacters);
  return looksRandom(text.slice(start, Math.min(last, start + 400)), 8)
    ? { kind: 'authorization', start, end: last }
    : null;
}

function cookie(text: string, start: number, end: number): Span | null {
  const value = skip(text, end);
  const pair = /[\w.-]{1,80}=[^\s;]{6}/y;
  pair.lastIndex = value;
  if (!pair.test(text)) return null;
  const inside = quoteBefore(text, value) ?? quoteBefore(text, nameStart(text, start));
  return { kind: 'authorization', start: value, end: headerEnd(text, value, inside) };
}

const schemeBefore = /[A-Za-z][A-Za-z0-9+.-]{0,30}$/;
/** ada:…@db:3306, without a scheme; but not an address of mail after its label, nor a version of a package. */
function bareAddress(text: string, at: number): Span | null {
  let start = at;
  while (start > 0 && at - start < 200 && !/[\s"'`=,;<>|([{]/.test(text[start - 1] ?? '')) start -= 1;
  const [, user = '', password = ''] =
    /^([A-Za-z_][\w.+-]{0,40}):((?!\/\/)[^:]{2,160})$/.exec(text.slice(start, at)) ?? [];
  const host = hostAfter.exec(text.slice(at, at + 120))?.[0] ?? '@0';
  const isNone = user === '' || /^@v?[0-9]{1,5}(?:\.[0-9x]{1,5}){0,2}$/.test(host) || label.test(user);
  return isNone || isVariable(password) || isPlaceholder(password) ? null : { kind: 'credentials', start, end: at };
}
const label =
  /^(?:e?-?mail(?:to)?|contact|user(?:name)?|from|to|b?cc|reply-to|author|committer|by|owner|name|account|acct|sips?|xmpp|ssh|git|npm|jsr|pkg|workspace|file|link|portal|patch|catalog|image|https?)$/i;

const hostAfter =
  /^@(?:(?:tcp|unix)(?=\()|[A-Za-z0-9.-]{1,100}|\[[0-9a-f:]{2,40}\])(?::[0-9]{1,5})?(?=[/?#\s"'`<>\\,;()]|$)/;

/** A password may contain / # or ?, which end the host elsewhere; but not after a port. */
function beyondSlashes(text: string, start: number, colon: number): number {
  if (/^[0-9]{1,5}[/?#\s]/.test(text.slice(colon + 1, colon + 8)) || /[[\]]/.test(text.slice(start, colon))) return -1;
  for (let at = colon; at < text.length && at - colon < longestPassword && !/[\s"'`<>]/.test(text[at] ?? ''); at += 1)
    if (text[at] === '@' && hostAfter.test(text.slice(at, at + 120))) return at;
  return -1;
}
const longestPassword = 200;

const authorityEnd = /[\s/?#"'`<>\\]/;

/** User and password before the last @ of an address, or a token in their place. */
function address(text: string, start: number, end: number): Span | null {
  const before = schemeBefore.exec(text.slice(Math.max(0, start - 32), start))?.[0];
  if (before === undefined) return null;
  let at = -1;
  let colon = -1;
  for (let i = end; i < text.length && !authorityEnd.test(text[i] ?? ''); i += 1) {
    if (text[i] === '@') at = i;
    else if (text[i] === ':' && colon === -1) colon = i;
  }
  if (at === -1 && colon !== -1) at = beyondSlashes(text, end, colon);
  if (at === -1) return null;
  const hasPassword = colon !== -1 && colon < at;
  if (hasPassword) {
    const password = text.slice(colon + 1, Math.min(at, colon + 400));
    return at === colon + 1 || isVariable(password) || isPlaceholder(password)
      ? null
      : { kind: 'credentials', start: end, end: at };
  }
  const isToken = /^https?$/i.test(before) && at - end >= 20 && /^[\w.-]{20}/.test(text.slice(end, end + 20));
  return isToken ? { kind: 'credentials', start: end, end: at } : null;
}

/** The `auth` of a docker config or an .npmrc: user and password in base64. */
function basicAuth(text: string, from: number, end: number): Span | null {
  const start = skip(text, end);
  const last = runEnd(text, start, base64);
  if (text[from] === '_') return longEnough(6, span('credentials', text, end, runEnd(text, start, query)));
  return isBasicAuth(text.slice(start, last)) ? { kind: 'credentials', start, end: last } : null;
}
const base64 = charactersOf('A-Za-z0-9+/=');

/** Whether a text is user and password in base64. */
export function isBasicAuth(text: string): boolean {
  if (text.length < 8 || text.length > 8192 || text.length % 4 !== 0) return false;
  try {
    return /^[\x20-\x7e]{1,256}:[\x20-\x7e]/.test(atob(text));
  } catch {
    return false;
  }
}
