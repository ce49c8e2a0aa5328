import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadAll } from '../../src/cli/registry.js';
import type { Interest } from '../../src/core/wire/interest.js';
import { ndjson, streams } from '../streams.js';
import { check } from './check.js';
import { families } from './families.js';
import { bytesOf, sessions } from './inputs.js';
import { testEach } from './law.js';
import { inputsOf, shareOf } from './laws.js';
import { readAll, readText, written } from './reading.js';

/** What commands ask for, each once. Who asks for less must not be told less of what is open. */
const wishes: readonly Interest[] = [
  ...new Map(
    [...(await loadAll()).map((command) => command.interest({})), { events: ['*'], content: 'none' } as const].map(
      (wish) => [JSON.stringify(wish), wish],
    ),
  ).values(),
];

const missingIn = (text: string) => new Set(wishes.map((interest) => readText(text, { interest }).missing));

describe('every command says the same of what is missing', () => {
  describe('cut at any line', () => {
    testEach([...sessions, ...families], (input) => {
      const lines = bytesOf(input).toString('latin1').split('\n');
      const ends = lines.map((_, index) => index + 1);
      for (const end of inputsOf('missing: cuts', ends)) {
        const bytes = Buffer.from(lines.slice(0, end).join('\n'), 'latin1');
        const { missing } = readAll([{ path: null, bytes }]);
        const asking = shareOf('missing: interests', wishes, end);
        const said = asking.map((interest) => readAll([{ path: null, bytes }], { interest }).missing);
        expect({ end, said }).toEqual({ end, said: said.map(() => missing) });
      }
    });
  });

  test('in any stream', () => {
    check(
      fc.property(streams(), fc.nat(40), (records, end) => {
        const text = ndjson(records.slice(0, end + 1));
        expect(missingIn(text)).toEqual(new Set([readText(text).missing]));
      }),
      'missing: any stream',
    );
  });

  test('in events that are read back', () => {
    check(
      fc.property(streams(), fc.nat(40), (records, end) => {
        const { events, missing } = readText(ndjson(records.slice(0, end + 1)));
        expect(missingIn(written(events))).toEqual(new Set([missing]));
      }),
      'missing: read back',
    );
  });
});

const head = { type: 'system', subtype: 'init', session_id: 's', uuid: 'i' };
const use = (id: string, name: string, uuid: string) => ({
  type: 'assistant',
  message: {
    id: `m-${id}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-4-6',
    content: [{ type: 'tool_use', id, name, input: {} }],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  parent_tool_use_id: null,
  session_id: 's',
  uuid,
});
const back = (id: string, more: object) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
  parent_tool_use_id: null,
  session_id: 's',
  uuid: `r-${id}`,
  ...more,
});

test.each<[string, object[], string]>([
  ['calls of any tool', [use('a', 'Read', 'u1'), use('b', 'Bash', 'u2'), use('c', 'TaskList', 'u3')], '3 calls'],
  ['a call that came back', [use('a', 'Read', 'u1'), use('b', 'Read', 'u2'), back('a', {})], '1 call'],
  [
    'a call that goes on by itself',
    [use('a', 'Read', 'u1'), back('a', { tool_use_result: { detachedToolCall: true } })],
    '1 call',
  ],
  [
    'not one that was taken back',
    [use('a', 'Read', 'u1'), use('b', 'Read', 'u2'), { ...use('c', 'Read', 'u3'), supersedes: ['u1', 'u2'] }],
    '1 call',
  ],
])('counted are %s', (_what, records, open) => {
  expect(missingIn(ndjson([head, ...records]))).toEqual(new Set([`no result; ${open} still open`]));
});

test('a request that was answered is nobody’s open request', () => {
  const request = { type: 'control_request', request_id: 'r1', request: { subtype: 'interrupt' } };
  const response = { type: 'control_response', response: { subtype: 'success', request_id: 'r1' } };
  const cancel = { type: 'control_cancel_request', request_id: 'r2' };
  expect(missingIn(ndjson([request, response, { ...request, request_id: 'r2' }, cancel]))).toEqual(new Set([null]));
});
