// Replaces paths name by name, so that files of one folder stay together.
import { isStandIn, type Put, type Replacement } from './stand-in.js';

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
export function trimmed(text: string, end: number): number {
  return /[.,;:!?]/.test(text[end - 1] ?? '') ? end - 1 : end;
}

export function until(text: string, from: number, ends: RegExp): number {
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
