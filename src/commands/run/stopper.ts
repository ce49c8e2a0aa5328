// Stops a command and the processes it leaves behind.
import {
  type Child,
  descendantsOf,
  hasProcess,
  heirsOf,
  listProcesses,
  type Process,
  runningOf,
  sendSignal,
  stillRunning,
} from '../../io/processes.js';
import { startTimer, type Timer } from '../../io/streams.js';

export function createStopper(child: Child, name: string, graceMs: number, say: (text: string) => void) {
  const ended: string[] = [];
  /** Those known to be alive. */
  let family: readonly Process[] = [];
  let isSignalled = false;
  let hasEnded = false;
  let patience: Timer | null = null;

  // Each Bash call of claude leads its own session, and has no parent any more once claude has ended.
  const noteFamily = () => {
    const all = listProcesses();
    // Those that ended since the last time still lead to the rest of their sessions.
    family = runningOf(descendantsOf(child.pid, all, family), all);
  };
  // Where there are no marks, who lost its parents is known only from here. Takes at most a fiftieth of the time.
  const watch = () => {
    const before = performance.now();
    noteFamily();
    timeout = setTimeout(watch, Math.max(noteMs, 50 * (performance.now() - before)));
  };
  let timeout = setTimeout(watch, noteMs);
  const send = (signal: NodeJS.Signals) => {
    isSignalled = true;
    noteFamily();
    if (!hasEnded) sendSignal(-child.pid, signal);
  };
  const insist = ([signal, ...rest]: readonly NodeJS.Signals[]) => {
    if (signal === undefined || hasEnded) return;
    patience = startTimer(graceMs, () => {
      say(`${name} is still running after ${graceMs / 1000} s; sending ${signal}`);
      send(signal);
      insist(rest);
    });
  };

  return {
    get isSignalled() {
      return isSignalled;
    },
    /** Sends a signal to the command's group. */
    send,
    /** Sends SIGINT, unless it was sent a signal before; then SIGTERM and SIGKILL if it does not end. */
    stop(): void {
      // Does not signal it twice: claude may take that as an order to drop everything.
      if (!isSignalled) send('SIGINT');
      insist(['SIGTERM', 'SIGKILL']);
    },
    /** The names of those that were ended. */
    ended,
    /** Call it after the command ended. Ends the processes it left behind, if it was sent a signal. */
    async finish(): Promise<void> {
      hasEnded = true;
      patience?.stop();
      clearTimeout(timeout);
      if (!isSignalled) return;
      const found: Process[] = [];
      // One that is told to end may start another.
      for (let round = 0; round < mostRounds; round += 1) {
        noteFamily();
        const known = new Set(family.map(({ pid }) => pid));
        const left = [...family, ...heirsOf(child.marks).filter(({ pid }) => !known.has(pid))];
        if (left.length === 0) break;
        found.push(...left.filter((one) => found.every(({ pid }) => pid !== one.pid)));
        await endAll(left, round === 0 ? graceMs : 0);
      }
      if (found.length === 0) return;
      // A script that looks for them by number still finds them until their new parent has asked how they ended.
      await until(() => !found.some(({ pid }) => hasProcess(pid)), forgetMs);
      ended.push(...found.map((one) => one.name));
      say(`ended processes that ${name} left behind: ${found.map((one) => `${one.name} (${one.pid})`).join(', ')}`);
    },
  };
}

/** Sends SIGTERM, then SIGKILL to those that do not end. */
async function endAll(some: readonly Process[], graceMs: number): Promise<void> {
  for (const { pid } of some) sendSignal(pid, 'SIGTERM');
  let left = some;
  const areGone = () => {
    left = stillRunning(left);
    return left.length === 0;
  };
  await until(areGone, graceMs);
  for (const { pid } of left) sendSignal(pid, 'SIGKILL');
  await until(areGone, killMs);
}

async function until(isSo: () => boolean, mostMs: number): Promise<void> {
  const deadline = performance.now() + mostMs;
  while (!isSo() && performance.now() < deadline) await new Promise((next) => setTimeout(next, pollMs));
}

const noteMs = 250;
const pollMs = 25;
const mostRounds = 10;
/** How long a killed process may take to end, and a system to forget one. */
const killMs = 250;
const forgetMs = 3000;
