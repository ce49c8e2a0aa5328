import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cli } from '../../../src/cli.js';
import type { Clock } from '../../../src/io/streams.js';
import { sessions } from '../../laws/inputs.js';
import { Collected, cct, streamsOver } from '../../run.js';
import { ndjson } from '../../streams.js';

const fixtures = new URL('../../../fixtures/', import.meta.url).pathname;
const fileOf = (name: string) => `${fixtures}sessions/${name}.ndjson`;
const textOf = (name: string) => readFileSync(fileOf(name), 'utf8');
const claudeWords = [
  '-p',
  'Do it.',
  '--model',
  'opus',
  '--output-format',
  'stream-json',
  '--verbose',
  '--since',
  '--states',
];

describe('the stream and the exit code of the recorded run', () => {
  /**
   * As the program itself exited; where it was killed there is no result, and 1 is all that can be said.
   * After a SIGINT it exits with 0, but its stream does not say that there was one: stop-int.
   */
  const failed = new Set([
    'api-error',
    'api-error-2.1.39',
    'budget-exceeded',
    'interrupted',
    'killed-midway',
    'refusal-none-2.1.325',
    'stop-int-2.1.325',
    'stopped-by-cct-2.1.326',
  ]);
  test.each(sessions.map(({ name }) => name.replace(/^sessions\/(.*)\.ndjson$/, '$1')))('%s', async (name) => {
    const { stdout, code } = await cct(['replay', '--as-claude', fileOf(name), ...claudeWords]);
    expect(stdout).toBe(textOf(name));
    expect(code).toBe(failed.has(name) || !hasResult.test(textOf(name)) ? 1 : 0);
  });
  const hasResult = /"type":"(?:result|turn.completed)"/;

  test('as one word', async () => {
    expect(await cct(['replay', `--as-claude=${fileOf('max-turns')}`, '-p', 'x'])).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  test('a recording that cannot be read', async () => {
    const { code, stderr } = await cct(['replay', '--as-claude', 'not-there', '-p', 'x']);
    expect([code, stderr]).toEqual([2, 'cct: not-there: no such file\n']);
  });
});

describe('what claude prints at the end', () => {
  const result = textOf('one-shot').split('\n').at(-2) ?? '';
  test.each<[string[], string]>([
    [['--output-format', 'text'], `${JSON.parse(result).result}\n`],
    [['--output-format=json'], `${result}\n`],
    [['--output-format', 'json', '--verbose'], `[${textOf('one-shot').trim().split('\n').join(',')}]\n`],
    [['--output-format', 'text', '--output-format', 'stream-json'], textOf('one-shot')],
    [[], textOf('one-shot')],
  ])('%s', async (words, stdout) => {
    expect(await cct(['replay', '--as-claude', fileOf('one-shot'), '-p', 'x', ...words])).toEqual({
      code: 0,
      stdout,
      stderr: '',
    });
  });

  test('a recording of json is json', async () => {
    const words = ['--as-claude', fileOf('json-array'), '-p', 'x', '--output-format', 'json', '--verbose'];
    expect((await cct(['replay', ...words])).stdout).toBe(textOf('json-array'));
  });
});

describe('the result as text', () => {
  const asText = ['-p', 'x', '--output-format', 'text'];

  test.each<[name: string, stdout: string, code: number]>([
    ['max-turns', 'error_max_turns\n', 0],
    ['budget-exceeded', 'error_max_budget_usd\n', 1],
    ['killed-midway', '', 1],
  ])('of %s', async (name, stdout, code) => {
    expect(await cct(['replay', '--as-claude', fileOf(name), ...asText])).toMatchObject({ stdout, code });
  });

  test.each<[what: string, results: readonly string[], stdout: string]>([
    ['a line end that is there already', ['Fine.\n\n'], 'Fine.\n\n'],
    ['the last of several', ['One.', 'Two.'], 'Two.\n'],
  ])('%s', async (_what, results, stdout) => {
    const recording = ndjson(
      results.map((result) => ({ type: 'result', subtype: 'success', session_id: 's', result })),
    );
    expect((await cct(['replay', '--as-claude', '-', ...asText], recording)).stdout).toBe(stdout);
  });

  test.each([['text'], ['json']])('nothing of it acts on a terminal: %s', async (format) => {
    const recording = ndjson([
      { type: 'result', subtype: 'success', session_id: 's', result: 'a\x1b[2J\nb\u009b2J\u202e' },
    ]);
    const words = ['replay', '--as-claude', '-', '-p', 'x', '--output-format', format];
    const { stdout } = await cct(words, recording, { tty: { stdout: true } });
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
  });
});

describe('a conversation', () => {
  const lines = textOf('multiturn').trim().split('\n');
  const ends = lines.flatMap((line, at) => (line.includes('"type":"result"') ? [at + 1] : []));
  const spoken = (from = 0, to = lines.length) =>
    lines.slice(from, to).filter((line) => !line.startsWith('{"type":"control_response"'));

  test('each prompt is a turn; the end of stdin is the rest', async () => {
    const host = converse('multiturn');
    await host.silence();
    expect(host.lines()).toEqual([]);
    host.say(prompt);
    await host.saw(spoken(0, ends[0]).length);
    expect(host.lines()).toEqual(spoken(0, ends[0]));
    host.say(prompt);
    await host.saw(spoken(0, ends[1]).length);
    host.leave();
    expect(await host.code).toBe(0);
    expect(host.lines()).toEqual(spoken());
  });

  test('requests are answered under their own ids, as the recorded run answered', async () => {
    const host = converse('multiturn');
    host.say(request('init-7', 'initialize'));
    host.say(request('m-1', 'set_model'));
    await host.saw(2);
    const answers = host.records().filter(({ type }) => type === 'control_response');
    expect(answers.map(({ response }) => response)).toMatchObject([
      { subtype: 'success', request_id: 'init-7', response: { commands: expect.any(Array) } },
      { subtype: 'success', request_id: 'm-1' },
    ]);
    host.leave();
    expect(await host.code).toBe(0);
  });

  test('an interrupt is answered and ends its turn; the next prompt goes on', async () => {
    const host = converse('several-tools', ['--interval', '60'], stopped);
    host.say(prompt);
    await host.saw(1);
    host.say(request('int-1', 'interrupt'));
    await host.saw(3);
    expect(host.records().slice(1)).toEqual([
      { type: 'control_response', response: { subtype: 'success', request_id: 'int-1' } },
      expect.objectContaining({ type: 'result', subtype: 'error_during_execution', is_error: true, errors: [] }),
    ]);
    expect(host.records()[2]).not.toHaveProperty('result');
    host.leave();
    expect(await host.code).toBe(1);
  });

  test('where the recorded turn was interrupted too, it ends as it did then', async () => {
    const host = converse('interrupted', ['--interval', '60'], stopped);
    host.say(prompt);
    host.say(prompt);
    await host.saw(1);
    host.say(request('int-1', 'interrupt'));
    // Its answer, its result, and the first line of the next turn.
    await host.saw(4);
    host.say(request('int-2', 'interrupt'));
    await host.saw(8);
    host.leave();
    expect(await host.code).toBe(1);
    expect(host.lines().slice(-3)).toEqual(spokenIn('interrupted').slice(-3));
    expect(host.records().at(-1)).toMatchObject({
      subtype: 'error_during_execution',
      terminal_reason: 'aborted_tools',
    });
  });

  test('the end of an interrupted turn does not wait for the next prompt', async () => {
    const host = converse('multiturn', ['--interval', '60'], stopped);
    host.say(prompt);
    await host.saw(1);
    host.say(request('int-1', 'interrupt'));
    await host.saw(3);
    expect(host.records()[2]).toMatchObject({ type: 'result', subtype: 'error_during_execution' });
    host.say(prompt);
    await host.saw(4);
    expect(host.lines()[3]).toBe(lines[ends[0] ?? 0]);
  });

  test('an interrupt between turns is only answered', async () => {
    const host = converse('one-shot');
    host.say(request('int-1', 'interrupt'));
    await host.saw(1);
    host.leave();
    expect(await host.code).toBe(0);
    expect(host.lines().slice(1)).toEqual(spokenIn('one-shot'));
  });

  test('the recording cannot come from stdin as well', async () => {
    const { code, stderr } = await cct(['replay', '--as-claude', '-', '--input-format', 'stream-json']);
    expect([code, stderr]).toEqual([
      2,
      'cct: --as-claude: the recording must be a file, because stdin is for prompts\n',
    ]);
  });
});

const prompt = { type: 'user', message: { role: 'user', content: 'Go on.' } };
const request = (request_id: string, subtype: string) => ({
  type: 'control_request',
  request_id,
  request: { subtype },
});
const spokenIn = (name: string) => textOf(name).trim().split('\n');

/** Time stands still: what waits, waits until somebody stops it. */
const stopped: Clock = {
  now: () => 0,
  date: () => 0,
  wait: (_ms, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
};

/** Talks to a stand-in as an SDK does. */
function converse(name: string, flags: readonly string[] = [], clock?: Clock) {
  const said: string[] = [];
  let hasLeft = false;
  let wake = () => {};
  async function* stdin() {
    for (;;) {
      const next = said.shift();
      if (next !== undefined) yield next;
      else if (hasLeft) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  const out = new Heard();
  const words = ['replay', ...flags, '--as-claude', fileOf(name), '-p', '--input-format', 'stream-json'];
  const code = cli(words, streamsOver(stdin(), out, new Collected(), clock === undefined ? {} : { clock }));
  const lines = () => out.text().split('\n').slice(0, -1);
  return {
    code,
    lines,
    records: () => lines().map((line) => JSON.parse(line)),
    say(record: object) {
      said.push(`${JSON.stringify(record)}\n`);
      wake();
    },
    leave() {
      hasLeft = true;
      wake();
    },
    async saw(count: number) {
      while (lines().length < count) await out.more();
    },
    async silence() {
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

class Heard extends Collected {
  #wake = () => {};

  more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: () => void): void {
    super._write(chunk, encoding, done);
    this.#wake();
  }
}
