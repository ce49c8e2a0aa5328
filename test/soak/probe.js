// Loaded into the cct under test: writes to file descriptor 3 what it really keeps, after collecting garbage.
import { writeSync } from 'node:fs';

function measure() {
  const began = performance.now();
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  writeSync(3, `${heapUsed} ${arrayBuffers}\n`);
  // Leaves most of the time to reading, however much there is to collect.
  setTimeout(measure, Math.max(500, 10 * (performance.now() - began))).unref();
}

setTimeout(measure, 500).unref();
