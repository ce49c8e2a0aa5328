// Replaces paths, users, hosts and repositories by stand-ins for `--anonymize`.
import { withoutDepths } from '../record/json.js';
import type { Event } from './event.js';

export const standInKinds = {
  path: 'each name in an absolute path, a ~ path, a path on a Windows drive or a file:// URL; extensions and the first folder (/home, /tmp) stay',
  user: 'the owner of a home folder, the user before @host, the name and address of a git author, USER=…',
  host: 'the host of a URL, the host after user@, HOSTNAME=…; localhost and example.org stay',
  repo: 'the owner and name of a repository in a URL of git, GitHub, GitLab, Bitbucket or Codeberg, and after --repo',
} as const;

type StandInKind = keyof typeof standInKinds;

export interface Anonymizer {
  event(event: Event): Event;
  /** A JSON value with all its texts replaced, keys included. */
  value(value: unknown): unknown;
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
  const value = (said: unknown, name = ''): unknown => {
    if (typeof said === 'string') return anonymizeField(name, said, put);
    if (Array.isArray(said)) return said.map((item) => value(item, name));
    if (typeof said !== 'object' || said === null) return said;
    return Object.fromEntries(Object.entries(said).map(([key, inner]) => [text(key), value(inner, key)]));
  };
  const changed = (event: Event) => ({ ...event, ...Object(value(event)) });
  return {
    event(event) {
      try {
        return changed(event);
      } catch {
        return changed(withoutDepths(event));
      }
    },
    value,
    text,
  };
}

const mostKnown = 50_000;

type Put = (kind: StandInKind, text: string) => string;

function isStandIn(text: string): boolean {
  return /^(?:path|user|host|repo)-[0-9a-f]{6}(?:\.[A-Za-z0-9]{1,6})?$/.test(text);
}

/** A field that holds a path may contain blanks. */
function anonymizeField(name: string, text: string, put: Put): string {
  if (/(?:cwd|path|dir|directory|folder|project)$/i.test(name) && wholePath.test(text)) return pathText(text, put);
  if (/^(?:repository|repo|full_name|nameWithOwner)$/.test(name) && /^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(text))
    return put('repo', repositoryName(text));
  if (/^(?:hostname|host)$/i.test(name) && isHost(text)) return hostText(text, put);
  if (/^(?:user_?name|author)$/i.test(name) && /^[\w.-]{1,64}$/.test(text)) return put('user', text);
  return anonymizeText(text, put);
}
const wholePath = /^(?:~?\/|~[\w.-]{1,64}\/|[A-Za-z]:[\\/])[^\n\0]{1,4096}$/;

// Where a name to replace may begin. Every part has a bounded length, so that a search takes linear time.
const beginning = new RegExp(
  [
    '[A-Za-z][A-Za-z0-9+.-]{1,20}:\\/\\/',
    // After a word, a slash is a fraction or a relative path; but -I/home/ada and \n/home/ada are paths.
    '(?:(?<![\\p{L}\\p{N}_.~/\\\\)\\]}<%*$-])|(?<=\\\\[nrt])|(?<=(?:^|\\s)-[A-Za-z]))(?:~[A-Za-z0-9._-]{0,32})?\\/(?=[\\p{L}\\p{N}._@~+([*-])',
    '(?<![A-Za-z0-9])(?:[C-Z]:(?:\\\\{1,4}|\\/)|[a-z]:\\\\{1,4}(?=[Uu]sers))(?=[\\p{L}\\p{N}._~-])',
    '(?<![A-Za-z0-9_])-(?:home|Users)-(?=[A-Za-z0-9])',
    '@',
    '(?<![A-Za-z0-9.@/-])(?:github|gitlab|bitbucket|codeberg)\\.(?:com|org)\\/',
    '(?<![A-Za-z0-9-])(?:--repo|-R)[ =]|(?<![A-Za-z])GITHUB_REPOSITORY=',
    '(?<![A-Za-z])(?:Author|Committer|Tagger|Co-authored-by|Signed-off-by|Reviewed-by):[ \\t]{1,8}',
    '(?<![A-Za-z_])(?:USER|LOGNAME|USERNAME|HOSTNAME|HOST)=',
    '(?<![A-Za-z])Linux (?=[A-Za-z0-9-]{1,64} [0-9]{1,2}\\.[0-9])',
  ].join('|'),
  'giu',
);

/** A stand-in, and the range of text it replaces. */
interface Found {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function anonymizeText(text: string, put: Put): string {
  if (text.length < 3) return text;
  const parts: string[] = [];
  let from = 0;
  beginning.lastIndex = 0;
  for (let match = beginning.exec(text); match !== null; match = beginning.exec(text)) {
    const found = read(text, match[0], match.index, from, put);
    if (found === null || found.end <= from) continue;
    parts.push(text.slice(from, found.start), found.text);
    from = found.end;
    beginning.lastIndex = Math.max(found.end, beginning.lastIndex);
  }
  return from === 0 ? text : parts.join('') + text.slice(from);
}

function read(text: string, begin: string, at: number, from: number, put: Put): Found | null {
  const end = at + begin.length;
  if (begin.endsWith('://')) return addressAt(text, at, end, put);
  if (begin === '@') return mailAt(text, at, from, put);
  if (/^-(?:home|users)-$/i.test(begin)) return word(text, at, projectFolder, (said) => put('path', said));
  if (/^(?:github|gitlab|bitbucket|codeberg)\./i.test(begin)) return forgeAt(text, at, end, put);
  if (/^(?:--repo|-R|GITHUB_R)/i.test(begin))
    return word(text, end, ownerAndName, (said) => put('repo', repositoryName(said)));
  if (/:[ \t]+$/.test(begin)) return word(text, end, authorName, (said) => put('user', said.trim()));
  if (/=$/.test(begin)) return word(text, end, plainWord, (said) => put(/^HOST/i.test(begin) ? 'host' : 'user', said));
  if (/^Linux /i.test(begin)) return word(text, end, plainWord, (said) => put('host', said));
  return pathAt(text, at, put);
}

const projectFolder = /-(?:home|Users)-[A-Za-z0-9._-]{1,200}/iy;
const ownerAndName = /[A-Za-z0-9][\w.-]{0,60}\/[\w.-]{1,100}/y;
const authorName = /[^<>\n]{1,80}(?= <[^<>\s]{1,100}@)/y;
const plainWord = /[A-Za-z0-9][\w.-]{0,63}/y;

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
  if (/^file:/i.test(scheme)) {
    const path = pathAt(text, /^\/[A-Za-z]:/.test(text.slice(end, end + 3)) ? end + 1 : end, put);
    return path === null ? null : { ...path, start: at, text: text.slice(at, path.start) + path.text };
  }
  const authority = trimmed(text, until(text, end, authorityEnd));
  const said = text.slice(end, authority);
  const [, user, host = '', port = ''] = /^(?:([^@]{0,512})@)?([^@:]{1,253})(:[0-9]{1,5})?$/.exec(said) ?? [];
  if (!isHost(host) || isStandIn(host)) return null;
  const who = user === undefined ? '' : `${userText(user.replace(/:.*$/s, ''), put)}@`;
  const last =
    text[authority] === '/' || text[authority] === '?' ? trimmed(text, until(text, authority, addressEnd)) : authority;
  const where = hostText(host, put);
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
function forgeAt(text: string, at: number, end: number, put: Put): Found | null {
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
function mailAt(text: string, at: number, from: number, put: Put): Found | null {
  let start = at;
  while (start > from && at - start < 64 && userCharacter.test(text[start - 1] ?? '')) start -= 1;
  // \nada@…: the n belongs to the line break, not to the name.
  if (text[start - 1] === '\\' && /[nrt]/.test(text[start] ?? '')) start += 1;
  if (start === at || at - start === 64) return null;
  hostShape.lastIndex = at + 1;
  const host = hostShape.exec(text)?.[0] ?? '';
  const end = at + 1 + host.length;
  const behind = text.slice(end, end + 3);
  const isNamed = /\.[A-Za-z]{2,24}$/.test(host) || /^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$/.test(host);
  const isRemote = /^:[~/]/.test(behind) || (isNamed && /^:[A-Za-z0-9]/.test(behind));
  if (!isNamed && !isRemote) return null;
  if (isStandIn(host)) return null;
  const found = `${userText(text.slice(start, at), put)}@${hostText(host, put)}`;
  const repository =
    isNamed && isRemote ? word(text, end + 1, ownerAndName, (said) => put('repo', repositoryName(said))) : null;
  if (repository === null) return { start, end, text: found };
  const isGit = text.slice(repository.start, repository.end).endsWith('.git');
  return { start, end: repository.end, text: `${found}:${repository.text}${isGit ? '.git' : ''}` };
}

function userText(user: string, put: Put): string {
  return user === 'git' || user === '' ? user : put('user', user);
}

function hostText(host: string, put: Put): string {
  return isPublic(host) ? host : put('host', host.toLowerCase());
}

function isHost(text: string): boolean {
  return text.length < 254 && /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?$/u.test(text);
}

function isPublic(host: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|0\.0\.0\.0|(?:[a-z0-9-]+\.)?example\.(?:com|org|net))$/i.test(host);
}

// Paths

const pathEnd = /[\s"'`<>|:;,(){}&$!=\]\\]/;

function pathAt(text: string, at: number, put: Put): Found | null {
  const isDrive = /^[A-Za-z]:/.test(text.slice(at, at + 2));
  // Q:\nWhat is a question followed by an escaped line break, not a drive.
  if (isDrive && /^[^CD]:\\[nrt]/i.test(text.slice(at, at + 4))) return null;
  const end = quotedEnd(text, at) ?? bareEnd(text, isDrive ? at + 2 : at, isDrive);
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

function bareEnd(text: string, from: number, isDrive: boolean): number {
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

function until(text: string, from: number, ends: RegExp): number {
  let end = from;
  while (end < text.length && !ends.test(text[end] ?? '')) end += 1;
  return end;
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
function pathText(path: string, put: Put): string {
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
  const extension = /[^.]\.([A-Za-z0-9]{1,6})$/.exec(name)?.[1];
  const standIn = put('path', name);
  return extension === undefined || isStandIn(name) ? standIn : `${standIn}.${extension}`;
}
