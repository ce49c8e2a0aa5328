// The names that mean "secret", and how sure each of them is.

/** How much the name of a value says about it. */
export interface Name {
  readonly start: number;
  readonly end: number;
  readonly word: string;
  /** A value counts only if it looks random and is at least this long; 0: any value does. */
  readonly least: number;
  /** `token` means many things, so numbers and words of a sentence are no values. */
  readonly isToken: boolean;
  /** `passwords` has a list. */
  readonly isPlural: boolean;
  /** A PIN or a code that was sent: digits are a value. */
  readonly isCode: boolean;
  /** `login` and `auth` are followed by a user and a password, or by a password alone. */
  readonly isLogin: boolean;
  /** The whole name is a word of many sentences. */
  readonly isOrdinary: boolean;
}

const codeOwner =
  '(?:2fa|mfa|sms|time|verification|security|confirmation|auth(?:entication)?|login|access|unlock|door|reset|pairing)[_ -]?';
// Grouped by their first letters, because a pattern with few beginnings is searched for faster.
const secretWords = [
  'p(?:epper|ass(?:[_ -]?phrase|[_-]?(?:word|wd|code|wort)|ord)?|s?wd?|at|sk|hpsessid|arola|in(?:[_ -]?(?:code|number))?)',
  's(?:ecret(?:[_. -]?key)?|enha|alasana|alt|ifre|eed[_ -]phrase|hared[_-]?access[_-]?signature)',
  't(?:oken|otp)|code[_-]?verifier',
  `c(?:red(?:ential|s(?![a-z])|(?![a-z]))s?|ontrase[nñ]a|onnect\\.sid|lave|v[vc]|ode(?<=${codeOwner}code))`,
  'a(?:uth(?:orization|enticate)?|sp\\.net_sessionid|dgangskode)',
  'jwt|(?:set-)?cookie|(?:mfa|t?otp|wallet)_?seed|k(?:ey|ennwort)|m(?:nemonic|ot[ _]de[ _]passe|ật khẩu)|l(?:og[ -]?in|[öo]senord|ozinka)|h(?:as[łl]o|eslo)',
  'j(?:sessionid|elsz[óo])|o(?:tp|auth2-bearer)|wachtwoord|(?:recovery|backup)[_ -]?(?:code|key|phrase)|security[_ -]?answer',
  'identified[ \\t]{1,4}(?:with[ \\t]{1,4}[^\\s]{1,40}[ \\t]{1,4})?by',
  'пароль|парола|лозинка|құпия сөз|密[码碼钥鑰]|口令|令牌|パスワード|トークン|暗証番号|秘密鍵|비밀번호|암호|토큰|κωδικός|סיסמה',
  'كلمة (?:المرور|السر)|رمز عبور|گذرواژه|پاس ورڈ|पासवर्ड|পাসওয়ার্ড|கடவுச்சொல்|รหัสผ่าน|პაროლი|գաղտնաբառ|şifre|parolă|slaptažodis|lykilorð',
  'kata (?:sandi|laluan)|palavra-passe|geslo|parool|paroles?|contrasenya|pasahitza|fjalëkalim|zugangsdaten',
].join('|');
/** These say less: they are names only with what is before them, or of values that look like secrets. */
const unsure =
  /^(?:p(?:epper|ass(?![_ -]?phrase|[_-]?(?:word|wd|code|wort)|ord)|s?wd?(?![a-z])|at|sk|in)|key|salt|clave|code|t?otp(?!_?seed)|cv|auth(?!or)|log|jwt|(?:set-)?cookie)/i;
const nameEnding =
  '(?:[_. -]?[0-9]{1,3}|[_.-]?(?:base|prod|production|dev|development|staging|live|test|local|root|admin|main|default|value|string|binary|text|raw|plain|plaintext|b64|base64|hash|data|old|new|current|previous|primary|secondary|confirm|confirmation|repeat|again))?';

/** tokenForStaging, TF_TOKEN_example_org, secret_v2: what is more than the word, but not about it. */
const nameRest = '([_-]?[A-Za-z][A-Za-z0-9_-]{0,40})';
const finder = new RegExp(
  `(?:${secretWords})(s(?![a-z]))?(?:${nameEnding}_{0,2}(?![A-Za-z0-9_])|${nameRest}(?![A-Za-z0-9_]))`,
  'gi',
);
const aboutName =
  /(?:file|path|ur[li]|name|ids?|type|len|length|count|limit|size|usage|budget|exp|expiry|expire[sd]?|ttl|age|at|time|date|policy|field|input|label|hint|reset|manager|service|provider|list|index|kind|regex|pattern|rules?|error|test|spec|endpoint|header|prefix|ref|arn|version|schema|class|command|stdin|fd|env|encryption|algorithm|method|format|color)$/i;

/** The next name at or after a place. */
export function nextName(text: string, from: number): Name | null {
  finder.lastIndex = from;
  for (let match = finder.exec(text); match !== null; match = finder.exec(text)) {
    const name = secretName(text, match);
    if (name !== null) return name;
    finder.lastIndex = match.index + 1;
  }
  return null;
}

/** How much the name of a field says. */
export function fieldName(name: string): Name | null {
  const text = name.length > longestFieldName ? name.slice(-longestFieldName) : name;
  for (let found = nextName(text, 0); found !== null; found = nextName(text, found.end))
    if (found.end === text.length) return found;
  return null;
}
const longestFieldName = 200;

/** Whether a field of this name is a secret, whatever its value looks like. */
export function isSecretName(name: string): boolean {
  const found = fieldName(name);
  return found !== null && found.least === 0 && !found.isPlural;
}

function secretName(text: string, match: RegExpExecArray): Name | null {
  const start = match.index;
  const [word, plural = '', rest = ''] = match;
  if (rest !== '' && !isRest(word, rest)) return null;
  const isToken = /^token/i.test(word);
  // sacred
  const isOther = /^creds?$/.test(word) && /[A-Za-z]/.test(text[start - 1] ?? '');
  const whole = unsure.test(word) ? leastOf(text, start, word) : isOther ? null : 0;
  if (whole === null || (rest !== '' && whole > 0)) return null;
  const least = rest === '' ? whole : 7;
  const before = text.slice(Math.max(0, start - 24), start);
  if (isToken && ordinaryToken.test(before)) return null;
  const [end, isPlural] = [start + word.length, plural !== ''];
  const isCode = /^(?:pin|t?otp|cv|code|pass[_-]?code)/i.test(word);
  // REDISCLI_AUTH=…
  const isLogin = /^(?:auth(?!or)|log)/i.test(word) && !(/^AUTH$/.test(word) && before.endsWith('_'));
  const isOrdinary = /^(?:token|secret|cred|auth|log|pass(?![a-z]))/i.test(word) && !/[\w.-]$/.test(before);
  return { start, end, word, least, isToken, isPlural, isCode, isLogin, isOrdinary };
}

function isRest(word: string, rest: string): boolean {
  const begins = /^[_-]/.test(rest) || (/^[A-Z]/.test(rest) && /[a-z]$/.test(word.slice(0, -rest.length)));
  return begins && !aboutName.test(rest) && !/(?:pass\w{0,8}|pwd?|secret|token|key|cred\w{0,8})$/i.test(rest);
}

const ordinaryToken =
  /(?:^|[^A-Za-z]|[a-z](?=[A-Z]))(?:max|min|num|next|prev|previous|page|paging|pagination|continuation|cursor|sync|resume|change|start|end|stop|[beps]os|pad|unk|sep|cls|mask|special|per|total|input|output|cached?|prompt|completion|reasoning|thinking|used|remaining|count|first|last|unexpected|invalid token|skip|of)(?:new)?[_ -]?$/i;

/** `key` alone is a name only of what is clearly random. */
export const bareKey = 12;

/** Short words are names only as part of another: DB_PW, dbPass, storepass; not compass. */
function leastOf(text: string, start: number, word: string): number | null {
  const before = text[start - 1] ?? '';
  const isPassword = /^p(?:ass|s?wd?)(?![a-z])/i.test(word);
  const isPart = /[_.;-]/.test(before) || (/[a-z]/.test(before) && /^[A-Z]/.test(word));
  if (/^key/i.test(word) && keyOwner.test(text.slice(Math.max(0, start - 14), start))) return 0;
  if (/^key/i.test(word)) {
    if (ordinaryKey.test(text.slice(Math.max(0, start - 16), start))) return null;
    if (/[?&]/.test(before)) return 7;
    return isPart ? (/^KEY/.test(word) ? 7 : 16) : /[A-Za-z0-9]/.test(before) ? null : bareKey;
  }
  if (/^code/i.test(word)) return 4;
  if (/^(?:jwt|set|cookie)/i.test(word)) return /[A-Za-z0-9]/.test(before) && !isPart ? null : 8;
  if (/^(?:pin|t?otp|cv|clave|auth|log)/i.test(word))
    return isPart || !/[A-Za-z0-9]/.test(before) || /^A/.test(word) ? 4 : null;
  if (isPart) return isPassword ? 0 : /^salt/.test(word) ? 16 : 8;
  if (!/[A-Za-z0-9]/.test(before))
    return isPassword || /^psk/i.test(word)
      ? 6
      : /^(?:salt|pepper)/i.test(word)
        ? /^[SP][AE]/.test(word)
          ? 8
          : 16
        : null;
  return isPassword && joinedBefore.test(text.slice(Math.max(0, start - 8), start)) ? 0 : null;
}

const keyOwner =
  /(?:access|account|activation|admin|api|app|auth|client|consumer|deploy|encryption|hmac|host|jwt|cookie|session|aes|gpg|ssh|license|master|private|role|secret(?:or)?|service|shared|signing|storage|subscription|tls|unseal|webhook)[_. -]?$/i;
const ordinaryKey =
  /(?:cache|public|primary|foreign|sort|partition|routing|idempotency|object|s3|row|hash|range|lookup|group|index|unique|message|event|item|map|json|dict|locale|i18n|translation|registry|natural|composite|tmp|any|hot|react|struct|field|press\w{0,3})[_. -]?$/i;

const joinedBefore =
  /(?:store|key|require|user|root|admin|db|my|sudo|become|login|smtp|mail|ftp|ssh|bind|wifi|wpa|sql|pg|redis|vnc|proxy|http|basic|src|dest|net|rabbit|app|repo|svc|-[uo])$/i;

/** What is said about a secret, rather than the secret. */
export const plainField =
  /(?:^|_|[a-z])(?:id(?<!^sid)|name|type|kind|url|uri|at|date|time|expires?|expiry|scopes?|user|email|path|file|version|arn|host|status)$/i;

/** The fields of an object that hold what its name says: {"secret": {"value": "…"}}. */
export const valueFields =
  '(?:string|secret|plain|text|default|current|parameter|new|old)?_?(?:v|val(?:ues?)?|default|data|content|plaintext|text|string|access|refresh|new|old|raw|secure|with)';
export const valueField = new RegExp(`^${valueFields}$`, 'i');
