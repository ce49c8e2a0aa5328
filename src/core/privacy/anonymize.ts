// Replaces paths, users, hosts, repositories, branches and servers by stand-ins for `--anonymize`.

import { matchAt, rowsOf, runStart } from './secrets/values.js';
import {
  accountAt,
  accountText,
  addressAt,
  branchText,
  domainUser,
  forgeAt,
  hostBefore,
  hostText,
  isStandIn,
  issueAt,
  mailAt,
  nameAfter,
  ownerAndName,
  ownersAt,
  type Put,
  pathAt,
  pathText,
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

/**
 * Returns a JSON value with all its texts replaced, keys included. `hash` makes six hexadecimal digits. The same text
 * always gets the same stand-in, so nothing has to be remembered.
 */
export function createAnonymizer(hash: (text: string) => string): <T>(value: T) => T {
  const known = new Map<string, string>();

  const put: Put = (kind, text) => {
    if (isStandIn(text)) return text;
    const key = `${kind}\0${text}`;
    const digits = known.get(key) ?? hash(key);
    if (known.size > mostKnown) known.clear();
    known.set(key, digits);
    return `${kind}-${digits}`;
  };
  function value<T>(said: T, name?: string): T;
  function value(said: unknown, name = ''): unknown {
    if (typeof said === 'string') return anonymizeField(name, said, put);
    if (Array.isArray(said)) return said.map((item) => value(item, name));
    if (typeof said !== 'object' || said === null) return said;
    // {"name": "Ada Lovelace", "email": "…"}
    const isPerson = Object.hasOwn(said, 'email') || person.test(name);
    const isServers = /^mcp_?servers$/i.test(name);
    const isOwned = Object.hasOwn(said, 'owner') && (Object.hasOwn(said, 'repo') || Object.hasOwn(said, 'repository'));
    return Object.fromEntries(
      Object.entries(said).map(([key, inner]) => {
        const about = key === 'name' && isServers ? 'mcp_server' : key === 'name' && isPerson ? 'author' : key;
        if (
          isOwned &&
          /^(?:owner|repo|repository)$/.test(key) &&
          typeof inner === 'string' &&
          /^[\w.-]{1,100}$/.test(inner)
        )
          return [key, put('repo', inner)];
        return [
          isServers && typeof inner === 'object' ? serverText(key, put) : anonymizeText(key, put),
          value(inner, about),
        ];
      }),
    );
  }
  return value;
}

const mostKnown = 50_000;
const person = /^(?:author|committer|creator|reviewer|assignee|sender|actor)s?$/i;

interface Field {
  readonly name: string;
  readonly text: RegExp;
  /** The shape of a name that is not in quotes. */
  readonly bare?: RegExp;
  /** What such a name contains, if it does not begin a line or follow NAME=. */
  readonly clear?: RegExp;
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
  {
    name: '(?:pg|db|mysql|redis|smtp)?host(?:_?name)?|machine|fqdn|computername|userdomain',
    text: /[\p{L}\p{N}._-]{1,253}/uy,
    bare: /[A-Za-z0-9][\w.-]{1,252}/y,
    clear: /[0-9]|\w-\w|\.(?:com|org|net|io|dev|co|eu|de|uk|fr|internal|local|lan|corp|intranet|test)$/,
    change: hostText,
  },
  {
    name: '(?:attribution)?mcp_?server(?:_?name)?|server_?(?:display_?)?name',
    text: /[^\n"]{1,200}/y,
    change: serverText,
  },
  {
    name: 'user(?:_?name| id)?|logname|login|_{0,2}(?:author|committer|maintainer|reviewers?|reporter|creator|contact|publisher|vendor)(?:_?name|__)?|assignees?|(?:display|real|full|first|last|given|family|sur)_?name|organi[sz]ation(?:_?name)?|company(?:_?name)?|employer|customer(?:_?name)?',
    text: /[\p{L}\p{N}][\p{L}\p{N} .,&'_-]{0,63}/uy,
    bare: /[\p{L}_][\p{L}\p{N}._-]{1,63}(?:(?! \w{1,40}=) \p{Lu}[\p{L}.'-]{1,40}){0,3}/uy,
    change: personText,
  },
  {
    name: '(?:git|head|base|worktree|source|target|default|current|original)?_?branch(?:_?name)?|(?:head|base)_?ref(?:_?name)?',
    text: /[^\s~^:?*[\\"]{1,250}/y,
    change: branchText,
  },
];
const fieldNames = fields.map(({ name }) => new RegExp(`^(?:\\w{1,40}_)?(?:${name})$`, 'i'));

function anonymizeField(name: string, text: string, put: Put): string {
  const field = fields[fieldNames.findIndex((one) => one.test(name))];
  const said = field === undefined || text === '' ? null : matchAt(field.text, text, 0);
  return field === undefined || said !== text ? anonymizeText(text, put) : field.change(text, put);
}

/** {"login": "ada"}, user = "ada", <author>Ada</author>, USER=ada, Host: build7. The name of a path says too little there. */
const fieldInText = ({ name, text: shape, bare, clear, change }: Field): readonly [string, ReadName] => [
  `(?<![A-Za-z0-9.$-])(?:(?:${name})\\\\{0,3}["']?(?:[ \\t]{0,12}:[ \\t]{0,12}|[ \\t]{0,4}=>?[ \\t]{0,4})\\\\{0,3}["']?(?=[\\p{L}\\p{N}])|(?<=<)(?:${name})>)`,
  (text, at, end, _from, put) => {
    const close = /["'>]/.exec(text[end - 1] ?? '')?.[0];
    const isTag = close === '>' && text[at - 1] === '<';
    const lead = text.slice(at, end);
    if (close !== undefined && !lead.endsWith('=>')) {
      const said = matchAt(shape, text, end)?.replace(/\\{1,3}$|['"].*$/s, '') ?? '';
      const behind = text.slice(end + said.length, end + said.length + 4);
      const isWhole = said !== '' && (isTag ? behind.startsWith('</') : /^\\{0,3}["']/.test(behind));
      return isWhole ? { start: end, end: end + said.length, text: change(said, put) } : null;
    }
    const said = (bare === undefined ? null : matchAt(bare, text, end))?.replace(/[.:]$/, '') ?? '';
    const behind = text.slice(end + said.length, end + said.length + 2);
    // user: User is a type, user = find() and login(user=ada) are code.
    const isTight = lead.endsWith('=');
    // The user: a word of a sentence.
    const isLabel =
      /:[ \t]{1,12}$/.test(lead) &&
      !/[a-z,] $/.test(text.slice(Math.max(0, at - 2), at)) &&
      /^(?:$|\\n|[\n,;|\t"']| {2}| [(<A-Z-])/.test(behind);
    const isSaid = isLabel || (isTight && /^(?:$|\\n|[\s;&|"'`])/.test(behind));
    const isFirst = /^[A-Z_]{2,40}=$/.test(lead) || /^(?:|\n)$/.test(text[at - 1] ?? '');
    if (
      said === '' ||
      !isSaid ||
      (clear?.test(said) === false && !isFirst) ||
      lead.toLowerCase().startsWith(said.toLowerCase()) ||
      commonWord.test(said)
    )
      return null;
    return { start: end, end: end + said.length, text: change(said, put) };
  },
];
const commonWord =
  /^(?:the|an?|this|that|my|your|our|is|of|to|not|no|any|all|each|some|new|current|same|number|int\w{0,3}|bool\w{0,3}|object|array|date|function|[A-Z]\w{0,40}(?:Type|Name|Id|User|Props|Service|Model|Schema|Dto|Info|Config)|User|Actor|Person|Account|tests?|self|me|you)$|\.(?:name|user\w{0,8}|login|id|host\w{0,8}|author|value|email|\w{1,20}Name)$/;

/** How each kind of name is read. */
const nameReaders: Readonly<Record<string, ReadName>> = {
  address: (text, at, end, from, put) =>
    addressAt(text, runStart(text, at, /[A-Za-z0-9+.-]/, 21, from), end, from, put),
  path: (text, at, _end, _from, put) => repositoryPath(text, at, put) ?? pathAt(text, at, put),
  homePath: (text, _at, end, _from, put) =>
    wordAt(text, end, /[\w.@+-]{1,100}(?:[\\/][\w.@+-]{1,100}){0,30}/y, (said) => pathText(`/./${said}`, put).slice(3)),
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
  hostAndName: nameAfter(/[\w.-]{1,100}:[\w.-]{1,60}\/[\w./-]{1,200}/y, (said, put) => {
    const [host = '', name = ''] = said.split(':');
    return `${hostText(host, put)}:${put('repo', repositoryName(name))}`;
  }),
  host: nameAfter(plainWord, hostText),
  hostBefore,
  hostsOf: (text, _at, end, _from, put) =>
    wordAt(text, end, /[^\n#]{1,400}/y, (said) => said.replace(/[\w.-]{2,253}/g, (one) => hostText(one, put))),
  wholeHost: (text, at, end, from, put) => {
    const start = runStart(text, at, /[\w-]/, 40, from);
    return { start, end, text: hostText(text.slice(start, end), put) };
  },
  user: nameAfter(plainWord, userText),
  account: nameAfter(plainWord, accountText),
  accounts: nameAfter(/[a-z][\w.,-]{0,200}(?=\n|$)/y, (said, put) =>
    said.replace(/[^,]{1,64}/g, (one) => accountText(one, put)),
  ),
  accountLine: accountAt,
  domainUser,
  owners: ownersAt,
  quotedName: nameAfter(/[^"'\\\n]{1,64}/y, userText),
  userHome: nameAfter(plainWord, userText),
  subject: (text, at, end, _from, put) =>
    /^(?:CN|OU?)/.test(text.slice(at, end)) &&
    /(?:CN|OU?|ST|L|C) ?= ?[^\s,/=]/.test(
      text.slice(Math.max(0, at - 60), at) + text.slice(end, end + 80).replace(/^[^,/]{0,80}/, ''),
    )
      ? wordAt(text, end, /[^\n,/]{1,60}/y, (said) => (said.includes('.') ? hostText(said, put) : userText(said, put)))
      : null,
  nameOfTag: nameAfter(/[^<>\n]{1,60}/y, userText),
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
  fullName: nameAfter(
    /(?!(?:The|This|An?|Not|Claude|Team|Microsoft|Google)\b)\p{Lu}[\p{L}'-]{1,40}(?: (?:\p{Lu}[\p{L}.'-]{0,40}|van|von|de|der|da)){1,3}(?: (?:from|at|of) \p{Lu}[\p{L}&.'-]{1,40}(?: \p{Lu}[\p{L}&.'-]{1,40}){0,3})?/uy,
    userText,
  ),
  scope: nameAfter(/[a-z0-9][\w.-]{1,40}\/[\w.-]{1,60}?(?=@|[^\w.-]|\.?$)/y, (said, put) => put('repo', said)),
  ip: nameAfter(/[0-9a-f][0-9a-f.:]{5,40}/y, (said, put) =>
    /^(?:255\.|127\.)|\.(?:[3-9]\d\d|2[6-9]\d|25[6-9])(?:\.|$)|^(?:[3-9]\d\d|2[6-9]\d)\./.test(said)
      ? said
      : hostText(said, put),
  ),
  project: nameAfter(/[A-Za-z0-9][^"'\\\n]{1,60}?(?=["'\\\n]|\s-|$)/y, (said, put) => put('repo', said)),
  package: nameAfter(/[a-z][\w-]{1,60}(?=[.;\s])/y, (said, put) => put('repo', said)),
  tool: nameAfter(/(?:[A-Za-z0-9-]|_(?!_)){1,100}(?=__|["'`*\s,)]|$)/y, serverText),
  server: nameAfter(plainWord, serverText),
  quotedServer: nameAfter(/[^"'\\\n]{1,64}/y, serverText),
  branch: nameAfter(/[A-Za-z0-9][\w./+-]{0,200}/y, branchText),
};

/** {"owner": "…", "repo": "…"}, as the tools for GitHub take them. */
const colonAndQuote = String.raw`\\{0,3}["'][ \t]{0,2}:[ \t]{0,2}\\{0,3}["']`;
const ownerAndRepo = String.raw`(?<!\w)(?:owner|repo)${colonAndQuote}(?:(?=[\w.-]{1,100}\\{0,3}["'],\s{0,8}\\{0,3}["'](?:repo|owner)\W)|(?<=\W(?:owner|repo)\\{0,3}["'][^{}\n]{1,110},[^{}\n]{1,20}))`;

/** Where a name may begin: a reader, and what leads to it. Every part has a bounded length, so a search takes linear time. */
const nameLeads: readonly (readonly [lead: string, read: ReadName])[] = [
  [ownerAndRepo, nameAfter(/[\w.-]{1,100}(?=\\{0,3}["'])/y, (said, put) => put('repo', said))],
  ...fields.slice(1).map(fieldInText),
  ...rowsOf(String.raw`
nameOfTag     <name>(?=[^<>\n]{2,60}<\/name>\s{0,40}<email>)
quotedName    (?<!\w)name\\{0,3}["'][ \t]{0,2}:[ \t]{0,2}\\{0,3}["'](?=[^"'\n]{1,64}["'],[ \t]{0,2}\\{0,3}["']email)
quotedServer  (?<!\w)name\\{0,3}["'][ \t]{0,2}:[ \t]{0,2}\\{0,3}["'](?<=mcp_?servers.{1,60})
address       :\/\/(?<=[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/)

# After a word, a slash is a fraction or a relative path; but -I/home/ada and \n/home/ada are paths.
path          \/(?<=(?:^|[^\p{L}\p{N}_.~/\\)\]}<%*$-]|\\[nrt]|(?:^|\s)-[A-Za-z])\/)(?=[\p{L}\p{N}._@~+([*-])
path          ~(?<=(?:^|[^\p{L}\p{N}_.~/\\)\]}<%*$-]|\\[nrt]|(?:^|\s)-[A-Za-z])~)[A-Za-z0-9._-]{0,32}\/(?=[\p{L}\p{N}._@~+([*-])
homePath      [\\/](?<=(?:\$\{?(?:HOME|PWD|OLDPWD|USERPROFILE|WORKSPACE|GITHUB_WORKSPACE|CI_PROJECT_DIR)\}?|%(?:USERPROFILE|HOMEPATH|APPDATA|LOCALAPPDATA)%)[\\/])(?=[\p{L}\p{N}._@~+-]{2})
share         (?<![\w:\\/*])\/\/(?=[a-z][\w-]{1,62}\/[\w$.-])(?<=(?:^|[\s"'=(])\/\/)
path          (?<![A-Za-z0-9])(?:[C-Z]:(?:\\{1,8}|\/)|[a-z]:\\{1,8}(?=[Uu]sers))(?=[\p{L}\p{N}._~-])
share         (?<![\\\w%\]-])(?:\\{2}(?=[A-Za-z0-9][\w.$-]{1,62}\\[\w$])|\\{4}(?=[A-Za-z0-9][\w.$-]{1,62}\\{2}[\w$]))(?!u[0-9a-f]{4}|x[0-9a-f]{2})
projectFolder (?<![A-Za-z0-9_])-(?:home|Users|(?<!-.)workspaces?|(?<!-.)(?:mnt|srv|Volumes))-(?=[A-Za-z0-9])
escapedPath   (?:\\{1,4}\/|%2F)(?=(?:home|Users|root|mnt|tmp|srv|opt|var|work\w{0,8})(?:\\{1,4}\/|%2F))

# owner/name#12, owner/name@1a2b3c4
issue         [#!](?<=[\w.-].)(?=[0-9]{1,7}(?![\w/]))|@(?<=\/[\w.-]{1,100}@)(?=[0-9a-f]{7,40}(?!\w))
account       ^(?:Hi|Hello|Hey|Welcome,?) (?!(?:there|all|everyone|team|world|claude|back|folks|again|friends|to|and|the|this)\W)(?=[\p{L}][\w-]{1,38}[!,])
person        (?:Copyright|©|\(c\))(?: \([cC]\)| ©)?[ \t]{1,4}[0-9]{4}[0-9, –-]{0,16}[ ,](?:by )?
person        %an['"]?\n|(?<!\w)@author[ \t]{1,4}|^Dear (?=[^,!\n]{2,60}[,!])
person        ^[ \t]{0,8}[0-9]{1,6}\t(?=\p{Lu}[\p{L}.'-]{1,40}(?: \p{Lu}[\p{L}.'-]{1,40}){1,3}$)
# A line of CODEOWNERS, but not of a comment for a function
user          @(?<=^(?:\*|\/[^\s*/][^\s]{0,60}) (?:@[\w./-]{1,60} ){0,5}@)(?!(?:example|experimental|override|internal|deprecated|private|protected|public|see|returns?|type|default|async|static|readonly|final|ignore|module|package\w{0,20}|inheritdoc)$)(?=[A-Za-z][\w./-]{0,60}(?: @[\w./-]{1,60}){0,5}$)
user          (?<![A-Za-z])(?:cc|thanks,?|thank you,?|ping|reviewers?:?|assignees?:?|hi|hey|by|owners?:?) @
user          ,? (?:and )?@(?<=(?:cc|thanks|ping|reviewers?:?|by|from|to) @[\w-]{1,39},? (?:and )?@)|(?:^|\n)@(?=[a-z][\w-]{1,38},? (?:please|can|could|would|what|why|thanks|ptal|lgtm|any|is|are|do|did|i|we|you|this|the|see|fyi)\b)
fullName      (?<![A-Za-z])(?:my name is|I am|I'm|this is|welcome,?|contact|attn:?|sincerely,|regards,|cheers,|colleague|coworker|teammate|manager|boss|founder|ceo|cto|(?:created|written|reviewed|maintained|developed|designed|approved|reported|authored|prepared|signed|assigned|owned|merged|requested|submitted|posted|led|managed) by:?)\s{1,3}(?!@)
person        (?<![A-Za-z])(?:(?:mr|mrs|ms|dr|prof)\.|works? (?:at|for)|working (?:at|for)|employed (?:at|by)|licensed to|issued to:?|on behalf of)[ ]
account       (?<![A-Za-z])(?:logged|signed) in as:? @?(?=[a-z])|^USER (?=[a-z][\w-]{1,30}$)|^(?=[a-z][\w-]{1,30} ALL=)|--(?:add-|remove-)?(?:assignee|reviewer)s?[ =]@?(?=[a-z])|(?<![\w-])(?:passwd|groups|finger) (?=[a-z][\w-]{2,30}$)
userHome      ~(?<=(?:^|\s)~)(?=[a-z][\w-]{2,30}(?:\s|$))
subject       (?<=[,=/\s]|^)(?:CN|OU?) ?= ?(?=[^\s,/][^\n,/]{1,60}(?:[,/\n]|$))
user          (?<![A-Za-z])(?:TODO|FIXME|XXX|HACK|NOTE)[ ]?\(@?(?=[a-z][\w.-]{1,38}\))
scope         @(?<=(?:^> |"name\\{0,3}": ?\\{0,3}"|npm (?:publish|warn|err!|notice)[^\n@]{0,60}[ ]|(?:--filter|--workspace|-w|workspace)[ =]|^\+ )@)(?=[a-z0-9][\w.-]{1,40}\/[\w.-]{1,60}(?![\w/]))
mail          (?:%40|@)

# Repositories and registries
forge         (?<![A-Za-z0-9.@/-])(?:github|gitlab|bitbucket|codeberg)\.(?:com|org)\/
forgeImage    (?<![\w-])(?:image:|FROM|docker (?:pull|push|run|tag [^\s]{1,100}|build[^\n]{0,60} -t)(?: --?[\w-]{1,20}(?:=\S{1,60})?){0,6}) (?!(?:ghcr|docker|quay|gcr)\.)(?=[\w-]{1,60}\.[\w.-]{1,100}\/)
registry      \.(?:azurecr\.io|dkr\.ecr\.[\w-]{1,20}\.amazonaws\.com|pkg\.dev)\/
repository    (?<![A-Za-z0-9.@/-])(?:ghcr\.io|docker\.io|quay\.io|gcr\.io|registry\.gitlab\.com)\/
repository    (?<![A-Za-z0-9-])(?:--repo|-R)[ =]|(?<![A-Za-z])GITHUB_REPOSITORY=|(?<![A-Za-z0-9./-])repos\/
repository    (?<![A-Za-z0-9])(?:github|gitlab|bitbucket|gh):(?=[A-Za-z0-9])|gh repo (?:clone|view|fork|create|edit)[ ]
repository    (?<![\w.@/-])(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org):(?=[\w-])
repository    npm (?:i|install|add) (?=[\w-]{1,60}\/[\w.-]{1,100}(?:\s|$))|pull request #[0-9]{1,7} from[ ]
repository    (?<![\w-])(?:uses:|image:|docker (?:pull|push|run|build[^\n]{0,60} -t)(?: --?[\w-]{1,20}(?:=\S{1,60})?){0,6}|FROM|[Rr]epository (?:not found:|does not exist:)) (?!(?:actions|docker|github|library)\/)(?=[\w-]{1,60}\/[\w.-]{1,100}(?:[:@]|(?<=(?:docker |repository )[^\n]{1,200})(?:\s|$)|(?<=uses: [^\s]{1,200})\/))

# People and accounts
author        (?<![A-Za-z])(?:(?:Author|Committer|Tagger|Owner|Assignee|(?:Co-authored|Signed-off|Reviewed|Acked|Tested|Reported|Suggested)-by):|^Assigned to)[ \t]{1,8}@?
gitName       (?<![A-Za-z])(?:user\.name(?:=| {1,4}|\n)|GIT_(?:AUTHOR|COMMITTER)_NAME=|--author[= ])["']?
author        ^(?:author|committer|tagger) (?=[^<>\n]{1,80} <[^<>\s]{1,100}> [0-9]{9,10} [+-])
quotedName    (?:author|committer|user|creator|reviewer|assignee|sender|actor)\\{0,3}["']?[ \t]{0,2}:\s{0,4}\{\s{0,8}\\{0,3}["'](?:name|login|username|display_?name)\\{0,3}["'][ \t]{0,2}:[ \t]{0,2}\\{0,3}["']
repository    (?<![A-Za-z])(?:CI_PROJECT_PATH|CIRCLE_PROJECT_REPONAME|BITBUCKET_REPO_FULL_NAME|TRAVIS_REPO_SLUG)=
project       (?<![A-Za-z])(?:CI_PROJECT_(?:NAME|NAMESPACE|ROOT_NAMESPACE)|GITHUB_REPOSITORY_OWNER|CIRCLE_PROJECT_USERNAME)=
account       (?<![A-Za-z])(?:GITHUB_ACTOR|GITHUB_TRIGGERING_ACTOR|GITLAB_USER_LOGIN|BUILD_USER|LOGNAME)=
nameOfLine    \[user\](?:[ \t]|\r?\n){1,8}name[ \t]{0,4}=[ \t]{0,4}
blamed        \((?=[^()\n]{2,60} [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} [+-][0-9]{4} {1,8}[0-9]{1,7}\))
account       (?<![A-Za-z])login as:? (?=[a-z])|(?:of|for) user (?=[a-z][\w-]{1,30}\.?$)|\((?<=CRON\[[0-9]{1,7}\]: \()
account       ^sudo: {1,8}(?=[\w.-]{1,40} : )
account       (?<![A-Za-z])(?:sudo -u|su -|su -l|chown(?: -[A-Za-z]{1,3})?|adduser|useradd(?: -m)?|usermod(?: -[A-Za-z]{1,3} [a-z,]{1,40})?|su) (?=[A-Za-z])
account       [ ]-[uUl] ?(?<=(?:psql|pg_\w{2,10}|mysql\w{0,8}|mariadb|ssh|mongosh|crontab|createdb|redis-cli|curl|ldapsearch|smbclient|sqlcmd)(?: [^\n|;&]{0,100})? -[uUl] ?)(?=[A-Za-z])(?!(?:ser|RL|nix)\b|https?:)
host          [ ](?:-h|-H|--host|--server|-S|--hostname)[ =](?<=(?:psql|pg_\w{2,10}|mysql\w{0,8}|mariadb|mongosh|redis-cli|ldapsearch|sqlcmd|createdb|cqlsh|clickhouse-client|ipmitool|docker|snmpwalk)(?: [^\n|;&]{0,100})? --?\w{1,8}[ =])(?=[A-Za-z0-9][\w-]{1,60})
account       User (?<=^Host [^\n]{1,100}\n(?:[^\n]{1,100}\n){0,3}[ \t]{0,8}User )(?=[\w.-]{1,40}$)
account       login (?<=machine [^\s]{1,100} login )|:user\/(?<=arn:[\w:-]{1,60}\/)|(?:\$ |^)(?:npm )?whoami\n|getent passwd |\$ id (?=[a-z][\w.-]{1,30}$)|(?<!\w)User (?=[\w.-]{1,40} (?:logged|signed) (?:in|out))|(?<![A-Za-z])gh api \/?(?:orgs|users)\/
account       :(?<=chown (?:-[A-Za-z]{1,3} )?[\w.-]{1,40}:)(?=[A-Za-z])|\((?<=(?:uid|gid|groups)=[0-9(),a-z_-]{0,200}[0-9]\()(?=[a-z_])
# Lines of who, of ps aux, of /etc/shadow, of /etc/group, of /etc/passwd, of ls -l
account       ^(?=[a-z][\w.-]{0,31}(?: {1,20}(?:pts\/|tty|console)[^\n]{0,40}[0-9]:| {1,20}[0-9]{1,8} {1,8}[0-9.]{1,6} {1,8}[0-9.]{1,6} {1,20}[0-9]|:(?:\$[0-9a-z]{1,8}\$|[*!x]{1,2}:[0-9]{1,6}:[0-9]{0,6}:[0-9]{0,6}:[0-9]{0,6}:)))
accounts      ^[a-z_-]{1,32}:[x*]?:[0-9]{1,6}:(?=[a-z])
accountLine   :[x*!]:(?=[0-9]{1,10}:[0-9]{1,10}:)
owners        (?<![\w-])[dlcbps-](?:[r-][w-][xsStT-]){3}[@+.]?[ \t]{1,4}[0-9]{1,6}[ \t]{1,8}
domainUser    \\{1,2}(?<=(?:^|[\s"'(=])[A-Z][A-Z0-9-]{1,14}\\{1,2})(?=[a-mo-qsu-z][\w.-]{2,30}(?![\w\\(]))

# Hosts
hostAndName   ^(?:To|From) (?=[\w.-]{1,100}:[\w-]{1,60}\/)
hostBefore    \.(?:internal|local|lan|corp|intranet|com|org|net|io|cloud)(?![\w.(@-]|\.\w)
host          (?<![\w-])(?:ssh|mosh|telnet|ping|nc|dig|traceroute|scp|rsync|sftp)(?: [-+][\w=]{1,20}(?: [0-9]{1,6}(?=\s))?){0,4} (?=[a-z][\w-]{0,60}[0-9][\w-]{0,60}(?:\s|:|$))
host          (?<![A-Za-z])(?:host(?: name)?|server(?: at)?|machine|instance|node|failed for|connect(?:ed|ion)? to) ["']?(?=[a-z][\w]{0,30}(?:-[a-z0-9]{1,20}){0,4}-[a-z]{0,4}[0-9]{1,4}(?![\w.-]))
host          (?<![\w-])(?:ssh|mosh|telnet|ping|nc|dig|nslookup|traceroute|ssh-keyscan|ssh-copy-id)(?: [-+][\w=]{1,20}(?: [0-9]{1,6}(?=\s))?){0,4} (?<=(?:^|[$#;&|] )(?:sudo )?[\w -]{3,80})(?!(?:me|it|keys?|agent|into|to|the|and|config|servers?|client|access|connections?|is|in|for|from|with|via|on|was|failed|works?|command|sessions?|a|an|or|host|timeout|google\.com)(?:[\s.,:]|$))(?=[a-z][\w.-]{1,60}(?:\s[^a-z]|\s?$| (?:ls|cat|sudo|uptime|[0-9])))
hostsOf       ^(?:[0-9]{1,3}\.){3}[0-9]{1,3}[ \t]{1,20}(?=[a-z][\w.-]{1,60}(?:[ \t]|$))
host          resolve hostname (?=[\w.-]{2,100}:)|^(?=[\w.,-]{2,100} (?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-[\w-]{1,20}) AAAA)
host          Static hostname: |^Host (?=[\w-]{1,60}$)|(?:\$ |^)hostname\n
host          (?<![A-Za-z])(?:ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|resolve host:?|ping|nslookup|traceroute|server_name|ServerName|ServerAlias|server|upstream|HostName|Server:|Host:) (?=[\w-]{1,60}\.[\w.-]{0,100}[A-Za-z]{2})
host          (?<![A-Za-z])machine (?=[^\s]{1,100} login )| (?<=ssh -l [^\s]{1,40} )(?=[\w.-]{1,60}(?:\s|$))|Last login: [^\n]{1,60} from |(?<![A-Za-z])(?:Linux|Darwin|FreeBSD) (?=[A-Za-z0-9][\w.-]{0,64} [0-9]{1,2}\.[0-9])

host          (?<![A-Za-z])(?:to host|use-context|--context|current-context:|--cluster)[ =](?=[A-Za-z0-9][\w.-]{1,60}(?:[.0-9-]|\s|;|$))|^(?:[a-z]{3} [ 0-9][0-9] [0-9:]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,16}(?:Z|[+-][0-9:]{5})) (?=[\w.-]{1,60} [\w./-]{1,40}(?:\[[0-9]{1,7}\])?: )
wholeHost     (?:DESKTOP|LAPTOP|WIN)-[A-Z0-9]{5,11}(?![\w-])|-(?:MacBook|mbp|iMac|Mac-mini|Laptop)[\w-]{0,20}(?:\.local)?(?![\w-])|ip(?:-[0-9]{1,3}){4}(?![\w-])
ip            (?<![\w.:/$-])(?=[1-9][0-9]{1,2}(?:\.[0-9]{1,3}){3}(?![\w-]|\.\w)|(?:fe80|f[cd][0-9a-f]{2}|2[0-9a-f]{3})(?::[0-9a-f]{0,4}){2,7}(?![\w:]))
account       (?<![A-Za-z])(?:(?:Accepted|Failed) \w{1,20} for(?! invalid)|invalid user|(?:opened|closed|password|authenticated) for user|Logged in to [^\s]{1,60} (?:account|as)) (?=[a-z])|\/[ ]{1,8}(?<=[UG]id: \([ ]{0,6}[0-9]{1,7}\/[ ]{1,8})(?=[a-z])
account       :(?<=arn:[\w-]{1,10}:[\w-]{1,30}:[\w-]{0,20}:)(?=[0-9]{12}:)|(?<=^[dl-](?:[r-][w-][xsStT-]){3}[ ])(?=[a-z][\w-]{1,31}\/[a-z][\w-]{1,31} {1,12}[0-9])
project       (?<![A-Za-z])(?:gcloud config set project |az account set (?:-s|--subscription) |--project[ =](?<=(?:gcloud|bq|firebase)[^\n]{1,120}[ =]))["']?
package       ^(?:package|group ?=|groupId) (?:com|org|net|io|dev|de|eu|co)\.

# MCP servers
tool          (?<![A-Za-z0-9])mcp__
quotedServer  mcp_?servers\\{0,3}["']?[ \t]{0,2}:\s{0,4}\{\s{0,8}\\{0,3}["']|MCP server ["']
server        MCP server (?=[\w-]{2,40} (?:(?:dis)?connected|failed|crashed|started|is|not|has|timed|returned|exited|error)(?![a-z]))|(?<![\w:])plugin:(?=[\w-]{2,40}:)
server        ^(?=[\w.-]{1,60}: (?:https?:\/\/|npx |node |uvx )[^\n]{1,200} - )
server        (?<![A-Za-z])claude mcp (?:add|remove|get)(?: --?[\w-]{1,12} \w{1,10}){0,3} (?=[A-Za-z0-9])

# Branches
branch        refs\/(?:heads|remotes\/origin)\/|(?<!\w)remotes\/(?:origin|upstream)\/|(?<![\w/])(?:origin|upstream)\/(?=[\w])
branch        (?<![A-Za-z])(?:[Oo]n branch |[Dd]eleted branch |branch '|Already on '|pathspec '|HEAD -> )(?=[A-Za-z0-9])
branch        (?<![A-Za-z])(?:GITHUB_HEAD_REF|GITHUB_BASE_REF|GITHUB_REF_NAME|CI_COMMIT_BRANCH|CI_COMMIT_REF_NAME|BRANCH|GIT_BRANCH|BRANCH_NAME)=(?=[A-Za-z0-9])
branch        git (?:checkout|switch|merge|rebase|branch|cherry-pick)(?: -{1,2}[A-Za-z-]{1,12}){0,2} (?=[A-Za-z0-9])|git (?:pull|fetch) (?:origin|upstream) (?=[A-Za-z0-9])
account       --head[ =](?=[\w-]{1,39}:[\w./-]{1,200})
branch        :(?<=--head[ =][\w-]{1,60}:)(?=[A-Za-z0-9])
branch        git push(?: -{1,2}[A-Za-z-]{1,20}){0,2} (?:origin|upstream) (?:HEAD:)?(?=[A-Za-z0-9])|(?<![A-Za-z])(?:--head|--base|--branch|--ref)[ =](?=[A-Za-z0-9])
branch        git worktree add (?:(?![<-])[^\s<>\x60]{1,200}(?<!\W) |[^\s]{1,200} -b )(?=[A-Za-z0-9])
branch        (?:\[new branch\]|(?<!\w)[0-9a-f]{7,40}\.\.[0-9a-f]{7,40}) {1,40}(?=[A-Za-z0-9])|-> (?<=(?:\[new branch\]|[0-9a-f]\.\.[0-9a-f]{7,40}) {1,40}[\w./-]{1,200} {1,40}-> )
branch        ^[*+] (?=[A-Za-z0-9][\w./+-]{0,200} {1,40}[0-9a-f]{7,12} )
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
