import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cli } from '../../../src/cli.js';
import type { Clock } from '../../../src/io/streams.js';
import { sessions } from '../../laws/inputs.js';
import { Collected, cct, streamsOver } from '../../run.js';

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
    'out-of-turns-1-2.1.140',
    'refusal-none-2.1.325',
    'schema-never-met-2.1.158',
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

  test('requests are answered under their own ids', async () => {
    const host = converse('multiturn');
    host.say(request('init-7', 'initialize'));
    host.say(request('m-1', 'set_model'));
    await host.saw(2);
    const answers = host.records().filter(({ type }) => type === 'control_response');
    expect(answers.map(({ response }) => response)).toMatchObject([
      { subtype: 'success', request_id: 'init-7' },
      { subtype: 'success', request_id: 'm-1' },
    ]);
    host.leave();
    expect(await host.code).toBe(0);
  });

  test('the pace begins with the prompt', async () => {
    const host = converse('multiturn', ['--interval', '60'], stopped);
    host.say(prompt);
    await host.saw(1);
    await host.silence();
    expect(host.lines()).toEqual(spoken(0, 2));
    host.say(request('int-1', 'interrupt'));
    await host.saw(2);
    expect(host.records()[1]).toEqual({
      type: 'control_response',
      response: { subtype: 'success', request_id: 'int-1' },
    });
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
