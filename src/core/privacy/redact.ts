// Replaces the secrets in JSON values and texts for `--redact`.
import { isObject } from '../record/json.js';
import { keysIn, privateKeysIn } from './secrets/keys.js';
import { isBasicAuth, ledSecretsIn } from './secrets/leads.js';
import { kubernetesSecretsIn, namedSecretsIn } from './secrets/named.js';
import {
  bareKey,
  fieldName,
  isDigits,
  isNumbered,
  isPlaceholder,
  looksRandom,
  looksStrong,
  type Name,
  type Place,
  plainField,
  valueField,
} from './secrets/values.js';

/** What `--redact` replaces, by the kind in `[redacted:jwt]`. */
export const secretKinds = {
  'private-key': 'private keys in PEM or PGP armour, whole or cut off, even with line numbers',
  'anthropic-key': 'sk-ant-…',
  'openai-key': 'sk-proj-…, sk-svcacct-…, sk-admin-…, sk- and 32 or more letters',
  'github-token': 'ghp_…, gho_…, ghu_…, ghs_…, ghr_…, github_pat_…',
  'gitlab-token': 'glpat-… and related tokens: deploy, runner, agent, feed, trigger and OAuth tokens',
  'slack-token': 'xoxb-…, xoxp-… and similar, xapp-…, the secret part of an incoming webhook URL',
  'aws-key': 'access key ids (AKIA…, ASIA…, ABIA…, ACCA…), session tokens, keys of Bedrock',
  'google-key': 'AIza…, GOCSPX-…, ya29.…, refresh tokens (1//0…)',
  'stripe-key': 'sk_live_…, sk_test_…, rk_…, whsec_…',
  'npm-token': 'npm_…',
  'pypi-token': 'pypi-…',
  'api-key': 'keys of more than a hundred other services that give them a shape of their own; addresses of webhooks',
  jwt: 'eyJ….eyJ….…, and encrypted ones with five parts',
  authorization: 'the value of an Authorization or Cookie header with any scheme, and the text after Bearer',
  credentials:
    'user and password in a URL, even with / or # in it or without its scheme, or a token in their place; curl -u; the auth of a docker config',
  password:
    'the value of a name that ends in password, passwd, pw, passphrase, secret, token, credentials, api_key, access_key, private_key or similar, in many languages, and the digits of a PIN or of a code that was sent, however it is given: in code, settings of any format, a table, a header, a query or a flag, in a sentence or alone in the next line if it looks random; even in JSON in a text, after line numbers, colours and diff marks; arguments of functions that sign, encrypt or connect; the flags of programs that take a password; the data of a Kubernetes secret; hashes of passwords; and every text under such a name',
} as const;

export type SecretKind = keyof typeof secretKinds;

/** A part of a text that is a secret. */
export interface Span extends Place {
  readonly kind: SecretKind;
}

/** The text with the secrets replaced. Spans that overlap are one. */
function withoutSpans(text: string, spans: readonly Span[], keepsLines = false): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  const ordered = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  for (let index = 0; index < ordered.length; ) {
    const { kind, start, end } = ordered[index] ?? { kind: 'password', start: 0, end: 0 };
    let last = end;
    for (index += 1; (ordered[index]?.start ?? last) < last; index += 1)
      last = Math.max(last, ordered[index]?.end ?? 0);
    const lines = keepsLines ? text.slice(start, last).split('\n').length : 1;
    parts.push(text.slice(from, start), Array.from({ length: lines }, () => `[redacted:${kind}]`).join('\n'));
    from = last;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

/**
 * Replaces everything in the texts of a JSON value that looks like a key, token or password with `[redacted:<kind>]`. A
 * text under a name such as `password` or `api_key` is always replaced.
 */
export function redactSecrets<T>(value: T): T;
export function redactSecrets(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return redactList(value);
  return isObject(value) ? redactObject(value, null) : value;
}

/** `owner`: the name above, which may say that the fields are secret: {"secret": {"value": "…"}}. */
function redactObject(value: object, owner: Name | null): object {
  const entries = Object.entries(value);
  // {"name": "DB_PASSWORD", "value": "…"}
  let named: Name | null = null;
  for (const [name, inner] of entries)
    if (typeof inner === 'string' && inner.length < 90 && nameField.test(name) && plainName.test(inner))
      named ??= fieldName(inner);
  const [kind, type] = ['kind', 'type'].map((name) => entries.find(([key]) => key === name)?.[1]);
  const isPart = typeof type === 'string' && /^\w{1,20}_delta$/.test(type);
  // fromEntries defines properties, so a key such as __proto__ stays data.
  return Object.fromEntries(
    entries.map(([name, inner]) => {
      if (isPart && /^(?:text|thinking|partial_json)$/.test(name) && typeof inner === 'string') return [name, ''];
      if (kind === 'Secret' && /^(?:string)?data$/i.test(name) && isObject(inner))
        return [name, Object.fromEntries(Object.entries(inner).map(([key, one]) => [key, redactValue(one)]))];
      const about = named ?? owner;
      const safe =
        about !== null && valueField.test(name) && !isObject(inner)
          ? redactUnder(about, inner)
          : redactField(name, inner, owner);
      return [redactName(name), safe];
    }),
  );
}
/** The name of a setting, but not an id that happens to end in one. */
const plainName = /^[A-Za-z_/][A-Za-z_ .:/-]{1,80}[0-9]?$/;
const nameField = /^(?:parameter_?)?(?:name|key|k|id|label|field|variable|header|option|type)$/i;

function redactField(name: string, value: unknown, owner: Name | null): unknown {
  if (name === 'auth' && typeof value === 'string' && isBasicAuth(value)) return '[redacted:credentials]';
  const found = knownName(name);
  if (found?.isLogin) return redactSecrets(value);
  if (found !== null) return redactUnder(found, value);
  if (owner === null || owner.least > 8 || plainField.test(name)) return redactSecrets(value);
  if (typeof value !== 'string') return redactUnder(owner, value);
  return !/\s/.test(value) && looksRandom(value.slice(0, 400), 8) && !isNumbered(value)
    ? redactValue(value)
    : redactText(value);
}

/** The same few names come again and again. */
const knownNames = new Map<string, Name | null>();
function knownName(field: string): Name | null {
  const known = knownNames.get(field);
  if (known !== undefined) return known;
  const found = fieldName(field);
  if (knownNames.size < 2000 && field.length < 40) knownNames.set(field, found);
  return found;
}

/** A value that has the name, or a list or an object of such. */
function redactUnder(name: Name, value: unknown): unknown {
  const isSure = name.least === 0 && !(name.isPlural && name.isToken);
  if (Array.isArray(value))
    return value.every((item) => typeof item === 'string')
      ? value.map((item) =>
          (isSure && name.isPlural) || looksRandom(item, 6) ? redactValue(item) : redactSecrets(item),
        )
      : value.map((item) => (isObject(item) ? redactObject(item, name) : redactSecrets(item)));
  if (isObject(value)) return redactObject(value, name);
  if (name.isCode ? isDigits(String(value)) : typeof value === 'number' && isSure && /^pass/i.test(name.word))
    return '[redacted:password]';
  if (typeof value !== 'string') return value;
  if (name.least === bareKey && !looksStrong(value.slice(0, 400))) return redactText(value);
  const least = Math.max(name.least, name.isPlural ? 8 : 0);
  return least === 0 || looksRandom(value.slice(0, 400), least) ? redactValue(value) : redactText(value);
}

/** A field name may contain a secret too: answers are stored under the text of their question. */
function redactName(name: string): string {
  return name.length < shortestSecret || /^\w{1,19}$/.test(name) ? name : redactText(name);
}

function redactValue(value: unknown): unknown {
  if (typeof value !== 'string' || isPlaceholder(value)) return redactSecrets(value);
  const text = redactText(value);
  // Keeps a more exact replacement, such as Bearer [redacted:jwt].
  return /^(?:[A-Za-z]{1,20} )?\[redacted:[a-z-]+\]$/.test(text) ? text : '[redacted:password]';
}

/** The texts of a list may be lines of one text, as in a patch, or words of one command. */
function redactList(items: readonly unknown[]): unknown[] {
  const texts = items.flatMap((item) => (typeof item === 'string' ? [item] : []));
  if (texts.length < items.length || items.length < 2) return items.map((item) => redactSecrets(item));
  const lines = redactText(texts.join('\n'), true).split('\n');
  let at = 0;
  const safe = texts.map((text) => {
    const from = at;
    at += text.split('\n').length;
    return lines.slice(from, at).join('\n');
  });
  if (!texts.some((text) => text.startsWith('-'))) return safe;
  const words = redactText(texts.map((text) => text.replace(/\s/g, '\u0001')).join(' ')).split(' ');
  if (words.length !== texts.length) return safe;
  return safe.map((text, index) =>
    text === texts[index] && words[index]?.includes('[redacted:') ? '[redacted:password]' : text,
  );
}

/** Each searches what those before it left: a password of several words may contain a key. */
const finders: readonly Finder[] = [
  (text) => (/PRIVATE KEY|Private-Lines/.test(text) ? searched(text, privateKeysIn) : []),
  (text) => {
    const view = viewed(text, percents);
    return [...keysIn(text), ...(view === null ? [] : view.spans(keysIn(view.text)))];
  },
  // An id or a single word names nothing.
  (text) => (/[^\w.-]/.test(text) ? searched(text, wordsIn) : []),
];

function wordsIn(text: string): Span[] {
  return [ledSecretsIn, kubernetesSecretsIn, namedSecretsIn].flatMap((find) => find(text));
}

function redactText(text: string, keepsLines = false): string {
  if (text.length < shortestSecret) return text;
  return finders.reduce(
    (rest, find) =>
      withoutSpans(
        rest,
        find(rest.includes('[redacted:') ? rest.replace(mark, (said) => '*'.repeat(said.length)) : rest),
        keepsLines,
      ),
    text,
  );
}

/** What was replaced before is no secret, and says nothing of what is beside it. */
const mark = /\[redacted:[a-z-]{3,20}\]/g;

const shortestSecret = 8;

// A text as people see it: without colours, backslashes, %3D and line numbers. So the finders need to know only plain text.
type Finder = (text: string) => Span[];

interface Lens {
  /** Only a text with this is seen differently. */
  readonly needs?: RegExp;
  /** What is seen as something else. */
  readonly sign: RegExp;
  readonly seen: (sign: string) => string;
  /** How many times it is put on at most. */
  readonly most: number;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
const entityNames: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&', equals: '=' };

const colours: Lens = {
  sign: /(?:\u001b|\\{1,31}(?:u001b|x1b|033|e))\[[0-9;:]{0,20}[A-Za-z]/gi,
  seen: () => '',
  most: 1,
};

const percents: Lens = {
  sign: /%[2-7][0-9a-f]|&(?:quot|apos|lt|gt|amp|equals|#(?:x[0-9a-f]{2}|[0-9]{2}));/gi,
  seen: (sign) => (sign[0] === '%' ? fromHex(sign.slice(1)) : entity(sign.slice(1, -1))),
  most: 1,
};

/** In the order in which they are put on. */
const lenses: readonly Lens[] = [
  // A text in a text in a text: the quotes around it are the ends of its first and last line.
  {
    needs: /":[ \t]?"|\\(?:["nrt\\]|u00[2-7])/,
    sign: /\\(?:["'`\\/nrt]|u00[2-7][0-9a-f])|"/gi,
    seen: (sign) =>
      sign === '"' ? '\n' : sign.length > 2 ? fromHex(sign.slice(4)) : (escapes[sign[1] ?? ''] ?? sign.slice(1)),
    most: 5,
  },
  percents,
  // A line that continues in the next.
  { sign: /\\\r?\n[ \t]{0,40}/g, seen: () => ' ', most: 1 },
  // Numbers of lines, files with them, marks of a diff or of a quotation.
  {
    sign: /^(?:[^\s:]{1,160}[:-][0-9]{1,7}[:-]|[ \t]{0,12}[>+-]?[ \t]{0,8}[0-9]{1,7}(?:→|\t|[:)-]| {0,2}[|│]| {1,4}(?=[+-]))|[+<>-])[+-]?/gm,
    seen: () => '',
    most: 1,
  },
];

function fromHex(digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}

function entity(name: string): string {
  if (name[0] !== '#') return entityNames[name] ?? ' ';
  return name[1] === 'x' ? fromHex(name.slice(2)) : String.fromCharCode(Number(name.slice(1)));
}

/** What is found in a text, and in every view of it. */
function searched(text: string, find: Finder): Span[] {
  const plain = viewed(text, colours);
  return plain === null ? through(text, find, 0, 0) : plain.spans(through(plain.text, find, 0, 0));
}

/** `worn`: how many times the first of the lenses left was put on already. */
function through(text: string, find: Finder, first: number, worn: number): Span[] {
  const found = find(text);
  for (let index = first; index < lenses.length; index += 1) {
    const lens = lenses[index];
    const times = index === first ? worn : 0;
    const view = lens === undefined || times === lens.most ? null : viewed(text, lens);
    if (view !== null) for (const span of view.spans(through(view.text, find, index, times + 1))) found.push(span);
  }
  return found;
}

/** null if nothing is seen differently. */
function viewed(text: string, { needs, sign, seen }: Lens): { text: string; spans: (found: Span[]) => Span[] } | null {
  if (text.search(needs ?? sign) === -1) return null;
  const parts: string[] = [];
  // A piece of the view: where it begins there and in the text. A piece that was changed is `wide` in the text.
  const pieces: { readonly shown: number; readonly at: number; readonly wide: number }[] = [];
  let [shown, from] = [0, 0];
  const addPiece = (part: string, at: number, wide: number) => {
    if (part === '') return;
    pieces.push({ shown, at, wide });
    parts.push(part);
    shown += part.length;
  };
  for (const match of text.matchAll(sign)) {
    addPiece(text.slice(from, match.index), from, 0);
    addPiece(seen(match[0]), match.index, match[0].length);
    from = match.index + match[0].length;
  }
  addPiece(text.slice(from), from, 0);

  const spans = (found: Span[]): Span[] => {
    let last = 0;
    const pieceAt = (index: number) => {
      while (last > 0 && (pieces[last]?.shown ?? 0) > index) last -= 1;
      while ((pieces[last + 1]?.shown ?? Number.POSITIVE_INFINITY) <= index) last += 1;
      return pieces[last] ?? { shown: 0, at: 0, wide: 0 };
    };
    return found
      .toSorted((a, b) => a.start - b.start)
      .map(({ kind, start, end }) => {
        const begin = pieceAt(start);
        const close = pieceAt(end - 1);
        return {
          kind,
          start: begin.at + start - begin.shown,
          end: close.wide > 0 ? close.at + close.wide : close.at + end - close.shown,
        };
      });
  };
  return { text: parts.join(''), spans };
}
