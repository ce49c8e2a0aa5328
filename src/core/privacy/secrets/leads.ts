// Finds secrets by what leads to them: a header, an address, the flag of a program, a function that takes a password.

import type { SecretKind, Span } from '../redact.js';
import { charactersOf, runEnd } from './keys.js';
import {
  closingQuote,
  isCode,
  isNumbered,
  isPlaceholder,
  lineBreak,
  looksLikely,
  looksRandom,
  looksStrong,
  matchAt,
  nameStart,
  type Place,
  quoteBefore,
  quotedAt,
  rowsOf,
  runStart,
  saidAt,
  startsLine,
  uuid,
  wordEnd,
} from './values.js';

/** `start` and `end` are those of the lead; the secret comes after it, or around it. */
type ReadSecret = (text: string, end: number, start: number) => Span | readonly Span[] | null;

/** A flag, and what is between it and its value: a blank, =, nothing, or what separates the texts of a list. */
const flagPattern = (names: string, isTight = true) =>
  `(?<=[\\s"'])(?:${names})(?:["'],\\s{0,8}(?=["'])|[ \\t]{0,4}=?[ \\t]{0,4}${isTight ? '' : '(?<=[\\s=])'})(?!-)`;

/** Programs, and what leads to a secret in the rest of their command. Where nothing else is said, the secret is a word. */
const programRows: readonly (readonly [names: string, lead: string, read: ReadSecret])[] = [
  ['curl|https?|xh|wget', flagPattern('-[a-zA-Z]{0,6}[uUa]|--user|--proxy-user|--auth'), userAndPassword],
  ['curl|wget', flagPattern('-[a-zA-Z]{0,6}b|--cookie'), jar],
  ...rowsOf(String.raw`
(?:docker|podman|buildah|nerdctl|helm|oras|crane|regctl|az|oc|cf|ibmcloud|faas-cli|argocd|npm)\b[^\n;|&]{0,80}?\blogin  ${flagPattern('-p(?!ass|ort|ro)')}
sshpass|useradd|usermod|twine|security|mongo\w{0,8}|influx|psexec|xfreerdp|rdesktop  ${flagPattern('-p(?!ass|ort|ro)')}|/p:
(?:mysql|mariadb)[a-z-]{0,12}|7z[a-z]?|rar|unrar  (?<=[\s"'])-p(?=[^\s=-])
(?:redis|valkey|keydb)-cli|redis-benchmark  ${flagPattern('-a', false)}|\b(?:AUTH|auth)[ \t]{1,4}
ldap\w{3,8}|slappasswd|security  ${flagPattern('-w')}|(?<=passwd[^\n]{0,80})${flagPattern('-s', false)}
zip|unzip|sqlcmd|bcp|isql|osql|ipmitool|ssh-keygen|mosquitto_(?:pub|sub)  ${flagPattern('-[PN]')}
openssl  ${flagPattern('-pass(?:in|out)?')}["']?pass:|${flagPattern('-[kK]|-hmac', false)}|(?<=passwd (?:-\w{1,5} ){0,3})(?!-)
gh|glab|wrangler  (?<=(?:secret|variable) set[^\n]{0,80})${flagPattern('-b|--body|--value')}
doctl|nuget|dotnet|gem|codecov|snmp\w{3,8}|keytool  ${flagPattern('-[tkAXc]|--key|-new', false)}(?<!(?:build|test|run|install|list)[^\n]{0,80})
kubectl|oc  --from-literal[ =]["']?[\w.-]{1,80}=
vault|fly|flyctl|heroku|supabase|railway  (?<=(?:put|write|patch|set)[^\n]{0,200}\s)[A-Za-z_][\w-]{0,60}=(?!@)
vault|cargo|wandb|hf|huggingface-cli|op|npm|netlify|bw|snyk  ^[ \t]{1,4}(?:auth |operator )?(?:login|unlock|unseal|auth) (?!-)(?=\S{5,200}(?:["'\n]|$)|\S{0,40}[0-9])
signtool|schtasks|certutil|cmdkey|wmic|psexec|xfreerdp  [ \t]/r?p(?:ass)?[ :]
net  ^[ \t]{1,4}user[ \t]{1,4}(?:/add )?[^\s/]{1,60}[ \t]{1,4}(?!/)|/user:[^\s]{1,60} |^[ \t]{1,4}use [A-Z*]: \\\\[^\s]{1,100} (?!/)
sqlplus|impdp|expdp|rman|sqlldr  (?<=\s)[\w$]{1,30}/(?=[^\s/])
lftp|ncftp|smbclient|rpcclient|smbget|net|curl  ${flagPattern('-[uU]')}["']?[\w.@\\/-]{1,60}[,%](?=\S{3})|${flagPattern('-E|--cert|--proxy-cert')}["']?[^\s:]{1,100}:
htpasswd  -[a-zA-Z]{0,5}b[a-zA-Z]{0,5} [^\s]{1,100} [^\s]{1,60} |-[a-zA-Z]{0,5}n[a-zA-Z]{0,3}b[a-zA-Z]{0,3} [^\s]{1,60}[ ]
ConvertTo-SecureString  ^[ \t]{1,4}(?:-(?:String|AsPlainText|Force)[ \t]{1,4}){0,2}(?!-)
secret-tool|rootpw|masterauth|wpa-psk  ^[ \t]{1,4}(?:store )?(?:--[\w=-]{1,40} ){0,3}(?!-)
`).map(([names, lead]) => [names, lead, secretWord] as const),
];

/** Commands and functions that take a secret somewhere: what looks like one there is one. */
const takers = String.raw`(?<![\w@/-])(?:${[
  'rclone obscure|pass insert|composer config|poetry config|bundle config|mc (?:alias|config)|smbclient|snmp-server community|wpa_passphrase|gpg-preset-passphrase|veracrypt|beeline|mkpasswd|caddy hash',
  'ansible-vault encrypt_string|(?:vault|operator) unseal|gcloud auth|secret-tool store|kinit|cryptsetup|ssh-add|expect(?= -)|llm keys',
  '(?:add_?user|user_?add|(?:change|set|reset)[_-]?pass(?:word|wd))',
].join('|')})(?=[ \t])`;
const functions = String.raw`(?:jwt|jose|jsonwebtoken|token\w{0,8}|bcrypt\w{0,2}|argon2\w{0,2}|scrypt)\.\w{4,12}\(|(?:hmac|hashpw|crypt|cipher|fernet|pgp_sym_\w{2,8}|hmac\.new|connect(?:ion)?|PDO|mysqli|createClient|create_(?:super)?user|changeUserPassword|cookie_?parser|cookies?(?:\(\))?\.set|set_?cookie|new (?:Stripe|OpenAI|Anthropic|Resend|Octokit|Twilio|Pusher|Mailgun|Groq|Cohere)|twilio|stripe['"]\)|(?:passw|passphrase|log_?in|sign_?in|auth|credential|secret|token|bearer|wifi\.begin)\w{0,20})\(`;

/** What leads to a secret anywhere, and how it is read. */
const secretReaders: Readonly<Record<string, ReadSecret>> = {
  authorization,
  bearer,
  cookie,
  address: addressUser,
  bareAddress,
  basicAuth,
  pair: userAndPassword,
  piped,
  pipedTo: (text, _end, at) => {
    const low = Math.max(0, at - 120);
    const said = /["']([^"'\n]{3,100})$/.exec(text.slice(low, at))?.[1];
    return said === undefined ? null : { kind: 'password', start: at - said.length, end: at };
  },
  word: secretWord,
  line: (text, end) => span('password', text, end, wordEnd(text, end, lineBreak)),
  oracle: (text, end) => span('password', text, end, wordEnd(text, end, /[\s"'`@]/)),
  hook: (text, end) => mixed(text, span('api-key', text, end, runEnd(text, end, path)), 8),
  signature: (text, end) => looking(text, span('authorization', text, end, runEnd(text, end, query))),
  mixedWord: (text, end) => (isShortWord(text, end) ? mixed(text, secretWord(text, end), 6) : null),
  taken: wordsOf,
  arguments: argumentsOf,
};
const anywhere: readonly (readonly [lead: string, read: ReadSecret])[] = rowsOf(String.raw`
authorization  authorization(?![A-Za-z0-9_])
bearer         (?<![A-Za-z])bearer(?::?[ \t](?:["'] ?[.+&,]{1,2} ?(?=["']))?|["'],\s{0,4}(?=["']))
cookie         (?<![A-Za-z])cookie["']?[ \t]{0,2}[:=]
address        :\/\/
# Who takes a user takes -p, -P or -w for the password; elsewhere -p is a port, and -P much else. After -p of mysql comes a database.
word           (?<=[\s"'])(?:-[uUl]|--user(?:name)?)(?<!(?:mysql|mariadb)[^\n]{0,60})["',]{0,3}[ =]?["']?[\w.@\\/=-]{1,60}["',]{0,3} (?:[^\n|;&]{0,80} )?["']?-[pPw]["',]{0,3}[ =](?![-/]|[0-9]{1,5}(?!\w))
pair           (?<![A-Za-z0-9-])(?:-u|--user|--proxy-user)[ =]|\]:(?:25|465|587)[ \t]{1,8}|(?:(?<![\w-])user|authident) ?[=:] ?(?=["'][^"'\s:]{1,60}:[^"'\s/])
basicAuth      (?<![A-Za-z0-9])(?:_?auth|\.dockerconfigjson)["']?[ \t]{0,4}[:=]
# .pgpass, a jar of cookies, and what a pipeline is told to hide
line           :(?:543[0-9]|6432|\*):[\w*-]{1,63}:[\w.*-]{1,63}:(?=\S{3})|::add-mask::|issecret=true\]|\t(?:TRUE|FALSE)\t\/[^\t\n]{0,80}\t(?:TRUE|FALSE)\t[0-9]{1,12}\t[^\t\n]{1,80}\t(?=\S{6})
oracle         oracle:(?:thin|oci8?):[\w$]{1,30}\/
bareAddress    @(?<!\}@)(?=[A-Za-z0-9[])(?!sha[0-9])
hook           (?:hook[^\s"'<>/]{0,40}|incoming|catch)\/(?<=:\/\/[^\s"'<>]{4,160})
signature      \/bot[0-9]{6,12}:
signature      (?:[?&](?:sig|code|signature)|x-(?:amz|goog)-signature)=
# echo … | docker login --password-stdin, wrangler secret put <<< …, az keyvault secret set … --value …
piped          (?<![\w.-])(?:echo|printf)[ \t]{1,4}(?:-[a-zA-Z]{1,3} |'%s(?:\\n)?' ){0,2}(?=[^|\n]{3,200}\|)
pipedTo        ["'] \| ConvertTo-SecureString
word           (?:<<<|<\(echo|[ \t]--?value)[ =](?<=(?:secret|secure|token|passw|passphrase|login|crypt|auth|key)[^\n]{0,80}(?:<<<|<\(echo|[ \t]--?value)[ =])|--value[ =](?=\S[^\n]{2,120} SecureString)
# user:{SSHA}…, as LDAP and htpasswd have it; the users of Redis; dom/ada:'…'@host
word           \{(?:S?SHA[0-9]{0,3}|S?MD5|PLAIN|CLEARTEXT|(?:BLF-)?CRYPT)\}|>(?<=user \S{1,40} (?:[^\n]{0,80} )?>)|:(?<=[\w.-]:)(?=["'][^"'\s]{3,80}["']@\w)
# -p and -P of a program nobody knows; what a program that reads no text is given; a cookie or a header of a session
mixedWord      -[pP] (?<=\s-[pP] )(?<!(?:mkdir|kubectl|compose|run|cp|tsc|claude|node|ssh|scp|nmap|jest|tar|ps|git)\b[^\n|;&]{0,80} )(?=["']?[^\s/.:]{6,80}(?:\s|$))
mixedWord      (?:(?<!<)<<<(?!<)|<\((?:echo|printf)(?: -n| '%s')?)[ ]?(?<!(?:grep|rg|sed|awk|jq|cat|wc|tr|cut|base64|sum|bc|python3?|node|read)\b[^\n|;&]{0,80})
mixedWord      (?<![\w.-])(?:__(?:host|secure)-\w{1,40}=|(?:connect\.)?sid=|session=|x-[\w-]{0,30}session[\w-]{0,20}:)[ \t]{0,2}
mixedWord      (?<![\w.-])(?:login(?! as)|auth(?:enticate)?)(?:[ \t]{1,4}["']?[\w.@+/-]{1,60}["']?){1,2}[ \t]{1,4}(?=["']?\S{6})|(?<![\w.-])identify[ ]|(?<![\w.-])send(?:line)?[ (]{1,2}(?=["'][^"'\s]{6,80}\\[rn])
# What a program that makes or shows passwords has printed
line           (?<![\w./-])(?:pwgen|apg|mkpasswd|openssl rand|(?:go)?pass show|lpass show|bw get|keyring get|secret-tool lookup|security find-\w{1,12}-password|gh auth token)[^\n]{0,100}\n(?=\S{6,200}(?:\n|$))
taken          ${takers}
arguments      ${functions}
`).map(([reader, lead]) => [lead, secretReaders[reader] ?? (() => null)] as const);
// Groups would make the search slower.
const anyLead = new RegExp(anywhere.map(([lead]) => lead).join('|'), 'gi');
const singleLeads = anywhere.map(([lead]) => new RegExp(lead, 'iy'));
const anyProgram = new RegExp(`(?<![\\w.@/-])(?:${programRows.map(([names]) => names).join('|')})(?=[\\s"'(])`, 'g');
const programs = programRows.map(([names, lead, read]) => ({
  name: new RegExp(`(?:${names})(?=[\\s"'(])`, 'y'),
  lead: new RegExp(lead, 'g'),
  read,
}));

export function ledSecretsIn(text: string): Span[] {
  const found: Span[] = [];
  anyLead.lastIndex = 0;
  for (let match = anyLead.exec(text); match !== null; match = anyLead.exec(text)) {
    const { index: at, 0: said } = match;
    const read = anywhere[singleLeads.findIndex((lead) => matchAt(lead, text, at) !== null)]?.[1];
    const secrets = [read?.(text, at + said.length, at) ?? []].flat();
    found.push(...secrets);
    // A lead may contain another: the search continues after the secret, or after the first sign of the lead.
    anyLead.lastIndex = Math.max(at + 1, secrets.at(-1)?.end ?? 0);
  }
  for (const { index: at } of text.matchAll(anyProgram))
    for (const { name, lead, read } of programs) {
      const said = matchAt(name, text, at);
      if (said === null) continue;
      const from = at + said.length;
      for (const { index, 0: led } of restOfCommand(text, from).matchAll(lead))
        found.push(...[read(text, from + index + led.length, at) ?? []].flat());
    }
  return found;
}

function restOfCommand(text: string, from: number): string {
  const command = text.slice(from, from + longestCommand);
  const close = command.search(commandEnd);
  return close === -1 ? command : command.slice(0, close);
}
const longestCommand = 400;
const commandEnd = /(?<!\\)\n|&&|;[ \t]|[ \t]\|[ \t]/;

/** Every word of a command that is mixed, but no flag, path or host. */
function wordsOf(text: string, end: number): readonly Span[] {
  return [
    ...restOfCommand(text, end).matchAll(/[ \t,"'](?:[\w.-]{1,60}[=:])?["']?([^\s"'`,\\]{6,200})(?=["'`\s,\\]|$)/g),
  ].flatMap(({ index, 0: whole, 1: value = '' }) => {
    const start = end + index + whole.length - value.length;
    return looksLikely(value, true) && !/^-|^\w{1,20}\//.test(value) && !isPlaceholder(value)
      ? [{ kind: 'password', start, end: start + value.length } as const]
      : [];
  });
}

/** Every text among the arguments of a function that looks like a secret. */
function argumentsOf(text: string, end: number): readonly Span[] {
  const said = text.slice(end, end + 300).split(/[)\n]/)[0] ?? '';
  return [...said.matchAll(/(["'])([^"'\n]{0,200})\1/g)].flatMap(({ index, 2: value = '' }) => {
    const start = end + index + 1;
    const isSecret = looksLikely(value, true) && !/\s|=(?!=?$)/.test(value);
    return isSecret ? [{ kind: 'password', start, end: start + value.length } as const] : [];
  });
}

// How a secret is read

const path = charactersOf('A-Za-z0-9%_.+/=~@-');
const query = charactersOf('A-Za-z0-9%_.+/=~-');
const tokenCharacters = charactersOf('A-Za-z0-9._~+/=-');
const base64 = charactersOf('A-Za-z0-9+/=');

/** The index after blanks and a quote. */
function skip(text: string, from: number): number {
  return from + (matchAt(/[ \t]{0,4}["'`]?/y, text, from)?.length ?? 0);
}

function span(kind: SecretKind, text: string, from: number, end: number): Span | null {
  const start = skip(text, from);
  return end - start < 3 || isPlaceholder(saidAt(text, { start, end })) ? null : { kind, start, end };
}

function looking(text: string, found: Span | null): Span | null {
  return found !== null && looksRandom(saidAt(text, found), 6) ? found : null;
}

/** Whether the word ends soon. Reading on from each of many leads in one long word would take quadratic time. */
function isShortWord(text: string, at: number): boolean {
  return wordEnd(text, at + 1, /[\s"'`\\]/, Math.min(text.length, at + longestWord)) - at < longestWord;
}
const longestWord = 300;

function mixed(text: string, found: Span | null, least = 12): Span | null {
  const said = found === null ? '' : saidAt(text, found);
  return said.length >= least && said.split('/').some((one) => looksLikely(one, true) || uuid.test(one)) ? found : null;
}

function wordOrQuoted(text: string, at: number): Place | null {
  if (/["'`]/.test(text[at] ?? '')) return quotedAt(text, at);
  const end = wordEnd(text, at, /[\s"'`\\]/);
  return end - at < 3 || text[at] === '-' ? null : { start: at, end };
}

function secretWord(text: string, at: number): Span | null {
  const value = wordOrQuoted(text, at);
  const said = value === null ? '' : saidAt(text, value);
  return value === null || isCode(said, '') || isPlaceholder(said) ? null : { ...value, kind: 'password' };
}

/** curl -b: a cookie, but not a file of cookies. */
function jar(text: string, at: number): Span | null {
  const value = wordOrQuoted(text, at);
  const isCookie = value !== null && /^[^=;\s/]{1,80}=[^$]/.test(text.slice(value.start, value.start + 90));
  return isCookie ? { ...value, kind: 'authorization' } : null;
}

/** ada:…, but not 1000:1000, nor a name alone. */
function userAndPassword(text: string, at: number): Span | null {
  const value = wordOrQuoted(text, at);
  if (value === null) return null;
  const [user = '', password = ''] =
    /^([^:]{0,200}):(.{2,400})/s.exec(text.slice(value.start, value.end))?.slice(1) ?? [];
  const isPair = password !== '' && password !== user && !/^[0-9]{1,10}\W?$|^\/\/|:\/\//.test(password);
  return isPair && !isPlaceholder(password) ? { ...value, kind: 'credentials' } : null;
}

/** What is piped to a program that reads a password; what is only encoded has to look like one. */
function piped(text: string, at: number): Span | null {
  const value = wordOrQuoted(text, at);
  if (value === null) return null;
  const said = saidAt(text, value);
  const [pipe = ''] = /^["'`]?[ \t]{0,4}\|[^\n]{1,120}/.exec(text.slice(value.end, value.end + 130)) ?? [];
  const isRead =
    readsPassword.test(pipe) ||
    (/secret|passw|passphrase|credential|token/i.test(pipe) &&
      !/\b(?:[ef]?grep|rg|sed|awk|tee|jq|wc|head|tail|sort)\b/.test(pipe) &&
      looksRandom(said, 6));
  const isCoded = /\b(?:base64|openssl|sha[0-9]{1,3}sum)/.test(pipe) && looksRandom(said, 6);
  return (isRead || isCoded) && !isPlaceholder(said) ? { ...value, kind: 'password' } : null;
}
const readsPassword =
  /--(?:password-stdin|with-token|stdin|passphrase-fd)|sudo (?:-[A-Za-z]{1,4} ){0,2}?-[A-Za-z]{0,3}S|(?:ch)?passwd|cryptsetup|kinit|ssh-add|(?:gh|docker|podman|wrangler|fly|flyctl|vercel|kubectl|supabase) (?:secrets?|env|create secret) /;

const headerSign = /["'`]?[\])]{0,2}(?:[ \t]{0,4}[:=,][ \t]{0,4}|[ \t]{1,4}(?=["']))(["'`])?/y;
const scheme = /[A-Za-z][A-Za-z0-9-]{1,30}(?:[ \t]{1,4}|%20|\+(?=[A-Za-z0-9]))/y;
const knownScheme =
  /^(?:basic|bearer|digest|token|api-?key|key|negotiate|ntlm|hawk|oauth|gssapi|kerberos|sso-key|splunk|aws4?(?:-[a-z0-9-]{1,20})?|genie-?key|snowflake|sharedkey(?:lite)?|vapid|scram-[a-z0-9-]{1,20}|dpop|mac|signature|apikey-[a-z0-9]{1,20}|bot)\b/i;

/** Everything after the scheme, to the end of the header: some schemes have many parts. */
function authorization(text: string, end: number, start: number): Span | null {
  headerSign.lastIndex = end;
  const sign = headerSign.exec(text);
  if (sign === null) return null;
  const from = end + sign[0].length;
  const open = sign[1] ?? quoteBefore(text, nameStart(text, start));
  const isHeader = open !== null || startsLine(text, start);
  const named = matchAt(scheme, text, from) ?? '';
  const value = from + named.length;
  const first = wordEnd(text, value, /[\s"'`\\,;)]/);
  const isKnown = knownScheme.test(named);
  const said = text.slice(value, Math.min(first, value + 200));
  // In a list of names, the next name is not a value.
  if (sign[0].includes(',') && !isKnown) return null;
  const isCoded = sign[1] === undefined && sign[0].includes('=') && /^[A-Za-z_.]{1,60}$/.test(said);
  const isSecret = isKnown || (named === '' && !isCoded) || /[0-9=]/.test(said) || said.length >= 20;
  if (!isSecret || isPlaceholder(said) || /^\W{0,3}$/.test(said)) return null;
  // An unknown scheme may be the secret itself.
  const last = isHeader && (isKnown || named !== '' || said.endsWith('=')) ? headerEnd(text, value, open) : first;
  return last - value < (named === '' ? 6 : 3) ? null : { kind: 'authorization', start: value, end: last };
}

/** Ends at the quote that closes the header or its value, else at the end of the line. */
function headerEnd(text: string, from: number, open: string | null): number {
  return open === null ? wordEnd(text, from, lineBreak) : closingQuote(text, from, open);
}

function bearer(text: string, end: number): Span | null {
  return looking(text, span('authorization', text, end, runEnd(text, skip(text, end), tokenCharacters)));
}

function cookie(text: string, end: number, start: number): Span | null {
  const value = skip(text, end);
  if (matchAt(/(?:[\w.-]{1,80}=[^\s;]{0,5};[ \t]{0,4}){0,4}[\w.-]{1,80}=[^\s;$]{6}/y, text, value) === null)
    return null;
  const inside = quoteBefore(text, value) ?? quoteBefore(text, nameStart(text, start));
  return { kind: 'authorization', start: value, end: headerEnd(text, value, inside) };
}

/** ada:…@db:3306, without a scheme; but not an address of mail after its label, nor a version of a package. */
function bareAddress(text: string, _end: number, at: number): Span | null {
  const start = runStart(text, at, /[^\s"'`=,;<>|([{]/, 200);
  const [, user = '', password = ''] =
    /^([A-Za-z_][\w.+-]{0,40}):((?!\/\/)[^:]{2,160})$/.exec(text.slice(start, at)) ?? [];
  const host = hostAfter.exec(text.slice(at, at + 120))?.[0] ?? '@0';
  const isNone = user === '' || /^@v?[0-9]{1,5}(?:\.[0-9x]{1,5}){0,2}$/.test(host) || mailLabel.test(user);
  return isNone || isPlaceholder(password) ? null : { kind: 'credentials', start, end: at };
}
const mailLabel =
  /^(?:e?-?mail(?:to)?|contact|user(?:name)?|from|to|b?cc|reply-to|author|committer|by|owner|name|account|acct|sips?|xmpp|ssh|git|npm|jsr|pkg|workspace|file|link|portal|patch|catalog|image|https?)$/i;
const hostAfter =
  /^@(?:(?:tcp|unix)(?=\()|[A-Za-z0-9.-]{1,100}|\[[0-9a-f:]{2,40}\])(?::(?:[0-9]{1,5}|(?=[/~.])))?(?=[/?#\s"'`<>\\,;()~.]|$)/;

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
function addressUser(text: string, end: number, start: number): Span | null {
  const before = /[A-Za-z][A-Za-z0-9+.-]{0,30}$/.exec(text.slice(Math.max(0, start - 32), start))?.[0];
  if (before === undefined) return null;
  let at = -1;
  let colon = -1;
  for (let i = end; i < text.length && !authorityEnd.test(text[i] ?? ''); i += 1) {
    if (text[i] === '@') at = i;
    else if (text[i] === ':' && colon === -1) colon = i;
  }
  if (at === -1 && colon !== -1) at = beyondSlashes(text, end, colon);
  if (at === -1) return null;
  if (colon !== -1 && colon < at) {
    const password = text.slice(colon + 1, Math.min(at, colon + 400));
    return at === colon + 1 || isPlaceholder(password) ? null : { kind: 'credentials', start: end, end: at };
  }
  const user = text.slice(end, Math.min(at, end + 400));
  const isToken =
    /^(?:git\+)?https?$/i.test(before) &&
    ((at - end >= 20 && /^[\w.-]{20}/.test(user)) || (looksRandom(user, 8) && !isNumbered(user)));
  return isToken ? { kind: 'credentials', start: end, end: at } : null;
}

/** The `auth` of a docker config or an .npmrc: user and password in base64. */
function basicAuth(text: string, end: number, from: number): Span | null {
  const start = skip(text, end);
  if (/[._]/.test(text[from] ?? '')) return span('credentials', text, end, runEnd(text, start, query));
  const last = runEnd(text, start, base64);
  return isBasicAuth(text.slice(start, last)) ? { kind: 'credentials', start, end: last } : null;
}

/** Whether a text is user and password in base64, or random beyond doubt. */
export function isBasicAuth(text: string): boolean {
  if (text.length < 8 || text.length > 8192) return false;
  if (looksStrong(text.slice(0, 400))) return true;
  try {
    return text.length % 4 === 0 && /^[\x20-\x7e]{1,256}:[\x20-\x7e]/.test(atob(text));
  } catch {
    return false;
  }
}
