// Finds keys and tokens by their own shape, whatever surrounds them.
import { getOrCreate } from '../../record/json.js';
import type { SecretKind, Span } from '../redact.js';
import { matchAt, rowsOf, runStart } from './values.js';

/**
 * A key begins with one of several texts. A pattern of bounded length matches its rest, which continues as long as
 * there are characters of `more`. An unbounded loop would overflow the stack on a key of several megabytes.
 */
interface KnownKey {
  readonly kind: SecretKind;
  readonly begins: readonly string[];
  readonly rest: RegExp;
  readonly more: Characters;
  /** The beginning is so short that it may occur by chance in base64. */
  readonly isShort: boolean;
  /** The key is exactly as long as `rest`. */
  readonly isExact: boolean;
}

/** The characters of a class: 1 at the index of each character code. */
type Characters = Uint8Array;

export function charactersOf(pattern: string): Characters {
  const one = new RegExp(`[${pattern}]`);
  return Uint8Array.from({ length: 128 }, (_, code) => (one.test(String.fromCharCode(code)) ? 1 : 0));
}

/** Where the run of such characters that begins at `from` ends. */
export function runEnd(text: string, from: number, characters: Characters): number {
  let end = from;
  while (end < text.length && characters[text.charCodeAt(end)] === 1) end += 1;
  return end;
}

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/**
 * For each kind: the beginnings, the rest and the characters of more. A . instead of these: there is no more. A ~: the
 * beginning is so short that it may occur by chance in base64.
 */
const tables = {
  'anthropic-key': String.raw`sk-ant-  [\w-]{16}  \w-`,
  'openai-key': String.raw`sk-proj-,sk-svcacct-,sk-admin-,sk-None-  [\w-]{20}  \w-
sk-  [A-Za-z0-9]{32}  A-Za-z0-9`,
  'github-token': String.raw`ghp_,gho_,ghu_,ghs_,ghr_  [A-Za-z0-9]{36}  \w
github_pat_  [A-Za-z0-9]{22}  \w`,
  'gitlab-token': String.raw`glagent-,glcbt-,gldt-,glffct-,glft-,glimt-,gloas-,glpat-,glptt-,glrt-,glsoat-,glwt-,GR1348941  [\w-]{20}  \w.-`,
  'slack-token': `xoxa-,xoxb-,xoxc-,xoxd-,xoxe-,xoxe.,xoxo-,xoxp-,xoxr-,xoxs-,xapp-,xwfp-  [A-Za-z0-9.%-]{10}  A-Za-z0-9.%+/=-
//hooks.slack.com/services/,//hooks.slack.com/workflows/,//hooks.slack.com/triggers/  [A-Za-z0-9/]{20}  A-Za-z0-9/`,
  'aws-key': String.raw`ABIA,ACCA,AKIA,ASIA  [A-Z0-9]{16}  ~.
A3T  [A-Z0-9]{17}  ~.
ABSK  [\w+/=-]{80}  ~\w+/=-
bedrock-api-key-  [\w+/=-]{30}  \w+/=-
FwoGZXIvYXdz,IQoJb3JpZ2lu  [\w+/=-]{60}  ~\w+/=-`,
  'google-key': String.raw`AIza  [\w-]{35}  ~\w-
GOCSPX-,ya29.  [\w-]{20}  ~\w.-
1//0,4/0A  [\w-]{30}  ~\w-`,
  'stripe-key': String.raw`sk_live_,sk_test_,sk_org_,rk_live_,rk_test_,whsec_  [A-Za-z0-9]{16}  \w=-`,
  'npm-token': `npm_  [A-Za-z0-9]{36}  .`,
  'pypi-token': String.raw`pypi-  [\w-]{50}  \w-`,
  'api-key': String.raw`# AI
hf_,api_org_,gsk_,xai-,pplx-,sk-or-v1-,tvly-,tvly-dev-,lsv2_pt_,lsv2_sk_,fw_  [A-Za-z0-9]{24}  \w-
EAAC,GOOG1E,csk-,tgp_v1_,jina_,e2b_,sk-helicone-,fc-  [A-Za-z0-9]{30}  \w-
pcsk_,nvapi-,wandb_v1_  [\w-]{30}  \w-
sk-lf-  ${uuid}  \w-
r8_  [A-Za-z0-9]{37}  ~.
sk_  [0-9a-f]{48}  ~.
# Clouds, hosting, data
dop_v1_,doo_v1_,dor_v1_,sbp_,rnd_,vcp_,vca_,napi_,ddp_,ddw_,ico-,pul-,glsa_,glc_  [A-Za-z0-9]{24}  \w=-
dckr_pat_,dckr_oat_,sb_secret_,pscale_tkn_,pscale_pw_,pscale_oauth_,sntrys_,sntryu_,HRKU-,tskey-  [\w-]{24}  \w+/=-
fo1_,fm1_,fm1a_,fm1r_,fm2_  [\w+/=-]{30}  \w+/=-
hvs.,hvb.,hvr.  [\w-]{24}  \w-
dp.pt.,dp.st.,dp.ct.,dp.sa.,dp.scim.,dp.audit.,sk.eyJ  (?:[a-z_]{2,20}\.)?[\w-]{24}  \w.-
st.  (?:[0-9a-f]{24}|${uuid})\.[0-9a-f]{16}  0-9a-f.
t1.  [\w=-]{40,90}\.[\w=-]{60}  ~\w-
EAAA,cmVmdGtuOj  [A-Za-z0-9]{50}  ~\w-
v1.0-  [0-9a-f]{24}-[0-9a-f]{100}  \w-
sha256~  [\w-]{40}  \w-
ops_eyJ  [\w-]{40}  \w+/=-
A3-  [A-Z0-9]{6}-[A-Z0-9]{5,11}(?:-[A-Z0-9]{5}){3,4}  A-Z0-9-
LTAI  [A-Za-z0-9]{12,24}  ~.
AKID  [A-Za-z0-9]{32}  ~.
dapi  [0-9a-f]{32}(?:-[0-9]{1,2})?  ~.
dt0c01.,dt0s01.  [A-Z0-9]{24}\.[A-Z0-9]{64}  ~.
# Development and operations
lin_api_,lin_oauth_,ntn_,ATBB,tfp_,rdme_,sgp_,sgd_  [A-Za-z0-9]{24}  \w=-
figd_,figu_,ATATT3,ATCTT3,PMAK-,CFPAT-  [\w-]{24}  \w=-
secret_  [A-Za-z0-9]{43}  .
CCIPAT_,CCIPRJ_,sgp_  [A-Za-z0-9]{10,32}_[0-9a-f]{40}  \w-
rubygems_  [0-9a-f]{40}  0-9a-f
NRAK-,NRAL-,NRAA-,NRJS-,NRII-,NRIQ-,NRRA-,NRSP-,NRBR-  [A-Za-z0-9]{18}  \w-
squ_,sqp_,sqa_  [0-9a-f]{40}  0-9a-f
bkua_,bkaj_,bkpt_,bkct_,pnu_,pnb_  [A-Za-z0-9]{36}  A-Za-z0-9
CLOJARS_  [A-Za-z0-9]{40}  A-Za-z0-9
cio  [A-Za-z0-9]{32}  ~.
oy2  [a-z0-9]{43}  ~.
AKCp,AKC  [A-Za-z0-9]{60}  ~A-Za-z0-9
waka_,waka_sec_  ${uuid}  \w-
sdk-,mob-,api-,pat-na1-,pat-eu1-,access-sandbox-,access-development-,access-production-  ${uuid}(?![A-Za-z0-9-])  \w-
aio_,duffel_live_,duffel_test_,EZAK,EZTK,FLWSECK_TEST-,FLWSECK-  [A-Za-z0-9]{24}  ~\w-
fio-u-,secret-  [\w-]{40}  \w-
rzp_live_,rzp_test_  [A-Za-z0-9]{14}  ~.
live_,test_  [0-9a-f]{35}  ~.
# Shops, mail, chat
shpat_,shpca_,shppa_,shpss_,shptka_,nfp_,nfc_,nfo_,nfb_,nfu_,hcaik_,p8e-,AGE-SECRET-KEY-  [A-Za-z0-9]{24}  \w-
sq0atp-,sq0csp-,sq0idp-  [\w-]{20}  \w-
access_token$production$,access_token$sandbox$  [0-9a-z]{16}\$[0-9a-f]{32}  \w-
xkeysib-,xsmtpsib-  [A-Za-z0-9]{40}  \w-
re_  [A-Za-z0-9]{8}_[A-Za-z0-9]{20}  \w-
SG.  [\w-]{16,32}\.[\w-]{24}  \w-
key-  [0-9a-f]{32}  ~.
SK,AC  [0-9a-f]{32}  ~.
EAACEdEose0cBA  [A-Za-z0-9]{20}  A-Za-z0-9
AAAAAAAAAAAAAAAAAAAA  [A-Za-z0-9]{1,20}%[A-Za-z0-9%]{40}  ~A-Za-z0-9%
pat  [A-Za-z0-9]{14}\.[0-9a-f]{64}  ~.
//discord.com/api/webhooks/,//discordapp.com/api/webhooks/  [0-9]{15,21}/[\w-]{30}  \w-
//hooks.zapier.com/hooks/catch/  [0-9]{4,12}/[A-Za-z0-9]{5}  A-Za-z0-9/`,
};

function isKeyOf<K extends string>(table: Readonly<Record<K, unknown>>, key: string): key is K {
  return Object.hasOwn(table, key);
}

const knownKeys: readonly KnownKey[] = Object.entries(tables).flatMap(([kind, table]) =>
  rowsOf(table).flatMap(([begins, row]) => {
    const [rest = '', more = ''] = row.split('  ');
    const [isExact, isShort] = [more.endsWith('.') && more.length < 3, more.startsWith('~')];
    const pattern = new RegExp(isExact ? `${rest}(?![A-Za-z0-9])` : rest, 'y');
    if (!isKeyOf(tables, kind)) return [];
    return {
      kind,
      begins: begins.split(','),
      rest: pattern,
      more: charactersOf(more.replace('~', '')),
      isShort,
      isExact,
    };
  }),
);

// \n, \u003d, %3D, and colours, even where the escape character itself is written as text.
const escaped = String.raw`(?:\\[nrtfb]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9A-Fa-f]{2}|\[[0-9;]{0,8}m)`;

/** Keys without a beginning of their own. A text that lacks the first word of a row contains none of them. */
const others = rowsOf(String.raw`
# Telegram, Discord, Mailchimp, Terraform, New Relic, Azure, Asana
:AA        (?:(?<![0-9])|(?<=\\u[0-9a-fA-F]{4}))[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])
.          (?:(?<![A-Za-z0-9])|(?<=${escaped}))[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}(?![A-Za-z0-9_-])
-us        [0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])
.atlasv1.  [A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,90}
NRAL       [0-9a-f]{36}NRAL(?![A-Za-z0-9])
Q~         [A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])
# Hashes of passwords: bcrypt, crypt, argon2
$          \$(?:1|2[abxy]|5|6|7|y|apr1|argon2id?)\$[./A-Za-z0-9$=,+-]{20,200}
# What many services give: a name, _ and a long run of mixed letters and digits.
_          _(?=[A-Za-z0-9]{30})(?<=[a-z0-9]_)(?=[a-z0-9]{0,29}[A-Z])(?=[A-Z0-9]{0,29}[a-z])(?=[A-Za-z]{0,29}[0-9])[A-Za-z0-9]{30,200}(?![A-Za-z0-9_])
:          [0-9]\/[0-9]{15,17}(?:\/[0-9]{15,17})?:[0-9a-f]{32}(?![A-Za-z0-9])
`).map(([needs, shape]) => ({ needs, shape: new RegExp(shape, 'g') }));

const byBeginning = keysByBeginning();

/** By their first two letters. A function, so that a bundle that needs no keys leaves them out. */
function keysByBeginning(): Map<string, { readonly begin: string; readonly key: KnownKey }[]> {
  const groups = new Map<string, { readonly begin: string; readonly key: KnownKey }[]>();
  for (const key of knownKeys)
    for (const begin of key.begins) getOrCreate(groups, begin.slice(0, 2), () => []).push({ begin, key });
  return groups;
}

const everyBegin = knownKeys.flatMap(({ begins }) => begins);
const keyBeginning = new RegExp([...everyBegin, 'eyJ'].map((begin) => begin.replace(/[.$/]/g, '\\$&')).join('|'), 'g');

/** The keys in a text, in order and without overlaps. */
export function keysIn(text: string): Span[] {
  const found: Span[] = [];
  keyBeginning.lastIndex = 0;
  for (let match = keyBeginning.exec(text); match !== null; match = keyBeginning.exec(text)) {
    const at = match.index;
    const span = match[0] === 'eyJ' ? tokenAt(text, at) : keyAt(text, at);
    if (span !== null) found.push(span);
    // A real key may begin in the middle of something that only looked like the beginning of one.
    keyBeginning.lastIndex = span?.end ?? at + 1;
  }
  if (text.length < shortestOther) return found;
  for (const { needs, shape } of others)
    for (let at = text.indexOf(needs); at !== -1; ) {
      // What has a long sign of its own is searched for only around it.
      const isLong = needs.length > 1;
      const low = isLong ? Math.max(0, at - 60) : 0;
      const piece = isLong ? text.slice(low, at + 240) : text;
      let last = at;
      shape.lastIndex = 0;
      for (let match = shape.exec(piece); match !== null; match = shape.exec(piece)) {
        const [start, end] = [low + match.index, low + match.index + match[0].length];
        found.push({ kind: 'api-key', start, end });
        last = Math.max(last, end - 1);
      }
      at = isLong ? text.indexOf(needs, last + 1) : -1;
    }
  return found;
}
const shortestOther = 30;

function keyAt(text: string, at: number): Span | null {
  for (const { begin, key } of byBeginning.get(text.slice(at, at + 2)) ?? []) {
    if (!text.startsWith(begin, at)) continue;
    const from = at + begin.length;
    key.rest.lastIndex = from;
    const rest = key.rest.exec(text);
    if (rest === null || !startsWord(text, at, key.isShort)) continue;
    const end = from + rest[0].length;
    const start = begin.startsWith('//') ? from : at;
    return { kind: key.kind, start, end: key.isExact ? end : wordEnd(text, end, key.more) };
  }
  return null;
}

/** A full stop that ends a sentence is not part of a key. */
function wordEnd(text: string, from: number, characters: Characters): number {
  const end = runEnd(text, from, characters);
  return end > from && text[end - 1] === '.' ? end - 1 : end;
}

/** A JWT (eyJ….eyJ….…), or an encrypted one, which has five parts. */
function tokenAt(text: string, at: number): Span | null {
  // Checked only where the run begins, so that each run is read once.
  if (!startsWord(text, at, true)) return null;
  const ends: number[] = [];
  let end = runEnd(text, at, wordCharacters);
  while (ends.length < 5) {
    ends.push(end);
    if (text[end] !== '.') break;
    end = runEnd(text, end + 1, wordCharacters);
  }
  const [header = 0, body = 0] = ends;
  const last = ends.at(-1) ?? at;
  const isSigned = ends.length >= 3 && text.startsWith('eyJ', header + 1) && header - at >= 11 && body - header >= 12;
  if (isSigned) return { kind: 'jwt', start: at, end: ends[2] ?? last };
  return ends.length === 5 && header - at >= 11 && last - at >= 60 ? { kind: 'jwt', start: at, end: last } : null;
}
const wordCharacters = charactersOf('A-Za-z0-9_-');

/** Whether a key may begin here. Not in the middle of a word (the sk- of task-), but right after \n, %3D or a colour. */
function startsWord(text: string, at: number, isShort: boolean): boolean {
  const before = text[at - 1];
  if (before === undefined || !(isShort ? inBase64 : alphanumeric).test(before)) return true;
  if (/[+/_-]/.test(before)) return !/^[A-Za-z0-9+/_-]{20}$/.test(text.slice(Math.max(0, at - 21), at - 1));
  return escapeBefore.test(text.slice(Math.max(0, at - 12), at));
}
const alphanumeric = /[A-Za-z0-9]/;
const inBase64 = /[A-Za-z0-9_+/-]/;
const escapeBefore = new RegExp(`${escaped}$`);

// Finds armoured private keys: whole ones, and ones whose beginning or end was cut off.
const title = '[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?';
const armour = new RegExp(`-{4,5} ?(BEGIN|END) ${title} ?-{4,5}|Private-Lines: ?[0-9]{1,4}`, 'g');

/** Each character is read only a few times: from each mark forwards to the next, or backwards to the one before. */
export function privateKeysIn(text: string): Span[] {
  if (!text.includes('PRIVATE KEY') && !text.includes('Private-Lines')) return [];
  const found: Span[] = [];
  let begin: RegExpExecArray | null = null;
  let from = 0;
  const addKey = (start: number, end: number) => {
    found.push({ kind: 'private-key', start, end });
    from = end;
  };
  const cutOff = ({ 0: said, index }: RegExpExecArray, limit: number) =>
    addKey(index, bodyEnd(text, index + said.length, limit));
  for (const match of text.matchAll(armour)) {
    const end = match.index + match[0].length;
    if (match[1] === 'END') {
      addKey(begin?.index ?? bodyStart(text, from, match.index), end);
      begin = null;
    } else {
      if (begin !== null) cutOff(begin, match.index);
      begin = match;
    }
  }
  if (begin !== null) cutOff(begin, text.length);
  return found;
}

/** What is between two lines of a key: the quotes of a list, the blanks of a block. */
const gap = /[\s"',]{1,40}/y;
const header = /[A-Z][A-Za-z-]{2,24}: [^\r\n]{1,120}/y;
const body = charactersOf('A-Za-z0-9+/=');

/** Where a key without its last line ends. Only the last line may be short. */
function bodyEnd(text: string, from: number, limit: number): number {
  let [end, lengthBefore] = [from, 0];
  for (;;) {
    const start = end + (matchAt(gap, text, end)?.length ?? 0);
    if (start === end || start >= limit) return end;
    const said = matchAt(header, text, start);
    const last = said === null ? Math.min(limit, runEnd(text, start, body)) : Math.min(limit, start + said.length);
    const [length, next] = [last - start, text[last]];
    const isWhole = next === undefined || /[\s"'`,\\]/.test(next);
    const isShort = isWhole && (length >= 16 || text[last - 1] === '=' || (lengthBefore >= 60 && next === undefined));
    if (length === 0 || (said === null && length < 32 && !isShort)) return end;
    [end, lengthBefore] = [last, length];
  }
}

/** Where a key without its first line begins. */
function bodyStart(text: string, from: number, end: number): number {
  let start = end;
  for (;;) {
    const last = runStart(text, start, /[\s"',]/, 40, from);
    const first = runStart(text, last, /[A-Za-z0-9+/=]/, Number.POSITIVE_INFINITY, from);
    if (last === start || last - first < 16) return start;
    start = first;
  }
}
