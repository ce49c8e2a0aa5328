// Every command in every format over runs with something private in every text: none of it may come out.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { optionsOf, sharedOptions } from '../../src/cli/flags/flags.js';
import { loadAll } from '../../src/cli/registry.js';
import { isTurn, sample } from '../effort.js';
import { isObject, parseJson } from '../json.js';
import { cct } from '../run.js';

const scratch = mkdtempSync(join(tmpdir(), 'cct-privacy-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const key = `sk-ant-api03-${'aB3dE5gH7j'.repeat(9)}`;
const said = 'quagga zebra';
const home = '/home/adalovelace/enigma-shop';

type Change = (text: string, name: string) => string;

/** The same records with every text changed that is no id, type or time; also those in JSON that is itself a text. */
function changed(ndjson: string, change: Change): string {
  const walk = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') {
      const json = /^\s*[{[]/.test(value) ? parseJson(value) : undefined;
      if (json !== undefined) return JSON.stringify(walk(json, name));
      return structural.test(name) ? value : change(value, name);
    }
    if (Array.isArray(value)) return value.map((item) => walk(item, name));
    if (!isObject(value)) return value;
    const isCall = value['type'] === 'tool_use';
    return Object.fromEntries(
      Object.entries(value).map(([field, inner]) => [field, isCall && field === 'name' ? inner : walk(inner, field)]),
    );
  };
  const lines = ndjson.split('\n').filter((line) => line !== '');
  return lines.map((line) => `${JSON.stringify(walk(parseJson(line), ''))}\n`).join('');
}
const structural =
  /^(?:type|subtype|role|status|timestamp|time|uuid|hook_event_name|hook_event|stop_reason|event|protocol|kind|tool|tools|tool_name|category|version|color|.*[iI]ds?|.*_at|.*At|.*[uU]uid|blocked_?[bB]y|blocks|add_?[bB].*|agentId|recipients)$/;

const sessions = ['team-2.1.39', 'parallel-subagents', 'background-2.1.325']
  .map((name) => readFileSync(`fixtures/sessions/${name}.ndjson`, 'utf8'))
  .join('');

/** A word keeps its look, so that names still belong together. */
const withKey: Change = (text) => (/\s/.test(text) ? `${text} ${key}` : `${text}-${key}`);
const contentFields =
  /^(?:text|thinking|content|prompt|description|subject|summary|result|errors?|message|command|stdout|stderr|reason|plan|feedback|activeForm|question|answer|structured_output|last_assistant_message|output|detail|data|task_description|body)$/i;
const withWords: Change = (text, name) => (contentFields.test(name) ? `${text} ${said}` : text);
const withHome: Change = (text) =>
  /\s/.test(text) ? `${text} ${home}/a.ts` : text.startsWith('/') ? `${home}/b.ts` : text;

const secret = changed(sessions, withKey);
const wordy = changed(sessions, withWords);
const homely = changed(sessions, withHome);

/** All commands that read, in all their formats, and with the flags that choose what is shown. */
// run passes on what another program writes, byte for byte.
const commands = (await loadAll()).filter(({ kind, name }) => kind !== 'text' && name !== 'run');
const variants: Readonly<Record<string, readonly string[]>> = {
  normalize: ['', '--raw', '--stamp --raw', '--strict -v'],
  teams: ['', '--members', '--watch', '--audit', '--live always', '--members --live always', '-v --strict'],
  tasks: ['--all', '--all --watch', '--audit', '--board --all', '--live always', '-v --strict'],
  audit: ['', '-v --strict'],
  messages: ['', '--settled', '--audit', '--live always', '--failed', '-v --strict'],
  report: ['', '-v --strict'],
  calls: ['', '--by call'],
  log: ['', '--full', '-f ndjson', '-v --strict'],
  sessions: ['', '-f table', '-v --strict'],
  trace: ['', '--by agent', '-v --strict'],
  usage: ['--by agent', '--by message', '--by model,session,team,agent,turn,day', '--watch --by agent', '-v --strict'],
  replay: [
    '--no-wait',
    '--no-wait --strict',
    '--no-wait -e',
    '--no-wait --states',
    '--at line:20',
    '--no-wait --since line:3',
  ],
};
const ways = commands.flatMap((command) => {
  const formats = optionsOf(command).find(({ flags }) => flags.includes('--format'))?.choices ?? [];
  return (variants[command.name] ?? ['']).flatMap((flags) => {
    const plain = `${command.name} ${flags}`.trim();
    const drawn = /--(?:board|live)/.test(flags) ? [] : formats;
    return [plain, ...drawn.map((format) => `${plain} --format ${format}`)];
  });
});

test('every command that reads has the flags, and is here', () => {
  const flags = sharedOptions.privacy.map((spec) => spec.flags);
  for (const command of commands) {
    expect(
      optionsOf(command).map((spec) => spec.flags),
      command.name,
    ).toEqual(expect.arrayContaining(flags));
    expect(Object.keys(variants)).toContain(command.name);
  }
});

const slow = /--(?:format|watch|states|diff)/;

/** `shown` is what a line that is no record says. */
const cases = [
  { place: 0, flag: '--redact', input: secret, hidden: [key.slice(0, 30), key.slice(-30)], shown: key },
  { place: 1, flag: '--no-content', input: wordy, hidden: ['quagga', 'zebra'], shown: said },
  { place: 2, flag: '--anonymize', input: homely, hidden: ['adalovelace', 'enigma-shop'], shown: `${home}/c.ts` },
];

describe.each(cases)('with $flag nothing comes out', ({ flag, input, hidden, shown: noise, place }) => {
  const leaks = (text: string) => hidden.filter((piece) => text.includes(piece));
  const broken = `${input.slice(0, input.indexOf('\n') - 7)}\n${input}not json ${noise}\n{"type":"assistant","x":"${noise}`;

  // What shows rows again, or in another form, shows what was removed before; so every day each has one of the flags.
  const some = ways.filter((way, turn) => !slow.test(way) || isTurn(turn, cases.length, place));
  test.each(some.map((way, turn) => ({ way, turn })))(`cct $way ${flag}`, async ({ way, turn }) => {
    // What is written for a terminal, and what for a pipe: each has its turn.
    const outputs = [false, true].filter((_, kind) => isTurn(turn + place, 2, kind));
    for (const tty of way.includes('--format') ? [false] : outputs) {
      const { stdout, stderr, code } = await cct([...way.split(' '), flag], broken, {
        tty: { stdout: tty },
        columns: 200,
      });
      expect({ leaks: leaks(stdout + stderr), isBug: code === 70 }).toEqual({ leaks: [], isBug: false });
    }
  });

  test(`cct replay --as-claude …, ${flag}`, async () => {
    const file = join(scratch, 'run.ndjson');
    writeFileSync(file, input);
    const { stdout, stderr } = await cct(['replay', flag, '--as-claude', file, '-p']);
    expect(leaks(stdout + stderr)).toEqual([]);
    expect(stdout).not.toBe('');
  });

  test.each(['teams', 'tasks', 'usage'])(`the state of cct %s ${flag}, also of calls that are open`, async (name) => {
    // Behind the line of a call, before that of its result.
    const half = input.slice(0, input.indexOf('\n', input.indexOf('"name":"TaskCreate"')) + 1);
    const path = join(scratch, `${name}${flag}.json`);
    await cct([name, flag, '--state', path], half);
    expect(leaks(readFileSync(path, 'utf8'))).toEqual([]);
    const { code } = await cct([name, flag, '--state', path], input.slice(half.length));
    expect(code).toBe(0);
    expect(leaks(readFileSync(path, 'utf8'))).toEqual([]);
    expect((await cct([name, flag], input)).stdout).toBe(
      (await cct([name, flag, '--state', join(scratch, `${name}${flag}-whole.json`)], input)).stdout,
    );
  });

  test('a file name on stderr, and a wrong flag', async () => {
    const name = flag === '--anonymize' ? `${home}/none.ndjson` : `none-${key}.ndjson`;
    if (flag === '--no-content') return expect(flag).toBe(flag);
    const { stderr, code } = await cct(['teams', flag, name]);
    expect({ code, leaks: leaks(stderr) }).toEqual({ code: 2, leaks: [] });
  });

  test('most of them would let it out', async () => {
    const some = sample(
      ways.filter((way) => !slow.test(way)),
      20,
    );
    const shown = await Promise.all(some.map((way) => cct(way.split(' '), input)));
    expect(shown.filter(({ stdout }) => leaks(stdout).length > 0).length).toBeGreaterThan(some.length / 3);
  });
});
