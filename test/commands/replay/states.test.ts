import { describe, expect, test } from 'vitest';
import { sample } from '../../effort.js';
import { bytesOf, homes, type Input, sessions } from '../../laws/inputs.js';
import { cct } from '../../run.js';

const fixtures = new URL('../../../fixtures/', import.meta.url).pathname;
const slices = ['teams', 'tasks', 'usage'] as const;
const nothing = { teams: [], tasks: [], usage: [] };

interface StateLine {
  readonly at: string | null;
  readonly line: number | null;
  readonly event: string | null;
  readonly teams: unknown[];
  readonly tasks: unknown[];
  readonly usage: unknown[];
}

describe.each(sample([...sessions, ...homes], 30))('$name', (input) => {
  test('the last state is what the commands print, and --at the end says the same', async () => {
    const printed = Object.fromEntries(
      await Promise.all(slices.map(async (name) => [name, await linesOf([name], input)] as const)),
    );
    const states = await statesOf(['--states', '--no-wait'], input);
    expect(rowsIn(states.at(-1)) ?? nothing).toEqual(printed);
    const [end, ...more] = await statesOf(['--at', '99999h'], input);
    expect([rowsIn(end), end?.event, more]).toEqual([printed, null, []]);
  });

  test('there is a state for every change, and only then', async () => {
    const states = await statesOf(['--states', '--no-wait'], input);
    for (const [index, state] of states.entries())
      expect(rowsIn(state)).not.toEqual(rowsIn(states[index - 1]) ?? nothing);
  });
});

test.each(sample(sessions, 15))('normalize before it changes nothing: $name', async (input) => {
  const { stdout: events } = await cct(['normalize'], bytesOf(input));
  const { stdout } = await cct(['replay', '--states', '--no-wait'], events);
  expect(rowsOf(stdout)).toEqual(await statesOf(['--states', '--no-wait'], input));
});

describe('--at', () => {
  const input = sessions.find(({ name }) => name.includes('team-2.1.140.ndjson')) ?? fail();

  test('a line: the last state up to it', async () => {
    const states = (await statesOf(['--states', '--no-wait'], input)).filter(({ event }) => event !== null);
    for (const line of [1, 2, 5, 16, 40, 58]) {
      const [state] = await statesOf(['--at', `line:${line}`], input);
      expect(rowsIn(state)).toEqual(rowsIn(states.findLast((one) => (one.line ?? 0) <= line)) ?? nothing);
    }
  });

  test('a time: everything up to and with it', async () => {
    const states = await statesOf(['--states', '--no-wait'], input);
    const moment = '2026-11-15T23:29:18.643Z';
    const [state] = await statesOf(['--at', moment], input);
    const last = states.findLastIndex(({ line }) => line === 12);
    expect(state?.at).toBe(moment);
    expect(rowsIn(state)).toEqual(rowsIn(states[last]));
  });

  test('an offset', async () => {
    const [state] = await statesOf(['--at', '0s'], input);
    expect(state).toMatchObject({ line: 1, teams: [] });
  });
});

test('a session and a team are chosen as in the commands', async () => {
  const input = sessions.find(({ name }) => name.includes('team-2.1.39.ndjson')) ?? fail();
  const [elsewhere] = await statesOf(['--at', '1h', '--team', 'nobody'], input);
  expect(rowsIn(elsewhere)).toEqual(nothing);
  const [here] = await statesOf(['--at', '1h', '--team', 'report-crew'], input);
  expect(here?.teams).toHaveLength(1);
});

test('from a later line on, what happened before still counts', async () => {
  const input = sessions.find(({ name }) => name.includes('team-2.1.140.ndjson')) ?? fail();
  const all = await statesOf(['--states', '--no-wait'], input);
  const late = await statesOf(['--states', '--no-wait', '--since', 'line:30'], input);
  expect(late.every(({ line }) => (line ?? 0) >= 30)).toBe(true);
  expect(late.at(-1)).toEqual(all.at(-1));
  const [first] = late;
  const before = all.filter(({ line }) => (line ?? 0) <= (first?.line ?? 0));
  expect(before.map(rowsIn)).toContainEqual(rowsIn(first));
});

test('a part of a stream has not ended', async () => {
  const input = sessions.find(({ name }) => name.includes('team-2.1.140.ndjson')) ?? fail();
  const states = await statesOf(['--states', '--no-wait', '--until', 'line:30'], input);
  expect(states.at(-1)).toMatchObject({ event: expect.any(String), teams: [{ status: 'active' }] });
});

function rowsIn(state: StateLine | undefined) {
  return state && { teams: state.teams, tasks: state.tasks, usage: state.usage };
}

async function statesOf(flags: readonly string[], input: Input): Promise<StateLine[]> {
  return (await linesOf(['replay', ...flags], input)) as StateLine[];
}

/** Homes are given as files: their paths matter. */
function linesOf(words: readonly string[], input: Input): Promise<unknown[]> {
  const key = [...words, input.name].join(' ');
  const known = answers.get(key) ?? ask(words, input);
  answers.set(key, known);
  return known;
}
const answers = new Map<string, Promise<unknown[]>>();

async function ask(words: readonly string[], input: Input): Promise<unknown[]> {
  const paths = input.parts.filter(({ path }) => path !== null).map(({ path }) => `${fixtures}${input.name}/${path}`);
  const { code, stdout, stderr } = await cct([...words, ...paths], paths.length > 0 ? '' : bytesOf(input));
  if (code !== 0) throw new Error(`cct ${words.join(' ')} exited with ${code}: ${stderr}`);
  return rowsOf(stdout);
}

function rowsOf(stdout: string): unknown[] {
  const lines = stdout.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

function fail(): never {
  throw new Error('no such fixture');
}
