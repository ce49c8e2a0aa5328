import { Session } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';

/** How often a function and all it calls enter a block of code. The same every time, unlike CPU time; only V8's own loops do not count. */
export function stepsOf(run: () => void): number {
  // What is done only once does not count.
  run();
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  // Optimized code is not counted.
  setFlagsFromString('--no-opt');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  session.post('Profiler.takePreciseCoverage');
  run();
  let steps = 0;
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    const ranges = result.flatMap(({ functions }) => functions.flatMap((one) => one.ranges));
    steps = ranges.reduce((sum, { count }) => sum + count, 0);
  });
  // `npm run test:all` measures coverage in the same way, and has not finished.
  if (process.env['EFFORT'] !== 'all') session.post('Profiler.stopPreciseCoverage');
  setFlagsFromString('--opt');
  session.disconnect();
  return steps;
}
