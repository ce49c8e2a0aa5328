// Replaces the secrets in JSON values and texts for `--redact`.
import { isObject } from '../record/json.js';
import { keysIn } from './secrets/keys.js';
import { isBasicAuth, ledSecretsIn } from './secrets/leads.js';
import { namedSecretsIn } from './secrets/named.js';
import { bareKey, fieldName, isSecretName, plainField } from './secrets/names.js';
import { privateKeysIn } from './secrets/private-keys.js';
import { type Span, withoutSpans } from './secrets/secrets.js';
import { kubernetesSecretsIn } from './secrets/tables.js';
import { isDigits, isPlaceholder, looksRandom, looksStrong } from './secrets/values.js';
import { type Finder, searched } from './secrets/view.js';

/**
 * Replaces everything in the texts of a JSON value that looks like a key, token or password with `[redacted:<kind>]`. A
 * text under a name such as `password` or `api_key` is always replaced.
 */
export function redactSecrets<T>(value: T): T;
export function redactSecrets(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return redactList(value);
  return isObject(value) ? redactObject(value, false) : value;
}

/** `isSecret`: the name of the object says so, and its `value` is one: {"secret": {"value": "…"}}. */
function redactObject(value: object, isSecret: boolean): object {
  const entries = Object.entries(value);
  // { name: 'DB_PASSWORD', value: '…' }
  const isAboutSecret =
    isSecret ||
    entries.some(
      ([name, inner]) =>
        /^(?:parameter_?)?(?:name|key|label|field|variable)$/i.test(name) &&
        typeof inner === 'string' &&
        isSecretName(inner),
    );
  const [kind, type] = ['kind', 'type'].map((name) => entries.find(([key]) => key === name)?.[1]);
  const isKubernetes = kind === 'Secret';
  const isPart = typeof type === 'string' && /^\w{1,20}_delta$/.test(type);
  // fromEntries defines properties, so a key such as __proto__ stays data.
  return Object.fromEntries(
    entries.map(([name, inner]) => {
      if (isPart && /^(?:text|thinking|partial_json)$/.test(name) && typeof inner === 'string') return [name, ''];
      const isValue =
        isAboutSecret &&
        /^(?:string_?|plain_?|current_?|parameter_?)?(?:val(?:ue)?|data|plaintext|text|string)$/i.test(name);
      const isInside =
        isSecret && !plainField.test(name) && typeof inner === 'string' && looksRandom(inner.slice(0, 400), 8);
      const safe =
        isValue || isInside
          ? redactValue(inner)
          : isKubernetes && /^(?:string)?data$/i.test(name) && isObject(inner)
            ? Object.fromEntries(Object.entries(inner).map(([key, one]) => [key, redactValue(one)]))
            : redactField(name, inner);
      return [redactName(name), safe];
    }),
  );
}

function redactField(name: string, value: unknown): unknown {
  if (name === 'auth' && typeof value === 'string' && isBasicAuth(value)) return '[redacted:credentials]';
  const found = fieldName(name);
  if (found === null || found.isLogin) return redactSecrets(value);
  const isSure = found.least === 0 && !(found.isPlural && found.isToken);
  if (Array.isArray(value))
    return value.every((item) => typeof item === 'string')
      ? value.map((item) =>
          (isSure && found.isPlural) || looksRandom(item, 6) ? redactValue(item) : redactSecrets(item),
        )
      : redactSecrets(value);
  if (isObject(value)) return redactObject(value, found.least === 0);
  if (found.isCode ? isDigits(String(value)) : typeof value === 'number' && isSure && /^pass/i.test(found.word))
    return '[redacted:password]';
  if (typeof value !== 'string') return value;
  if (found.least === bareKey && !looksStrong(value.slice(0, 400))) return redactText(value);
  const least = Math.max(found.least, found.isPlural ? 8 : 0);
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
  return finders.reduce((rest, find) => withoutSpans(rest, find(rest), keepsLines), text);
}

const shortestSecret = 8;
