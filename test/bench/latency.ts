import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { median } from './measure.js';

/** The median milliseconds from a line written to the line that answers it, one line at a time. */
export async function latencyOf(command: readonly [string, ...string[]], times: number): Promise<number> {
  const [program, ...words] = command;
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'ignore'] });
  const waits: number[] = [];
  for (let turn = 0; turn < times; turn++) {
    const line = `${JSON.stringify({ type: 'prompt_suggestion', suggestion: `${turn}`, uuid: `${turn}` })}\n`;
    const started = performance.now();
    child.stdin.write(line);
    await once(child.stdout, 'data');
    waits.push(performance.now() - started);
  }
  child.stdin.end();
  await once(child, 'close');
  // The first lines wait for the program to start and to be compiled.
  return median(waits.slice(times >> 2));
}
