import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

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

/** /proc/<pid>/stat: `pid (name) state parent group session … started`; a name may have spaces and brackets. */
function fromProc(): Process[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      const stat = statOf(entry);
      const end = stat.lastIndexOf(')');
      const fields = stat.slice(end + 2).split(' ');
      const [state, parent, group, session] = fields;
      if (end === -1 || state === 'Z' || state === 'X') return [];
      const name = stat.slice(stat.indexOf('(') + 1, end);
      const numbers = { parent: Number(parent), group: Number(group), session: Number(session) };
      return [{ pid: Number(entry), ...numbers, started: fields[19] ?? '', name }];
    });
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It ended meanwhile.
    return '';
  }
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
