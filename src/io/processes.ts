import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Marks } from './child.js';

/** A running process. Zombies are not listed. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Its group, if the system does not give the session. */
  readonly session: number;
  /** Distinguishes it from a later process with the same number. */
  readonly started: string;
  /** The name of the program, without arguments. */
  readonly name: string;
}

/** All running processes; none where that cannot be known. */
export function listProcesses(): Process[] {
  try {
    return process.platform === 'linux' ? fromProc() : fromPs();
  } catch {
    return [];
  }
}

/**
 * All descendants of a process, including those in sessions of their own. If one of them leads a session, everybody in
 * that session counts, even if the parent is gone. `known` are those found before.
 */
export function descendantsOf(root: number, all: readonly Process[], known: Iterable<Process> = []): Process[] {
  const found = new Map([...known].map((one) => [one.pid, one]));
  const sessions = new Set([root, ...[...found.values()].map(({ session }) => session)]);
  let before = -1;
  while (found.size > before) {
    before = found.size;
    for (const one of all) {
      if (one.pid === root || found.has(one.pid)) continue;
      if (one.parent !== root && !found.has(one.parent) && !sessions.has(one.session)) continue;
      found.set(one.pid, one);
      sessions.add(one.session);
    }
  }
  return [...found.values()];
}

/** Those who inherited a mark, whatever became of their parents. Only Linux shows this, and only of the same user. */
export function heirsOf({ environment, output, limit }: Marks): Process[] {
  if (process.platform !== 'linux') return [];
  return listProcesses().filter(({ pid }) => {
    if (pid === process.pid) return false;
    const fileHas = (file: string, mark: string) => readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(mark);
    try {
      if (fileHas('environ', environment) || (limit !== null && fileHas('limits', limit))) return true;
      const files = output === null ? [] : readdirSync(`/proc/${pid}/fd`);
      return files.some((file) => readlinkSync(`/proc/${pid}/fd/${file}`) === output);
    } catch {
      return false;
    }
  });
}

export function stillRunning(some: readonly Process[]): Process[] {
  return some.length === 0 ? [] : runningOf(some, listProcesses());
}

/** Those of `some` that are in the list, as they are there: a process gets the name of what it runs later. */
export function runningOf(some: readonly Process[], all: readonly Process[]): Process[] {
  const now = new Map(all.map((one) => [one.pid, one]));
  return some.flatMap(({ pid, started }) => {
    const one = now.get(pid);
    return one?.started === started ? [one] : [];
  });
}

/** Whether the number is in use, if only by a process that has ended. */
export function hasProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A negative number addresses the group of that leader. A process that is gone is not an error. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
}

/** Calls back for signals that would otherwise end this process. The returned function removes the callbacks. */
export function onSignals(signals: readonly NodeJS.Signals[], callback: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of signals) process.on(signal, callback);
  return () => {
    for (const signal of signals) process.off(signal, callback);
  };
}

/** Stops until somebody continues it. */
export function stopThisProcess(): void {
  process.kill(process.pid, 'SIGSTOP');
}

function fromProc(): Process[] {
  return readdirSync('/proc').flatMap((entry) => {
    const pid = /^\d+$/.test(entry) ? Number(entry) : null;
    const stat = pid === null ? null : procStat(pid);
    if (pid === null || stat === null || stat.state === 'Z' || stat.state === 'X') return [];
    const { state: _state, ...told } = stat;
    return [{ pid, ...told }];
  });
}

/** For systems without /proc. */
export function fromPs(): Process[] {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,state=,lstart=,comm='], {
    encoding: 'utf8',
    env: { LC_ALL: 'C', PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, group, state = '', started = '', name = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || state.startsWith('Z')) return [];
    const numbers = { parent: Number(parent), group: Number(group), session: Number(group) };
    return [{ pid: Number(pid), ...numbers, started, name: name.split('/').at(-1) ?? name }];
  });
}

/** What Linux says about a process. */
export interface ProcStat {
  /** The name of the program, without arguments. */
  readonly name: string;
  /** `Z` for a zombie. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Distinguishes it from a later process with the same number. */
  readonly started: string;
}

/** null if the process is gone, or the system does not say. */
export function procStat(pid: number): ProcStat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // `pid (name) state parent group session … started`; a name may contain spaces and brackets.
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  const [state = '', parent, group, session] = fields;
  const started = fields[startedField];
  if (end === -1 || started === undefined) return null;
  const name = text.slice(text.indexOf('(') + 1, end);
  return { name, state, parent: Number(parent), group: Number(group), session: Number(session), started };
}
const startedField = 19;
