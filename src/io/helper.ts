// A second thread, for work that can be done ahead.
import { Worker, workerData } from 'node:worker_threads';

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
