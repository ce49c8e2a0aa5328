import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chunks } from '../soak/chunks.js';
import { mostMemoryOf } from '../soak/memory.js';

export interface Watched {
  readonly code: number | null;
  readonly seconds: number;
  /** Of the process itself, without its children; null where there is no /proc. */
  readonly cpu: number | null;
  readonly megabytes: number | null;
  readonly lines: number;
  readonly bytes: number;
  readonly stderr: string;
}

export function startCct(words: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, ['bin/cct.js', ...words], { stdio: 'pipe', env: { ...process.env, ...env } });
}

/** Runs cct to its end. `pause`: how many milliseconds its reader takes for each piece. */
export async function watch(words: readonly string[], input: Iterable<string> = [], pause = 0): Promise<Watched> {
  const started = performance.now();
  const child = startCct(words);
  const { stdin, stdout, stderr, pid = 0 } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('a pipe is missing');
  let [lines, bytes, said] = [0, 0, ''];
  let [cpu, megabytes]: (number | null)[] = [null, null];
  const sample = () => {
    cpu = cpuOf(pid) ?? cpu ?? null;
    megabytes = mostMemoryOf(pid) ?? megabytes ?? null;
  };
  const timer = setInterval(sample, 20);
  stderr.setEncoding('utf8').on('data', (text) => (said += text));
  const reading = (async () => {
    for await (const piece of stdout) {
      bytes += piece.length;
      for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) lines++;
      if (pause > 0) await new Promise((next) => setTimeout(next, pause));
    }
  })();
  const ended = once(child, 'close');
  stdin.on('error', () => {});
  // One that ends early reads no more.
  const drained = () => new Promise((next) => stdin.once('drain', next));
  for (const chunk of chunks(input)) if (!stdin.write(chunk)) await Promise.race([drained(), ended]);
  stdin.end();
  const [code] = await ended;
  await reading;
  clearInterval(timer);
  const seconds = (performance.now() - started) / 1000;
  return { code, seconds, cpu: cpu ?? null, megabytes: megabytes ?? null, lines, bytes, stderr: said };
}

/** Seconds; a tick is a hundredth on every Linux that runs Node. */
function cpuOf(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return null;
  }
}
