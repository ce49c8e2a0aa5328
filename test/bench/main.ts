import { mkdirSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createFiles, type Files } from './files.js';
import { cct, type Group, large, topics } from './groups.js';
import { latencyOf } from './latency.js';
import { type Bar, type Case, gnuTime, isInstalled, measure } from './measure.js';
import { disagreement, rowOf, rowsOf, tableHead } from './table.js';

/** Measures cct beside its peers; the exit code. Data goes to `scratch`, which the caller removes. */
export async function main(words: readonly string[], scratch: string, print: (text: string) => void): Promise<number> {
  const { values } = parseArgs({ args: [...words], options });
  const say = (line: string) => print(`${line}\n`);
  const folder = values.keep ? join(tmpdir(), 'cct-bench-data') : scratch;
  mkdirSync(folder, { recursive: true });
  const files = createFiles(folder);
  const sizes = (values.size ?? (values.full ? '10,100,1000' : '10,100')).split(',').map(Number);
  const only = values.only?.split(',') ?? ['start', ...Object.keys(topics), 'line', 'latency'];
  const roundsAt = (size = 0) => Number(values.rounds ?? (size >= 1000 ? 3 : 5));

  say(
    `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}; ${roundsAt()} rounds after one to warm up.`,
  );
  for (const peer of ['jq', 'ccusage']) if (!isInstalled(peer)) say(`${peer} is not installed: no comparison with it.`);
  if (!gnuTime) say('GNU time is not installed: no memory is measured.');
  if (values.keep) say(`The data stays in ${folder}.`);
  say('');
  for (const line of tableHead) say(line);
  const wrong: string[] = [];
  const run = (group: Group) => {
    const cases = group.cases.filter(({ command }) => !command.startsWith('jq ') || isInstalled('jq'));
    const measured = measure(cases, roundsAt(group.size) * (group.times ?? 1), scratch);
    for (const row of rowsOf({ ...group, cases }, measured)) say(row);
    const difference = disagreement(group, measured);
    if (difference !== null) wrong.push(difference);
  };
  if (only.includes('start')) run(startGroup(files));
  for (const size of sizes)
    for (const topic of values.full && size >= 1000 ? only.filter((one) => large.includes(one)) : only)
      for (const group of topics[topic]?.(files, size) ?? []) run(group);
  if (only.includes('line')) for (const group of lineGroups(files, Number(values.line))) run(group);
  if (only.includes('latency')) for (const row of await latencyRows(Number(values.lines))) say(row);
  for (const text of wrong) say(`\nAnswers differ: ${text}`);
  return wrong.length === 0 ? 0 : 1;
}

const options = {
  /** Megabytes, several with commas. */
  size: { type: 'string' },
  /** With 1 GB. */
  full: { type: 'boolean' },
  only: { type: 'string' },
  rounds: { type: 'string' },
  /** Megabytes of the one long line. */
  line: { type: 'string', default: '64' },
  /** How many lines latency is measured with. */
  lines: { type: 'string', default: '400' },
  keep: { type: 'boolean' },
} as const;

function startGroup(files: Files): Group {
  const start = (name: string, words: string, slower: number, aim?: number) => ({
    ...cct(words, [{ slower, than: 'node -e 0', by: 'cpu', ...(aim === undefined ? {} : { aim }) }]),
    name,
    answer: null,
  });
  return {
    title: 'start',
    times: 3,
    cases: [
      { name: 'node -e 0', command: 'node -e 0', answer: null },
      start('cct --version', '--version', 1.25),
      start('cct teams', `teams ${files.empty()}`, 1.3, 1.2),
    ],
  };
}

/** The longest line and the shortest ones; a million at 64 MB. */
function lineGroups(files: Files, size: number): Group[] {
  const file = files.line(size);
  const count = Math.ceil((1e6 * size) / 64);
  const bars: Bar[] = size === 64 ? [{ most: 300, of: 'memory' }] : [];
  const cases: Case[] = [
    { ...cct('usage', size === 64 ? [{ most: 500, of: 'cpu' }] : []), pipe: file },
    { ...cct('normalize', bars), name: 'cct normalize', pipe: file, intoPipe: true },
    { name: 'jq', command: 'jq -c .', pipe: file, intoPipe: true },
  ];
  const tiny: Case[] = [
    { ...cct(`normalize ${files.lines(count)}`, bars), name: 'cct normalize', intoPipe: true },
    { name: 'jq', command: `jq -c . ${files.lines(count)}`, intoPipe: true },
  ];
  const silent = (all: readonly Case[]) => all.map((one) => ({ ...one, answer: null }));
  return [
    { title: 'one line, pipe', size, cases: silent(cases) },
    { title: `${count} tiny lines into a pipe`, cases: silent(tiny) },
  ];
}

async function latencyRows(lines: number): Promise<string[]> {
  const rows = [];
  const ours = await latencyOf(['node', 'bin/cct.js', 'normalize'], lines);
  const bar = `< 1 ms: ${ours < 1 ? 'ok' : 'NOT MET'}`;
  rows.push(rowOf(['line in, line out', 'cct normalize', ours.toFixed(2), '', '', '', '1.00', bar, '']));
  if (isInstalled('jq')) {
    const theirs = await latencyOf(['jq', '--unbuffered', '-c', '.'], lines);
    rows.push(rowOf(['line in, line out', 'jq', theirs.toFixed(2), '', '', '', (theirs / ours).toFixed(2), '', '']));
  }
  return rows;
}
