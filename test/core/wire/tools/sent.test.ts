import { describe, expect, test } from 'vitest';
import type { Message } from '../../../../src/lib.js';
import type { JsonObject } from '../../../json.js';
import { readText } from '../../../laws/reading.js';
import { ndjson } from '../../../streams.js';
import { call, eventsOf, isMessage, ok, result, sentBy } from './sending.js';

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
