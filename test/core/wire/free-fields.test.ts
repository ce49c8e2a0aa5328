import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../../../src/core/wire/read.js';

describe('fields of a frame, in our spelling', () => {
  test.each<[string, object, object]>([
    ['snake_case stays', { pre_tokens: 1, trigger: 'auto' }, { pre_tokens: 1, trigger: 'auto' }],
    [
      'camelCase does not',
      { preTokens: 1, isMeta: true, apiKeySource: 'x' },
      { pre_tokens: 1, is_meta: true, api_key_source: 'x' },
    ],
    [
      'letters in a row',
      { costUSD: 1, mcpURLList: [], toolUseID: 'x' },
      { cost_usd: 1, mcp_url_list: [], tool_use_id: 'x' },
    ],
    ['what is no name stays', { 'a-b': 1, 'A b': 2, ABC: 3, _x: 4, é: 5 }, { 'a-b': 1, 'A b': 2, ABC: 3, _x: 4, é: 5 }],
    [
      'one level down',
      { compactMetadata: { preTokens: 1, inner: { stillThere: 1 } } },
      { compact_metadata: { pre_tokens: 1, inner: { stillThere: 1 } } },
    ],
    ['lists as they are', { tasks: [{ taskId: 1 }] }, { tasks: [{ taskId: 1 }] }],
    [
      'names of our envelope',
      { time: 1, event: 'x', team: 't', agent: 'a', line: 2, source: 's', raw: {}, cct: 1, seq: 4 },
      {
        own_time: 1,
        own_event: 'x',
        own_team: 't',
        own_agent: 'a',
        own_line: 2,
        own_source: 's',
        own_raw: {},
        own_cct: 1,
        own_seq: 4,
      },
    ],
    [
      'what the envelope says already',
      {
        uuid: 'u',
        session_id: 's',
        sessionId: 's',
        timestamp: 't',
        parentUuid: null,
        isSidechain: false,
        cwd: '/',
        version: '2',
        gitBranch: 'b',
        parent_tool_use_id: null,
      },
      {},
    ],
    ['numbers as names, which would stand before the envelope', { '0': 1, '12': 2 }, { own_0: 1, own_12: 2 }],
  ])('%s', (_what, record, fields) => {
    expect(fieldsOf({ ...record })).toEqual({ type: null, subtype: null, ...fields });
  });

  test('type and subtype are texts, first and never absent', () => {
    expect(Object.entries(fieldsOf({ a: 1, subtype: 's', type: 't' }))).toEqual([
      ['type', 't'],
      ['subtype', 's'],
      ['a', 1],
    ]);
    expect(fieldsOf({ type: 7, subtype: { x: 1 } })).toEqual({ type: null, subtype: null });
  });

  test('__proto__ is data', () => {
    const fields = fieldsOf(JSON.parse('{"__proto__":{"polluted":true},"inner":{"__proto__":1,"constructor":2}}'));
    expect(JSON.stringify(fields)).toBe(
      '{"type":null,"subtype":null,"__proto__":{"polluted":true},"inner":{"__proto__":1,"constructor":2}}',
    );
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('polluted');
  });

  test('a hostile name takes no time', () => {
    expect(Object.keys(fieldsOf({ [`a${'A'.repeat(50_000)}!`]: 1 }))).toHaveLength(3);
    fieldsOf({ [`a${'Aa'.repeat(50_000)}`]: 1 });
  });
});
