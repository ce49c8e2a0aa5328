import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { agents, type Crowd, messages, tasks } from './crowd.js';
import { startCct, type Watched, watch } from './watched.js';

/** Tries what is too much: crowds, floods, kills, bad disks. Prints a table; returns the exit code. */
export async function main(words: readonly string[], scratch: string, print: (text: string) => void): Promise<number> {
  const { values } = parseArgs({ args: [...words], options });
  const scale = Number(values.scale);
  const times = Math.max(2, Math.round(Number(values.kills)));
  const strains: readonly Strain[] = [
    ...crowds.map((one) => crowded(one, Math.max(10, Math.round(one.count * scale)))),
    ...floods(Math.round(1024 * scale)),
    { name: `${times} x kill -9 of run --keep`, try: () => killedRuns(scratch, times) },
    { name: `${times} x kill -9 of usage --state`, try: () => killedStates(scratch, times) },
    { name: 'files that cannot be read', try: () => unreadable(scratch) },
    { name: 'full disks', try: () => fullDisks(scratch) },
    { name: 'short calls under run', try: () => shortCalls(scratch, Math.max(20, Math.round(3000 * scale))) },
  ];
  print('| strain | seconds | CPU s | peak MB | verdict |\n|---|--:|--:|--:|---|\n');
  let failures = 0;
  for (const { name, try: attempt } of strains) {
    if (!name.includes(values.only)) continue;
    const { seconds, cpu, megabytes, problem, note } = await attempt();
    const cells = [name, seconds?.toFixed(1), cpu?.toFixed(2), megabytes?.toFixed(0), problem ?? `right${note ?? ''}`];
    print(`| ${cells.map((cell) => cell ?? '').join(' | ')} |\n`);
    if (problem !== null) failures++;
  }
  print(failures === 0 ? '\nall held\n' : `\n${failures} did not hold\n`);
  return failures === 0 ? 0 : 1;
}

const options = {
  /** 1 is what the limits are promised for. */
  scale: { type: 'string', default: '1' },
  kills: { type: 'string', default: '100' },
  /** Those whose name has this text. */
  only: { type: 'string', default: '' },
} as const;

interface Verdict extends Partial<Pick<Watched, 'seconds' | 'cpu' | 'megabytes'>> {
  readonly problem: string | null;
  readonly note?: string;
}

interface Strain {
  readonly name: string;
  try(): Promise<Verdict>;
}

interface Crowded {
  readonly words: readonly string[];
  readonly of: string;
  readonly crowd: Crowd;
  readonly count: number;
  /** How many lines have to come. */
  readonly rows: (count: number) => number;
}

const [many, most] = [100_000, 1_000_000];
const crowds: readonly Crowded[] = [
  { words: ['teams', '--members'], of: 'agents', crowd: agents, count: many, rows: (count) => count + 1 },
  { words: ['usage', '--by', 'agent'], of: 'agents', crowd: agents, count: many, rows: () => 2 },
  { words: ['audit'], of: 'agents', crowd: agents, count: many, rows: (count) => (count > 50 ? 1 : 0) },
  { words: ['tasks'], of: 'tasks', crowd: tasks, count: many, rows: (count) => count },
  {
    words: ['audit', '--of', 'tasks'],
    of: 'tasks',
    crowd: tasks,
    count: many,
    rows: (count) => 2 * count + (count > 1000 ? 1 : 0),
  },
  { words: ['messages'], of: 'messages', crowd: messages, count: most, rows: (count) => count },
  { words: ['messages', '--settled'], of: 'messages', crowd: messages, count: most, rows: (count) => count },
  { words: ['usage'], of: 'messages', crowd: messages, count: most, rows: () => 1 },
];

/** A tenth of it first: ten times as much may take at most twenty times as long, once it is long enough to be measured. */
function crowded({ words, of, crowd, rows }: Crowded, size: number): Strain {
  return {
    name: `${words.join(' ')}: ${size} ${of}`,
    async try() {
      const tenth = Math.round(size / 10);
      const few = await watch([...words, '-q'], crowd(tenth));
      const all = await watch([...words, '-q'], crowd(size));
      const wrong = [
        few.code !== 0 || all.code !== 0 ? `exit code ${few.code}, ${all.code}` : '',
        all.lines === rows(size) ? '' : `${all.lines} lines instead of ${rows(size)}`,
        (few.cpu ?? 0) > 1 && (all.cpu ?? 0) > 20 * (few.cpu ?? 0) ? `${few.cpu?.toFixed(1)} s for a tenth` : '',
      ].filter((text) => text !== '');
      const problem = wrong.length === 0 ? null : `${wrong.join('; ')} ${all.stderr.slice(0, 200)}`;
      return { ...all, problem, note: `; a tenth: ${few.cpu?.toFixed(1)} s CPU, ${few.megabytes?.toFixed(0)} MB` };
    },
  };
}

/** A command that writes as fast as the pipe takes it. Memory must not follow it. */
function floods(megabytes: number): Strain[] {
  const bytes = Math.max(8, megabytes) * 2 ** 20;
  const limits = ['--max-usd', '5', '--idle-timeout', '60'];
  const records = (size: number) => `yes '{"type":"keep_alive","text":"${'x'.repeat(80)}"}' | head -c ${size}; echo`;
  const flood = (name: string, flags: readonly string[], scriptOf: (bytes: number) => string, pause = 0): Strain => ({
    name: `run ${flags.join(' ')}: ${Math.round(bytes / 2 ** 20)} MB ${name}`.replace('  ', ' '),
    async try() {
      const command = (script: string) => ['run', '-q', ...flags, '--', 'sh', '-c', script];
      const half = await watch(command(scriptOf(bytes / 2)), [], pause);
      const all = await watch(command(scriptOf(bytes)), [], pause);
      // With a limit, no usage is an error of its own: 2.
      const isPassed = all.code === (flags.length === 0 ? 0 : 2) && all.bytes - 1 === bytes;
      // Up to the longest line that is held, memory grows with the line.
      const isSteady = bytes / 2 < longestLine || (all.megabytes ?? 0) < 1.1 * (half.megabytes ?? 0);
      const problem = isPassed && isSteady ? null : `exit code ${all.code}, ${all.bytes} bytes`;
      const rate = (bytes / 2 ** 20 / all.seconds).toFixed(0);
      return { ...all, problem, note: `; ${rate} MB/s; half of it: ${half.megabytes?.toFixed(0)} MB` };
    },
  });

  const line = (size: number) => `head -c ${size} /dev/zero | tr '\\0' x; echo`;
  return [
    flood('of records', [], records),
    flood('of records', limits, records),
    flood('in one line', limits, line),
    flood('for a slow reader', limits, line, bytes > 2 ** 28 ? 0.5 : 0),
  ];
}

const longestLine = 256 * 2 ** 20;

const soon = (milliseconds: number) => new Promise((next) => setTimeout(next, milliseconds));

/** What was kept up to then is the beginning of the stream, and can be read. */
async function killedRuns(scratch: string, times: number): Promise<Verdict> {
  const kept = join(scratch, 'kept.ndjson');
  const source = 'fixtures/sessions/team-2.1.325.ndjson';
  const whole = readFileSync(source, 'utf8');
  const script = `while IFS= read -r line; do printf '%s\\n' "$line" || exit; done < ${source}; sleep 0.05`;
  for (let time = 0; time < times; time++) {
    rmSync(kept, { force: true });
    const run = startCct(['run', '-q', '--max-usd', '9', '--keep', kept, '--', 'sh', '-c', script]);
    const closed = once(run, 'close');
    run.stdout?.resume();
    await soon((time * 400) / times);
    run.kill('SIGKILL');
    await closed;
    const text = existsSync(kept) ? readFileSync(kept, 'utf8') : '';
    const stream = text.slice(text.indexOf('\n') + 1);
    if (!whole.startsWith(stream)) return { problem: `after kill ${time} the file is no beginning of the stream` };
    const { code, stderr } = await watch(['usage', '-q', ...(text === '' ? [] : [kept])]);
    if (code !== 0) return { problem: `after kill ${time} the file cannot be read: ${stderr}` };
  }
  return { problem: null };
}

/** The next one continues from a whole state, and says in the end what one that was never killed says. */
async function killedStates(scratch: string, times: number): Promise<Verdict> {
  const state = join(scratch, 'state.json');
  const source = 'fixtures/sessions/team-2.1.325.ndjson';
  const words = ['usage', '-q', '--by', 'session', '--state', state];
  const lines = readFileSync(source, 'utf8').split(/(?<=\n)/);
  for (let time = 0; time < times; time++) {
    const run = startCct([...words, '--watch']);
    const closed = once(run, 'close');
    run.stdout?.resume();
    run.stdin?.on('error', () => {});
    for (const line of lines) run.stdin?.write(line);
    if (time % 2 === 0) run.stdin?.end();
    await soon((time * 400) / times);
    run.kill('SIGKILL');
    await closed;
  }
  const ended = await watch(words, lines);
  const other = await watch(['usage', '-q', '--by', 'session'], lines);
  const isRight = ended.code === 0 && ended.bytes === other.bytes;
  return { problem: isRight ? null : `exit code ${ended.code}, ${ended.bytes} bytes: ${ended.stderr}` };
}

/** What cannot be read is named, and the rest is read. */
async function unreadable(scratch: string): Promise<Verdict> {
  const folder = join(scratch, 'folder');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'good.ndjson'), readFileSync('fixtures/sessions/one-shot.ndjson'));
  // Root may read everything, except the memory of a process from its beginning.
  const bad = [join(scratch, 'missing.ndjson'), ...(existsSync('/proc/self/mem') ? ['/proc/self/mem'] : [])];
  for (const command of [['usage'], ['teams'], ['audit'], ['report', '-f', 'md']]) {
    const { code, stderr } = await watch([...command, folder, ...bad]);
    const unnamed = bad.filter((path) => !stderr.includes(path));
    if (code !== 2 || unnamed.length > 0) return { problem: `${command[0]}: exit code ${code}: ${stderr}` };
  }
  return { problem: null };
}

/** Never a bug, never a part of the output taken for all of it. */
async function fullDisks(scratch: string): Promise<Verdict> {
  if (!existsSync('/dev/full')) return { problem: null, note: '; not tried: no /dev/full' };
  const source = 'fixtures/sessions/team-2.1.325.ndjson';
  const cct = `"${process.execPath}" bin/cct.js`;
  const state = join(scratch, 'full.json');
  const scripts = [
    ...['usage', 'teams', 'messages', 'normalize', 'audit', 'calls', 'report -f md', 'replay --no-wait'].map(
      (words) => `${cct} ${words} ${source} > /dev/full`,
    ),
    `${cct} run --keep /dev/full -- cat ${source} > /dev/null`,
    `${cct} run -- cat ${source} > /dev/full`,
    `${cct} report -o /dev/full ${source}`,
    `(ulimit -f 1; ${cct} usage --state ${state} ${source})`,
  ];
  for (const script of scripts) {
    const { stderr } = await watch(['run', '-q', '--', 'bash', '-c', `${script}; echo "code $?" >&2`]);
    if (!/code 2\n$/.test(stderr)) return { problem: `${script}: ${stderr}` };
  }
  return { problem: null, note: `; ${scripts.length} command lines, each with 2` };
}

/** What it costs to know the descendants of a command that starts very many. */
async function shortCalls(scratch: string, count: number): Promise<Verdict> {
  const script = join(scratch, 'calls.mjs');
  writeFileSync(
    script,
    `import { spawn } from 'node:child_process';
for (let at = 0; at < ${count}; at++)
  await new Promise((next) => spawn('/bin/sh', ['-c', ':'], { detached: true, stdio: 'ignore' }).on('exit', next));
`,
  );
  const busy = await watch(['run', '--', process.execPath, script]);
  const idle = await watch(['run', '--', 'sleep', busy.seconds.toFixed(1)]);
  const share = (((busy.cpu ?? 0) - (idle.cpu ?? 0)) / busy.seconds) * 100;
  const note = `; ${count} calls; beside a sleep of that length ${idle.cpu?.toFixed(2)} s CPU, so ${share.toFixed(1)} % of the time`;
  return {
    ...busy,
    problem: busy.code === 0 && share < 5 ? null : `exit code ${busy.code}, ${share.toFixed(1)} %`,
    note,
  };
}
