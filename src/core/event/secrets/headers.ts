// Finds secrets in headers, in addresses, and in flags that take a user and a password.
import { closingQuote, isPlaceholder, isVariable, nameStart, quoteBefore, startsLine } from './names.js';
import type { SecretKind, Span } from './secrets.js';
import { charactersOf, runEnd } from './shapes.js';

const finder =
  /authorization(?![A-Za-z0-9_])|(?<![A-Za-z])bearer[ \t]|(?<![A-Za-z])cookie\\{0,4}["']?[ \t]{0,2}[:=]|:\/\/|(?<![A-Za-z0-9-])(?:-u|--user|--proxy-user)[ =]|(?<![A-Za-z])sshpass[ \t]{1,4}-p|(?<![A-Za-z])mysql[a-z]{0,8}[ \t]|(?<![A-Za-z0-9])_?auth\\{0,4}["']?[ \t]{0,4}[:=]|[?&](?:sig|(?:x-amz-|x-goog-)?signature)=/gi;

/** How to read a match, by how it begins. The first reader that fits is used. */
const readers: readonly {
  readonly begins: RegExp;
  readonly read: (text: string, start: number, end: number) => Span | null;
}[] = [
  { begins: /^authorization/i, read: authorization },
  { begins: /^bearer/i, read: bearer },
  { begins: /^cookie/i, read: cookie },
  { begins: /^:\/\//, read: address },
  { begins: /^-/, read: userFlag },
  { begins: /^sshpass/i, read: (text, _start, end) => span('password', text, end, wordEnd(text, skip(text, end))) },
  { begins: /^mysql/i, read: mysqlFlag },
  { begins: /^_?auth/i, read: basicAuth },
  {
    begins: /^[?&]/,
    read: (text, _start, end) => longEnough(16, span('authorization', text, end, runEnd(text, end, query))),
  },
];

export function headerSecretsIn(text: string): Span[] {
  const found: Span[] = [];
  finder.lastIndex = 0;
  for (let match = finder.exec(text); match !== null; match = finder.exec(text)) {
    const [said] = match;
    const end = match.index + said.length;
    const secret = readers.find(({ begins }) => begins.test(said))?.read(text, match.index, end) ?? null;
    if (secret === null) continue;
    found.push(secret);
    finder.lastIndex = secret.end;
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
  const gap = /[ \t]{0,4}\\{0,4}["'`]?/y;
  gap.lastIndex = from;
  return from + (gap.exec(text)?.[0].length ?? 0);
}

function wordEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && !/[\s"'`\\]/.test(text[end] ?? '')) end += 1;
  return end;
}

const headerSign = /\\{0,4}["'`]?[\])]{0,2}[ \t]{0,4}[:=,][ \t]{0,4}(\\{0,4}["'`])?/y;
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
  const first = headerWord(text, value);
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

function headerWord(text: string, from: number): number {
  let end = from;
  while (end < text.length && !/[\s"'`\\,;)]/.test(text[end] ?? '')) end += 1;
  return end;
}

/** Ends at the quote that closes the header or its value, else at the end of the line. */
function headerEnd(text: string, from: number, open: string | null): number {
  if (open !== null) return closingQuote(text, from, open);
  let end = from;
  while (end < text.length && text[end] !== '\n' && !(text[end] === '\\' && /[nr]/.test(text[end + 1] ?? ''))) end += 1;
  return text[end - 1] === '\r' ? end - 1 : end;
}

function bearer(text: string, _start: number, end: number): Span | null {
  let start = end;
  while (start - end < 4 && (text[start] === ' ' || text[start] === '\t')) start += 1;
  const last = runEnd(text, start, tokenCharacters);
  const hasDigit = /[0-9]/.test(text.slice(start, Math.min(last, start + 400)));
  return last - start >= 20 && hasDigit ? { kind: 'authorization', start, end: last } : null;
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

/** curl -u ada:…, but not docker run -u 1000:1000. */
function userFlag(text: string, _start: number, end: number): Span | null {
  const start = skip(text, end);
  const last = wordEnd(text, start);
  const pair = text.slice(start, Math.min(last, start + 400));
  const colon = pair.indexOf(':');
  const [user, password] = [pair.slice(0, colon), pair.slice(colon + 1)];
  const isPair = colon > 0 && password.length >= 3 && password !== user && !/^[0-9]{1,10}\W?$/.test(password);
  return isPair && !isPlaceholder(password) && !isVariable(password) && !/^\/\//.test(password)
    ? { kind: 'credentials', start, end: last }
    : null;
}

/** mysql -phunter2. */
function mysqlFlag(text: string, _start: number, end: number): Span | null {
  const flag = /(?:[^\s-][^\s]{0,40}[ \t]{1,4}|-[^p\s][^\s]{0,40}[ \t]{1,4}){0,8}-p(?=[^\s-])/y;
  flag.lastIndex = end;
  const words = flag.exec(text)?.[0];
  if (words === undefined) return null;
  return span('password', text, end + words.length, wordEnd(text, skip(text, end + words.length)));
}

/** The `auth` of a docker config or an .npmrc: user and password in base64. */
function basicAuth(text: string, _start: number, end: number): Span | null {
  const start = skip(text, end);
  const last = runEnd(text, start, base64);
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
