import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { type Check, checks } from './checks.js';
import { chunks } from './chunks.js';
import { judge, memoryOf, type Sample } from './memory.js';
import { World } from './world.js';

/** Streams through each command for its share of the minutes; the exit code. */
export async function main(words: readonly string[], _scratch: string, print: (text: string) => void): Promise<number> {
  const { values } = parseArgs({ args: [...words], options });
  const chosen = checks.filter(({ words }) => values.only === undefined || values.only === words.join(' '));
  const milliseconds = (Number(values.minutes) * 60_000) / chosen.length;
  print('| command | records | seconds | memory MB, least | most | MB per million records | steady | answer |\n');
  print('|---|--:|--:|--:|--:|--:|---|---|\n');
  let failures = 0;
  for (const check of chosen) {
    const { row, ok } = await soak(check, milliseconds);
    print(`| ${row.join(' | ')} |\n`);
    if (!ok) failures++;
  }
  return failures === 0 ? 0 : 1;
}

const options = {
  minutes: { type: 'string', default: '15' },
  /** One command, as the first column has it. */
  only: { type: 'string' },
} as const;

async function soak({ words, plan, expected, counter, grows }: Check, milliseconds: number) {
  const world = new World(plan);
  const child = spawn('node', ['bin/cct.js', ...words], { stdio: ['pipe', 'pipe', 'ignore'] });
  const { row, found } = counter();
  const reading = (async () => {
    for await (const line of createInterface({ input: child.stdout })) row(JSON.parse(line));
  })();
  const ended = once(child, 'close');

  const started = performance.now();
  const samples: Sample[] = [];
  const sample = setInterval(() => {
    const memory = memoryOf(child.pid ?? 0);
    if (memory !== null) samples.push({ records: world.known.records, memory });
  }, 100);
  for (const chunk of chunks(world.lines(() => performance.now() - started > milliseconds)))
    if (!child.stdin.write(chunk)) await once(child.stdin, 'drain');
  clearInterval(sample);
  child.stdin.end();
  const [code] = await ended;
  await reading;

  const { low, high, slope, steady } = judge(samples, grows ?? 0);
  const [is, should] = [JSON.stringify(found()), JSON.stringify(expected(world.known))];
  const answer =
    code !== 0 ? `exit code ${code}` : is === should ? `right: ${is}` : `WRONG: ${is} instead of ${should}`;
  const figures = [low, high, slope].map((figure) => (samples.length === 0 ? '?' : figure.toFixed(1)));
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const cells = [
    words.join(' '),
    `${world.known.records}`,
    seconds,
    ...figures,
    samples.length === 0 ? 'not measured' : steady,
    answer,
  ];
  return { row: cells, ok: code === 0 && is === should && steady !== 'NO' };
}
