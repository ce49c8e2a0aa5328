import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { streamOf } from '../bench/data.js';
import { gnuTime, isInstalled, type Measured, measure } from '../bench/measure.js';

/** Measures the figures of cct-fleet(7), and prints them as man/text/fleet.md has them. Returns the exit code. */
export async function main(words: readonly string[], scratch: string, print: (text: string) => void): Promise<number> {
  const { values } = parseArgs({ args: [...words], options });
  const runs = Number(values.runs);
  const say = (line: string) => print(`${line}\n`);
  say(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}; ${runs} runs.`);
  if (!gnuTime) say('GNU time is not installed: no memory is measured.');

  writeRuns(scratch, runs, Number(values.messages));
  writeFileSync(join(scratch, 'map.sh'), mapScript);
  say('\n| step | wall s | CPU s | peak MB |\n|---|--:|--:|--:|');
  const take = (name: string, command: string, answer: ((text: string) => string) | null): Measured => {
    const measured = measure([{ name, command, answer }], 0, scratch).get(name);
    if (measured === undefined) throw new Error(`${name} was not measured`);
    const { wall, cpu, memory } = measured;
    say(`| ${name} | ${(wall / 1000).toFixed(1)} | ${(cpu / 1000).toFixed(1)} | ${memory?.toFixed(0) ?? ''} |`);
    return measured;
  };
  const map = (by: string) => take(`jobs --by ${by}`, `bash ${join(scratch, 'map.sh')} ${by}`, null);
  let messages = 0;
  const total = (folder: string) =>
    take(`usage ${folder}`, `node bin/cct.js usage --by project,week ${join(scratch, folder)}`, (text) => {
      messages = [...text.matchAll(/"messages":(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
      return text;
    });
  const [byMessage, bySession] = [map('message'), map('session')];
  const direct = { half: total('runs/a'), whole: total('runs') };
  const reduce = { half: total('message/a'), whole: total('message') };
  const size = (folder: string, filter = 'cat') =>
    Number(execFileSync('bash', ['-c', `cat ${join(scratch, folder)}/*/* | ${filter} | wc -c`], { encoding: 'utf8' }));
  if (isInstalled('zstd')) say(`\nzstd makes ${inBytes(size('message', 'zstd -q'))} of the rows by message.`);

  const times = million / runs;
  const line = (name: string, write: (amount: number) => string, amount: number, atMillion = amount * times) =>
    [name, write(amount), write(atMillion)]
      .map((cell, at) => (at === 0 ? cell.padEnd(30) : cell.padStart(12)))
      .join('');
  const time = (name: string, { cpu }: Measured) => line(name, inSeconds, cpu / 1000);
  const memory = ({ half, whole }: typeof direct) => {
    const [least, most] = [(half.memory ?? 0) * 1e6, (whole.memory ?? 0) * 1e6];
    return line('  memory', inBytes, most, most + (Math.max(0, most - least) / (runs / 2)) * (million - runs));
  };
  const rows = (name: string, folder: string) => [
    line(name, inBytes, size(folder)),
    line('  compressed', inBytes, size(folder, 'gzip')),
  ];
  const table = [
    line('runs', inCount, runs),
    line('input', inBytes, size('runs')),
    line('messages', inCount, messages),
    time('one cct over the folder', direct.whole),
    memory(direct),
    time('all jobs with --by message', byMessage),
    ...rows('rows to move', 'message'),
    time('the last step', reduce.whole),
    memory(reduce),
    time('all jobs with --by session', bySession),
    ...rows('rows to move', 'session'),
  ];
  say(`\n${table.join('\n')}`);
  const isSame = direct.whole.answer === reduce.whole.answer;
  if (!isSame) say('\nThe rows give another answer than the runs.');
  return isSame ? 0 : 1;
}

const options = {
  runs: { type: 'string', default: '10000' },
  /** Of each run. One takes about 25 kB. */
  messages: { type: 'string', default: '4' },
} as const;

const million = 1e6;

/** Two folders with half of the runs each, so that the growth of memory can be seen. */
function writeRuns(scratch: string, runs: number, messages: number): void {
  for (const folder of ['runs', 'message', 'session'])
    for (const half of ['a', 'b']) mkdirSync(join(scratch, folder, half), { recursive: true });
  for (let seed = 1; seed <= runs; seed++) {
    const text = runOf(messages, seed).replaceAll('/home/dev/project"', `/home/dev/project-${seed % 50}"`);
    writeFileSync(join(scratch, 'runs', seed % 2 === 0 ? 'a' : 'b', `${seed}.ndjson`), text);
  }
}

/** A made-up run with this many messages, fewer than 40. */
function runOf(messages: number, seed: number): string {
  let text = '';
  for (const line of streamOf(4000 * (messages - 1) + 1, 'tools', seed)) {
    text += line;
    if (line.startsWith('{"type":"result"')) break;
  }
  return text.replaceAll('crew-00000001', `crew-${seed}`);
}

/** As the page does it, but one job at a time and 500 runs in each. */
const mapScript = `set -e
cd "$(dirname "$0")"
for half in a b; do
  printf '%s\\0' runs/$half/* |
    xargs -0 -n 500 sh -c 'node ${resolve('bin/cct.js')} usage --by '$1' "$@" > "'$1/$half'/\${1##*/}"' sh
done
`;

function inBytes(amount: number): string {
  return inUnits(amount, [
    [1e9, ' GB'],
    [1e6, ' MB'],
    [1e3, ' kB'],
  ]);
}

function inSeconds(amount: number): string {
  return inUnits(amount, [
    [3600, ' h'],
    [60, ' min'],
    [1, ' s'],
  ]);
}

function inCount(amount: number): string {
  return inUnits(amount, [
    [1e6, ' million'],
    [1, ''],
  ]);
}

/** Two digits, in the largest unit that fits. */
function inUnits(amount: number, units: readonly (readonly [size: number, name: string])[]): string {
  const [size, name] = units.find(([least]) => amount >= least) ?? units.at(-1) ?? [1, ''];
  return `${Number((amount / size).toPrecision(2)).toLocaleString('en-US')}${name}`;
}
