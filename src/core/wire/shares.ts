// Divides files between two readers.
import { getOrCreate } from '../record/json.js';
import { uuid } from './sessions.js';

interface SizedFile {
  readonly path: string;
  readonly bytes: number;
  /** How it begins. */
  readonly head?: string;
}

/**
 * Divides files between two readers: the paths for the second. The files of a session stay together, because a call in
 * one may return in another, and turns are counted over all of them. A fork or a resumed session begins with rows of the
 * session that its path does not name.
 */
export function pathsForSecond(files: readonly SizedFile[]): Set<string> {
  const links = new Map<string, string>();
  const rootOf = (id: string) => {
    let root = id;
    for (let next = links.get(root); next !== undefined; next = links.get(root)) root = next;
    if (root !== id) links.set(id, root);
    return root;
  };
  const keys = files.map(({ path, head = '' }) => {
    const key = sessionIn(path) ?? '';
    for (const other of sessionsIn(head)) {
      const [a, b] = [rootOf(key), rootOf(other)];
      if (a !== b) links.set(b, a);
    }
    return key;
  });
  const groups = new Map<string, { bytes: number; readonly paths: string[] }>();
  for (const [at, { path, bytes }] of files.entries()) {
    const group = getOrCreate(groups, rootOf(keys[at] ?? ''), () => ({ bytes: 0, paths: [] }));
    group.bytes += bytes;
    group.paths.push(path);
  }
  const second = new Set<string>();
  /** How many bytes more the first has. */
  let ahead = 0;
  for (const { bytes, paths } of [...groups.values()].sort((a, b) => b.bytes - a.bytes)) {
    const isForSecond = ahead > 0;
    ahead += isForSecond ? -bytes : bytes;
    if (isForSecond) for (const path of paths) second.add(path);
  }
  return second;
}

/** The session that a path names. */
function sessionIn(path: string): string | undefined {
  const names = path.split(/[\\/]/).map((part) => part.slice(0, 36));
  return names.findLast((name) => uuid.test(name));
}

/** The sessions that records name. */
function sessionsIn(text: string): Set<string> {
  return new Set([...text.matchAll(/"session(?:Id|_id)":\s*"([^"\\]{1,64})"/g)].map(([, id = '']) => id));
}
