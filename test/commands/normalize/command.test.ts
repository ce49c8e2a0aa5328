import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cct, rows } from '../../run.js';

const sessions = readdirSync('fixtures/sessions').filter((file) => file.endsWith('.ndjson'));
const read = (file: string) => readFileSync(`fixtures/sessions/${file}`, 'utf8');

describe('--no-content', () => {
  test.each(sessions)('%s: nothing of what was said is left', async (file) => {
    const whole = await rows(['normalize', '--raw'], read(file));
    const { stdout } = await cct(['normalize', '--raw', '--no-content'], read(file));
    const said = sentencesIn(whole);
    expect(said.filter((text) => stdout.includes(JSON.stringify(text).slice(1, -1)))).toEqual([]);
  });

  test.each(sessions)('%s: the same events, the same numbers, and once is enough', async (file) => {
    const whole = await rows(['normalize'], read(file));
    const { stdout } = await cct(['normalize', '--no-content'], read(file));
    const bare: Record<string, unknown>[] = lines(stdout);
    const kept = (event: Record<string, unknown>) => [
      event['seq'],
      event['event'],
      event['tool_use_id'],
      event['total_cost_usd'],
      event['input_tokens'],
    ];
    expect(bare.map(kept)).toEqual(whole.map(kept));
    expect((await cct(['normalize', '--no-content'], stdout)).stdout).toBe(stdout);
  });
});

describe('--redact', () => {
  const key = `sk-ant-api03-${'aB3dE5gH7j'.repeat(9)}`;
  const records = [
    { type: 'user', message: { content: `use ${key}` } },
    {
      type: 'assistant',
      message: {
        id: 'm',
        content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: `export K=${key}` } }],
      },
    },
    { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: `K is ${key}` }] } },
    { type: 'news', deep: [{ down: key }] },
  ];
  const stdin = records.map((record) => `${JSON.stringify(record)}\n`).join('');

  test('reaches every text, also of records nobody knows', async () => {
    const plain = (await cct(['normalize', '--raw'], stdin)).stdout;
    const redacted = (await cct(['normalize', '--raw', '--redact'], stdin)).stdout;
    expect(plain.split(key).length).toBeGreaterThan(records.length);
    // Calls and results keep the length they had.
    expect(redacted.match(/"(?:input|result)_bytes":\d+/g)).toEqual(['"input_bytes":126', '"result_bytes":110']);
    expect(redacted.replace(/,"(?:input|result)_bytes":\d+/g, '')).toBe(
      plain.replaceAll(key, '[redacted:anthropic-key]'),
    );
  });

  test.each(sessions)('%s has no secret, and is left as it is', async (file) => {
    expect((await cct(['normalize', '--redact'], read(file))).stdout).toBe(
      (await cct(['normalize'], read(file))).stdout,
    );
  });
});

describe('--event', () => {
  const team = read('team-2.1.39.ndjson');

  test.each(['team:*', 'team:task:*,team:created', '*:ended', 'usage:recorded', '*'])(
    '%s keeps events as they are',
    async (globs) => {
      const patterns = globs.split(',').map((glob) => new RegExp(`^${glob.replaceAll('*', '.*')}$`));
      const wanted = (await rows(['normalize'], team)).filter(({ event }) =>
        patterns.some((pattern) => pattern.test(String(event))),
      );
      expect(wanted.length).toBeGreaterThan(0);
      expect(await rows(['normalize', '--event', globs], team)).toEqual(wanted);
    },
  );
});

test('the time of an event that nobody asks for counts in its own file', async () => {
  // The last row of this run with a time only tells how long its turn took.
  const run = 'fixtures/files/grow-2.1.325';
  const { stdout } = await cct(['normalize', run]);
  expect(await rows(['teams'], stdout)).toEqual(await rows(['teams', run], ''));
});

test('--session and --team', async () => {
  const both = `${read('team-2.1.39.ndjson')}${read('one-shot.ndjson')}`;
  const all = await rows(['normalize'], both);
  const session = 'b288ca1d-7aad-4bec-b58a-a85beb2008b0';
  expect(await rows(['normalize', '--session', session], both)).toEqual(
    all.filter((event) => event['session_id'] === session),
  );
  expect(await rows(['normalize', '--team', 'report-crew'], both)).toEqual(
    all.filter((event) => event['team'] === 'report-crew'),
  );
  expect(new Set(all.map((event) => event['session_id'])).size).toBe(2);
});

test('on a terminal nothing of the input can act', async () => {
  const stdin = '{"type":"user","message":{"content":"a\x9b31m\u202eb"}}\n';
  const piped = await cct(['normalize'], stdin);
  const shown = await cct(['normalize'], stdin, { tty: { stdout: true } });
  expect(shown.stdout).not.toMatch(/[\x80-\x9f\u202e]/);
  expect(lines(shown.stdout)).toEqual(lines(piped.stdout));
});

function lines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Strings of three words and more, wherever they stand. */
function sentencesIn(value: unknown): string[] {
  if (typeof value === 'string') return /\S\s+\S+\s+\S/.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  const skipped = 'event' in value && value.event === 'input:skipped';
  return skipped ? [] : Object.values(value).flatMap(sentencesIn);
}
