// Replaces paths, users, hosts, repositories, branches and servers by stand-ins for `--anonymize`.
import { pathAt, pathText } from './paths.js';
import { rowsOf } from './rows.js';
import { matchAt } from './secrets/values.js';
import { isStandIn, type Put } from './stand-in.js';
import {
  accountAt,
  accountText,
  addressAt,
  branchText,
  domainUser,
  forgeAt,
  hostBefore,
  hostText,
  issueAt,
  mailAt,
  nameAfter,
  ownerAndName,
  ownersAt,
  personText,
  plainWord,
  type ReadName,
  registryAt,
  repositoryName,
  repositoryPath,
  serverText,
  shareAt,
  userText,
  wordAt,
} from './who.js';

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
const quotedField = (field: Field): readonly [string, ReadName] => [
  `(?<![\\w.-])(?:${field.name})\\\\{0,3}["'][ \\t]{0,2}[:=][ \\t]{0,2}\\\\{0,3}["'](?!\\\\)`,
  (text, _at, end, _from, put) => {
    const said = matchAt(field.text, text, end)?.replace(/\\{1,3}$|['"].*$/s, '') ?? '';
    const isWhole = said !== '' && /^\\{0,3}["']/.test(text.slice(end + said.length, end + said.length + 4));
    return isWhole ? { start: end, end: end + said.length, text: field.change(said, put) } : null;
  },
];

/** How each kind of name is read. */
const nameReaders: Readonly<Record<string, ReadName>> = {
  address: addressAt,
  path: (text, at, _end, _from, put) => repositoryPath(text, at, put) ?? pathAt(text, at, put),
  escapedPath: (text, at, end, _from, put) =>
    wordAt(text, at, /(?:(?:\\{1,4}\/|%2F)[\w.@+-]{1,100}){1,40}/iy, (said) =>
      pathText(said.replace(/\\{1,4}\/|%2F/gi, '/'), put).replaceAll('/', text.slice(at, end)),
    ),
  projectFolder: (text, at, _end, _from, put) =>
    wordAt(text, at, /-(?:home|Users|workspaces?|mnt|srv|Volumes)-[A-Za-z0-9._-]{1,200}/iy, (said) =>
      put('path', said),
    ),
  share: shareAt,
  issue: issueAt,
  mail: mailAt,
  forge: forgeAt,
  forgeImage: (text, _at, end, from, put) => forgeAt(text, end, text.indexOf('/', end) + 1, from, put),
  registry: registryAt,
  repository: nameAfter(ownerAndName, (said, put) =>
    isStandIn(said.replace(/\/.*$/s, '')) ? said : put('repo', repositoryName(said)),
  ),
  host: nameAfter(plainWord, hostText),
  hostBefore,
  user: nameAfter(plainWord, userText),
  account: nameAfter(plainWord, accountText),
  accounts: nameAfter(/[a-z][\w.,-]{0,200}(?=\n|$)/y, (said, put) =>
    said.replace(/[^,]{1,64}/g, (one) => accountText(one, put)),
  ),
  accountLine: accountAt,
  domainUser,
  owners: ownersAt,
  quotedName: nameAfter(/[^"'\\\n]{1,64}/y, userText),
  nameOfLine: nameAfter(/[^\n"]{1,64}/y, userText),
  gitName: nameAfter(/[\p{L}][\p{L}\p{N} .'-]{0,63}?(?=["'\n<]|\\n| -|$| <)/uy, userText),
  blamed: nameAfter(/[^()\n]{2,60}?(?= {1,40}[0-9]{4}-)/y, userText),
  author: nameAfter(
    /[^<>\n]{1,80}(?= <[^<>\s]{1,100}@)|[a-z][\w-]{1,40}(?=\n|$)|\p{Lu}[\p{L}.'-]{0,40}(?: \p{Lu}[\p{L}.'-]{0,40}){1,3}(?=\n|$)/uy,
    (said, put) => put('user', said.trim()),
  ),
  person: nameAfter(
    /(?!(?:There|All|Team|Everyone|World|Claude|The|Inc)\b)\p{Lu}[\p{L}.'-]{1,40}(?: (?:\p{Lu}[\p{L}.'-]{0,40}|van|von|de|der|da)){0,3}/uy,
    userText,
  ),
  tool: nameAfter(/(?:[A-Za-z0-9-]|_(?!_)){1,100}(?=__|["'`*\s,)]|$)/y, serverText),
  server: nameAfter(plainWord, serverText),
  quotedServer: nameAfter(/[^"'\\\n]{1,64}/y, serverText),
  branch: nameAfter(/[A-Za-z0-9][\w./+-]{0,200}/y, branchText),
};

/** Where a name may begin: a reader, and what leads to it. Every part has a bounded length, so a search takes linear time. */
const nameLeads: readonly (readonly [lead: string, read: ReadName])[] = [
  ...fields.slice(1).map(quotedField),
  ...rowsOf(String.raw`
quotedName    (?<!\w)name\\{0,3}["'][ \t]{0,2}:[ \t]{0,2}\\{0,3}["'](?=[^"'\n]{1,64}["'],[ \t]{0,2}\\{0,3}["']email)
quotedServer  (?<!\w)name\\{0,3}["'][ \t]{0,2}:[ \t]{0,2}\\{0,3}["'](?<=mcp_?servers.{1,60})
address       [A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/

# After a word, a slash is a fraction or a relative path; but -I/home/ada and \n/home/ada are paths.
path          (?:(?<![\p{L}\p{N}_.~/\\)\]}<%*$-])|(?<=\\[nrt])|(?<=(?:^|\s)-[A-Za-z]))(?:~[A-Za-z0-9._-]{0,32})?\/(?=[\p{L}\p{N}._@~+([*-])
path          (?<![A-Za-z0-9])(?:[C-Z]:(?:\\{1,8}|\/)|[a-z]:\\{1,8}(?=[Uu]sers))(?=[\p{L}\p{N}._~-])
share         (?<![\\\w%\]-])(?:\\{2}(?=[A-Za-z0-9][\w.$-]{1,62}\\[\w$])|\\{4}(?=[A-Za-z0-9][\w.$-]{1,62}\\{2}[\w$]))(?!u[0-9a-f]{4}|x[0-9a-f]{2})
projectFolder (?<![A-Za-z0-9_])-(?:home|Users|(?<!-.)workspaces?|(?<!-.)(?:mnt|srv|Volumes))-(?=[A-Za-z0-9])
escapedPath   (?:\\{1,4}\/|%2F)(?=(?:home|Users|root|mnt|tmp|srv|opt|var|work\w{0,8})(?:\\{1,4}\/|%2F))

# owner/name#12, owner/name@1a2b3c4
issue         [#!](?<=[\w.-].)(?=[0-9]{1,7}(?![\w/]))|@(?<=\/[\w.-]{1,100}@)(?=[0-9a-f]{7,40}(?!\w))
person        (?:Copyright|©)(?: \([cC]\)| ©)?[ \t]{1,4}[0-9]{4}[0-9, –-]{0,16}[ ,](?:by )?
person        %an['"]?\n|(?<!\w)@author[ \t]{1,4}|^(?:Dear|Hi|Hello|Hey) (?=[^,!\n]{2,60}[,!])
person        ^[ \t]{0,8}[0-9]{1,6}\t(?=\p{Lu}[\p{L}.'-]{1,40}(?: \p{Lu}[\p{L}.'-]{1,40}){1,3}$)
# A line of CODEOWNERS, but not of a comment for a function
user          @(?<=^(?:\*|\/[^\s*/][^\s]{0,60}) (?:@[\w./-]{1,60} ){0,5}@)(?!(?:example|experimental|override|internal|deprecated|private|protected|public|see|returns?|type|default|async|static|readonly|final|ignore|module|package\w{0,20}|inheritdoc)$)(?=[A-Za-z][\w./-]{0,60}(?: @[\w./-]{1,60}){0,5}$)
user          (?<![A-Za-z])(?:cc|thanks,?|thank you,?|ping|reviewers?:?|assignees?:?|hi|hey|by|owners?:?) @
mail          (?:%40|@)

# Repositories and registries
forge         (?<![A-Za-z0-9.@/-])(?:github|gitlab|bitbucket|codeberg)\.(?:com|org)\/
forgeImage    (?<![\w-])(?:image:|FROM|docker (?:pull|push|run|tag [^\s]{1,100}|build[^\n]{0,60} -t)) (?!(?:ghcr|docker|quay|gcr)\.)(?=[\w-]{1,60}\.[\w.-]{1,100}\/)
registry      \.(?:azurecr\.io|dkr\.ecr\.[\w-]{1,20}\.amazonaws\.com|pkg\.dev)\/
repository    (?<![A-Za-z0-9.@/-])(?:ghcr\.io|docker\.io|quay\.io|gcr\.io|registry\.gitlab\.com)\/
repository    (?<![A-Za-z0-9-])(?:--repo|-R)[ =]|(?<![A-Za-z])GITHUB_REPOSITORY=|(?<![A-Za-z0-9./-])repos\/
repository    (?<![A-Za-z0-9])(?:github|gitlab|bitbucket|gh):(?=[A-Za-z0-9])|gh repo (?:clone|view|fork|create|edit)[ ]
repository    (?<![\w.@/-])(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org):(?=[\w-])|^(?:To|From) [\w.-]{1,100}:(?=[\w-]{1,60}\/)
repository    npm (?:i|install|add) (?=[\w-]{1,60}\/[\w.-]{1,100}(?:\s|$))|pull request #[0-9]{1,7} from[ ]
repository    (?<![\w-])(?:uses:|image:|docker (?:pull|push|run)|FROM) (?!(?:actions|docker|github|library)\/)(?=[\w-]{1,60}\/[\w.-]{1,100}(?:[:@]|(?<=uses: [^\s]{1,200})\/))

# People and accounts
author        (?<![A-Za-z])(?:(?:Author|Committer|Tagger|Owner|Assignee|(?:Co-authored|Signed-off|Reviewed|Acked|Tested|Reported|Suggested)-by):|^Assigned to)[ \t]{1,8}@?
gitName       (?<![A-Za-z])(?:user\.name(?:=| {1,4}|\n)|GIT_(?:AUTHOR|COMMITTER)_NAME=|--author[= ])["']?
nameOfLine    \[user\](?:[ \t]|\r?\n){1,8}name[ \t]{0,4}=[ \t]{0,4}
blamed        \((?<=^[0-9a-f^]{7,40} (?:[^\s()]{1,100} {1,8})?\()(?=[^()\n]{2,60} [0-9]{4}-[0-9]{2}-[0-9]{2} )
account       (?<![A-Za-z_])(?:USER|LOGNAME|USERNAME|SUDO_USER|User)=|^sudo: {1,8}(?=[\w.-]{1,40} : )
account       (?<![A-Za-z])(?:sudo -u|su -|su -l|chown(?: -[A-Za-z]{1,3})?|adduser|useradd(?: -m)?|usermod(?: -[A-Za-z]{1,3} [a-z,]{1,40})?|su) (?=[A-Za-z])
account       (?<![\w-])(?:psql|pg_\w{2,10}|mysql\w{0,8}|ssh|mongosh|crontab|createdb|redis-cli)(?: [^\n|;&]{0,60})? -[uUl] (?=[A-Za-z])
account       User (?<=^Host [^\n]{1,100}\n(?:[^\n]{1,100}\n){0,3}[ \t]{0,8}User )(?=[\w.-]{1,40}$)|^(?:user(?:name)?|login): (?=[\w.-]{1,40}$)
account       login (?<=machine [^\s]{1,100} login )|:user\/(?<=arn:[\w:-]{1,60}\/)|(?:\$ |^)whoami\n|getent passwd |\$ id (?=[a-z][\w.-]{1,30}$)|(?<!\w)User (?=[\w.-]{1,40} (?:logged|signed) (?:in|out))|(?<![A-Za-z])gh api \/?(?:orgs|users)\/
account       :(?<=chown (?:-[A-Za-z]{1,3} )?[\w.-]{1,40}:)(?=[A-Za-z])|\((?<=(?:uid|gid|groups)=[0-9(),a-z_-]{0,200}[0-9]\()(?=[a-z_])
# Lines of who, of ps aux, of /etc/shadow, of /etc/group, of /etc/passwd, of ls -l
account       ^(?=[a-z][\w.-]{0,31}(?: {1,20}(?:pts\/|tty|console)[^\n]{0,40}[0-9]:| {1,20}[0-9]{1,8} {1,8}[0-9.]{1,6} {1,8}[0-9.]{1,6} {1,20}[0-9]|:\$[0-9a-z]{1,8}\$))
accounts      ^[a-z_-]{1,32}:[x*]?:[0-9]{1,6}:(?=[a-z])
accountLine   :[x*!]:(?=[0-9]{1,10}:[0-9]{1,10}:)
owners        (?<![\w-])[dlcbps-](?:[r-][w-][xsStT-]){3}[@+.]?[ \t]{1,4}[0-9]{1,6}[ \t]{1,8}
domainUser    \\{1,2}(?<=(?:^|[\s"'(=])[A-Z][A-Z0-9-]{1,14}\\{1,2})(?=[a-mo-qsu-z][\w.-]{2,30}(?![\w\\(]))

# Hosts
hostBefore    \.(?:internal|local|lan|corp|intranet)(?![\w.(-])
host          (?<![A-Za-z_])(?:HOSTNAME|HOST|COMPUTERNAME|USERDOMAIN)=|Static hostname: |^hostname: |^Host (?=[\w-]{1,60}$)|(?:\$ |^)hostname\n
host          (?<![A-Za-z])(?:ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|resolve host:?|ping|nslookup|traceroute|HostName|Server:|Host:) (?=[\w-]{1,60}\.[\w.-]{0,100}[A-Za-z]{2})
host          (?<![A-Za-z])machine (?=[^\s]{1,100} login )| (?<=ssh -l [^\s]{1,40} )(?=[\w.-]{1,60}(?:\s|$))|Last login: [^\n]{1,60} from |(?<![A-Za-z])Linux (?=[A-Za-z0-9-]{1,64} [0-9]{1,2}\.[0-9])

# MCP servers
tool          (?<![A-Za-z0-9])mcp__
quotedServer  mcp_?servers\\{0,3}["']?[ \t]{0,2}:\s{0,4}\{\s{0,8}\\{0,3}["']|MCP server ["']
server        ^(?=[\w.-]{1,60}: (?:https?:\/\/|npx |node |uvx )[^\n]{1,200} - )
server        (?<![A-Za-z])claude mcp (?:add|remove|get)(?: --?[\w-]{1,12} \w{1,10}){0,3} (?=[A-Za-z0-9])

# Branches
branch        refs\/(?:heads|remotes\/origin)\/|(?<!\w)remotes\/(?:origin|upstream)\/|(?<![\w/])(?:origin|upstream)\/(?=[\w])
branch        (?<![A-Za-z])(?:[Oo]n branch |[Dd]eleted branch |branch '|pathspec '|HEAD -> )(?=[A-Za-z0-9])
branch        (?<![A-Za-z])(?:GITHUB_HEAD_REF|GITHUB_BASE_REF|GITHUB_REF_NAME|CI_COMMIT_BRANCH|CI_COMMIT_REF_NAME|BRANCH|GIT_BRANCH|BRANCH_NAME)=(?=[A-Za-z0-9])
branch        git (?:checkout|switch|merge|rebase|branch|cherry-pick)(?: -{1,2}[A-Za-z-]{1,12}){0,2} (?=[A-Za-z0-9])|git (?:pull|fetch) (?:origin|upstream) (?=[A-Za-z0-9])
branch        git push(?: -{1,2}[A-Za-z-]{1,20}){0,2} (?:origin|upstream) (?:HEAD:)?(?=[A-Za-z0-9])|(?<![A-Za-z])(?:--head|--base|--branch|--ref)[ =](?=[A-Za-z0-9])
branch        git worktree add (?:(?![<-])[^\s<>\x60]{1,200}(?<!\W) |[^\s]{1,200} -b )(?=[A-Za-z0-9])
branch        (?:\[new branch\]|(?<!\w)[0-9a-f]{7,40}\.\.[0-9a-f]{7,40}) {1,40}(?=[A-Za-z0-9])|-> (?<=(?:\[new branch\]|[0-9a-f]\.\.[0-9a-f]{7,40}) {1,40}[\w./-]{1,200} {1,40}-> )
branch        ^\* (?!(?:src|tests?|docs?|lib|app|packages|fixtures|core|bin|scripts|cmd|api|man)\/)(?=[\w-]{1,60}\/[\w-]{1,100}$)
branch        \[(?<= [0-9a-f]{7,40} \[)(?=[A-Za-z0-9][\w./+-]{0,200}\]$)|^\[(?=[A-Za-z0-9][\w./+-]{0,200}(?: \(root-commit\))? [0-9a-f]{7,40}\] )
`).map(([reader, lead]) => [lead, nameReaders[reader] ?? (() => null)] as const),
];

const anyName = new RegExp(nameLeads.map(([lead]) => `(${lead})`).join('|'), 'gimu');

function anonymizeText(text: string, put: Put): string {
  if (text.length < 3) return text;
  const parts: string[] = [];
  let from = 0;
  anyName.lastIndex = 0;
  for (let match = anyName.exec(text); match !== null; match = anyName.exec(text)) {
    const which = match.indexOf(match[0], 1) - 1;
    const found = nameLeads[which]?.[1](text, match.index, match.index + match[0].length, from, put) ?? null;
    // An empty match, which only says that a name leads here, has to be left behind.
    if (match[0] === '') anyName.lastIndex += 1;
    if (found === null || found.end <= from) continue;
    parts.push(text.slice(from, found.start), found.text);
    from = found.end;
    anyName.lastIndex = Math.max(found.end, anyName.lastIndex);
  }
  return from === 0 ? text : parts.join('') + text.slice(from);
}
