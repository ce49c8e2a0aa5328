import { describe, expect, test } from 'vitest';
import { createBudget, type Limits } from '../../../src/commands/usage/budget.js';
import { bytesInText } from '../../../src/commands/usage/estimates.js';
import { builtInBook } from '../../../src/core/prices/prices.js';
import { newState, reduce } from '../../../src/core/tables/reduce.js';
import { readText } from '../../laws/reading.js';
import { cct } from '../../run.js';
import { init, opus, result, said, story } from './usage-story.js';
import { session } from './used.js';

/** An assistant record without its final count, as every record of a stream is; the text is `tokens` long. */
function spoke(id: string, tokens: number, { output = 1, input = 0, uuid = `${id} ${tokens}`, ...more } = {}): object {
  const content = [{ type: 'text', text: 'word wo'.repeat(tokens / 2) }];
  const usage = { input_tokens: input, output_tokens: output };
  const message = { id, model: opus, role: 'assistant', content, stop_reason: null, usage };
  return { type: 'assistant', message, parent_tool_use_id: null, session_id: 's1', uuid, ...more };
}

function partial(event: object): object {
  return { type: 'stream_event', event, session_id: 's1', parent_tool_use_id: null, uuid: JSON.stringify(event) };
}

async function say(words: string, text: string): Promise<[number, string]> {
  const { code, stderr } = await cct(['usage', ...words.split(' ')], text);
  return [code, stderr];
}

// Opus: 25 dollars for a million tokens of output.
describe('output whose count is partial is estimated from the length of the content', () => {
  test('so that a limit is passed long before the result', async () => {
    const run = story(init(), spoke('m1', 20_000), spoke('m2', 20_000), spoke('m3', 20_000));
    expect(await say('--max-usd 0.9', run)).toEqual([
      3,
      'cct: passed --max-usd 0.9 with at least $1.0000 (estimated) at line 3; reading stopped\n',
    ]);
  });

  test('over all blocks of a message, each counted once', async () => {
    const blocks = [10_000, 20_000, 30_000].map((tokens) => spoke('m1', tokens));
    expect(await say('--max-tokens 59999', story(init(), ...blocks, ...blocks))).toEqual([
      3,
      'cct: passed --max-tokens 59999 with at least 60,000 tokens (estimated) at line 4; reading stopped\n',
    ]);
    expect((await say('-q --max-tokens 60000', story(init(), ...blocks, ...blocks)))[0]).toBe(0);
  });

  test('also what a call is given', async () => {
    const call = { type: 'tool_use', id: 't1', name: 'Write', input: { content: 'x'.repeat(35_000) } };
    const message = { id: 'm1', model: opus, content: [call], stop_reason: null, usage: { output_tokens: 3 } };
    const run = story(init(), { type: 'assistant', message, session_id: 's1', uuid: 'u1' });
    expect((await say('--max-tokens 9999', run))[0]).toBe(3);
    expect((await say('-q --max-tokens 10100', run))[0]).toBe(0);
  });

  test('and the final count corrects it', async () => {
    const run = (tokens: number) =>
      story(
        init(),
        partial({ type: 'message_start', message: { id: 'm1', model: opus, usage: { output_tokens: 1 } } }),
        spoke('m1', 20_000),
        partial({ type: 'message_delta', usage: { output_tokens: tokens } }),
        spoke('m2', 20_000),
      );
    expect((await say('-q --max-tokens 30000', run(10_000)))[0]).toBe(0);
    expect(await say('--max-tokens 30000', run(30_001))).toEqual([
      3,
      'cct: passed --max-tokens 30000 with at least 30,001 tokens at line 4; reading stopped\n',
    ]);
  });

  test('and so does a result', async () => {
    const ended = result({ [opus]: { output: 1000, cost: 0.025 } });
    const run = story(init(), spoke('m1', 20_000), ended, spoke('m2', 20_000));
    expect((await say('-q --max-tokens 21000', run))[0]).toBe(0);
    // Another block of a message the result has counted adds its own length only.
    const late = story(init(), spoke('m1', 20_000), ended, spoke('m1', 2000, { uuid: 'late' }));
    expect((await say('-q --max-tokens 20000', late))[0]).toBe(0);
  });

  test('of a message without an id too', async () => {
    const message = { model: opus, content: [{ type: 'text', text: 'x'.repeat(35_000) }], usage: { output_tokens: 1 } };
    const run = story(init(), { type: 'assistant', message, session_id: 's1', uuid: 'u1' });
    expect((await say('--max-tokens 9999', run))[0]).toBe(3);
    expect((await say('-q --max-tokens 10000', run))[0]).toBe(0);
  });
});

test.each(['', 'plain', 'é', '漢字', '👩‍🚀', '\ud800', 'a\u0000\u07ff\u0800'])('bytes of %j', (text) => {
  const bytes = new TextEncoder().encode(text).length;
  // Half a pair is no text; it stands for less than the sign that is written in its place.
  expect(bytesInText(text)).toBe(text === '\ud800' ? 2 : bytes);
});

describe('a limit on what filters select is passed at the record', () => {
  const at = (day: number, second: number) => `2026-11-0${day}T10:00:0${second}.000Z`;
  const others = said('x1', { input: 8e6 }, { session: 's2', at: at(1, 0) });
  const own = [1, 2, 3, 4].map((n) => said(`m${n}`, { input: 1e6, output: 9 }, { at: at(2, n) }));
  const run = story(init(), init('s2'), others, ...own);

  test.each([
    ['--session s1', 6],
    ['--since 2026-11-02', 6],
    ['--until 2026-11-03 --since 2026-11-02 --session s1', 6],
    ['--mode calculated --session s1', 6],
  ])('%s', async (flags, line) => {
    const [code, stderr] = await say(`${flags} --max-usd 14`, run);
    expect([code, stderr]).toEqual([
      3,
      `cct: passed --max-usd 14 with at least $15.0007 at line ${line}; reading stopped\n`,
    ]);
    expect((await say(`-q ${flags} --max-usd 21`, run))[0]).toBe(0);
  });

  test('what belongs to no session is selected', async () => {
    const { session_id: _, ...nowhere } = { session_id: '', ...said('n1', { input: 4e6, output: 9 }) };
    expect((await say('--session s1 --max-usd 14', story(nowhere, init(), said('m1', { input: 1e6 }))))[0]).toBe(3);
  });

  test('a team that gets its name later', async () => {
    const events = session('team-2.1.39');
    const [code, stderr] = await say('--team report-crew --max-tokens 100000', events);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^cct: passed --max-tokens 100000 with at least [\d,]+ tokens.* at line \d+; reading stopped\n$/,
    );
    expect((await say('-q --team nobody --max-tokens 1', events))[0]).toBe(0);
  });

  test('by agent, what belongs to none of them', async () => {
    const ended = result({ [opus]: { input: 3e6, cost: 15 } });
    const text = story(init(), said('m1', { input: 1e6, output: 9 }), ended, said('m2', { input: 1, output: 9 }));
    expect(await say('--by agent --max-usd 9', text)).toEqual([
      3,
      'cct: unattributed passed --max-usd 9 with $10.0000 at line 3; reading stopped\n',
    ]);
    expect((await say('-q --by agent --max-usd 10', text))[0]).toBe(0);
  });
});

/** Where a filter selects everything it changes nothing: not the record at which a limit is passed, not the figure. */
test.each(['team-2.1.39', 'team-2.1.325', 'team-2.1.140', 'multiturn', 'partial-2.1.325', 'subagent'])(
  '%s: with and without a filter',
  (name) => {
    const { events } = readText(session(name));
    for (const tokens of [1, 20_000, 50_000, 100_000, 300_000]) {
      const limits: Limits = { usd: null, tokens, perAgent: false, allowUnpriced: false };
      expect(firstAlarm(limits, { includes: () => true })).toEqual(firstAlarm(limits));
    }

    function firstAlarm(limits: Limits, choice: Parameters<typeof createBudget>[2] = {}) {
      const budget = createBudget(limits, builtInBook(), choice);
      const state = newState();
      for (const event of events) {
        budget.before(event, state);
        reduce(state, event);
        const alarm = budget.after(event, state);
        if (alarm?.kind === 'passed') return [event.line, alarm.amount, alarm.estimated];
      }
      return null;
    }
  },
);

describe('how much of a budget is used', () => {
  /** What is said after each message, which came so many seconds after the first. */
  function standings(limits: Partial<Limits>, seconds: readonly number[], records: readonly object[]): string[] {
    const all: Limits = { usd: null, tokens: null, perAgent: false, allowUnpriced: false, ...limits };
    const budget = createBudget(all, builtInBook());
    const state = newState();
    return records.map((record, at) => {
      for (const event of readText(story(record)).events) {
        budget.before(event, state);
        reduce(state, event);
        budget.after(event, state);
      }
      return budget.standing(state, 1000 * (seconds[at] ?? 0)).join(' · ');
    });
  }
  const messages = [1, 2, 3].map((at) => said(`m${at}`, { output: 20_000 }));

  test('is said with a forecast once there is something to make one from', () => {
    expect(standings({ usd: 5 }, [0, 5, 60], messages)).toEqual([
      '$0.50 of $5.00',
      '$1.00 of $5.00',
      '$1.50 of $5.00 · at this pace 4 min',
    ]);
    expect(standings({ usd: 0.5 }, [0], [init()])).toEqual(['$0.0000 of $0.5000']);
  });

  test('also in tokens, by the limit that is reached first', () => {
    expect(standings({ usd: 5, tokens: 61_000 }, [0, 30, 60], messages).at(-1)).toBe(
      '$1.50 of $5.00 · 60.0k of 61.0k tokens · at this pace 2 s',
    );
    expect(standings({ tokens: 10_000_000 }, [0, 30, 60], messages).at(-1)).toBe(
      '60.0k of 10.0M tokens · at this pace 4 h',
    );
  });

  test('is not foretold from a single message, nor after it is used up', () => {
    expect(standings({ usd: 5 }, [600], messages.slice(0, 1))).toEqual(['$0.50 of $5.00']);
    expect(standings({ usd: 1 }, [0, 30, 60], messages).at(-1)).toBe('$1.50 of $1.00');
  });

  test('for each agent is that of the agent who has used most', () => {
    const other = said('m9', { output: 40_000 }, { parent: 'toolu_1' });
    expect(standings({ usd: 5, perAgent: true }, [0, 0], [...messages.slice(0, 1), other]).at(-1)).toBe(
      'toolu_1 $1.00 of $5.00',
    );
  });

  test('is an estimate where counts are partial', () => {
    expect(standings({ usd: 5 }, [0], [spoke('m1', 20_000)])).toEqual(['$0.50 of $5.00 (estimated)']);
  });
});
