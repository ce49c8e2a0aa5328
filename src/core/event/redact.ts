// Replaces the secrets in events and texts for `--redact`.
import { withoutDepths } from '../record/json.js';
import type { Event } from './event.js';

/** Replaces the secrets of an event, also those in raw. Fields that are nested too deep are left out. */
export function redactEvent(event: Event): Event {
  try {
    return redactSecrets(event);
  } catch {
    return redactSecrets(withoutDepths(event));
  }
}

/**
 * Replaces everything in the texts of a JSON value that looks like a key, token or password by `[redacted:<kind>]`.
 * A text under a name such as `password` or `api_key` is always replaced.
 */
export function redactSecrets<T>(value: T): T;
export function redactSecrets(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map((item) => redactSecrets(item));
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries defines properties, so that a key such as __proto__ stays data.
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [redactName(name), redactField(name, inner)]));
}

/** What `--redact` replaces, by the kind in `[redacted:jwt]`. */
export const secretKinds = {
  'private-key': 'private keys in PEM or PGP armour, whole or cut off',
  'anthropic-key': 'sk-ant-…',
  'openai-key': 'sk-proj-…, sk-svcacct-…, sk-admin-…, sk- and 32 or more letters',
  'github-token': 'ghp_…, gho_…, ghu_…, ghs_…, ghr_…, github_pat_…',
  'gitlab-token': 'glpat-… and its kin: deploy, runner, agent, feed, trigger and OAuth tokens',
  'slack-token': 'xoxb-…, xoxp-… and the like, xapp-…, what follows in the address of an incoming webhook',
  'aws-key': 'access key ids: AKIA…, ASIA…, ABIA…, ACCA…',
  'google-key': 'AIza…, GOCSPX-…, ya29.…',
  'stripe-key': 'sk_live_…, sk_test_…, rk_…, whsec_…',
  'npm-token': 'npm_…',
  'pypi-token': 'pypi-…',
  'api-key':
    'keys of other services known by how they begin: Hugging Face, Groq, xAI, Perplexity, OpenRouter, Replicate, Tavily, LangSmith, Pinecone, DigitalOcean, Docker Hub, Linear, Notion, Figma, Atlassian, Postman, Shopify, Supabase, PlanetScale, Doppler, Databricks, Grafana, Sentry, Vault, SendGrid, Mailgun, Telegram, age',
  jwt: 'eyJ….eyJ….…',
  authorization: 'the value of an Authorization header, and what follows Bearer',
  credentials: 'user and password in a URL, or a token in their place',
  password:
    'what follows a name that ends in password, passwd, passphrase, secret, token, credentials, api_key, access_key, private_key and the like, in code, JSON, YAML, the environment, a query or a flag; and every text under such a name',
} as const;

type SecretKind = keyof typeof secretKinds;

/** The name of a field may contain a secret too: answers are stored under the text of their question. */
function redactName(name: string): string {
  return name.length < shortestKey ? name : redactText(name);
}
const shortestKey = 20;

function redactField(name: string, value: unknown): unknown {
  if (typeof value !== 'string' || !secretName.test(name) || isPlaceholder(value)) return redactSecrets(value);
  const text = redactText(value);
  return text === value ? '[redacted:password]' : text;
}

function redactText(text: string): string {
  if (text.length < shortestSecret) return text;
  return shapes.reduce((rest, { shape, put }) => rest.replace(shape, put), text);
}

const shortestSecret = 8;

interface Shape {
  readonly shape: RegExp;
  readonly put: (match: string, before: string, secret: string) => string;
}

// Texts come from anywhere, so every shape has to take linear time: it matches what it has read, or fails early.
const whole = (kind: SecretKind, shape: RegExp): Shape => ({ shape, put: () => `[redacted:${kind}]` });
/** Does not match in the middle of a word, such as the sk- of task-. */
const prefixed = (kind: SecretKind, prefix: string, rest: string, before = 'A-Za-z0-9'): Shape =>
  whole(kind, new RegExp(`(?<![${before}])${prefix}${rest}`, 'g'));
/** For short prefixes, which may occur by chance in the middle of base64. */
const base64 = 'A-Za-z0-9_+/-';
/** The shape has two groups: the text before the secret, which stays, and the secret. */
const after = (kind: SecretKind, shape: RegExp, isHarmless: (secret: string) => boolean): Shape => ({
  shape,
  put: (match, before, secret) => (isHarmless(secret) ? match : `${before}[redacted:${kind}]`),
});

const secretWord =
  '(?:pass(?:word|wd|phrase)|(?<=_)pwd|secret|token|credentials?|authorization|(?:api|access|account|auth|encryption|master|private|secret|signing|shared)[_-]?key)';
const secretName = new RegExp(`${secretWord}$`, 'i');
const quote = `\\\\{0,4}["']`;

const shapes: readonly Shape[] = [
  whole(
    'private-key',
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----)[\s\S])*-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{32,})*)/g,
  ),
  prefixed('anthropic-key', 'sk-ant-', '[A-Za-z0-9_-]{16,}'),
  prefixed('openai-key', 'sk-', '(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})'),
  prefixed('github-token', '(?:gh[oprsu]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9]{22})', '[A-Za-z0-9_]*'),
  prefixed('gitlab-token', 'gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat)-', '[A-Za-z0-9_-]{20}[A-Za-z0-9_.-]*'),
  prefixed('slack-token', '(?:xox[abceoprs]|xapp)-', '[A-Za-z0-9-]{10,}'),
  whole('slack-token', /(?<=\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/]{20,}/g),
  prefixed('aws-key', '(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)', '[A-Z0-9]{16}(?![A-Za-z0-9_+/=-])', base64),
  prefixed(
    'google-key',
    '(?:AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20}|ya29\\.[A-Za-z0-9_-]{20})',
    '[A-Za-z0-9_-]*',
    base64,
  ),
  prefixed('stripe-key', '(?:[rs]k_(?:live|test)|whsec)_', '[A-Za-z0-9]{16,}'),
  prefixed('npm-token', 'npm_', '[A-Za-z0-9]{36}(?![A-Za-z0-9])'),
  prefixed('pypi-token', 'pypi-', '[A-Za-z0-9_-]{50,}'),
  prefixed(
    'api-key',
    '(?:hf_|gsk_|xai-|pplx-|sk-or-v1-|tvly-|lsv2_[ps]t_|pcsk_|dop_v1_|dckr_pat_|lin_api_|ntn_|figd_|ATATT3|PMAK-|shp(?:at|ca|pa|ss)_|sbp_|pscale_tkn_|glsa_|sntry[su]_)',
    '[A-Za-z0-9_-]{24,}',
  ),
  prefixed('api-key', '(?:hvs\\.|dp\\.[a-z]{2}\\.|SG\\.[A-Za-z0-9_-]{16,32}\\.|AGE-SECRET-KEY-)', '[A-Za-z0-9_-]{24,}'),
  prefixed('api-key', '(?:r8_[A-Za-z0-9]{37}|(?:key-|dapi)[0-9a-f]{32})', '(?![A-Za-z0-9])', base64),
  prefixed('api-key', '[0-9]{8,10}:AA', '[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])', base64),
  prefixed('jwt', 'eyJ[A-Za-z0-9_-]{8,}\\.eyJ', '[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*', 'A-Za-z0-9_-'),
  after(
    'authorization',
    new RegExp(
      `(authorization(?:${quote})?\\s{0,4}[:=]\\s{0,4}(?:${quote})?(?:(?:basic|bearer|digest|token)\\s{1,4})?)([^\\s"'\\\\,;]{6,})`,
      'gi',
    ),
    isPlaceholder,
  ),
  after('authorization', /(?<![A-Za-z])(bearer\s{1,4})([A-Za-z0-9._~+/-]{20,}=*)/gi, (secret) => !/\d/.test(secret)),
  after(
    'credentials',
    /(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{0,30}:\/\/)([^\s/?#@"'<>\\:]{0,256}:[^\s/?#@"'<>\\]{1,512})(?=@)/g,
    (pair) => isVariable(pair.slice(pair.indexOf(':') + 1)),
  ),
  whole('credentials', /(?<=(?<![A-Za-z0-9+.-])https?:\/\/)[A-Za-z0-9_.-]{20,512}(?=@)/g),
  // API_KEY: "…", "token":"…", also escaped as in JSON inside a text.
  after(
    'password',
    new RegExp(`(${secretWord}(?:${quote})?\\s{0,4}(?:=>|:=|[:=])\\s{0,4}${quote})([^\\s"'\\\\]{3,})`, 'gi'),
    isPlaceholder,
  ),
  after('password', new RegExp(`(${secretWord}=)([^\\s"'\\\\&;,|)>]{3,})`, 'gi'), isPlaceholder),
  after(
    'password',
    new RegExp(`(${secretWord}(?<=--[a-z-]{0,48}) {1,4})([^\\s"'\\\\-][^\\s"'\\\\]{2,})`, 'gi'),
    isPlaceholder,
  ),
  // A line of its own, as in YAML or a properties file.
  after(
    'password',
    new RegExp(
      `^([ \\t-]{0,32}[A-Za-z0-9_.-]{0,64}?${secretWord}[ \\t]{0,4}[:=][ \\t]{1,4})([^\\s"'][^\\s]{2,})(?=[ \\t]{0,8}$)`,
      'gim',
    ),
    isPlaceholder,
  ),
];

/** Whether a text is no secret but a type, a variable, a call or another name. */
function isPlaceholder(text: string): boolean {
  return text === '' || typeWord.test(text) || isVariable(text) || (/^[\w.-]+$/.test(text) && secretName.test(text));
}

const typeWord =
  /^(?:string|str|text|varchar|bytes?|number|int|bool(?:ean)?|any|unknown|never|null|nil|none|undefined|true|false|required|optional|x+|\*+|\.+)\W{0,3}$/i;

function isVariable(text: string): boolean {
  return /^(?:[$%<{[(]|\*+$|(?:process|import|os|env|self|this|req|args|options|config)[.[])|^[A-Za-z_][\w.]*[([]/.test(
    text,
  );
}
