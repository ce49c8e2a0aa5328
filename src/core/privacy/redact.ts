// Replaces the secrets in JSON values and texts for `--redact`.
import { isObject } from '../record/json.js';
import { keysIn } from './secrets/keys.js';
import { isBasicAuth, ledSecretsIn } from './secrets/leads.js';
import { namedSecretsIn } from './secrets/named.js';
import { bareKey, fieldName, type Name, plainField, valueField } from './secrets/names.js';
import { privateKeysIn } from './secrets/private-keys.js';
import { type Span, withoutSpans } from './secrets/secrets.js';
import { kubernetesSecretsIn } from './secrets/tables.js';
import { isDigits, isNumbered, isPlaceholder, looksRandom, looksStrong } from './secrets/values.js';
import { type Finder, searched } from './secrets/view.js';

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
  keysIn,
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
      withoutSpans(rest, find(rest.includes('[redacted:') ? rest.replace(mark, starsFor) : rest), keepsLines),
    text,
  );
}

/** What was replaced before is no secret, and says nothing of what is beside it. */
const mark = /\[redacted:[a-z-]{3,20}\]/g;
function starsFor(said: string): string {
  return '*'.repeat(said.length);
}

const shortestSecret = 8;
