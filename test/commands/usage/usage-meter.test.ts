import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sessionKey } from '../../../src/commands/usage/fold.js';
import { Meter } from '../../../src/commands/usage/meter.js';
import { reportUsage } from '../../../src/commands/usage/rows.js';
import { builtInBook } from '../../../src/core/prices/prices.js';
import { initialState, reduce } from '../../../src/lib.js';
import { readText } from '../../laws/reading.js';
import { cct } from '../../run.js';
import { session } from './used.js';

const stories = readdirSync('fixtures/sessions')
  .filter((file) => file.endsWith('.ndjson'))
  .map((file) => file.slice(0, -'.ndjson'.length))
  // Its made-up results report less than its messages used, which the two settle in different ways.
  .filter((name) => name !== 'teammate-tool');

test.each(stories)('%s: the running total is that of the report after every record', (name) => {
  const meter = new Meter(builtInBook);
  let state = initialState;
  for (const event of readText(session(name)).events) {
    const before = state;
    state = reduce(state, event);
    if (before.usage === state.usage) continue;
    if (event.event === 'usage:recorded') {
      const id = event.message_id ?? '';
      const message = state.usage.messages.get(id);
      if (message !== undefined) meter.message(before.usage.messages.get(id), message);
    } else if (event.event === 'session:ended') {
      const result = state.usage.sessions.get(sessionKey(event.session_id))?.results.values().at(-1);
      if (result !== undefined) meter.result(event.session_id, result);
    }
    const { total } = reportUsage({ ...state, by: ['total'] });
    expect(meter.total.tokens, `line ${event.line}`).toBe(total.total_tokens);
    expect(meter.total.picos / 1e12, `line ${event.line}`).toBeCloseTo(total.cost_usd ?? 0, 9);
  }
});

test('costs whose sum is beyond all numbers pass the budget', async () => {
  const result = (session_id: string) =>
    JSON.stringify({
      type: 'result',
      session_id,
      total_cost_usd: 1.7e296,
      modelUsage: { 'claude-opus-4-6': { inputTokens: 1, costUSD: 1.7e296 } },
    });
  expect((await cct(['usage', '--max-usd', `2${'0'.repeat(296)}`], `${result('a')}\n${result('b')}\n`)).code).toBe(3);
});

describe('whatever numbers rows and events have that are read back', () => {
  const text = session('billing-fast-2.1.140');
  const numbers = ['1e999', '-1e999', '1e308', '1e296', '9007199254740993', '-0', '1e-320', '0.1', '-1', '"NaN"'];

  test.each(['usage --by message', 'normalize'])('of %s', async (before) => {
    const { stdout: written } = await cct(before.split(' '), text);
    for (const number of numbers) {
      const odd = written.replace(/(?<=":)(?<!"cct":)-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?=[,}])/g, number);
      for (const words of [
        'usage --by agent,model',
        'usage --by day --timezone Asia/Tokyo',
        'usage --max-usd 5',
        'teams',
      ])
        expect([0, 2, 3], `${number} ${words}`).toContain((await cct(words.split(' '), odd)).code);
    }
  });

  test('a time that is none has no day', async () => {
    const { stdout: written } = await cct(['normalize'], text);
    const odd = written.replace(/"time":[^,]*/g, '"time":"+99999-01-01"');
    for (const zone of ['UTC', 'Asia/Tokyo']) {
      const days = await cct(['usage', '-q', '--by', 'day', '--timezone', zone, '--fields', 'day'], odd);
      expect(days).toMatchObject({ code: 0, stdout: '{"day":null}\n' });
    }
  });
});
