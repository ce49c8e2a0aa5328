// Stops a command and the processes it leaves behind.
import type { Child } from '../../io/child.js';
import { descendantsOf, listProcesses, type Process, sendSignal, stillRunning } from '../../io/processes.js';
import { startTimer, type Timer } from '../../io/streams.js';

export interface Stopper {
  /** Sends SIGINT, unless it was sent a signal before; then SIGTERM and SIGKILL if it does not end. */
  stop(): void;
  /** Sends a signal to the command's group. */
  send(signal: NodeJS.Signals): void;
  /** Call it after the command ended. Ends the processes it left behind, if it was sent a signal. */
  finish(): Promise<void>;
  readonly isSignalled: boolean;
}

export function createStopper(child: Child, name: string, graceMs: number, say: (text: string) => void): Stopper {
  const family = new Map<string, Process>();
  let isSignalled = false;
  let hasEnded = false;
  let patience: Timer | null = null;
  let watch: NodeJS.Timeout | undefined;

  // Each Bash call of claude leads its own session, and has no parent any more once claude has ended.
  const note = () => {
    for (const one of descendantsOf(child.pid, listProcesses(), family.values()))
      family.set(`${one.pid} ${one.started}`, one);
  };
  const send = (signal: NodeJS.Signals) => {
    isSignalled = true;
    note();
    watch ??= setInterval(note, noteMs);
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
    send,
    stop() {
      // Does not signal it twice: claude may take that as an order to drop everything.
      if (!isSignalled) send('SIGINT');
      insist(['SIGTERM', 'SIGKILL']);
    },
    async finish() {
      hasEnded = true;
      patience?.stop();
      clearInterval(watch);
      if (!isSignalled) return;
      note();
      const left = stillRunning([...family.values()]);
      if (left.length === 0) return;
      await endAll(left, graceMs);
      say(`ended processes that ${name} left behind: ${left.map((one) => `${one.name} (${one.pid})`).join(', ')}`);
    },
  };
}

/** Sends SIGTERM, then SIGKILL to those that do not end. */
async function endAll(some: readonly Process[], graceMs: number): Promise<void> {
  for (const { pid } of some) sendSignal(pid, 'SIGTERM');
  const deadline = performance.now() + graceMs;
  let left = stillRunning(some);
  while (left.length > 0 && performance.now() < deadline) {
    await new Promise((next) => setTimeout(next, pollMs));
    left = stillRunning(left);
  }
  for (const { pid } of left) sendSignal(pid, 'SIGKILL');
}

const noteMs = 250;
const pollMs = 25;
