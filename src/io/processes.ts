import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { procStat } from './proc-stat.js';

/** A process that runs now. Zombies are not listed. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Where the system does not tell it, its group. */
  readonly session: number;
  /** Tells it from a later one with the same number. */
  readonly started: string;
  /** The program's name, without its words. */
  readonly name: string;
}

/** Everything that runs; nothing where that cannot be known. */
export function listProcesses(): Process[] {
  try {
    return process.platform === 'linux' ? fromProc() : fromPs();
  } catch {
    return [];
  }
}

/**
 * What a process started, and what that started, also in sessions of their own. Of a session that one of them leads everybody
 * belongs to it, also those whose parent is gone. `known` are those found before.
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

/** Those that still run. */
export function stillRunning(some: readonly Process[]): Process[] {
  if (some.length === 0) return [];
  const now = new Map(listProcesses().map(({ pid, started }) => [pid, started]));
  return some.filter(({ pid, started }) => now.get(pid) === started);
}

/** A group has the negative number of its leader. One that is gone is no error. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
}

/** Calls back for signals that else would end this process; the answer takes the callbacks away. */
export function onSignals(signals: readonly NodeJS.Signals[], callback: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of signals) process.on(signal, callback);
  return () => {
    for (const signal of signals) process.off(signal, callback);
  };
}

/** Until somebody lets it go on. */
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
