import { describe, expect, test } from 'vitest';
import type { Message } from '../../../../src/lib.js';
import type { JsonObject } from '../../../json.js';
import { ok, sentBy } from './sending.js';

describe('what a call sends, whatever generation spelled it', () => {
  const plain = {
    type: 'message',
    from: 'main',
    to: 'writer',
    summary: 'hi',
    content: 'hello',
    request_id: null,
    approve: null,
  };
  test.each<[string, JsonObject, Partial<Message>]>([
    ['2.1.39', { type: 'message', recipient: 'writer', content: 'hello', summary: 'hi' }, plain],
    ['2.1.80', { to: 'writer', message: 'hello', summary: 'hi' }, plain],
    [
      '2.1.140, both',
      { to: 'writer', message: 'hello', type: 'message', recipient: 'writer', content: 'hello', summary: 'hi' },
      plain,
    ],
    ['to before recipient', { to: 'writer', recipient: 'other', message: 'hello', content: 'x', summary: 'hi' }, plain],
    ['an address with @', { to: '@writer', message: 'hello', summary: 'hi' }, plain],
    ['an id', { to: 'writer@crew', message: 'hello', summary: 'hi' }, { ...plain, to: 'writer@crew' }],
    ['no summary', { to: 'writer', message: 'hello' }, { ...plain, summary: null }],
    ['nothing at all', {}, { ...plain, to: null, summary: null, content: null }],
    [
      'fields of other types',
      { to: 7, message: 8, summary: [], type: {} },
      { ...plain, to: null, summary: null, content: null },
    ],
    [
      'a shutdown request of 2.1.39',
      { type: 'shutdown_request', recipient: 'writer', content: 'done' },
      { ...plain, type: 'shutdown_request', summary: null, content: 'done' },
    ],
    [
      'of 2.1.140',
      {
        to: 'writer',
        message: { type: 'shutdown_request', reason: 'done' },
        type: 'shutdown_request',
        recipient: 'writer',
      },
      { ...plain, type: 'shutdown_request', summary: null, content: 'done' },
    ],
    [
      'of 2.1.20',
      { type: 'request', subtype: 'shutdown', target: 'writer', reason: 'done' },
      { ...plain, type: 'shutdown_request', summary: null, content: 'done' },
    ],
    [
      'a shutdown response beside the message',
      { type: 'shutdown_response', recipient: 'lead', request_id: 'r@', approve: true, content: 'bye' },
      { type: 'shutdown_response', to: 'lead', request_id: 'r@', approve: true, content: 'bye' },
    ],
    [
      'and inside it',
      { to: 'lead', message: { type: 'shutdown_response', request_id: 'r', approve: false, reason: 'busy' } },
      { type: 'shutdown_response', to: 'lead', request_id: 'r', approve: false, content: 'busy' },
    ],
    [
      'camelCase and approved',
      { to: 'lead', message: { type: 'plan_approval_response', requestId: 'r', approved: true, feedback: 'fine' } },
      { type: 'plan_approval_response', request_id: 'r', approve: true, content: 'fine' },
    ],
    [
      'a response of 2.1.20',
      { type: 'response', subtype: 'plan_approval', recipient: 'writer', request_id: 'r', approve: true },
      { type: 'plan_approval_response', request_id: 'r', approve: true, content: null },
    ],
    [
      'another kind of object',
      { to: 'writer', message: { answer: 42 } },
      { type: 'message', content: '{"answer":42}' },
    ],
    ['a kind nobody knows', { to: 'writer', message: { type: 'poke', text: 'hey' } }, { type: 'poke', content: 'hey' }],
    [
      'a broadcast of 2.1.39',
      { type: 'broadcast', content: 'all', summary: 'hi' },
      { type: 'broadcast', to: null, content: 'all' },
    ],
    ['a broadcast of 2.1.80', { to: '*', message: 'all' }, { type: 'broadcast', to: null, content: 'all' }],
  ])('%s', (_what, input, expected) => {
    const [sent] = sentBy('SendMessage', input, ok);
    expect(sent?.message).toMatchObject({ ...expected, status: 'sent', tool_use_id: 'call1' });
  });

  test.each<[string, JsonObject, Partial<Message>]>([
    [
      'write',
      { operation: 'write', target_agent_id: 'writer', value: 'hello' },
      { type: 'message', to: 'writer', content: 'hello' },
    ],
    ['broadcast', { operation: 'broadcast', value: 'all' }, { type: 'broadcast', to: null, content: 'all' }],
    [
      'requestShutdown',
      { operation: 'requestShutdown', target_agent_id: 'writer', reason: 'done' },
      { type: 'shutdown_request', to: 'writer', content: 'done' },
    ],
    [
      'approveShutdown',
      { operation: 'approveShutdown', request_id: 'r@writer' },
      { type: 'shutdown_response', approve: true, request_id: 'r@writer', from: 'writer' },
    ],
    [
      'rejectShutdown',
      { operation: 'rejectShutdown', request_id: 'r', reason: 'busy' },
      { type: 'shutdown_response', approve: false, content: 'busy' },
    ],
    [
      'approvePlan',
      { operation: 'approvePlan', target_agent_id: 'writer', request_id: 'r' },
      { type: 'plan_approval_response', approve: true },
    ],
    [
      'rejectPlan',
      { operation: 'rejectPlan', target_agent_id: 'writer', request_id: 'r', feedback: 'no' },
      { type: 'plan_approval_response', approve: false, content: 'no' },
    ],
  ])('Teammate %s', (_what, input, expected) => {
    const [sent] = sentBy('Teammate', input, ok);
    expect(sent?.message).toMatchObject(expected);
  });

  test.each(['discoverTeams', 'approveJoin', undefined])('Teammate %s sends nothing', (operation) => {
    expect(sentBy('Teammate', operation === undefined ? {} : { operation }, ok)).toEqual([]);
  });
});
