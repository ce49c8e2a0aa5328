import { mkdirSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { atoms, commands, doubling, fewAtoms, functions, wordings } from './doubling.js';
import { createFiles, type Files } from './files.js';
import { cct, type Group, large, topics } from './groups.js';
import { latencyOf } from './latency.js';
import { type Bar, type Case, gnuTime, isInstalled, measure } from './measure.js';
import { disagreement, rowOf, rowsOf, tableHead } from './table.js';

/** Measures cct and its peers; returns the exit code. Data goes to `scratch`, which the caller removes. */
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
    if (difference !== null) wrong.push(`Answers differ: ${difference}`);
  };
  if (only.includes('start')) run(startGroup(files));
  for (const size of sizes)
    for (const topic of values.full && size >= 1000 ? only.filter((one) => large.includes(one)) : only)
      for (const group of topics[topic]?.(files, size) ?? []) run(group);
  if (only.includes('line')) for (const group of lineGroups(files, Number(values.line))) run(group);
  if (only.includes('doubling')) wrong.push(...(await doublingRows(Number(values.text) * 1000, say)));
  if (only.includes('latency')) for (const row of await latencyRows(Number(values.lines))) say(row);
  for (const text of wrong) say(`\n${text}`);
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
  /** Kilobytes of the longest text that is doubled. */
  text: { type: 'string', default: '128' },
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

/** Prints the text that made each function and command grow most. Returns those that grew more than linearly. */
async function doublingRows(most: number, say: (line: string) => void): Promise<string[]> {
  const steep: string[] = [];
  const sets = [
    { works: functions, texts: atoms, most },
    { works: wordings, texts: fewAtoms, most },
    { works: commands, texts: fewAtoms, most: most / 16 },
  ];
  say('\n| doubled | text | characters | CPU ms of a quarter, a half, all |  |\n|---|---|--:|--:|---|');
  for (const set of sets)
    for await (const { name, atom, length, ms, isSteep } of doubling(set.works, set.texts, set.most)) {
      const figures = ms.map((one) => one.toFixed(0)).join(', ');
      say(rowOf([name.replaceAll('|', '/'), textCell(atom), String(length), figures, isSteep ? 'STEEP' : '']));
      if (isSteep) steep.push(`${name} takes more than linear time: ${figures} ms of CPU`);
    }
  return steep;
}

function textCell(atom: string): string {
  return `\`${JSON.stringify(atom).replace(/[|`]|[^\x20-\x7e]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)}\``;
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
