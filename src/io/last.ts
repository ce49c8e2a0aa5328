// Finds the files of Claude Code's projects, for --last and for a command at a terminal.
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { statsOf } from './directory.js';
import { describeSystemError, UsageError } from './exit.js';
import type { Environment } from './streams.js';

/** Where Claude Code keeps its files. */
export function configFolder(env: Environment): string {
  return env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] || env['USERPROFILE'] || homeOfUser(), '.claude');
}

/** A container may run as a user that the system does not know. */
function homeOfUser(): string {
  try {
    return homedir();
  } catch (error) {
    throw new UsageError('this user has no home directory; set HOME or CLAUDE_CONFIG_DIR', { cause: error });
  }
}

/** Another process may have deleted it. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new UsageError(`the current directory cannot be found (${describeSystemError(error)})`, {
      cause: error,
    });
  }
}

export interface Project {
  /** The directory Claude Code was started in. */
  readonly path: string;
  /** Where its sessions are. */
  readonly folder: string;
}

/** The projects of the current directory and its parents, the nearest first. */
export function* projectsHere(config: string, here = currentFolder()): Generator<Project> {
  const projects = join(config, 'projects');
  for (let path = here; ; path = dirname(path)) {
    const name = path.normalize('NFC').replace(/[^a-zA-Z0-9]/g, '-');
    // A long name is cut, and a hash is appended.
    const start = `${name.slice(0, longestName)}-`;
    const found = name.length <= longestName ? [name] : namesIn(projects).filter((each) => each.startsWith(start));
    for (const each of found) yield { path, folder: join(projects, each) };
    if (path === dirname(path)) return;
  }
}

const longestName = 200;

/** The names in a folder, sorted; none if it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** The complete lines at the start of a file, at least one. */
export function firstLines(path: string): string[] {
  for (let bytes = edgeBytes; ; bytes *= 4) {
    const text = pieceOf(path, 0, bytes);
    if (text.length < bytes) return text.split('\n');
    if (text.includes('\n')) return text.split('\n').slice(0, -1);
  }
}

/** The lines of a file, the last one first. Reads only as much of it as is asked for. */
export function* lastLines(path: string): Generator<string> {
  let end = statsOf(path)?.size ?? 0;
  let rest = '';
  for (let bytes = edgeBytes; end > 0; bytes *= 4) {
    const start = Math.max(0, end - bytes);
    const lines = (pieceOf(path, start, end - start) + rest).split('\n');
    rest = start > 0 ? (lines.shift() ?? '') : '';
    yield* lines.reverse();
    end = start;
  }
}

const edgeBytes = 64 * 1024;

/** Read as latin1, so that a character cut between two pieces does no harm: only ids, names and times are needed. */
function pieceOf(path: string, from: number, bytes: number): string {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const buffer = Buffer.allocUnsafe(bytes);
    return buffer.latin1Slice(0, readSync(fd, buffer, 0, bytes, from));
  } catch {
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Whether one of the texts occurs anywhere in a file. */
export function hasText(path: string, texts: readonly string[]): boolean {
  const longest = Math.max(...texts.map((text) => text.length));
  const size = statsOf(path)?.size ?? 0;
  for (let at = 0; at < size; at += pieceBytes) {
    const piece = pieceOf(path, at, pieceBytes + longest);
    if (texts.some((text) => piece.includes(text))) return true;
  }
  return false;
}

const pieceBytes = 4 * 1024 * 1024;

/** The beginning of a file: a few records. */
export function headOf(path: string): string {
  return pieceOf(path, 0, headBytes);
}

const headBytes = 16 * 1024;

/** The text of a small file; empty if there is none. */
export function smallFile(path: string): string {
  return pieceOf(path, 0, edgeBytes);
}
