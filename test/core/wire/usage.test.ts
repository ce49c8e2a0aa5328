import { describe, expect, test } from 'vitest';
import { modelUsageOf, tokensOf, usageOf } from '../../../src/core/wire/dialects/usage.js';
import type { Event } from '../../../src/lib.js';
import type { JsonObject } from '../../json.js';
import { readText } from '../../laws/reading.js';
import { ndjson } from '../../streams.js';

const none = {
  input_tokens: 0,
  output_tokens: 0,
  cache_write_5m_tokens: 0,
  cache_write_1h_tokens: 0,
  cache_read_tokens: 0,
  web_search_requests: 0,
};

describe('tokens', () => {
  test.each<[string, Parameters<typeof tokensOf>[0], object]>([
    ['nothing said', {}, {}],
    ['nulls', { input_tokens: null, cache_creation: null, server_tool_use: null }, {}],
    [
      'plain',
      { input_tokens: 3, output_tokens: 4, cache_read_input_tokens: 5 },
      { input_tokens: 3, output_tokens: 4, cache_read_tokens: 5 },
    ],
    ['cache writes without a split are of 5 minutes', { cache_creation_input_tokens: 9 }, { cache_write_5m_tokens: 9 }],
    [
      'a split',
      {
        cache_creation_input_tokens: 9,
        cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 },
      },
      { cache_write_5m_tokens: 4, cache_write_1h_tokens: 5 },
    ],
    [
      'a split that does not cover the total',
      { cache_creation_input_tokens: 9, cache_creation: { ephemeral_1h_input_tokens: 5 } },
      { cache_write_5m_tokens: 4, cache_write_1h_tokens: 5 },
    ],
    [
      'a split of more than the total',
      { cache_creation_input_tokens: 9, cache_creation: { ephemeral_1h_input_tokens: 20 } },
      { cache_write_1h_tokens: 9 },
    ],
    [
      'a split without total',
      { cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 } },
      { cache_write_5m_tokens: 4, cache_write_1h_tokens: 5 },
    ],
    ['searches', { server_tool_use: { web_search_requests: 2 } }, { web_search_requests: 2 }],
    ['no counts', { input_tokens: -5, output_tokens: 1.6 }, { output_tokens: 2 }],
  ])('%s', (_what, usage, expected) => {
    expect(tokensOf(usage)).toEqual({ ...none, ...expected });
  });

  test('of something else are null', () => {
    expect(usageOf(null)).toBeNull();
    expect(usageOf('x')).toBeNull();
    expect(usageOf({ input_tokens: 'x', output_tokens: 2 })).toEqual({ ...none, output_tokens: 2 });
  });
});

test('usage by model is spelled like all usage', () => {
  const said = {
    opus: {
      inputTokens: 1,
      outputTokens: 2,
      cacheReadInputTokens: 3,
      cacheCreationInputTokens: 9,
      cacheCreationEphemeral1hInputTokens: 5,
      webSearchRequests: 1,
      costUSD: 0.5,
      canonicalModel: 'c',
      costBasis: 'unknown',
      contextWindow: 200_000,
    },
    broken: 7,
  };
  expect(modelUsageOf(said)).toEqual({
    opus: {
      input_tokens: 1,
      output_tokens: 2,
      cache_read_tokens: 3,
      cache_write_5m_tokens: 4,
      cache_write_1h_tokens: 5,
      web_search_requests: 1,
      cost_usd: 0.5,
      canonical_model: 'c',
      cost_basis: 'unknown',
      context_window: 200_000,
      max_output_tokens: null,
    },
  });
  expect(modelUsageOf([])).toBeNull();
  const hostile = modelUsageOf(JSON.parse('{"__proto__":{"inputTokens":1}}'));
  expect(Object.keys(hostile ?? {})).toEqual(['__proto__']);
});

describe('usage:recorded', () => {
  test('each record of a message says what it has; copies only what is larger', () => {
    const first = said({ output_tokens: 1 }, 'u1');
    const second = said({ output_tokens: 1 }, 'u2');
    const larger = said({ output_tokens: 8 }, 'u2');
    expect(recorded([first, second])).toEqual([
      ['m1', 1, false],
      ['m1', 1, false],
    ]);
    expect(recorded([first, second, first, second])).toEqual([
      ['m1', 1, false],
      ['m1', 1, false],
    ]);
    expect(recorded([first, second, larger, larger, second])).toEqual([
      ['m1', 1, false],
      ['m1', 1, false],
      ['m1', 8, false],
    ]);
  });

  test('a stop reason makes a count final, also where it is the same', () => {
    const open = said({ output_tokens: 8 }, 'u1');
    const done = said({ output_tokens: 8 }, 'u1', { stop_reason: 'end_turn' });
    expect(recorded([open, done, open, done])).toEqual([
      ['m1', 8, false],
      ['m1', 8, true],
    ]);
  });

  test('messages of no API are not counted', () => {
    expect(recorded([said({ output_tokens: 8 }, 'u1', { model: '<synthetic>' })])).toEqual([]);
    expect(recorded([said('x', 'u1')])).toEqual([]);
    expect(recorded([{ type: 'assistant', session_id: 's', uuid: 'u' }])).toEqual([]);
  });

  test('a message without id is one with its record', () => {
    const message = { model: 'opus', usage: { output_tokens: 8 } };
    expect(
      recorded([
        { type: 'assistant', uuid: 'u1', message },
        { type: 'assistant', uuid: 'u1', message },
      ]),
    ).toEqual([['u1', 8, false]]);
  });

  test('stream and transcript are kept apart', () => {
    const stream = said({ output_tokens: 8 }, 'u1');
    const { session_id: _id, ...row } = stream;
    const transcript = { ...row, sessionId: 's', uuid: 'u2' };
    const { events } = readText(ndjson([stream, transcript]));
    expect(events.filter(isUsage).map((event) => event.transcript)).toEqual([false, true]);
  });
});

describe('partial messages', () => {
  const start = (id: string, more: object = {}) =>
    part({
      type: 'message_start',
      message: {
        id,
        model: 'opus',
        usage: { input_tokens: 3, output_tokens: 1, cache_read_input_tokens: 40 },
        ...more,
      },
    });
  const delta = (usage: unknown) => part({ type: 'message_delta', usage });

  test('end with the final counts', () => {
    const { events } = readText(
      ndjson([
        start('m1'),
        part({ type: 'content_block_delta' }),
        delta({ output_tokens: 77 }),
        part({ type: 'message_stop' }),
      ]),
    );
    expect(events).toMatchObject([
      {
        event: 'usage:recorded',
        message_id: 'm1',
        input_tokens: 3,
        output_tokens: 77,
        cache_read_tokens: 40,
        final: true,
      },
    ]);
    expect(events).toHaveLength(1);
  });

  test.each<[string, JsonObject[], unknown[]]>([
    [
      'zeros and nulls replace nothing but the output',
      [start('m1'), delta({ output_tokens: 0, input_tokens: 0, cache_read_input_tokens: null })],
      [['m1', 0, true]],
    ],
    [
      'a delta without start is known by its record',
      [delta({ output_tokens: 7 })],
      [[expect.stringMatching(/^p\d+$/), 7, true]],
    ],
    ['a delta without usage says nothing', [start('m1'), delta(null)], []],
    [
      'a second delta says more',
      [start('m1'), delta({ output_tokens: 7 }), delta({ output_tokens: 9 })],
      [
        ['m1', 7, true],
        ['m1', 9, true],
      ],
    ],
    [
      'the start of another message replaces the first',
      [start('m1'), start('m2'), delta({ output_tokens: 7 })],
      [['m2', 7, true]],
    ],
    ['a synthetic one says nothing', [start('m1', { model: '<synthetic>' }), delta({ output_tokens: 7 })], []],
    ['one without id says nothing', [part({ type: 'message_start' }), delta({ output_tokens: 7 })], []],
    [
      'agents do not mix',
      [start('m1'), { ...start('m2'), uuid: 'x', parent_tool_use_id: 'c1' }, delta({ output_tokens: 7 })],
      [['m1', 7, true]],
    ],
  ])('%s', (_what, records, expected) => {
    expect(recorded(records)).toEqual(expected);
  });
});

let count = 0;
function part(event: unknown): JsonObject {
  return { type: 'stream_event', session_id: 's', uuid: `p${++count}`, event };
}

function said(usage: unknown, uuid: string, more: object = {}): JsonObject {
  return {
    type: 'assistant',
    session_id: 's',
    uuid,
    message: { id: 'm1', model: 'opus', content: [], usage, ...more },
  };
}

function recorded(records: readonly JsonObject[]): [string | null, number, boolean][] {
  const { events } = readText(ndjson(records));
  return events.filter(isUsage).map(({ message_id, output_tokens, final }) => [message_id, output_tokens, final]);
}

function isUsage(event: Event) {
  return event.event === 'usage:recorded';
}
