// Replaces paths, users, hosts, repositories, branches and servers by stand-ins for `--anonymize`.
import { bareEnd, fileText, pathAt, pathText, trimmed, until } from './paths.js';
import { matchAt } from './secrets/values.js';
import { type Found, isStandIn, type Put } from './stand-in.js';

export interface Anonymizer {
  /** A JSON value with all its texts replaced, keys included. */
  value<T>(value: T): T;
  text(text: string): string;
}

/** `hash` makes six hexadecimal digits. The same text always gets the same stand-in, so nothing has to be remembered. */
export function createAnonymizer(hash: (text: string) => string): Anonymizer {
  const known = new Map<string, string>();

  const put: Put = (kind, text) => {
    if (isStandIn(text)) return text;
    const key = `${kind}\0${text}`;
    const digits = known.get(key) ?? hash(key);
    if (known.size > mostKnown) known.clear();
    known.set(key, digits);
    return `${kind}-${digits}`;
  };
  const text = (said: string) => anonymizeText(said, put);
  function value<T>(said: T, name?: string): T;
  function value(said: unknown, name = ''): unknown {
    if (typeof said === 'string') return anonymizeField(name, said, put);
    if (Array.isArray(said)) return said.map((item) => value(item, name));
    if (typeof said !== 'object' || said === null) return said;
    // {"name": "Ada Lovelace", "email": "…"}
    const isPerson = Object.hasOwn(said, 'email');
    const isServers = /^mcp_?servers$/i.test(name);
    return Object.fromEntries(
      Object.entries(said).map(([key, inner]) => {
        const about = key === 'name' && isPerson ? 'author' : key === 'name' && isServers ? 'mcp_server' : key;
        return [isServers && typeof inner === 'object' ? serverText(key, put) : text(key), value(inner, about)];
      }),
    );
  }
  return { value, text };
}

const mostKnown = 50_000;

interface Field {
  readonly name: string;
  readonly text: RegExp;
  readonly change: (said: string, put: Put) => string;
}

/** Fields whose whole text is a name. */
const fields: readonly Field[] = [
  {
    name: '\\w{0,40}(?:cwd|path|dir|directory|folder|project)',
    text: /(?:~?\/|~[\w.-]{1,64}\/|[A-Za-z]:[\\/])[^\n\0]{1,4096}/y,
    change: pathText,
  },
  {
    name: 'repository|repo|full_name|nameWithOwner|head_repository|base_repository',
    text: /[\w.-]{1,100}\/[\w.-]{1,100}/y,
    change: (said, put) => put('repo', repositoryName(said)),
  },
  { name: 'hostname|host|machine', text: /[\p{L}\p{N}._-]{1,253}/uy, change: hostText },
  {
    name: 'user_?name|user|login|author|author_?name|committer|committer_?name|assignee|display_?name|real_?name|full_?name|organi[sz]ation',
    text: /[\p{L}\p{N}][\p{L}\p{N} .'_-]{0,63}/uy,
    change: personText,
  },
  { name: '(?:attribution)?mcp_?server(?:_?name)?|server_?name', text: /[^\n"]{1,200}/y, change: serverText },
  {
    name: '(?:git|head|base|worktree|source|target|default|current|original)?_?branch(?:_?name)?|(?:head|base)_?ref(?:_?name)?',
    text: /[^\s~^:?*[\\"]{1,250}/y,
    change: branchText,
  },
];
const fieldNames = fields.map(({ name }) => new RegExp(`^(?:${name})$`, 'i'));

function anonymizeField(name: string, text: string, put: Put): string {
  const field = fields[fieldNames.findIndex((one) => one.test(name))];
  const said = field === undefined || text === '' ? null : matchAt(field.text, text, 0);
  return field === undefined || said !== text ? anonymizeText(text, put) : field.change(text, put);
}

/** {"login": "ada"} in a text. The name of a path or of an account alone says too little there. */
const quotedField = (field: Field): readonly [string, Read] => [
  `(?<![\\w.-])(?:${field.name})\\\\{0,3}["'][ \\t]{0,2}[:=][ \\t]{0,2}\\\\{0,3}["'](?!\\\\)`,
  (text, _at, end, _from, put) => {
    const said = matchAt(field.text, text, end)?.replace(/\\{1,3}$|['"].*$/s, '') ?? '';
    const isWhole = said !== '' && /^\\{0,3}["']/.test(text.slice(end + said.length, end + said.length + 4));
    return isWhole ? { start: end, end: end + said.length, text: field.change(said, put) } : null;
  },
];

const ref = /[A-Za-z0-9][\w./+-]{0,200}/y;
const ownerAndName = /[A-Za-z0-9][\w.-]{0,60}\/[\w.-]{1,100}/y;
const repositories = /[A-Za-z0-9][\w.-]{0,60}(?:\/[\w.-]{1,100}){1,6}/y;
const plainWord = /[A-Za-z0-9][\w.-]{0,63}/y;

type Read = (text: string, at: number, end: number, from: number, put: Put) => Found | null;
const after =
  (shape: RegExp, change: (said: string, put: Put) => string): Read =>
  (text, _at, end, _from, put) =>
    word(text, end, shape, (said) => change(said, put));
const repository = after(ownerAndName, (said, put) =>
  isStandIn(said.replace(/\/.*$/s, '')) ? said : put('repo', repositoryName(said)),
);
const user = after(plainWord, userText);
const branch = after(ref, branchText);

/** Where a name to replace may begin, and how it is read. Every part has a bounded length: a search takes linear time. */
const begins: readonly (readonly [begin: string, read: Read])[] = [
  ...fields.slice(1).map(quotedField),
  // {"name": "Ada Lovelace", "email": "…"}, [{"name": "crm", "status": "connected"}]
  [
    '(?<![\\w])name\\\\{0,3}["\'][ \\t]{0,2}:[ \\t]{0,2}\\\\{0,3}["\'](?=[^"\'\\n]{1,64}["\'],[ \\t]{0,2}\\\\{0,3}["\']email)',
    after(/[^"'\\\n]{1,64}/y, userText),
  ],
  [
    '(?<![\\w])name\\\\{0,3}["\'][ \\t]{0,2}:[ \\t]{0,2}\\\\{0,3}["\'](?<=mcp_?servers.{1,60})',
    after(/[^"'\\\n]{1,64}/y, serverText),
  ],
  ['[A-Za-z][A-Za-z0-9+.-]{1,20}:\\/\\/', (text, at, end, _from, put) => addressAt(text, at, end, put)],
  // After a word, a slash is a fraction or a relative path; but -I/home/ada and \n/home/ada are paths.
  [
    '(?:(?<![\\p{L}\\p{N}_.~/\\\\)\\]}<%*$-])|(?<=\\\\[nrt])|(?<=(?:^|\\s)-[A-Za-z]))(?:~[A-Za-z0-9._-]{0,32})?\\/(?=[\\p{L}\\p{N}._@~+([*-])',
    (text, at, _end, _from, put) => repositoryPath(text, at, put) ?? pathAt(text, at, put),
  ],
  [
    '(?<![A-Za-z0-9])(?:[C-Z]:(?:\\\\{1,8}|\\/)|[a-z]:\\\\{1,8}(?=[Uu]sers))(?=[\\p{L}\\p{N}._~-])',
    (text, at, _end, _from, put) => pathAt(text, at, put),
  ],
  [
    '(?<![\\\\\\w%\\]-])(?:\\\\{2}(?=[A-Za-z0-9][\\w.$-]{1,62}\\\\[\\w$])|\\\\{4}(?=[A-Za-z0-9][\\w.$-]{1,62}\\\\{2}[\\w$]))(?!u[0-9a-f]{4}|x[0-9a-f]{2})',
    shareAt,
  ],
  [
    '(?<![A-Za-z0-9_])-(?:home|Users|(?<!-.)workspaces?|(?<!-.)(?:mnt|srv|Volumes))-(?=[A-Za-z0-9])',
    (text, at, _end, _from, put) => word(text, at, projectFolder, (said) => put('path', said)),
  ],
  [
    '(?:\\\\{1,4}\\/|%2F)(?=(?:home|Users|root|mnt|tmp|srv|opt|var|work\\w{0,8})(?:\\\\{1,4}\\/|%2F))',
    (text, at, end, _from, put) => {
      const sign = text.slice(at, end);
      return word(text, at, /(?:(?:\\{1,4}\/|%2F)[\w.@+-]{1,100}){1,40}/iy, (said) =>
        pathText(said.replace(/\\{1,4}\/|%2F/gi, '/'), put).replaceAll('/', sign),
      );
    },
  ],
  ['[#!](?<=[\\w.-].)(?=[0-9]{1,7}(?![\\w/]))|@(?<=\\/[\\w.-]{1,100}@)(?=[0-9a-f]{7,40}(?!\\w))', issueAt],
  [
    "(?:Copyright|©)(?: \\([cC]\\)| ©)?[ \\t]{1,4}[0-9]{4}[0-9, –-]{0,16}[ ,](?:by )?|(?<![\\w])@author[ \\t]{1,4}|^(?:Dear|Hi|Hello|Hey) (?=[^,!\\n]{2,60}[,!])|^[ \\t]{0,8}[0-9]{1,6}\\t(?=\\p{Lu}[\\p{L}.'-]{1,40}(?: \\p{Lu}[\\p{L}.'-]{1,40}){1,3}$)",
    after(
      /(?!(?:There|All|Team|Everyone|World|Claude|The|Inc)\b)\p{Lu}[\p{L}.'-]{1,40}(?: (?:\p{Lu}[\p{L}.'-]{0,40}|van|von|de|der|da)){0,3}/uy,
      userText,
    ),
  ],
  ['(?<![A-Za-z])(?:cc|thanks,?|thank you,?|ping|reviewers?:?|assignees?:?|hi|hey|by|owners?:?) @', user],
  ['(?:%40|@)', (text, at, end, from, put) => mailAt(text, at, end, from, put)],
  ['(?<![A-Za-z0-9.@/-])(?:github|gitlab|bitbucket|codeberg)\\.(?:com|org)\\/', forgeAt],
  [
    '(?<![\\w-])(?:image:|FROM|docker (?:pull|push|run)) (?!(?:ghcr|docker|quay|gcr)\\.)(?=[\\w-]{1,60}\\.[\\w.-]{1,100}\\/)',
    (text, _at, end, from, put) => forgeAt(text, end, text.indexOf('/', end) + 1, from, put),
  ],
  // A host of a network of its own, and a registry that is named for its owner
  ['\\.(?:internal|local|lan|corp|intranet)(?![\\w.(-])', hostBefore],
  ['\\.(?:azurecr\\.io|dkr\\.ecr\\.[\\w-]{1,20}\\.amazonaws\\.com|pkg\\.dev)\\/', registryAt],
  ['(?<![A-Za-z0-9.@/-])(?:ghcr\\.io|docker\\.io|quay\\.io|gcr\\.io|registry\\.gitlab\\.com)\\/', repository],
  [
    '(?<![A-Za-z0-9-])(?:--repo|-R)[ =]|(?<![A-Za-z])GITHUB_REPOSITORY=|(?<![A-Za-z0-9./-])repos\\/|(?<![A-Za-z0-9])(?:github|gitlab|bitbucket|gh):(?=[A-Za-z0-9])|gh repo (?:clone|view|fork|create|edit) |npm (?:i|install|add) (?=[\\w-]{1,60}\\/[\\w.-]{1,100}(?:\\s|$))|pull request #[0-9]{1,7} from |(?<![\\w-])(?:uses:|image:|docker (?:pull|push|run)|FROM) (?!(?:actions|docker|github|library)\\/)(?=[\\w-]{1,60}\\/[\\w.-]{1,100}[:@])',
    repository,
  ],
  [
    '(?<![A-Za-z])(?:(?:Author|Committer|Tagger|Owner|Assignee|(?:Co-authored|Signed-off|Reviewed|Acked|Tested|Reported|Suggested)-by):|^Assigned to)[ \\t]{1,8}@?',
    after(
      /[^<>\n]{1,80}(?= <[^<>\s]{1,100}@)|[a-z][\w-]{1,40}(?=\n|$)|\p{Lu}[\p{L}.'-]{0,40}(?: \p{Lu}[\p{L}.'-]{0,40}){1,3}(?=\n|$)/uy,
      (said, put) => put('user', said.trim()),
    ),
  ],
  [
    '(?<![A-Za-z])(?:user\\.name(?:=| {1,4})|GIT_(?:AUTHOR|COMMITTER)_NAME=|--author[= ])["\']?',
    after(/[\p{L}][\p{L}\p{N} .'-]{0,63}?(?=["'\n<]|\\n| -|$| <)/uy, userText),
  ],
  ['\\[user\\](?:[ \\t]|\\r?\\n){1,8}name[ \\t]{0,4}=[ \\t]{0,4}', after(/[^\n"]{1,64}/y, userText)],
  [
    '(?<![A-Za-z_])(?:USER|LOGNAME|USERNAME|SUDO_USER|User)=|^sudo: {1,8}(?=[\\w.-]{1,40} : )|(?<![A-Za-z])(?:sudo -u|su -|su -l|chown(?: -[A-Za-z]{1,3})?|adduser|useradd(?: -m)?|usermod(?: -[A-Za-z]{1,3} [a-z,]{1,40})?|su) (?=[A-Za-z])|(?<![\\w-])(?:psql|pg_\\w{2,10}|mysql\\w{0,8}|ssh|mongosh|crontab|createdb|redis-cli)(?: [^\\n|;&]{0,60})? -[uUl] (?=[A-Za-z])|User (?<=^Host [^\\n]{1,100}\\n(?:[^\\n]{1,100}\\n){0,3}[ \\t]{0,8}User )(?=[\\w.-]{1,40}$)|^(?:user(?:name)?|login): (?=[\\w.-]{1,40}$)|login (?<=machine [^\\s]{1,100} login )|:user\\/(?<=arn:[\\w:-]{1,60}\\/)|(?:\\$ |^)whoami\\n|(?<![A-Za-z])gh api \\/?(?:orgs|users)\\/',
    after(/[A-Za-z0-9][\w.-]{0,63}/y, accountText),
  ],
  // A line of who, of ps aux, of /etc/shadow, of /etc/group; ada:staff
  [
    '^(?=[a-z][\\w.-]{0,31}(?: {1,20}(?:pts\\/|tty|console)[^\\n]{0,40}[0-9]:| {1,20}[0-9]{1,8} {1,8}[0-9.]{1,6} {1,8}[0-9.]{1,6} {1,20}[0-9]|:\\$[0-9a-z]{1,8}\\$))',
    after(plainWord, accountText),
  ],
  [
    '^[a-z_-]{1,32}:[x*]?:[0-9]{1,6}:(?=[a-z])',
    after(/[a-z][\w.,-]{0,200}(?=\n|$)/y, (said, put) =>
      said
        .split(',')
        .map((one) => accountText(one, put))
        .join(','),
    ),
  ],
  [':(?<=chown (?:-[A-Za-z]{1,3} )?[\\w.-]{1,40}:)(?=[A-Za-z])', user],
  [
    '(?<![A-Za-z_])(?:HOSTNAME|HOST|COMPUTERNAME|USERDOMAIN)=|Static hostname: |(?<![A-Za-z])(?:ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|resolve host:?|ping|nslookup|traceroute|HostName|Server:|Host:) (?=[\\w-]{1,60}\\.[\\w.-]{0,100}[A-Za-z]{2})|^hostname: |^Host (?=[\\w-]{1,60}$)|(?:\\$ |^)hostname\\n|(?<![A-Za-z])machine (?=[^\\s]{1,100} login )| (?<=ssh -l [^\\s]{1,40} )(?=[\\w.-]{1,60}(?:\\s|$))|(?<![A-Za-z])Linux (?=[A-Za-z0-9-]{1,64} [0-9]{1,2}\\.[0-9])',
    after(plainWord, hostText),
  ],
  [
    '\\\\{1,2}(?<=(?:^|[\\s"\'(=])[A-Z][A-Z0-9-]{1,14}\\\\{1,2})(?=[a-mo-qsu-z][\\w.-]{2,30}(?![\\w\\\\(]))',
    domainUser,
  ],
  ['\\((?<=(?:uid|gid|groups)=[0-9(),a-z_-]{0,200}[0-9]\\()(?=[a-z_])', after(plainWord, accountText)],
  ['(?<![\\w-])[dlcbps-](?:[r-][w-][xsStT-]){3}[@+.]?[ \\t]{1,4}[0-9]{1,6}[ \\t]{1,8}', ownersAt],
  [':[x*!]:(?=[0-9]{1,10}:[0-9]{1,10}:)', accountAt],
  [
    '\\((?<=^[0-9a-f^]{7,40} (?:[^\\s()]{1,100} {1,8})?\\()(?=[^()\\n]{2,60} [0-9]{4}-[0-9]{2}-[0-9]{2} )',
    after(/[^()\n]{2,60}?(?= {1,40}[0-9]{4}-)/y, userText),
  ],
  ['(?<![A-Za-z0-9])mcp__', after(/(?:[A-Za-z0-9-]|_(?!_)){1,100}(?=__|["'`*\s,)]|$)/y, serverText)],
  [
    '(?<![A-Za-z])claude mcp (?:add|remove|get)(?: -[\\w-]{1,12} \\w{1,10}| --[\\w-]{1,12} \\w{1,10}){0,3} (?=[A-Za-z0-9])',
    after(plainWord, serverText),
  ],
  [
    'refs\\/(?:heads|remotes\\/origin)\\/|(?<!\\w)remotes\\/(?:origin|upstream)\\/|(?<![\\w/])(?:origin|upstream)\\/(?=[\\w])',
    branch,
  ],
  [
    "(?<![A-Za-z])(?:[Oo]n branch |branch '|HEAD -> |(?:GITHUB_HEAD_REF|GITHUB_BASE_REF|GITHUB_REF_NAME|CI_COMMIT_BRANCH|CI_COMMIT_REF_NAME|BRANCH|GIT_BRANCH|BRANCH_NAME)=|git (?:checkout|switch|merge|rebase|branch|cherry-pick)(?: -{1,2}[A-Za-z-]{1,12}){0,2} |git push(?: -{1,2}[A-Za-z-]{1,20}){0,2} (?:origin|upstream) (?:HEAD:)?|git worktree add (?![<-])[^\\s<>`]{1,200}(?<!\\W) |git (?:pull|fetch) (?:origin|upstream) |(?:--head|--base|--branch|git worktree add [^\\s]{1,200} -b)[ =])(?=[A-Za-z0-9])",
    branch,
  ],
  [
    '(?:\\[new branch\\]|(?<!\\w)[0-9a-f]{7,40}\\.\\.[0-9a-f]{7,40}) {1,40}(?=[A-Za-z0-9])|^\\* (?!(?:src|tests?|docs?|lib|app|packages|fixtures|core|bin|scripts|cmd|api|man)\\/)(?=[\\w-]{1,60}\\/[\\w-]{1,100}$)|\\[(?<= [0-9a-f]{7,40} \\[)(?=[A-Za-z0-9][\\w./+-]{0,200}\\]$)',
    branch,
  ],
  ['-> (?<=(?:\\[new branch\\]|[0-9a-f]\\.\\.[0-9a-f]{7,40}) {1,40}[\\w./-]{1,200} {1,40}-> )', branch],
  ['^\\[(?=[A-Za-z0-9][\\w./+-]{0,200}(?: \\(root-commit\\))? [0-9a-f]{7,40}\\] )', branch],
];

const beginning = new RegExp(begins.map(([begin]) => `(${begin})`).join('|'), 'gimu');

function anonymizeText(text: string, put: Put): string {
  if (text.length < 3) return text;
  const parts: string[] = [];
  let from = 0;
  beginning.lastIndex = 0;
  for (let match = beginning.exec(text); match !== null; match = beginning.exec(text)) {
    const which = match.indexOf(match[0], 1) - 1;
    const found = begins[which]?.[1](text, match.index, match.index + match[0].length, from, put) ?? null;
    // An empty match, which only says that a name begins here, has to be left behind.
    if (match[0] === '') beginning.lastIndex += 1;
    if (found === null || found.end <= from) continue;
    parts.push(text.slice(from, found.start), found.text);
    from = found.end;
    beginning.lastIndex = Math.max(found.end, beginning.lastIndex);
  }
  return from === 0 ? text : parts.join('') + text.slice(from);
}

const projectFolder = /-(?:home|Users|workspaces?|mnt|srv|Volumes)-[A-Za-z0-9._-]{1,200}/iy;

function word(text: string, at: number, shape: RegExp, change: (said: string) => string): Found | null {
  shape.lastIndex = at;
  const said = shape.exec(text)?.[0];
  return said === undefined ? null : { start: at, end: at + said.length, text: change(said) };
}

// Addresses

const authorityEnd = /[\s/?#"'`<>\\)\]}|,;]/;
const addressEnd = /[\s"'`<>\\)\]}|]/;

function addressAt(text: string, at: number, end: number, put: Put): Found | null {
  const scheme = text.slice(at, end);
  if (text[end] === '/' || (/^file:/i.test(scheme) && /^(?:\.|[A-Za-z]:)/.test(text.slice(end, end + 2)))) {
    const path = pathAt(text, /^\/[A-Za-z]:/.test(text.slice(end, end + 3)) ? end + 1 : end, put);
    return path === null ? null : { ...path, start: at, text: text.slice(at, path.start) + path.text };
  }
  const authority = trimmed(text, until(text, end, authorityEnd));
  const said = text.slice(end, authority);
  const [, user, host = '', port = ''] = /^(?:([^@+]{0,512}[@+]))?([^@:+]{1,253})(:[0-9]{1,5})?$/.exec(said) ?? [];
  if (!isHost(host) || isStandIn(host)) return null;
  const who = user === undefined ? '' : /\+$/.test(user) ? user : `${userText(user.replace(/[:@].*$/s, ''), put)}@`;
  const last =
    text[authority] === '/' || text[authority] === '?' ? trimmed(text, until(text, authority, addressEnd)) : authority;
  const where = hostText(host, put);
  if (/^file:/i.test(scheme)) {
    const file = pathAt(text, authority, put);
    return { start: at, end: file?.end ?? authority, text: `${scheme}${where}${file?.text ?? ''}` };
  }
  const path = addressPath(host, text.slice(authority, last), put);
  return { start: at, end: last, text: `${scheme}${who}${where}${port}${path}` };
}

/** `/owner/name/blob/main/a.ts` → `/repo-…/path-…`. On other hosts one stand-in replaces the whole path. */
function addressPath(host: string, path: string, put: Put): string {
  if (path.length < 2 || isPublic(host)) return path;
  const [first = '', second = '', ...rest] = path
    .slice(1)
    .replace(/^repos\//, '')
    .split('/');
  const isRepository = (/(?:git|bitbucket|codeberg)/i.test(host) || /\.git$/.test(path)) && /^[\w.-]+$/.test(second);
  if (!isRepository) return `${path[0]}${put('path', path.slice(1))}`;
  const repository = `/${put('repo', repositoryName(`${first}/${second}`))}${second.endsWith('.git') ? '.git' : ''}`;
  return rest.length === 0 ? repository : `${repository}/${put('path', rest.join('/'))}`;
}

/** One name for all spellings of a repository. */
function repositoryName(text: string): string {
  return text.replace(/\.git$/, '').toLowerCase();
}

/** `github.com/owner/name` without a scheme, as in an import. */
function forgeAt(text: string, at: number, end: number, _from: number, put: Put): Found | null {
  const last = trimmed(text, until(text, end, addressEnd));
  const host = text.slice(at, end - 1);
  const where = hostText(host, put);
  return { start: at, end: last, text: where + addressPath(host, text.slice(end - 1, last), put) };
}

const userCharacter = /[A-Za-z0-9._%+-]/;
const hostShape = /[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9-]{1,63}){0,8}/y;

/**
 * `ada@example.org`, `git@host:owner/name`, `ada@laptop:~/x`; not an agent such as `researcher@crew`, nor
 * `left-pad@1.2`.
 */
function mailAt(text: string, at: number, after: number, from: number, put: Put): Found | null {
  let start = wordStart(text, at, from, userCharacter, 64);
  // \nada@…: the n belongs to the line break, not to the name.
  if (text[start - 1] === '\\' && /[nrt]/.test(text[start] ?? '')) start += 1;
  if (start === at || at - start === 64) return null;
  hostShape.lastIndex = after;
  const host = hostShape.exec(text)?.[0] ?? '';
  const end = after + host.length;
  const behind = text.slice(end, end + 3);
  const isNamed = /\.[A-Za-z]{2,24}$/.test(host) || /^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$/.test(host);
  const isPrompt =
    /^ (?:[^\]\n]{1,100}\][$#]|[~/][^\s]{0,100} ?[%$#>❯]|MINGW)/.test(text.slice(end, end + 104)) ||
    /(?:^|[\s;&|])(?:(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id) (?:[^\s]{1,80} ){0,4}|use-context |(?:ssh-|AAAA)[A-Za-z0-9+/=-]{6,80} )$|[A-Za-z0-9+/=]{60} $/.test(
      text.slice(Math.max(0, start - 90), start),
    );
  const isRemote = isPrompt || /^:[~/]/.test(behind) || (isNamed && /^:[A-Za-z0-9]/.test(behind));
  if (!isNamed && !isRemote) return null;
  if (isStandIn(host)) return null;
  const found = userText(text.slice(start, at), put) + text.slice(at, after) + hostText(host, put);
  const repository =
    isNamed && isRemote ? word(text, end + 1, repositories, (said) => put('repo', repositoryName(said))) : null;
  if (repository === null) {
    // Ada Lovelace <ada@example.org>
    const name =
      text[start - 1] === '<'
        ? /\p{Lu}[\p{L}.'-]{0,40} (?:(?:\p{Lu}[\p{L}.'-]{0,40}|van|von|de|der|den|da|di|la|le|bin|al) ){0,4}$/u.exec(
            text.slice(Math.max(from, start - 80), start - 1),
          )?.[0]
        : undefined;
    return name === undefined || isStandIn(name.trim())
      ? { start, end, text: found }
      : { start: start - 1 - name.length, end, text: `${put('user', name.trim())} <${found}` };
  }
  const isGit = text.slice(repository.start, repository.end).endsWith('.git');
  return { start, end: repository.end, text: `${found}:${repository.text}${isGit ? '.git' : ''}` };
}

/** The name of a person, but not the type of such a name. */
function personText(user: string, put: Put): string {
  return /^(?:string|str|text|null|none|true|false|undefined|unknown|required|optional|user|name|username|login|author)$/i.test(
    user,
  )
    ? user
    : accountText(user, put);
}

function userText(user: string, put: Put): string {
  return user === 'git' || user === '' ? user : put('user', user);
}

/** Accounts and groups that many machines have say nothing. */
function accountText(user: string, put: Put): string {
  return /^(?:|git|root|admin|users?|nobody|daemon|www-data|node|runner|ubuntu|staff|wheel|sudo|docker|adm)$/.test(user)
    ? user
    : put('user', user);
}

/** Tools spell the name of their server with _ for every other sign. */
function serverText(name: string, put: Put): string {
  return put('server', name.replace(/[^A-Za-z0-9_-]/g, '_'));
}

/** A name that every repository has says nothing. */
function branchText(said: string, put: Put): string {
  const [, before = '', name = '', behind = ''] =
    /^((?:refs\/(?:heads|remotes\/origin)\/|origin\/|upstream\/)?)(.*?)([.,:;)]*)$/s.exec(said) ?? [];
  const isPlain =
    /^(?:main|master|develop|development|dev|trunk|head|staging|production|release|gh-pages|next|beta|alpha|test|origin|upstream|-.*|of|is|in|for|and|or|the|to|from|with|a|on|at|by|it|names?|that|was|v?[0-9.]+|[0-9a-f]{7,40})$/i;
  return isPlain.test(name) || name === '' ? said : `${before}${put('branch', name)}${behind}`;
}

/** The owner and the group in a line of ls -l. */
function ownersAt(text: string, at: number, end: number, _from: number, put: Put): Found | null {
  const match = /([A-Za-z_][\w.@+-]{0,40})([ \t]{1,20})([A-Za-z_][\w.@+-]{0,40})(?=[ \t]{1,12}[0-9])/y;
  match.lastIndex = end;
  const [said = '', owner = '', gap = '', group = ''] = match.exec(text) ?? [];
  if (said === '') return null;
  return {
    start: at,
    end: end + said.length,
    text: text.slice(at, end) + accountText(owner, put) + gap + accountText(group, put),
  };
}

/** A line of /etc/passwd: the user and, of people, the name. Paths in the rest are replaced as elsewhere. */
function accountAt(text: string, at: number, end: number, from: number, put: Put): Found | null {
  const start = wordStart(text, at, from, /[\w.-]/, 32);
  const match = /([0-9]{1,10})(:[0-9]{1,10}:)([^:\n]{0,100})(?=:)/y;
  match.lastIndex = end;
  const [said = '', id = '', group = '', full = ''] = match.exec(text) ?? [];
  // Accounts of the system have low numbers.
  if (said === '' || start === at || Number(id) < 500 || Number(id) === 65534) return null;
  const person = full.replace(/,{1,5}$/, '');
  const name = accountText(text.slice(start, at), put) + text.slice(at, end);
  return { start, end: end + said.length, text: `${name}${id}${group}${person === '' ? full : put('user', person)}` };
}

/** build7.internal, but not node.local. */
function hostBefore(text: string, at: number, end: number, from: number, put: Put): Found | null {
  const start = wordStart(text, at, from, /[\w.-]/, 200);
  const said = text.slice(start, end);
  const isHost = /[0-9-]/.test(said.slice(0, at - start)) || /^(?::[0-9]|\/)/.test(text.slice(end, end + 2));
  return start === at || !isHost || /[@/:]/.test(text[start - 1] ?? '')
    ? null
    : { start, end, text: hostText(said, put) };
}

/** crew.azurecr.io/app:1. */
function registryAt(text: string, at: number, end: number, from: number, put: Put): Found | null {
  const start = wordStart(text, at, from, /[\w-]/, 100);
  const name = word(text, end, /[\w.-]{1,100}(?:\/[\w.-]{1,100}){0,4}/y, (said) => put('repo', repositoryName(said)));
  if (name === null || start === at) return null;
  return { start, end: name.end, text: `${hostText(text.slice(start, end - 1), put)}/${name.text}` };
}

/** CORP\\ada; the flags of the search do not see capitals. */
function domainUser(text: string, at: number, end: number, from: number, put: Put): Found | null {
  const domain = text.slice(wordStart(text, at, from, /[\w-]/, 16), at);
  return domain === domain.toUpperCase() && /^[A-Z]/.test(domain) ? user(text, at, end, from, put) : null;
}

/** owner/name#12, owner/name@1a2b3c4. */
function issueAt(text: string, at: number, _end: number, from: number, put: Put): Found | null {
  const start = wordStart(text, at, from, /[\w./@-]/, 162);
  const said = text.slice(start, at);
  const isOne = /^[A-Za-z0-9][\w.-]{0,60}\/[\w.-]{1,100}$/.test(said) && !/[@:]/.test(text[start - 1] ?? '');
  return isOne && !isStandIn(said.replace(/\/.*$/s, ''))
    ? { start, end: at, text: put('repo', repositoryName(said)) }
    : null;
}

function wordStart(text: string, at: number, from: number, characters: RegExp, longest: number): number {
  let start = at;
  while (start > from && at - start < longest && characters.test(text[start - 1] ?? '')) start -= 1;
  return start;
}

/** \\\\server\\share\\… */
function shareAt(text: string, at: number, end: number, _from: number, put: Put): Found | null {
  const host = word(text, end, /[A-Za-z0-9][\w.$-]{0,63}/y, (said) => put('host', said.toLowerCase()));
  if (host === null) return null;
  // "\\\\nfoo\\\\nbar" has line breaks that were escaped twice.
  if (/^[nrt]/.test(text.slice(end)) && /^\\{1,2}[nrt"]/.test(text.slice(host.end, host.end + 3))) return null;
  const last = bareEnd(text, host.end, true);
  const path = text
    .slice(host.end, last)
    .split(/(\\+)/)
    .map((name, index) => (index % 2 === 1 || name === '' ? name : fileText(name, put)));
  return { start: at, end: last, text: text.slice(at, end) + host.text + path.join('') };
}

/** /repos/owner/name, as the API of GitHub has it. */
function repositoryPath(text: string, at: number, put: Put): Found | null {
  if (/^\/repos\/repo-[0-9a-f]{6}/.test(text.slice(at, at + 24)))
    return { start: at, end: at + 18, text: text.slice(at, at + 18) };
  const found = text.startsWith('/repos/', at)
    ? word(text, at + 7, ownerAndName, (said) => put('repo', repositoryName(said)))
    : null;
  return found === null ? null : { ...found, start: at, text: `/repos/${found.text}` };
}

function hostText(host: string, put: Put): string {
  return isPublic(host) || /^(?:string|str|null|undefined|true|false)$/.test(host)
    ? host
    : put('host', host.toLowerCase());
}

function isHost(text: string): boolean {
  return text.length < 254 && /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?$/u.test(text);
}

function isPublic(host: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|0\.0\.0\.0|(?:[a-z0-9-]+\.)?example\.(?:com|org|net))$/i.test(host);
}
