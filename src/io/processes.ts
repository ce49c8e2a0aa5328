// Starts a program, and finds the processes of the system, those of that program among them.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { describeSystemError, systemErrorCode } from './exit.js';

/** A program started in its own process group and session. It shares our stdin and stderr. */
export interface Child {
  readonly ok: true;
  readonly pid: number;
  readonly stdout: Readable;
  /** How it and everything it starts are known. */
  readonly marks: Marks;
  /** How it ended. Its output may continue, if it left a process behind. */
  readonly ended: Promise<ChildEnd>;
}

/** What children inherit. Each may be null or lost, but hardly all. */
export interface Marks {
  /** Stands in the environment. */
  readonly environment: string;
  /** What Linux calls the output. */
  readonly output: string | null;
  /** A limit that nobody else has. */
  readonly limit: string | null;
}

export interface ChildEnd {
  /** null if a signal ended it. */
  readonly code: number | null;
  /** The number of the signal that ended it, else null. */
  readonly signal: number | null;
}

/** As in a shell: 127 if there is no such program, 126 if it cannot be run. */
export interface NotStarted {
  readonly ok: false;
  readonly problem: string;
  readonly code: 126 | 127;
}

/** Only Unix has process groups and signals. */
export const hasGroups = process.platform !== 'win32';

export function startChild([program = '', ...words]: readonly string[]): Promise<Child | NotStarted> {
  return new Promise((resolve) => {
    const failed = (error: unknown) => {
      const isMissing = systemErrorCode(error) === 'ENOENT';
      const problem = isMissing ? 'no such command' : describeSystemError(error);
      resolve({ ok: false, problem, code: isMissing ? 127 : 126 });
    };
    const mark = randomUUID();
    // One cct run may start another, and both know their own.
    const env = { ...process.env, CCT_RUN: [process.env['CCT_RUN'], mark].filter(Boolean).join(':') };
    const limit = ownLimit();
    try {
      const child = spawn(program, words, { stdio: ['inherit', 'pipe', 'inherit'], detached: true, env });
      const ended = new Promise<ChildEnd>((end) => {
        child.on('exit', (code, signal) => end({ code, signal: signal && constants.signals[signal] }));
      });
      child.on('error', failed);
      child.on('spawn', () => {
        const { pid = 0, stdout } = child;
        resolve({ ok: true, pid, stdout, marks: { environment: mark, output: outputOf(pid), limit }, ended });
      });
    } catch (error) {
      failed(error);
    }
  });
}

function outputOf(pid: number): string | null {
  try {
    const link = readlinkSync(`/proc/${pid}/fd/1`);
    return /^(?:socket|pipe):/.test(link) ? link : null;
  } catch {
    return null;
  }
}

/**
 * Gives this process a limit that its children inherit, even those with an empty environment whose parents are gone:
 * 36,000 years of computing in real time. Not every Linux has prlimit.
 */
function ownLimit(): string | null {
  if (process.platform !== 'linux') return null;
  const limit = String(2n ** 60n + BigInt(randomInt(2 ** 47)));
  const { status } = spawnSync('prlimit', [`--pid=${process.pid}`, `--rttime=${limit}:`], { stdio: 'ignore' });
  return status === 0 ? limit : null;
}

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
    const stat = /^\d+$/.test(entry) ? procStat(Number(entry)) : null;
    return stat === null || stat.state === 'Z' || stat.state === 'X' ? [] : [stat];
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

/** What Linux says of a process; its state is `Z` for a zombie. null if it is gone, or the system does not say. */
export function procStat(pid: number): (Process & { readonly state: string }) | null {
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
  return { pid, name, state, parent: Number(parent), group: Number(group), session: Number(session), started };
}
const startedField = 19;
