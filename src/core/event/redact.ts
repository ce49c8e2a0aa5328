// Replaces the secrets in events and texts for `--redact`.
import { withoutDepths } from '../record/json.js';
import type { Event } from './event.js';
import { headerSecretsIn, isBasicAuth } from './secrets/headers.js';
import { isPlaceholder, isSecretName, namedSecretsIn } from './secrets/names.js';
import { privateKeysIn } from './secrets/private-keys.js';
import { withoutSpans } from './secrets/secrets.js';
import { keysIn } from './secrets/shapes.js';

/** Replaces the secrets of an event, those in `raw` too. Fields nested too deep are left out. */
export function redactEvent(event: Event): Event {
  try {
    return redactSecrets(event);
  } catch {
    return redactSecrets(withoutDepths(event));
  }
}

/**
 * Replaces everything in the texts of a JSON value that looks like a key, token or password with `[redacted:<kind>]`. A
 * text under a name such as `password` or `api_key` is always replaced.
 */
export function redactSecrets<T>(value: T): T;
export function redactSecrets(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map((item) => redactSecrets(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const said = entries.find(([name, inner]) => /^(?:name|key)$/i.test(name) && typeof inner === 'string')?.[1];
  const isAboutSecret = typeof said === 'string' && isSecretName(said);
  // fromEntries defines properties, so a key such as __proto__ stays data.
  return Object.fromEntries(
    entries.map(([name, inner]) => {
      // { name: 'DB_PASSWORD', value: '…' }
      const isNamed = isSecretName(name) || (isAboutSecret && /^value$/i.test(name));
      return [
        redactName(name),
        isNamed ? redactValue(inner) : name === 'auth' ? redactAuth(inner) : redactSecrets(inner),
      ];
    }),
  );
}

/** A field name may contain a secret too: answers are stored under the text of their question. */
function redactName(name: string): string {
  return name.length < shortestKey ? name : redactText(name);
}
const shortestKey = 20;

function redactValue(value: unknown): unknown {
  if (typeof value !== 'string' || isPlaceholder(value)) return redactSecrets(value);
  const text = redactText(value);
  // Keeps a more exact replacement, such as Bearer [redacted:jwt].
  return /^(?:[A-Za-z]{1,20} )?\[redacted:[a-z-]+\]$/.test(text) ? text : '[redacted:password]';
}

function redactAuth(value: unknown): unknown {
  return typeof value === 'string' && isBasicAuth(value) ? '[redacted:credentials]' : redactSecrets(value);
}

/** Each finder searches what the finders before it left: a password of several words may contain a key. */
const finders = [privateKeysIn, keysIn, headerSecretsIn, namedSecretsIn];

function redactText(text: string): string {
  if (text.length < shortestSecret) return text;
  return finders.reduce((rest, find) => withoutSpans(rest, find(rest)), text);
}

const shortestSecret = 8;
