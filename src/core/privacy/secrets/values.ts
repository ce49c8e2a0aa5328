// The names that mean "secret", how sure each of them is, and what looks like the value of one.

export interface Place {
  readonly start: number;
  readonly end: number;
}

/** How much the name of a value says about it. */
export interface Name extends Place {
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
function isSecretName(name: string): boolean {
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
  if (
    (isToken && ordinaryToken.test(before)) ||
    (word.length - rest.length < 5 && (inBase64.test(before) || /[0-9][A-Za-z]|[A-Z]{2}/.test(rest)))
  )
    return null;
  const [end, isPlural] = [start + word.length, plural !== ''];
  const isCode = /^(?:pin|t?otp|cv|code|pass[_-]?code)/i.test(word);
  // REDISCLI_AUTH=…
  const isLogin = /^(?:auth(?!or)|log)/i.test(word) && !(/^AUTH$/.test(word) && before.endsWith('_'));
  const isOrdinary = /^(?:token|secret|cred|auth|log|pass(?![a-z]))/i.test(word) && !/[\w.-]$/.test(before);
  return { start, end, word, least, isToken, isPlural, isCode, isLogin, isOrdinary };
}

/** Short names occur in hashes and pictures by chance. */
const inBase64 = /(?=[A-Za-z]{0,20}[0-9+/])[A-Za-z0-9+/]{12,24}$/;

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
  /(?:cache|public|recv|primary|foreign|sort|partition|routing|idempotency|object|s3|row|hash|range|lookup|group|index|unique|message|event|item|map|json|dict|locale|i18n|translation|registry|natural|composite|tmp|any|hot|react|struct|field|press\w{0,3})[_. -]?$/i;

const joinedBefore =
  /(?:store|key|require|user|root|admin|db|my|sudo|become|login|smtp|mail|ftp|ssh|bind|wifi|wpa|sql|pg|redis|vnc|proxy|http|basic|src|dest|net|rabbit|app|repo|svc|-[uo])$/i;

/** What is said about a secret, rather than the secret. */
export const plainField =
  /(?:^|_|[a-z])(?:id(?<!^sid)|name|type|kind|url|uri|at|date|time|expires?|expiry|scopes?|user|email|path|file|version|arn|host|status)$/i;

/** The fields of an object that hold what its name says: {"secret": {"value": "…"}}. */
export const valueFields =
  '(?:string|secret|plain|text|default|current|parameter|new|old)?_?(?:v|val(?:ues?)?|default|data|content|plaintext|text|string|access|refresh|new|old|raw|secure|with)';
export const valueField = new RegExp(`^${valueFields}$`, 'i');

// Where a value ends, and whether it is one: not a type, a variable, a call or a word of a sentence.
export interface Value extends Place {
  readonly isQuoted: boolean;
}

/** The begin of what is between two places: enough to judge it. */
export function saidAt(text: string, { start, end }: Place): string {
  return text.slice(start, Math.min(end, start + 400));
}

const quoteOpening = /[bBrRfFuULN@$]{0,2}("""|'''|```|["'`])/y;

export function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

/** A text in quotes of any kind. Without its end it goes to the end of the line; in three quotes, of the text. */
export function quotedAt(text: string, from: number, to = text.length): Value | null {
  quoteOpening.lastIndex = from;
  const [open = '', quote = ''] = quoteOpening.exec(text) ?? [];
  if (open === '') return null;
  const begin = from + open.length;
  const close =
    quote.length === 3 ? text.slice(begin, to).indexOf(quote) : closingQuote(text, begin, quote, to) - begin;
  const start = text[begin] === '\n' ? begin + 1 : begin;
  const end = close === -1 ? to : begin + close;
  return end - start < 3 ? null : { start, end, isQuoted: true };
}

/** The index of the quote that closes the one before `start`, or of the end of the line. */
export function closingQuote(text: string, start: number, quote: string, to = text.length): number {
  let isEscaped = false;
  for (let at = start; at < to; at += 1) {
    const sign = text[at];
    if (sign === '\n' || (sign === quote && !isEscaped)) return at;
    isEscaped = sign === '\\' && !isEscaped;
  }
  return to;
}

/** The quote right before this place. */
export function quoteBefore(text: string, at: number): string | null {
  const mark = text[at - 1] ?? '';
  return /["'`]/.test(mark) && text[at - 2] !== '\\' ? mark : null;
}

/** The index of the first character of `ends`. */
export function wordEnd(text: string, from: number, ends: RegExp, to = text.length): number {
  let end = from;
  while (end < to && !ends.test(text[end] ?? '')) end += 1;
  return end;
}

/** What ends a value in the middle of a line. */
export const delimiter = /[\s"'`\\&;,|)<>}\]]/;
export const lineBreak = /[\r\n]/;

/** Where the run of such characters that ends at `at` begins. */
export function runStart(text: string, at: number, characters: RegExp, longest: number, from = 0): number {
  let start = at;
  while (start > from && at - start < longest && characters.test(text[start - 1] ?? '')) start -= 1;
  return start;
}

/** The start of a name whose last word says that it is secret. */
export function nameStart(text: string, at: number): number {
  return runStart(text, at, /[A-Za-z0-9_.-]/, 64);
}

const lineBegin =
  /^[ \t]{0,40}(?:[+>|<#*?-][ \t]{0,40}){0,3}(?:(?:export|set|setx|env|ENV|ARG|let|local|declare|-e|--env)[ \t]{1,4})?[\w.-]{0,64}$/;

/** Whether the name that ends with the word at this place is the first thing on its line. */
export function startsLine(text: string, at: number): boolean {
  let start = at;
  while (start > 0 && at - start < longestLineBegin && text[start - 1] !== '\n') start -= 1;
  return at - start < longestLineBegin && lineBegin.test(text.slice(start, at));
}
const longestLineBegin = 240;

const longestPlaceholder = 200;

/** Whether a text is a type, a variable or a name, rather than a secret. */
export function isPlaceholder(text: string): boolean {
  if (text.length > longestPlaceholder) return false;
  const bare = text.replace(/^(?:basic|bearer|token) (?=[$%<{[])/i, '').replace(/[,;\])]$/, '');
  if (
    /^(?:[\w-]{1,30} )?(?:\[redacted:[a-z-]{1,30}\]|\*{12,60})\W{0,3}$/.test(bare) ||
    /^[0-9]*\.?[0-9]+(?:e[+-]?[0-9]+|\.[0-9]+)$|^[\^~<>=v]{0,2}[0-9]+\.[0-9]+(?:\.[0-9]+)?(?:-[\w.]+)?$/.test(bare)
  )
    return true;
  return (
    /^\W{0,8}$|^:[a-z_]{1,40}$|^#[0-9a-f]{3,8}$|a-z(?:A-Z)?0-9/i.test(bare) ||
    typeWord.test(bare) ||
    sentence.test(bare) ||
    sentenceLabel.test(bare) ||
    isVariable(bare) ||
    // dbPassword, token2 and DB_PASSWORD_2 are names, Password1 is a password.
    (/^(?:[^\W0-9]|[.-])+$|^[A-Z_]{3,}[0-9]?$|^(?:[a-z][A-Za-z_]*(?:T|_t|K|_k)|[tk])(?:oken|ey)s?[0-9]$/.test(bare) &&
      isSecretName(bare))
  );
}

const typeWord =
  /^(?:&?(?:'\w{1,10} )?(?:string|str|text|varchar|bytes?|number|int|bool(?:ean)?|any|unknown|never)|null|nil|none|undefined|true|false|required|optional|redacted|hidden|masked|changeme|enabled|disabled|secretstr|securestring|basic|bearer|inherit|include|omit|same-origin|write|utf-?8|(?:your|insert|enter|replace|example|dummy|sample|placeholder)(?:[_ -][a-z]{1,20}){0,6}|[\w-]{0,20}(?:x{6,99}|[_-]\.{3})|x+|\*+|•+|\.{2,}|…)\W{0,3}$/i;

/** Too short */
const sentence = /^[A-Z][a-z']{1,20}(?: [a-z']{1,20}){1,8}[.!?]?$(?<!^(?:Bearer|Token|Basic) \w{1,40})/;
/** Forgot password? */
const sentenceLabel =
  /^[A-Z][a-z']{1,20}(?: [a-z']{1,20}){0,6} (?:password|passphrase|token|secret|key|pin)s?\W{0,3}$/i;

/** $NAME, ${…}, %NAME%, <…>, {{…}}, [redacted:…]; the end may be missing. */
function isVariable(text: string): boolean {
  return /^(?:\$\{[^}]{0,100}\}?|\$\([^)]{0,100}\)?|\$\w{1,60}|%\w{1,60}%|%(?:\(\w{1,60}\))?[sdrvq](?:\\[nrt]){0,2}|<[^<>]{0,100}>?|\{{1,3}[\w .$()'"-]{0,100}\}{0,3}|\[[^\]]{0,100}\]?|\*+)$/.test(
    text,
  );
}

/** A call, a member expression, or something in the place of a type. */
export function isCode(text: string, sign: string): boolean {
  if (/^(?:process|import|os|env|self|this|req|args|options|config)[.[]/.test(text)) return true;
  if (/^!{0,2}[A-Za-z_$][\w.$]{0,100}(?:[([<]|\?\.)|^[([{<$]/.test(text)) return true;
  if (/^[A-Za-z_$][A-Za-z_$]{0,60}(?:\.[A-Za-z_$]{1,60}){1,6}[;,]?$/.test(text)) return true;
  return /^[a-z]+(?:_[a-z]+)+,$/.test(text) || (/:$| =$/.test(sign) && /^[A-Za-z_$.]{1,60}(?:\[\])?[,;]$/.test(text));
}

/** Letters with digits or signs among them, but not an address, path, time or number with a unit. */
export function looksRandom(text: string, length: number): boolean {
  if (text.length < length || !/[A-Za-z]/.test(text) || !/[0-9]|[A-Za-z][!@#$%^].{0,400}[A-Za-z]/.test(text))
    return false;
  return !ordinary.test(text);
}
const ordinary =
  /^(?:https?[:/]|sha[0-9]{1,3}[:-]|\/|\.{1,2}\/|~\/|[0-9.,]{1,12}[A-Za-z]{1,2}$|!{0,2}[A-Za-z_]\w{0,60}(?:[([.]|\?\.)|(?:sha|md|base|utf|argon|bcrypt|pbkdf|scrypt|rs|hs|es|oauth|v)-?[0-9]{1,3}(?:id?)?$)/i;

/** Random beyond doubt: cases and digits mixed, signs among them, or a long run of letters and digits. */
export function looksStrong(text: string): boolean {
  if (
    !looksRandom(text, 10) ||
    /-[0-9a-f]{40,64}$|^[0-9A-F]{40}$|[/:]|[$#{]\{|\.\w{1,5}$|[a-z]\.[A-Za-z_]|^[\w.]{1,60}\(/.test(text) ||
    uuid.test(text)
  )
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

/** Words with digits in them that mean something. */
const digitWords =
  /(?:base|utf-?|sha-?|md|oauth|https?|argon|ipv|win|arm|u?int|float|python|log|neo|auth|sqlite|aes-?|web|gpt-?)(?:8|16|32|64|128|192|224|256|384|512|2|3|4|5|6)(?![0-9])|(?<![A-Za-z0-9])(?:x|i|l|k|a|es|ed|p|h|mp|s|ec|rs|hs|vec|mat)(?:86|18n|10n|11y|8s|20[0-9]{2}|25519|26[45]|[2-9]|256|384|509|512)(?![A-Za-z0-9])|2(?:csv|json|xml|html|pdf|png|ima?ge?|text|str|bool|int|num|vec|array|list|dict|canvas|md|ts|js|yaml|db|sql|key|hex|bin|bytes|base|url|obj)(?![a-z])/gi;

/** Letters and digits mixed as in no word, name, version, number, id of a commit, file or address. */
export function looksMixed(text: string, isQuoted: boolean): boolean {
  if (text.length < 6 || text.length > 400 || notMixed.test(text) || uuid.test(text)) return false;
  return text
    .replace(digitWords, '')
    .split(/[-_.:/+=~]/)
    .some((part) => isMixed(part, isQuoted));
}

/** Mixed, or with letters and digits and none of the shapes of other things. */
export function looksLikely(text: string, isQuoted: boolean): boolean {
  if (looksMixed(text, isQuoted)) return true;
  return (
    isQuoted &&
    text.length < 400 &&
    looksRandom(text, 8) &&
    !isNumbered(text) &&
    !otherShape.test(text) &&
    !uuid.test(text)
  );
}
const otherShape =
  /[\s:]|\w@[\w-]{1,60}\.|\.\w{1,5}$|\/.{0,40}\/|^(?:aes|sha|md|hs|rs|es|des|utf|gen_|bf|base|rsa\w{0,8}|ecdsa|ed|x)-?[0-9_]|^\d{4}-\d\d|a-z|^\d[\d.]{1,14}$/i;

/** Names have a digit or two at the end of a word: json2csv, step1Result, user12. */
function isMixed(part: string, isQuoted: boolean): boolean {
  const letters = part.replace(/[^A-Za-z]/g, '').length;
  const digits = part.replace(/[^0-9]/g, '').length;
  if (part.length < 5 || letters < 2 || digits === 0) return false;
  if (
    digits > 2 ||
    /[A-Za-z][0-9]{2}[a-z]|[A-Za-z][0-9][a-z]{1,60}[0-9]|[0-9][!@#%^&*]\w|\w[!@#%^&*]\w{0,60}[0-9]/.test(part)
  )
    return true;
  return (
    /[a-z][0-9][a-z]{3}/.test(part) ||
    (isQuoted && /[A-Za-z][0-9][a-z]|[a-z]\w{0,40}[0-9][A-Z]{2}|[a-z][0-9]{2}$/.test(part))
  );
}
const notMixed =
  /^(?:[0-9a-f]{6,64}|0x[0-9A-Fa-f]{1,64}|[A-Z]{2,8}[-#]?[0-9]{1,6}|[0-9]{4}-[0-9]{2}-.{0,60}|[0-9.,:]{1,20}[A-Za-z%]{0,3}|(?:https?:|sha[0-9]{1,3}[:-]|data:|toolu_|msg_|req_|claude-|[./~@#$-]).{0,400}|.{0,200}\.(?:[cm]?[jt]sx?|json|ya?ml|toml|md|py|go|rs|rb|java|kt|c|h|cc|cpp|cs|php|sh|txt|html?|s?css|sql|lock|log|env|conf|cfg|ini|xml|csv|svg|png|jpe?g|pem|key|pub|zip|t?gz|exe|dll|so)(?:[:,][0-9].{0,20})?)$/;

/** gpt-4, parse2, 1.2.3, HTTP/1.1 */
export function isNumbered(text: string): boolean {
  return /^v?[0-9]{1,5}(?:\.[0-9]{1,5}){1,4}|^[A-Za-z_]{1,60}[-/.]?[0-9]{1,4}(?:\.[0-9]{1,3})?$/.test(text);
}

/** The digits of a PIN or of a code that was sent. */
export function isDigits(said: string): boolean {
  return /^[0-9]{4,10}$|^[0-9]{3,4}-[0-9]{3,4}$/.test(said);
}

// Tables of patterns, written as text: a pattern needs no second backslash, and a row no brackets.

/** One row per line: words and, last, a pattern, which may contain blanks. Lines that begin with # say what follows. */
export function rowsOf(table: string): (readonly [name: string, pattern: string])[] {
  return table.split('\n').flatMap((line) => {
    const [, name, pattern] = /^([^\s#]{1,900}) {1,40}(.{1,4000})$/.exec(line) ?? [];
    return name === undefined || pattern === undefined ? [] : [[name, pattern] as const];
  });
}
