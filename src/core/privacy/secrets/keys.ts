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

/** A digit soon, and letters of both kinds: in few words and names. */
const numbered = '(?=[A-Za-z_=./+-]{0,40}[0-9])';
const mixed = '(?=[a-z0-9_-]{0,20}[A-Z])(?=[A-Z0-9_-]{0,20}[a-z])';

/**
 * For each kind: the beginnings, the rest and the characters of more. A . instead of these: there is no more. A ~: the
 * beginning is so short that it may occur by chance in base64.
 */
const tables = {
  'anthropic-key': String.raw`sk-ant-  [\w-]{16}  \w-`,
  'openai-key': String.raw`sk-proj-,sk-svcacct-,sk-admin-,sk-None-  [\w-]{20}  \w-
sk-  [A-Za-z0-9]{32}  A-Za-z0-9`,
  'github-token': String.raw`ghp_,gho_,ghu_,ghs_,ghr_  [A-Za-z0-9]{36}  \w
github_pat_  \w{22}  \w`,
  'gitlab-token': String.raw`glagent-,glcbt-,gldt-,glffct-,glft-,glimt-,gloas-,glpat-,glptt-,glrt-,glrtr-,glsoat-,glwt-,GR1348941  [\w-]{20}  \w.-`,
  'slack-token': `xox  [a-z](?:-|\\.[a-z]{4}-)[A-Za-z0-9.%-]{8}  A-Za-z0-9.%+/=-
xapp-,xwfp-  [A-Za-z0-9-]{10}  A-Za-z0-9-
hooks.slack.com/services/,hooks.slack.com/workflows/,hooks.slack.com/triggers/  [A-Za-z0-9/]{20}  A-Za-z0-9/`,
  'aws-key': String.raw`ABIA,ACCA,AKIA,ASIA  [A-Z0-9]{16}  ~.
A3T  [A-Z0-9]{17}  ~.
ABSK,bedrock-api-key-,FwoGZXIvYXdz,IQoJb3JpZ2lu  [\w+/=-]{60}  ~\w+/=-
amzn.mws.  ${uuid}  0-9a-f-
amzn1.oa2-cs.v1.  [0-9a-f]{64}  0-9a-f
Atza|,Atzr|  [\w-]{40}  \w-
da2-  [a-z0-9]{26}  .`,
  'google-key': String.raw`AIza  [\w-]{35}  ~\w-
GOCSPX-,ya29.,AQ.Ab8  [\w-]{20}  \w.-
1//0,4/0A  [\w-]{30}  ~\w-`,
  'stripe-key': String.raw`sk_live_,sk_test_,sk_prod_,sk_org_,rk_live_,rk_test_,rk_prod_,whsec_  [A-Za-z0-9]{10}  \w/+=-`,
  'npm-token': `npm_  [A-Za-z0-9]{36}  .`,
  'pypi-token': String.raw`pypi-  [\w-]{50}  \w-`,
  'api-key': String.raw`
# AI
hf_,api_org_,gsk_,xai-,pplx-,sk-or-v1-,lsv2_pt_,lsv2_sk_,ATBB,dop_v1_,doo_v1_,dor_v1_,sbp_,rnd_,napi_,ddp_,ddw_,ico-,pul-,shpat_,shpca_,shppa_,shpss_,shptka_,nfp_,nfc_,nfo_,nfb_,nfu_,p8e-,AGE-SECRET-KEY-  [A-Za-z0-9]{24}  \w=-
EAA,GOOG1E,csk-,jina_,fc-  [A-Za-z0-9]{30}  ~\w-
pcsk_,nvapi-,wandb_v1_,hvs.,hvb.,hvr.,sk.eyJ,ATATT3,ATCTT3,sq0atp-,sq0csp-,sq0idp-  [\w-]{22}  \w.=-
sk-helicone-,sk-lf-  [\w-]{31}  \w-
r8_,4b1d,AKID,cio,_gitlab_session=  [A-Za-z0-9]{32,38}  ~.
sk-  ${numbered}${mixed}[\w-]{20}  \w+/=-
sk_  (?=(?:[A-Za-z_-]{0,24}[0-9]){2})[\w-]{24}  \w=-
# What begins like nothing else, and goes on like nothing that has a meaning
${[
  'fo1_,fm1_,fm1a_,fm1r_,fm2_,tvly,tgp_v1_,e2b_,ajkey_,bb_live_,crsr_,dtn_,rpa_,n8n_api_,mdb_sa_sk_',
  'tfp_,pscale_,glc_,glsa_,fio-u-,dnkey-,duffel_live_,duffel_test_,sntry,pdl_,packagist_,shippo_live_,shippo_test_,gta_,essu_,sgp_,sgd_',
  'CCDB1_,vcp_,vca_,vercel_blob_rw_,cfut_,cfat_,cfk_,hcaik_,hcamk_,dckr_,tskey-,sb_secret_,ATTA,ATOA,AKLT,SWMTKN-,SWMKEY-',
  'os_v2_,syt_,sec-c-,mlsn.,snyk_uat.,snyk_sat.,dG9rO,tk-us-,s-s4t2',
  'bce-v3/ALTAK-,secret-live-,secret-test-,HRKU-,dbtc_,lin_api_,lin_oauth_,ntn_,rdme_,figd_,figu_,PMAK-,CFPAT-',
]}  ${numbered}[\w.=+/-]{24}  ~\w.=+/-
pa-,al-,secret-,an-,m0-,fk-,live_,prod_,sandbox_  ${numbered}${mixed}[\w=-]{40}  ~\w=-
npg_,sm_aat_,sm_pat_,sm_sat_,AVNS_,BSA  ${mixed}[\w-]{12,32}  ~.
ak-,ak_,as-,md-,fw_,app-,dataset-,live_  ${numbered}${mixed}[A-Za-z0-9]{20,32}  ~.
SCW,DO00  [A-Z0-9]{16,17}  ~.
key_,cu_,cr-  (?<![a-z][_-]\w{2,3}[_-])[0-9a-f]{28}  0-9a-f
# Clouds, hosting, data
dp.  (?:pt|st|ct|sa|scim|audit)\.(?:[a-z_]{2,20}\.)?[\w-]{24}  \w.-
st.  (?:v3\.)?(?:[0-9a-f]{24}|${uuid})\.[0-9a-f]{16}  0-9a-f.
t1.  [\w=-]{4,300}\.[\w=-]{60}  ~\w-
EAAA  ${mixed}[\w-]{22}  ~\w-
AKC,cmVmd  [A-Za-z0-9]{59}  ~A-Za-z0-9
v1.  0-[0-9a-f]{24}-[0-9a-f]{100}|[0-9a-f]{40}(?![0-9a-f])  \w-
sha256~  [\w-]{40}  \w-
ops_eyJ,eyJrIjoi,eyJhIjoi,ZXlK  [\w+/=-]{60}  ~\w+/=-
A3-  [A-Z0-9]{6}-[A-Z0-9]{5,11}(?:-[A-Z0-9]{5}){3,4}  A-Z0-9-
LTAI,ALTAK  [A-Za-z0-9]{12,24}  ~.
AQVN,YC  [\w-]{35,38}  ~.
dapi,dose,dkea,SK,AC,key-,private-  [0-9a-f]{32}(?:-[0-9]{1,2})?  ~.
dt0c01.,dt0s01.  [A-Za-z0-9]{24}\.[A-Za-z0-9]{64}  ~.
# Development and operations
secret_  (?:admin_|user_|readonly_)?${numbered}${mixed}[A-Za-z0-9]{16,44}  .
CCIPAT_,CCIPRJ_  [A-Za-z0-9]{10,32}_[0-9a-f]{40}  \w-
NR  [A-Z]{2}-[A-Za-z0-9]{18}  ~\w-
bkua_,bkaj_,bkpt_,bkct_,pnu_,pnb_,CLOJARS_,xkeysib-,xsmtpsib-  [A-Za-z0-9]{36}  \w-
oy2  [a-z0-9]{43}  ~.
pat.,sat.  [\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}  .
sc_,ext_,scauth_,authress_  [a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][\w-]{10,32}\.[\w+/=-]{30}  \w+/=-
waka_,waka_sec_,xaat-,xapt-,sub-c-,ctx7sk-,sdk-,mob-,api-,pat-na1-,pat-na2-,pat-eu1-,pat-ap1-,access-sandbox-,access-development-,access-production-  ${uuid}(?![A-Za-z0-9])  \w-
API-  [A-Z0-9]{26}  ~.
sl.  (?:u\.)?[\w=-]{130}  ~\w=-
aio_,EZAK,EZTK,FLWSECK_TEST-,FLWSECK-  (?:[A-Za-z0-9]{12}){1,2}  ~\w-
rzp_live_,rzp_test_  [A-Za-z0-9]{14}  ~.
live_,test_  [0-9a-f]{35}  ~.
# Shops, mail, chat
rubygems_,squ_,sqp_,sqa_,ck_,cs_,pk_  [0-9a-f]{34}  0-9a-f
pk_  [0-9]{6,9}_[A-Z0-9]{32}  .
access_token$  (?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}  \w-
re_  [A-Za-z0-9]{8}_[A-Za-z0-9]{20}  \w-
SG.  [\w-]{16,32}\.[\w-]{24}  \w-
mfa.,5Aep861  [\w.-]{70}  ~\w.-
WPL_AP1.  [\w.+/]{20}  \w.+/=
00  ${numbered}${mixed}[\w-]{40}(?![\w-])  ~.
00D  [A-Za-z0-9]{12,15}![\w.]{70}  ~\w.
xprv,nsec1  [A-Za-z0-9]{58}  ~A-Za-z0-9
secret-token:  [\w.~%-]{16}  \w.~%-
token-  [a-z0-9]{5}:[a-z0-9]{54}  .
AAAAAAAAAAAAAAAAAAAA  [A-Za-z0-9]{1,20}%[A-Za-z0-9%]{40}  ~A-Za-z0-9%
pat  [A-Za-z0-9]{14}\.[0-9a-f]{64}  ~.
discord.com/api/webhooks/,discord.com/api/v10/webhooks/,discordapp.com/api/webhooks/  [0-9]{15,21}/[\w-]{30}  \w-
hooks.zapier.com/hooks/catch/  [0-9]{4,12}/[A-Za-z0-9]{5}  A-Za-z0-9/
with/key/,alchemy.com/v2/,infura.io/v3/,pagerduty.com/integration/,quiknode.pro/,cgi-bin/webhook/send?key=  [\w-]{22}  \w-`,
};

const kinds = Object.keys(tables) as (keyof typeof tables)[];
const knownKeys: readonly KnownKey[] = kinds.flatMap((kind) =>
  rowsOf(tables[kind]).map(([begins, row]) => {
    const [rest = '', more = ''] = row.split('  ');
    const [isExact, isShort] = [/^~?\.$/.test(more), more.startsWith('~')];
    return {
      kind,
      begins: begins.split(','),
      rest: new RegExp(isExact ? `${rest}(?![A-Za-z0-9])` : rest, 'y'),
      more: charactersOf(more.replace('~', '')),
      isShort,
      isExact,
    };
  }),
);

// \n, \u003d, %3D, and colours, even where the escape character itself is written as text.
const escaped = String.raw`(?:\\[nrtfb]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9A-Fa-f]{2}|\[[0-9;]{0,8}m)`;

/** Not in the middle of a word. */
const free = `(?:(?<![A-Za-z0-9])|(?<=${escaped}))`;

/** Keys without a beginning of their own. A text that lacks the first word of a row contains none of them. */
const others = rowsOf(String.raw`
# Telegram, Discord, Mailchimp, Terraform, New Relic, Azure, Asana
:A         (?:(?<![0-9])|(?<=\\u[0-9a-fA-F]{4}))[0-9]{5,10}:A[A-Za-z0-9_-]{34}(?![A-Za-z0-9_-])
|          [0-9]{15,16}\|${mixed}[\w-]{27,40}(?![\w-])
.          ${free}(?:[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}|[0-9a-f]{32}\.${mixed}[\w-]{16,24}|s\.${numbered}${mixed}[A-Za-z0-9]{24})(?![\w-]|\.\w)
_mmk       [A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])
AAAAAAAAAA [a-z0-9]{11}AAAAAAAAAA[\w=-]{43}
JQQJ99     [A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}
-          [0-9a-f]{32}-(?:us[0-9]{1,2}|[0-9a-f]{8}-[0-9a-f]{8})(?![A-Za-z0-9])|[0-9]{15,19}-${mixed}[A-Za-z0-9]{40}(?![A-Za-z0-9])
.atlasv1.  [A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,90}
NRAL       [0-9a-f]{36}NRAL(?![A-Za-z0-9])
Q~         [A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])
# Hashes of passwords: bcrypt, crypt, argon2
$          (?:\$(?:1|2[abxy]|5|6|7|y|apr1|argon2id?)|pbkdf2_sha[0-9]{1,3}\$[0-9]{1,9}|(?:scrypt|pbkdf2)(?::\w{1,9}){1,3})\$[./A-Za-z0-9$=,+-]{20,200}
# What many services give: a name, _ and a long run of mixed letters and digits.
_          _(?=[A-Za-z0-9]{30})(?<=[a-z0-9]_)(?=[a-z0-9]{0,29}[A-Z])(?=[A-Z0-9]{0,29}[a-z])(?=[A-Za-z]{0,29}[0-9])[A-Za-z0-9]{30,200}(?![A-Za-z0-9_])
:          [0-9]\/[0-9]{15,17}(?:\/[0-9]{15,17})?:[0-9a-f]{32}(?![A-Za-z0-9])
`)
  // Keys of Azure have a sign near their end.
  .concat(
    '+ASt +ABa +AEh +AMl +ACR ACDb AIoT APIM AzCa AzSe AzFu AZDO'
      .split(' ')
      .map((sign) => [
        sign,
        String.raw`${free}[A-Za-z0-9][\w+/-]{32,75}[${sign[0]}]${sign.slice(1)}[\w+/-]{4,7}={0,2}(?![\w+=-])`,
      ]),
  )
  .map(([needs, shape]) => ({ needs, shape: new RegExp(shape, 'g') }));

const byBeginning = keysByBeginning();

/** By their first two letters. A function, so that a bundle that needs no keys leaves them out. */
function keysByBeginning(): Map<string, { readonly begin: string; readonly key: KnownKey }[]> {
  const groups = new Map<string, { readonly begin: string; readonly key: KnownKey }[]>();
  for (const key of knownKeys)
    for (const begin of key.begins) getOrCreate(groups, begin.slice(0, 2), () => []).push({ begin, key });
  return groups;
}

const everyBegin = knownKeys.flatMap(({ begins }) => begins);
const keyBeginning = new RegExp(
  [...everyBegin, 'eyJ'].map((begin) => begin.replace(/[.$/?|+]/g, '\\$&')).join('|'),
  'g',
);

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
      const low = isLong ? Math.max(0, at - 90) : 0;
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
const shortestOther = 26;

function keyAt(text: string, at: number): Span | null {
  for (const { begin, key } of byBeginning.get(text.slice(at, at + 2)) ?? []) {
    if (!text.startsWith(begin, at)) continue;
    const from = at + begin.length;
    key.rest.lastIndex = from;
    const rest = key.rest.exec(text);
    if (rest === null || !startsWord(text, at, key.isShort) || /x{9}/i.test(rest[0])) continue;
    const end = from + rest[0].length;
    const start = /[./?]\w{1,12}[/=]$/.test(begin) ? from : at;
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
