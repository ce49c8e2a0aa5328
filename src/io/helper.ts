// A second thread, for work that can be divided or done ahead.
import { availableParallelism } from 'node:os';
import { parentPort, Worker, workerData } from 'node:worker_threads';

/** Runs a program in a thread. Its only message is the answer. */
export function askThread(program: string, data: unknown, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(program, { workerData: data });
    const stop = () => {
      void worker.terminate();
      reject(new Error('the second reader was stopped'));
    };
    signal.addEventListener('abort', stop, { once: true });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => {
      signal.removeEventListener('abort', stop);
      if (code !== 0) reject(new Error(`the second reader ended with ${code}`));
    });
  });
}

/** In the thread: answers what was asked. */
export async function answerThread<Q>(answer: (asked: Q) => Promise<unknown>): Promise<void> {
  // Only askThread starts the thread, with what its caller asks.
  parentPort?.postMessage(await answer(workerData as Q));
}

/** Starts a thread that runs until it is stopped, and does not keep the process alive. */
export function startThread(program: string, data: unknown): { stop(): Promise<unknown> } {
  const worker = new Worker(program, { workerData: data });
  // One that cannot start is never ready, and nobody waits for it.
  worker.on('error', () => {});
  worker.unref();
  return { stop: () => worker.terminate() };
}

/** In the thread: what it was given. */
export function dataOfThread(): unknown {
  return workerData;
}

/** How many threads can run at once. */
export function coreCount(): number {
  return availableParallelism();
}
