// Reads the names, paths and addresses in a text, and says what stands for them, for `--anonymize`.

import { matchAt, type Place, runStart, wordEnd } from './secrets/values.js';

export const standInKinds = {
  path: 'each name in an absolute path, a ~ path, a path on a Windows drive or share, or a file:// URL; extensions and the first folder (/home, /tmp) stay',
  user: 'the owner of a home folder, the user before @host, the name and address of a git author, user.name=…, USER=…, users in /etc/passwd, in what id, who, ps and ls -l print, after su, psql -U and the like; people in copyright lines, greetings and fields such as "login"',
  host: 'the host of a URL or a Windows share, the host after user@, HOSTNAME=…, hosts that end in .internal, .local and the like; localhost and example.org stay',
  repo: 'the owner and name of a repository: in a URL of git, GitHub, GitLab, Bitbucket or Codeberg, an image of a registry, repos/o/r, github:o/r, o/r#12, and after --repo',
  branch:
    'a branch, after the words of git that precede one and in fields of that name; main, master, develop and the like stay',
  server: 'the name of an MCP server, also in the names of its tools',
} as const;

type StandInKind = keyof typeof standInKinds;

/** The stand-in for a text: its kind and six digits. */
export type Put = (kind: StandInKind, text: string) => string;

export function isStandIn(text: string): boolean {
  return /^(?:path|user|host|repo|branch|server)-[0-9a-f]{6}(?:\.[A-Za-z0-9]{1,6})?$/.test(text);
}

/** A stand-in, and the range of text it replaces. */
interface Replacement extends Place {
  readonly text: string;
}

// Replaces paths name by name, so that files of one folder stay together.
const pathEnd = /[\s"'`<>|:;,(){}&$!=\]\\]/;

export function pathAt(text: string, at: number, put: Put): Replacement | null {
  const isDrive = /^[A-Za-z]:/.test(text.slice(at, at + 2));
  // Q:\nWhat is a question followed by an escaped line break, not a drive.
  if (isDrive && /^[^CD]:\\[nrt]/i.test(text.slice(at, at + 4))) return null;
  const end = quotedEnd(text, at) ?? spacedEnd(text, at, bareEnd(text, isDrive ? at + 2 : at, isDrive), isDrive);
  const path = text.slice(at, end);
  return isPath(path) ? { start: at, end, text: pathText(path, put) } : null;
}

/** A quoted path may contain blanks: "/Users/ada/My project/a.ts". */
function quotedEnd(text: string, at: number): number | null {
  const quote = text[at - 1];
  if (quote === undefined || !/["'`]/.test(quote)) return null;
  const line = text.slice(at, at + 400);
  const close = line.indexOf(quote);
  if (close === -1) return null;
  const said = line.slice(0, close).replace(/\\+$/, '');
  const blank = said.indexOf(' ');
  const isWhole = blank !== -1 && !/[\n<>|*?;&$=]| -/.test(said) && /\/|\.[A-Za-z0-9]{1,5}$/.test(said.slice(blank));
  return isWhole ? at + said.length : null;
}

/** /Users/Ada Lovelace/shop: words with capitals before another slash, or a path that is alone on its line. */
function spacedEnd(text: string, at: number, first: number, isDrive: boolean): number {
  if (text[first] !== ' ' || text[first - 1] === '*' || first - at > 4096 || !isPath(text.slice(at, first)))
    return first;
  const isAlone = at === 0 || /[\n→\t]/.test(text[at - 1] ?? '');
  const isOwner = /^\/(?:Users|home)\/[^/]{1,60}$/.test(text.slice(at, first));
  let end = first;
  for (let count = 0; count < mostBlanks && text[end] === ' '; count += 1) {
    if (/\.[A-Za-z0-9]{1,5}$/.test(text.slice(end - 8, end))) return end;
    const rest = text.slice(end, end + 300);
    const said = nextWords.exec(rest)?.[0] ?? (isAlone ? plainWords.exec(rest)?.[0] : undefined);
    if (said === undefined) return end + ((isOwner ? lastName.exec(rest)?.[0].length : 0) ?? 0);
    end = bareEnd(text, end + said.length, isDrive);
  }
  return end;
}
const mostBlanks = 30;
const lastName = /^ [A-Z][\p{L}-]{1,40}(?=\n|["'`]|$)/u;
const nextWords = /^(?: [\p{Lu}0-9(&][\p{L}\p{N}().&'_-]{0,40}){1,4}(?=[\\/])/u;
const plainWords =
  /^(?: (?!(?:and|or|in|to|from|with|for|is|was|are|on|at|by|of|the|as|then|not|has|into|but|if|exists|failed) )[\p{L}\p{N}().&'_-]{1,40}){1,4}(?=[\\/]|\.[A-Za-z0-9]{1,5}(?:\n|$))/u;

export function bareEnd(text: string, from: number, isDrive: boolean): number {
  let end = from;
  while (end < text.length) {
    const sign = text[end] ?? '';
    if (sign === '\\') {
      const next = text[end + 1] ?? '';
      // A\ B is one name. After a drive, a backslash separates names. Any other backslash ends the path.
      if (next === ' ' && !isDrive) end += 1;
      else if (!isDrive || /["'`\s]/.test(next)) break;
    } else if ((sign === '(' || sign === '[') && text[end - 1] === '/') {
      const close = text.slice(end, end + 80).search(/[)\]]/);
      if (close === -1) break;
      end += close;
    } else if (pathEnd.test(sign)) break;
    end += 1;
  }
  return trimmed(text, end);
}

/** Drops a full stop that ends a sentence. */
function trimmed(text: string, end: number): number {
  return /[.,;:!?]/.test(text[end - 1] ?? '') ? end - 1 : end;
}

/** /help is a command, /a/b a path. A single name counts only if it is a usual top-level folder. */
function isPath(path: string): boolean {
  if (/^\/(?:dev|proc|sys)(?:\/|$)|^\/(?:usr\/)?(?:local\/)?s?bin\/[\w.+-]+$/.test(path)) return false;
  if (/^[A-Za-z]:|^~/.test(path)) return path.length > 2;
  const names = path.split('/').filter((name) => name !== '');
  return names.length > 1 || roots.has(names[0] ?? '') || workFolders.has(names[0] ?? '');
}

const roots = new Set(
  'Applications Library System Users Volumes boot etc home lib media mnt nix opt private root run snap srv tmp usr var'.split(
    ' ',
  ),
);
/** Folders that containers and CI work in. */
const workFolders = new Set('app build builds code data project repo src work workdir workspace workspaces'.split(' '));

/**
 * Replaces a path name by name, so that files of one folder stay together: /home/ada/shop/src/a.ts →
 * /home/user-…/path-…/path-…/path-….ts.
 */
export function pathText(path: string, put: Put): string {
  const parts = path.split(/([\\/]+)(?! )/);
  const names = parts.filter((_, at) => at % 2 === 0);
  const changed = names.map((name, at) => nameText(names, name, at, put));
  return parts.map((part, at) => (at % 2 === 0 ? (changed[at / 2] ?? part) : part)).join('');
}

function nameText(names: readonly string[], name: string, at: number, put: Put): string {
  if (/^(?:|~|\.{1,2}|\*{1,2}|[A-Za-z]:)$/.test(name) || isStandIn(name)) return name;
  if (at === 0) return name.startsWith('~') ? `~${put('user', name.slice(1))}` : name;
  if (at === 1 && roots.has(name)) return name;
  const before = names[at - 1] ?? '';
  if (at < 5 && /^(?:home|Users)$/i.test(before)) return put('user', name);
  // After a drive, and in /mnt/c/Users and /var/home.
  if (at < 4 && /^(?:home|Users)$/i.test(name)) return name;
  return fileText(name, put);
}

export function fileText(name: string, put: Put): string {
  if (isStandIn(name)) return name;
  const extension = /[^.]\.([A-Za-z0-9]{1,6})$/.exec(name)?.[1];
  const standIn = put('path', name);
  return extension === undefined ? standIn : `${standIn}.${extension}`;
}

// Reads the names that a text may contain: hosts, repositories, accounts, branches, servers.

/** What begins at `at`, after a lead that ends at `end`; nothing before `from` is looked at. */
export type ReadName = (text: string, at: number, end: number, from: number, put: Put) => Replacement | null;

/** A name of this shape after the lead. */
export function nameAfter(shape: RegExp, change: (said: string, put: Put) => string): ReadName {
  return (text, _at, end, _from, put) => wordAt(text, end, shape, (said) => change(said, put));
}

export const ownerAndName = /[A-Za-z0-9][\w.-]{0,60}\/[\w.-]{1,100}/y;
const repositories = /[A-Za-z0-9][\w.-]{0,60}(?:\/[\w.-]{1,100}){1,6}/y;
export const plainWord = /[A-Za-z0-9][\w.-]{0,63}/y;

export function wordAt(text: string, at: number, shape: RegExp, change: (said: string) => string): Replacement | null {
  const said = matchAt(shape, text, at);
  return said === null ? null : { start: at, end: at + said.length, text: change(said) };
}

const authorityEnd = /[\s/?#"'`<>\\)\]}|,;]/;
const addressEnd = /[\s"'`<>\\)\]}|]/;

export function addressAt(text: string, at: number, end: number, _from: number, put: Put): Replacement | null {
  const scheme = text.slice(at, end);
  if (text[end] === '/' || (/^file:/i.test(scheme) && /^(?:\.|[A-Za-z]:)/.test(text.slice(end, end + 2)))) {
    const path = pathAt(text, /^\/[A-Za-z]:/.test(text.slice(end, end + 3)) ? end + 1 : end, put);
    return path === null ? null : { ...path, start: at, text: text.slice(at, path.start) + path.text };
  }
  const authority = trimmed(text, wordEnd(text, end, authorityEnd));
  const said = text.slice(end, authority);
  const [, user, host = '', port = ''] = /^(?:([^@+]{0,512}[@+]))?([^@:+]{1,253})(:[0-9]{1,5})?$/.exec(said) ?? [];
  if (!isHost(host) || isStandIn(host)) return null;
  const who = user === undefined ? '' : /\+$/.test(user) ? user : `${userText(user.replace(/[:@].*$/s, ''), put)}@`;
  const last =
    text[authority] === '/' || text[authority] === '?'
      ? trimmed(text, wordEnd(text, authority, addressEnd))
      : authority;
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
export function repositoryName(text: string): string {
  return text.replace(/\.git$/, '').toLowerCase();
}

/** `github.com/owner/name` without a scheme, as in an import. */
export function forgeAt(text: string, at: number, end: number, _from: number, put: Put): Replacement | null {
  const last = trimmed(text, wordEnd(text, end, addressEnd));
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
export function mailAt(text: string, at: number, after: number, from: number, put: Put): Replacement | null {
  let start = runStart(text, at, userCharacter, 64, from);
  // \nada@…: the n belongs to the line break, not to the name.
  if (text[start - 1] === '\\' && /[nrt]/.test(text[start] ?? '')) start += 1;
  if (start === at || at - start === 64) return null;
  const host = matchAt(hostShape, text, after) ?? '';
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
    isNamed && isRemote ? wordAt(text, end + 1, repositories, (said) => put('repo', repositoryName(said))) : null;
  if (repository === null) {
    // Ada Lovelace <ada@example.org>
    const name =
      text[start - 1] === '<'
        ? /"[^"<>\n]{2,60}" $|\p{Lu}[\p{L}.'-]{0,40} (?:(?:\p{Lu}[\p{L}.'-]{0,40}|van|von|de|der|den|da|di|la|le|bin|al) ){0,4}$/u.exec(
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
export function personText(user: string, put: Put): string {
  return /^(?:string|str|text|null|none|true|false|undefined|unknown|required|optional|user|name|username|login|author)$/i.test(
    user,
  )
    ? user
    : accountText(user, put);
}

export function userText(user: string, put: Put): string {
  return user === 'git' || user === '' ? user : put('user', user);
}

/** Accounts and groups that many machines have say nothing. */
export function accountText(user: string, put: Put): string {
  return /^(?:|git|root|admin|users?|nobody|daemon|www-data|node|runner|ubuntu|staff|wheel|sudo|docker|adm)$/.test(user)
    ? user
    : put('user', user);
}

/** Tools spell the name of their server with _ for every other sign. */
export function serverText(name: string, put: Put): string {
  return put('server', name.replace(/[^A-Za-z0-9_-]/g, '_'));
}

/** A name that every repository has says nothing. */
export function branchText(said: string, put: Put): string {
  const [, before = '', name = '', behind = ''] =
    /^((?:refs\/(?:heads|remotes\/origin)\/|origin\/|upstream\/)?)(.*?)([.,:;)]*)$/s.exec(said) ?? [];
  const isPlain =
    /^(?:main|master|develop|development|dev|trunk|head|staging|production|release|gh-pages|next|beta|alpha|test|origin|upstream|-.*|of|is|in|for|and|or|the|to|from|with|a|on|at|by|it|names?|that|was|v?[0-9.]+|[0-9a-f]{7,40})$/i;
  return isPlain.test(name) || name === '' ? said : `${before}${put('branch', name)}${behind}`;
}

/** The owner and the group in a line of ls -l. */
export function ownersAt(text: string, at: number, end: number, _from: number, put: Put): Replacement | null {
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
export function accountAt(text: string, at: number, end: number, from: number, put: Put): Replacement | null {
  const start = runStart(text, at, /[\w.-]/, 32, from);
  const match = /([0-9]{1,10})(:[0-9]{1,10}:)([^:\n]{0,100})(?=:)/y;
  match.lastIndex = end;
  const [said = '', id = '', group = '', full = ''] = match.exec(text) ?? [];
  // Accounts of the system have low numbers.
  if (said === '' || start === at || Number(id) < 500 || Number(id) === 65534) return null;
  const person = full.replace(/,{1,5}$/, '');
  const name = accountText(text.slice(start, at), put) + text.slice(at, end);
  return { start, end: end + said.length, text: `${name}${id}${group}${person === '' ? full : put('user', person)}` };
}

/** build7.internal and shop.corp.com, but not node.local, socket.io, github.com. */
export function hostBefore(text: string, at: number, end: number, from: number, put: Put): Replacement | null {
  const start = runStart(text, at, /[\w.-]/, 200, from);
  const said = text.slice(start, end);
  const isAlone = /^$|\n/.test(text[start - 1] ?? '') && /^$|\n/.test(text[end] ?? '');
  const isOpen = /\.(?:com|org|net|io|cloud)$/.test(said);
  const isNamed = isOpen
    ? (/^[a-z0-9][\w-]*\.[\w.-]+\./.test(said) || /[0-9-]/.test(said) || /\.(?:com|org)$/.test(said)) &&
      !/_|\.\.|^(?:www\.)?(?:github|gitlab|google|microsoft|apple|amazon|npmjs|nodejs|python|w3|mozilla|wikipedia|json-schema|apache|stackoverflow|anthropic|openai|docker)\./.test(
        said,
      )
    : isAlone ||
      /(?<![A-Za-z])(?:for|to|at|on|from|host|hostname|with|reach|resolve) $/.test(
        text.slice(Math.max(0, start - 10), start),
      ) ||
      /[0-9-]/.test(said.slice(0, at - start)) ||
      /^(?::[0-9/]|\/)/.test(text.slice(end, end + 2));
  return start === at || !isNamed || isStandIn(said.replace(/\..*$/s, '')) || /[@/:\\]/.test(text[start - 1] ?? '')
    ? null
    : { start, end, text: hostText(said, put) };
}

/** crew.azurecr.io/app:1. */
export function registryAt(text: string, at: number, end: number, from: number, put: Put): Replacement | null {
  const start = runStart(text, at, /[\w-]/, 100, from);
  const name = wordAt(text, end, /[\w.-]{1,100}(?:\/[\w.-]{1,100}){0,4}/y, (said) => put('repo', repositoryName(said)));
  if (name === null || start === at) return null;
  return { start, end: name.end, text: `${hostText(text.slice(start, end - 1), put)}/${name.text}` };
}

/** CORP\\ada; the flags of the search do not see capitals. */
export function domainUser(text: string, at: number, end: number, from: number, put: Put): Replacement | null {
  const domain = text.slice(runStart(text, at, /[\w-]/, 16, from), at);
  return domain === domain.toUpperCase() && /^[A-Z]/.test(domain)
    ? wordAt(text, end, plainWord, (said) => userText(said, put))
    : null;
}

/** owner/name#12, owner/name@1a2b3c4. */
export function issueAt(text: string, at: number, _end: number, from: number, put: Put): Replacement | null {
  const start = runStart(text, at, /[\w./@-]/, 162, from);
  const said = text.slice(start, at);
  const isOne = /^[A-Za-z0-9][\w.-]{0,60}\/[\w.-]{1,100}$/.test(said) && !/[@:]/.test(text[start - 1] ?? '');
  return isOne && !isStandIn(said.replace(/\/.*$/s, ''))
    ? { start, end: at, text: put('repo', repositoryName(said)) }
    : null;
}

/** \\\\server\\share\\… */
export function shareAt(text: string, at: number, end: number, _from: number, put: Put): Replacement | null {
  const host = wordAt(text, end, /[A-Za-z0-9][\w.$-]{0,63}/y, (said) => put('host', said.toLowerCase()));
  if (host === null) return null;
  // "\\\\nfoo\\\\nbar" has line breaks that were escaped twice.
  if (/^[nrt]/.test(text.slice(end)) && /^\\{1,2}[nrt"]/.test(text.slice(host.end, host.end + 3))) return null;
  // \\\\server\\c$\\…
  const last = Math.max(
    bareEnd(text, host.end, true),
    trimmed(text, wordEnd(text, host.end, /[\s"'`<>|:;,(){}&!=\]]/)),
  );
  const path = text
    .slice(host.end, last)
    .split(/([\\/]+)/)
    .map((name, index) => (index % 2 === 1 || name === '' ? name : fileText(name, put)));
  return { start: at, end: last, text: text.slice(at, end) + host.text + path.join('') };
}

/** /repos/owner/name, as the API of GitHub has it. */
export function repositoryPath(text: string, at: number, put: Put): Replacement | null {
  if (/^\/repos\/repo-[0-9a-f]{6}/.test(text.slice(at, at + 24)))
    return { start: at, end: at + 18, text: text.slice(at, at + 18) };
  const found = text.startsWith('/repos/', at)
    ? wordAt(text, at + 7, ownerAndName, (said) => put('repo', repositoryName(said)))
    : null;
  return found === null ? null : { ...found, start: at, text: `/repos/${found.text}` };
}

export function hostText(host: string, put: Put): string {
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
