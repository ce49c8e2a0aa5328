import { describe, expect, test } from 'vitest';
import type { Event, Message } from '../../../../src/core/event/event.js';
import type { JsonObject } from '../../../../src/core/record/json.js';
import { readText } from '../../../laws/reading.js';
import { ndjson } from '../../../streams.js';

const ok = { success: true, message: 'sent' };

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

describe('what came back', () => {
  const to = { to: 'writer', message: 'hello', summary: 'hi' };

  test('the routing says who sent it, to whom and what where the call does not', () => {
    const routing = { sender: 'team-lead', target: '@writer', summary: 'said', content: 'this' };
    const [sent] = sentBy('SendMessage', { type: 'message' }, { success: true, routing });
    expect(sent?.message).toMatchObject({
      from: 'team-lead',
      to: 'writer',
      recipients: ['writer'],
      summary: 'said',
      content: 'this',
    });
  });

  test('a broadcast lists who got it', () => {
    const [sent] = sentBy(
      'SendMessage',
      { type: 'broadcast', content: 'x' },
      { success: true, recipients: ['a', 'b'], routing: { sender: 'team-lead', target: '@team' } },
    );
    expect(sent?.message).toMatchObject({ type: 'broadcast', to: null, recipients: ['a', 'b'] });
  });

  test.each<[string, unknown, Partial<Message>]>([
    [
      'refused',
      { success: false, message: "No agent named 'writer' is reachable." },
      { error: "No agent named 'writer' is reachable.", error_code: 'agent_not_found' },
    ],
    [
      'documented',
      { success: false, error: 'agent_not_found', message: 'who?' },
      { error: 'who?', error_code: 'agent_not_found' },
    ],
  ])('failed: %s', (_what, result, expected) => {
    const [sent] = sentBy('SendMessage', to, result);
    expect(sent?.event).toBe('team:message:failed');
    expect(sent?.message).toMatchObject({ status: 'failed', to: 'writer', recipients: [], ...expected });
  });

  test('an error has no other events', () => {
    const input = { to: 'writer', message: { type: 'shutdown_request' } };
    const events = eventsOf('SendMessage', input, 'Error: gone', true);
    expect(events.map(({ event }) => event)).toEqual(['tool:called', 'tool:returned', 'team:message:failed']);
  });

  test('a request has an id from its result, and its answer finds the way back', () => {
    const asked = call('c1', 'SendMessage', { type: 'shutdown_request', recipient: 'writer' });
    const answered = call('c2', 'SendMessage', {
      type: 'shutdown_response',
      request_id: 'shutdown-1@writer',
      approve: true,
    });
    const { events } = readText(
      ndjson([
        asked,
        result('c1', { success: true, request_id: 'shutdown-1@writer', target: 'writer' }),
        answered,
        result('c2', ok),
      ]),
    );
    const said = events
      .filter(isMessage)
      .map(({ message: { type, from, to: whom, request_id } }) => ({ type, from, whom, request_id }));
    expect(said).toEqual([
      { type: 'shutdown_request', from: 'main', whom: 'writer', request_id: 'shutdown-1@writer' },
      { type: 'shutdown_response', from: 'writer', whom: 'main', request_id: 'shutdown-1@writer' },
    ]);
    expect(events.map(({ event }) => event)).toEqual([
      'tool:called',
      'tool:returned',
      'team:message:sent',
      'team:shutdown:requested',
      'team:member:shutting_down',
      'tool:called',
      'tool:returned',
      'team:message:sent',
      'team:shutdown:response',
      'team:member:shutdown',
    ]);
  });

  test('a response without recipient or request says to whom it was confirmed', () => {
    const text = 'Shutdown approved. Sent confirmation to team-lead. You will exit.';
    const [sent] = sentBy(
      'SendMessage',
      { type: 'shutdown_response', approve: true, request_id: 'x' },
      undefined,
      text,
    );
    expect(sent?.message.to).toBe('team-lead');
  });

  test.each<[string, JsonObject, Partial<Message>]>([
    [
      'a message',
      { success: true, routing: { sender: 'writer', target: '@team-lead', summary: 's', content: 'c' } },
      { type: 'message', from: 'writer', to: 'team-lead', content: 'c' },
    ],
    [
      'a broadcast',
      { success: true, recipients: ['a'], routing: { sender: 'team-lead', target: '@team' } },
      { type: 'broadcast', to: null, recipients: ['a'] },
    ],
    [
      'a shutdown request',
      { success: true, request_id: 'shutdown-1@writer', target: 'writer' },
      { type: 'shutdown_request', to: 'writer', request_id: 'shutdown-1@writer' },
    ],
  ])('%s whose call is not in the input', (_what, data, expected) => {
    const [sent] = readText(ndjson([result('c9', data)])).events.filter(isMessage);
    expect(sent?.message).toMatchObject(expected);
  });
});

function sentBy(tool: string, input: JsonObject, data: unknown, text?: string) {
  return eventsOf(tool, input, data, false, text).filter(isMessage);
}

function eventsOf(tool: string, input: JsonObject, data: unknown, isError = false, text?: string): Event[] {
  return readText(ndjson([call('call1', tool, input), result('call1', data, isError, text)])).events;
}

function isMessage(event: Event) {
  return event.event === 'team:message:sent' || event.event === 'team:message:failed';
}

function call(id: string, name: string, input: JsonObject): JsonObject {
  return {
    type: 'assistant',
    session_id: 's1',
    message: { id: `m-${id}`, content: [{ type: 'tool_use', id, name, input }] },
  };
}

function result(id: string, data: unknown, isError = false, text = JSON.stringify(data)): JsonObject {
  const block = { type: 'tool_result', tool_use_id: id, content: text, is_error: isError };
  return { type: 'user', session_id: 's1', message: { content: [block] }, tool_use_result: data };
}
