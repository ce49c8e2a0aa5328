// Reads the names that a text may contain: hosts, repositories, accounts, branches, servers.
import { bareEnd, fileText, pathAt, trimmed, until } from './paths.js';
import { isStandIn, type Put, type Replacement } from './stand-in.js';

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
  shape.lastIndex = at;
  const said = shape.exec(text)?.[0];
  return said === undefined ? null : { start: at, end: at + said.length, text: change(said) };
}

const authorityEnd = /[\s/?#"'`<>\\)\]}|,;]/;
const addressEnd = /[\s"'`<>\\)\]}|]/;

export function addressAt(text: string, at: number, end: number, _from: number, put: Put): Replacement | null {
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
export function addressPath(host: string, path: string, put: Put): string {
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
export function mailAt(text: string, at: number, after: number, from: number, put: Put): Replacement | null {
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

/** build7.internal and shop.corp.com, but not node.local, socket.io, github.com. */
export function hostBefore(text: string, at: number, end: number, from: number, put: Put): Replacement | null {
  const start = wordStart(text, at, from, /[\w.-]/, 200);
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
  const start = wordStart(text, at, from, /[\w-]/, 100);
  const name = wordAt(text, end, /[\w.-]{1,100}(?:\/[\w.-]{1,100}){0,4}/y, (said) => put('repo', repositoryName(said)));
  if (name === null || start === at) return null;
  return { start, end: name.end, text: `${hostText(text.slice(start, end - 1), put)}/${name.text}` };
}

/** CORP\\ada; the flags of the search do not see capitals. */
export function domainUser(text: string, at: number, end: number, from: number, put: Put): Replacement | null {
  const domain = text.slice(wordStart(text, at, from, /[\w-]/, 16), at);
  return domain === domain.toUpperCase() && /^[A-Z]/.test(domain)
    ? wordAt(text, end, plainWord, (said) => userText(said, put))
    : null;
}

/** owner/name#12, owner/name@1a2b3c4. */
export function issueAt(text: string, at: number, _end: number, from: number, put: Put): Replacement | null {
  const start = wordStart(text, at, from, /[\w./@-]/, 162);
  const said = text.slice(start, at);
  const isOne = /^[A-Za-z0-9][\w.-]{0,60}\/[\w.-]{1,100}$/.test(said) && !/[@:]/.test(text[start - 1] ?? '');
  return isOne && !isStandIn(said.replace(/\/.*$/s, ''))
    ? { start, end: at, text: put('repo', repositoryName(said)) }
    : null;
}

export function wordStart(text: string, at: number, from: number, characters: RegExp, longest: number): number {
  let start = at;
  while (start > from && at - start < longest && characters.test(text[start - 1] ?? '')) start -= 1;
  return start;
}

/** \\\\server\\share\\… */
export function shareAt(text: string, at: number, end: number, _from: number, put: Put): Replacement | null {
  const host = wordAt(text, end, /[A-Za-z0-9][\w.$-]{0,63}/y, (said) => put('host', said.toLowerCase()));
  if (host === null) return null;
  // "\\\\nfoo\\\\nbar" has line breaks that were escaped twice.
  if (/^[nrt]/.test(text.slice(end)) && /^\\{1,2}[nrt"]/.test(text.slice(host.end, host.end + 3))) return null;
  // \\\\server\\c$\\…
  const last = Math.max(bareEnd(text, host.end, true), trimmed(text, until(text, host.end, /[\s"'`<>|:;,(){}&!=\]]/)));
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

export function isHost(text: string): boolean {
  return text.length < 254 && /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?$/u.test(text);
}

export function isPublic(host: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|0\.0\.0\.0|(?:[a-z0-9-]+\.)?example\.(?:com|org|net))$/i.test(host);
}
