import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { type Check, checks } from './checks.js';
import { chunks } from './chunks.js';
import { judge, mostMemoryOf, type Sample } from './memory.js';
import { World } from './world.js';

/** Streams into each command for its share of the minutes; returns the exit code. */
export async function main(words: readonly string[], _scratch: string, print: (text: string) => void): Promise<number> {
  const { values } = parseArgs({ args: [...words], options });
  const chosen = checks.filter(({ words }) => values.only === undefined || values.only === words.join(' '));
  const milliseconds = (Number(values.minutes) * 60_000) / chosen.length;
  print(
    `| ${columns.join(' | ')} |\n|---|${columns
      .slice(1, -2)
      .map(() => '--:|')
      .join('')}---|---|\n`,
  );
  let failures = 0;
  for (const check of chosen) {
    const { row, ok } = await soak(check, milliseconds);
    print(`| ${row.join(' | ')} |\n`);
    if (!ok) failures++;
  }
  print(failures === 0 ? '\nall steady, all right\n' : `\n${failures} of ${chosen.length} failed\n`);
  return failures === 0 ? 0 : 1;
}

const options = {
  minutes: { type: 'string', default: '8' },
  /** One command, as in the first column. */
  only: { type: 'string' },
} as const;

const columns = [
  'command',
  'records',
  'messages',
  'seconds',
  'heap MB, at a third',
  'at the end',
  'bytes kept a record',
  'allowed',
  'memory MB, most',
  'steady',
  'answer',
];

async function soak({ words, plan, expected, counter, keeps }: Check, milliseconds: number) {
  const world = new World(plan);
  const child = spawn('node', ['--expose-gc', '--import', './test/soak/probe.js', 'bin/cct.js', ...words], {
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
  });
  const { stdin, stdout } = child;
  const probe = child.stdio[3];
  if (stdin === null || stdout === null || !(probe instanceof Readable)) throw new Error('a pipe is missing');
  const { row, found } = counter();
  const reading = (async () => {
    for await (const line of createInterface({ input: stdout })) row(JSON.parse(line));
  })();
  const ended = once(child, 'close');

  const started = performance.now();
  const samples: Sample[] = [];
  let most: number | null = null;
  createInterface({ input: probe }).on('line', (line) => {
    const [heap = 0, buffers = 0] = line.split(' ').map(Number);
    samples.push({ heap, buffers, known: { ...world.known } });
    most = mostMemoryOf(child.pid ?? 0) ?? most;
  });
  for (const chunk of chunks(world.lines(() => performance.now() - started > milliseconds)))
    if (!stdin.write(chunk)) await once(stdin, 'drain');
  // What is measured while it ends does not count.
  const measured = [...samples];
  stdin.end();
  const [code] = await ended;
  await reading;

  const verdict = judge(measured, keeps ?? {});
  const [is, should] = [JSON.stringify(found()), JSON.stringify(expected(world.known))];
  const answer =
    code !== 0 ? `exit code ${code}` : is === should ? `right: ${is}` : `WRONG: ${is} instead of ${should}`;
  const { records, messages } = world.known;
  const third = measured.find(({ known }) => known.records >= (measured.at(-1)?.known.records ?? 0) / 3);
  const cells = [
    words.join(' '),
    records,
    messages,
    ((performance.now() - started) / 1000).toFixed(0),
    megabytes(third?.heap),
    megabytes(measured.at(-1)?.heap),
    verdict?.perRecord.toFixed(1) ?? '?',
    verdict?.allowed.toFixed(1) ?? '?',
    most === null ? '?' : Math.round(most),
    verdict === null ? 'NOT MEASURED' : verdict.steady ? 'yes' : 'NO',
    answer,
  ];
  return { row: cells, ok: code === 0 && is === should && verdict?.steady === true };
}

function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? '?' : (bytes / 1e6).toFixed(1);
}
