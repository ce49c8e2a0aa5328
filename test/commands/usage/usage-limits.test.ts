import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createBudget, type Limits } from '../../../src/commands/usage/budget.js';
import { contentEvents } from '../../../src/commands/usage/estimates.js';
import { reportUsage } from '../../../src/commands/usage/rows.js';
import { builtInBook } from '../../../src/core/prices/prices.js';
import { newState, reduce } from '../../../src/core/tables/reduce.js';
import { versionOf } from '../../../src/core/tables/table.js';
import { cpuSeconds } from '../../cpu-seconds.js';
import { readText } from '../../laws/reading.js';
import { cct } from '../../run.js';
import { session, stateOf } from './used.js';

const stories = readdirSync('fixtures/sessions')
  .filter((file) => file.endsWith('.ndjson'))
  .map((file) => file.slice(0, -'.ndjson'.length));

test.each(stories)('%s: a limit is passed at the record after which the report exceeds it', (name) => {
  // Without the content of messages nothing is estimated.
  const events = readText(session(name)).events.filter(({ event }) => !contentEvents.some((word) => word === event));
  const state = newState();
  let last = 0;
  const totals = events.map((event) => {
    const before = versionOf(state.usage);
    reduce(state, event);
    if (before !== versionOf(state.usage)) last = reportUsage({ ...state, by: ['total'] }).total.total_tokens;
    return last;
  });
  for (const tokens of [0, ...new Set(totals)]) {
    const limits: Limits = { usd: null, tokens, perAgent: false, allowUnpriced: true };
    const budget = createBudget(limits, builtInBook());
    const now = newState();
    const alarms = events.map((event) => {
      budget.before(event, now);
      reduce(now, event);
      return budget.after(event, now);
    });
    const at = alarms.findIndex((alarm) => alarm !== null);
    expect(at, `limit of ${tokens}`).toBe(totals.findIndex((total) => total > tokens));
    if (at >= 0) expect(alarms[at]).toMatchObject({ kind: 'passed', amount: totals[at] });
  }
});

test('costs that nobody can have spent pass the budget', async () => {
  const result = (session_id: string) =>
    JSON.stringify({
      type: 'result',
      session_id,
      total_cost_usd: 1.7e296,
      modelUsage: { 'claude-opus-4-6': { inputTokens: 1, costUSD: 1.7e296 } },
    });
  expect((await cct(['usage', '--max-usd', `15${'0'.repeat(14)}`], `${result('a')}\n${result('b')}\n`)).code).toBe(3);
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

test('20 times as many messages whose model is unknown take about 20 times as long', () => {
  const [one] = readText(session('codex-team-0.169')).events.filter(({ event }) => event === 'usage:recorded');
  if (one?.event !== 'usage:recorded') throw new Error('no usage');
  const run = (messages: number) => {
    const events = Array.from({ length: messages }, (_, at) => ({
      ...one,
      session_id: `s${at}`,
      message_id: `m${at}`,
    }));
    return cpuSeconds(() => stateOf(events));
  };
  run(1000);
  const [few, many] = [run(1500), run(30_000)];
  expect(many).toBeLessThan(60 * few + 0.1);
});
