import { type Dirent, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { describeSystemError } from './exit.js';

/** A file in a directory that may hold records, or a directory that could not be read. */
export interface Found {
  readonly path: string;
  /** Why a directory could not be read. */
  readonly problem?: string;
}

/** All files under a directory whose names say JSON, sorted. Links are not followed. `onFolder` gets every folder. */
export function filesUnder(folder: string, onFolder?: (path: string) => void): Found[] {
  const found: Found[] = [];
  const folders = [folder === '.' ? '' : folder.replace(/(?<=.)\/+$/, '')];
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    const base = path === '' || path === '/' ? path : `${path}/`;
    let entries: Dirent[];
    try {
      entries = readdirSync(path || '.', { withFileTypes: true });
    } catch (error) {
      found.push({ path, problem: describeSystemError(error) });
      continue;
    }
    onFolder?.(path || '.');
    for (const entry of entries) {
      const { name } = entry;
      if (name.startsWith('.') || name === 'node_modules') continue;
      if (entry.isDirectory()) folders.push(base + name);
      else if (entry.isFile() && isRecordFile(name)) found.push({ path: base + name });
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** undefined if there is nothing, or if it cannot be examined; opening it says why. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** /dev/null, which is read at once, unlike other devices. */
export function isNull({ rdev }: Pick<Stats, 'rdev'>): boolean {
  return rdev !== 0 && rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

export function isFolder(path: string): boolean {
  return statsOf(path)?.isDirectory() === true;
}

/** Whether it is a symbolic link, wherever it leads. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function isRecordFile(name: string): boolean {
  return /\.(?:jsonl|ndjson|json)(?:\.gz)?$/.test(name);
}
