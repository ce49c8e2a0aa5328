import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type UsageKey, usageKeys } from '../../src/commands/usage/grouping.js';
import { reportUsage } from '../../src/commands/usage/rows.js';
import { filesUnder } from '../../src/io/directory.js';
import { stateOf, written } from '../commands/usage/used.js';
import { runs as effort } from '../effort.js';
import { readAll } from '../laws/reading.js';
import { cct } from '../run.js';
import { Hosts, type Manner, missingPrograms } from './hosts.js';
import { main } from './main.js';
import { commandOf, sideBySide } from './page.js';
import { writeRuns } from './runs.js';

// The commands of cct-fleet(7), as they stand there, in a folder that has a folder `runs`.

let scratch = '';
/** Hundreds of runs, and what one cct says of them. */
let many = '';
let direct: Answers;
let printed: Ran;
/** A few runs, and one that cannot be read. */
let broken = '';
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'cct-fleet-'));
  [many, broken] = [join(scratch, 'many'), join(scratch, 'broken')];
  mkdirSync(join(scratch, 'bin'));
  symlinkSync(resolve('bin/cct.js'), join(scratch, 'bin/cct'));
  writeManyRuns(join(many, 'runs'));
  writeRuns(join(broken, 'runs'), 3);
  symlinkSync('nowhere', join(broken, 'runs/gone.ndjson'));
  const entries = readdirSync(join(many, 'runs')).sort();
  direct = answersOf(entries.flatMap((entry) => filesIn(`runs/${entry}`)));
  printed = await run(commandOf('one-folder'), many);
}, 60_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
afterEach(() => {
  for (const folder of [many, broken])
    for (const name of ['rows', 'rows.ndjson']) rmSync(join(folder, name), { recursive: true, force: true });
});

describe('one machine', () => {
  test('many cores give the answer of one', async () => {
    expect(printed).toMatchObject({ code: 0, stdout: expect.stringContaining('"project":"/home/dev/project-1"') });
    const { code, stdout } = await run(commandOf('many-cores'), many);
    expect({ code, isSame: stdout === printed.stdout }).toEqual({ code: 0, isSame: true });
    expect(differences(answersOf(filesIn('rows')))).toEqual([]);
    expect(filesIn('rows').length).toBeGreaterThan(4);
    // A pipe takes 4096 bytes at once, so that these rows would be torn.
    const long = direct.get('message')?.match(/.{5000,}/g) ?? [];
    expect(long.length).toBeGreaterThan(50);
  });

  test('a job that fails leaves no answer', async () => {
    const { code, stdout, stderr } = await run(commandOf('many-cores'), broken);
    expect({ code, stdout }).toEqual({ code: 123, stdout: '' });
    expect(stderr).toContain('gone.ndjson');
  });

  test.each([...sideBySide(), 'usage --by session'])('%s: rows of runs are the rows of each run', async (words) => {
    const runs = [
      'sessions/team-2.1.325.ndjson',
      'files/grow-2.1.325',
      'files/team-2.1.39',
      'sessions/subagent.ndjson',
    ];
    const paths = runs.map((path) => `fixtures/${path}`);
    const rowsOf = async (some: readonly string[]) => (await cct([...words.split(' '), ...some])).stdout.split('\n');
    const single = await Promise.all(paths.map((path) => rowsOf([path])));
    expect((await rowsOf(paths)).sort().filter(Boolean)).toEqual(single.flat().sort().filter(Boolean));
  });
});

const missing = missingPrograms();
if (missing.length > 0)
  process.stderr.write(`\nNOT RUN: many machines, because there is no ${missing.join(' and no ')} here\n\n`);

describe.skipIf(missing.length > 0)('many machines', () => {
  let hosts: Hosts;
  beforeEach(() => {
    hosts = new Hosts(mkdtempSync(join(scratch, 'hosts-')));
  });
  afterEach(() => hosts.stop());
  const start = (build1: Manner, build2: Manner, config = commandOf('ssh-config')) =>
    hosts.start([build1, build2], config);

  test('one fails in a job, the other dies in the middle, and the answer is that of one machine', async () => {
    expect(filesIn('runs').length).toBeGreaterThan(300);
    const { build1, build2 } = await start('fails', 'dies');
    const running = run(commandOf('shared-runs'), many, hosts);
    await Promise.race([build2.dying(), running]);
    build2.signal('SIGKILL');
    const { code, stdout } = await running;
    expect({ code, isSame: stdout === printed.stdout }).toEqual({ code: 0, isSame: true });
    expect(differences(answersOf(['rows.ndjson']))).toEqual([]);
    // Both had jobs to do, and some had to be done again.
    expect(build2.ended()).toBeGreaterThanOrEqual(2);
    expect(build2.started()).toBeGreaterThan(build2.ended());
    expect(build1.started()).toBeGreaterThan(build1.ended());
  });

  test('a job that fails on every machine leaves no answer', async () => {
    await start('well', 'well');
    const { code, stdout, stderr } = await run(commandOf('shared-runs'), broken, hosts);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('gone.ndjson');
  });

  test('each machine reads its own sessions, and one that is down leaves no answer', async () => {
    const { build1, build2 } = await start('well', 'well');
    const own = { 'team-2.1.325': build1.home, 'grow-2.1.325': build2.home };
    for (const [name, home] of Object.entries(own))
      cpSync(`fixtures/files/${name}/projects`, join(home, '.claude/projects'), { recursive: true });
    const both = await cct(['usage', '--by', 'project,week', `${build1.home}/.claude`, `${build2.home}/.claude`]);
    expect(await run(commandOf('own-runs'), broken, hosts)).toEqual({ ...both, stderr: '' });
    build2.signal('SIGKILL');
    const { code, stdout, stderr } = await run(commandOf('own-runs'), broken, hosts);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(String(build2.port));
  });

  // It has to wait until ssh gives up.
  test.runIf(effort(0, 1) > 0)('one stops answering, and the answer is that of one machine', async () => {
    const { build2 } = await start('well', 'dies', commandOf('ssh-config').replace(/\d+$/gm, '2'));
    const running = run(commandOf('shared-runs'), many, hosts);
    await Promise.race([build2.dying(), running]);
    build2.signal('SIGSTOP');
    expect((await running).code).toBe(0);
    expect(differences(answersOf(['rows.ndjson']))).toEqual([]);
  });
});

test('the figures can be measured', async () => {
  const folder = mkdtempSync(join(scratch, 'measured-'));
  let said = '';
  const code = await main(['--runs', '4'], folder, (text) => {
    said += text;
  });
  expect({ code, said }).toMatchObject({ code: 0 });
  expect(said).toMatch(/^runs +4 +1 million$/m);
  expect(said).toMatch(/^messages +16 +4 million$/m);
});

/** Recordings, some of them with rows longer than a pipe takes at once, and homes with transcripts and subagents. */
function writeManyRuns(folder: string): void {
  for (const file of writeRuns(folder, 200)) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll('/home/dev/project-0', `/home/dev/${'project/'.repeat(800)}`));
  }
  for (const home of homes) cpSync(`fixtures/files/${home}`, join(folder, home), { recursive: true });
}

const homes = [
  ...['agents-in-transcript-2.1.81', 'autocompact-2.1.325', 'billing-mix-2.1.325', 'clear-2.1.140', 'forked-2.1.325'],
  ...['grow-2.1.325', 'parley-refuse-2.1.140', 'parley-refuse-2.1.39', 'resume-2.1.325', 'stop-agents-int-2.1.325'],
  ...['stop-int-2.1.325', 'team-2.1.140', 'team-2.1.325', 'team-2.1.39', 'team-main-2.1.325'],
];

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(script: string, folder: string, hosts?: Hosts): Promise<Ran> {
  const own = { PATH: `${scratch}/bin:${process.env['PATH']}`, HOME: join(scratch, 'home'), SHELL: '/bin/sh' };
  const env = { ...process.env, ...hosts?.environment, ...own };
  const child = spawn('sh', ['-c', script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

/** The files under a folder of `many`, as cct orders them. */
function filesIn(path: string): string[] {
  return filesUnder(join(many, path)).map((found) => relative(many, found.path));
}

type Answers = ReadonlyMap<string, string>;
const bys: readonly (readonly UsageKey[])[] = [...usageKeys.map((key) => [key]), ['session', 'turn', 'agent']];

/** The rows of usage by every key, as they are written. */
function answersOf(paths: readonly string[]): Answers {
  const { events, damaged } = readAll(paths.map((path) => ({ path, bytes: readFileSync(join(many, path)) })));
  // Half a row that a job left behind would be dropped as damage.
  if (paths.some((path) => path.startsWith('rows'))) expect(damaged).toBe(0);
  const state = stateOf(events);
  return new Map(bys.map((by) => [by.join(), written(reportUsage({ ...state, by }).rows)]));
}

/** The keys whose rows are not the same. */
function differences(answers: Answers): string[] {
  return [...direct].flatMap(([by, rows]) => (answers.get(by) === rows ? [] : [by]));
}
