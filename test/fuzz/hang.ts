import { Worker } from 'node:worker_threads';

export interface HangWatch {
  started(seed: number): void;
  stop(): void;
}

/** Ends the process if a case takes longer than a minute, from another thread, because this one hangs. */
export function watchForHangs(): HangWatch {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(watching, { eval: true, workerData: shared });
  worker.unref();
  return {
    started(seed) {
      Atomics.store(shared, 0, seed);
      Atomics.add(shared, 1, 1);
    },
    stop: () => void worker.terminate(),
  };
}

const watching = `
const { workerData: shared } = require('node:worker_threads');
let last = -1;
setInterval(() => {
  const now = Atomics.load(shared, 1);
  if (now === last) {
    const seed = Atomics.load(shared, 0);
    require('node:fs').writeSync(2, 'fuzz: seed ' + seed + ' hangs\\n  again: npm run fuzz -- --cases 1 --seed ' + seed + '\\n');
    process.kill(process.pid, 'SIGKILL');
  }
  last = now;
}, 60000);
`;
