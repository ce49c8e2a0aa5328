import { describe, expect, test } from 'vitest';
import { type MessagesState, noteMessages } from '../../../src/core/tables/sends.js';
import { copySlice, versionOf } from '../../../src/core/tables/table.js';
import type { Event } from '../../../src/lib.js';
import { called, event, failed, filed, messagesOf, queued, received, retracted, sent } from './message-events.js';

const hello = { from: 'main', to: 'writer', content: 'Hello' };
const at = { time: '2026-11-16T02:00:00.000Z' };

describe('sightings', () => {
  test.each<[string, Event[], string[]]>([
    ['a call that is open', [called('t1', hello)], ['call open']],
    ['a call that came back', [called('t1', hello), sent('t1', hello)], ['call sent']],
    ['a call that failed', [called('t1', hello), failed('t1', hello)], ['call failed']],
    ['a result whose call is not in the input', [sent('t1', hello)], ['call sent']],
    ['a refusal without an id', [failed('', hello)].map(withoutId), ['call failed']],
    ['a call without an id', [called('', hello)].map(withoutId), []],
    ['a queue', [queued(hello, at)], ['queue sent']],
    ['a conversation', [received(hello, at)], ['envelope delivered']],
    ['an inbox', [filed(hello, false, at)], ['inbox sent']],
    ['an inbox that was read', [filed(hello, true, at)], ['inbox delivered']],
    ['an inbox, then read', [filed(hello, false, at), filed(hello, true, at)], ['inbox delivered']],
    ['an inbox as it was before', [filed(hello, true, at), filed(hello, false, at)], ['inbox delivered']],
    ['two entries of one inbox', [filed(hello, false, at), filed(hello, false)], ['inbox sent', 'inbox sent']],
    ['a call taken back', [called('t1', hello), retracted(['t1'])], []],
    ['a call that came back first', [called('t1', hello), sent('t1', hello), retracted(['t1'])], ['call sent']],
    ['a call taken back before it is read', [retracted(['t1']), called('t1', hello)], []],
    ['a result after all', [retracted(['t1']), called('t1', hello), sent('t1', hello)], ['call sent']],
    ['another call taken back', [called('t1', hello), retracted(['t2'])], ['call open']],
    ['other events', [event('turn:started', { turn: 1 }), event('session:changed', { type: 'x', subtype: null })], []],
  ])('%s', (_name, events, seen) => {
    const state = messagesOf(events);
    expect(state.sightings.values().map(({ via, status }) => `${via} ${status}`)).toEqual(seen);
  });

  test('the same event again changes nothing at all', () => {
    const all = [called('t1', hello), sent('t1', hello), failed('t2', hello), queued(hello), received(hello, at)];
    const once = messagesOf([...all, filed(hello, false), filed(hello, true, at)]);
    expectNothingNew(once, all);
    expect(once.sightings.size).toBe(6);
  });

  test('a call is known by its id, whatever else is said of it later', () => {
    const once = messagesOf([sent('t1', hello)]);
    expectNothingNew(once, [failed('t1', { ...hello, content: 'other' }), called('t1', hello)]);
  });

  test('what arrives twice at no known time is two sightings, in files one', () => {
    const seen = [received(hello), received(hello), filed(hello, true), filed(hello, true)];
    expect(messagesOf(seen).sightings.size).toBe(3);
  });

  test('at no known time, the line tells an arrival from another, but not from a copy of it', () => {
    const lines = [received(hello, { line: 7 }), received(hello, { line: 8 }), received(hello, { line: 7, seq: 99 })];
    expect(messagesOf(lines).sightings.size).toBe(2);
    const equal = [received(hello, { line: 7 }), { ...received(hello, { line: 7 }), nth: 2 }];
    expect(messagesOf(equal).sightings.size).toBe(2);
  });

  test('copies of a call in any order are one', () => {
    const copies = [
      called('t1', hello, { time: '2026-11-16T02:00:01.000Z' }),
      { ...sent('t1', hello, { time: '2026-11-16T02:00:05.000Z', session_id: 's2' }), source: 'a' },
      { ...sent('t1', hello, { time: '2026-11-16T02:00:04.000Z', session_id: 's1' }), source: 'b' },
      { ...sent('t1', hello, { session_id: 's1' }), source: 'c' },
    ];
    const seen = [copies, [...copies].reverse()].map(messagesOf);
    for (const { sightings } of seen)
      expect(sightings.values()).toEqual([
        expect.objectContaining({
          session_id: 's1',
          source: 'b',
          time: '2026-11-16T02:00:04.000Z',
          called: '2026-11-16T02:00:01.000Z',
        }),
      ]);
  });

  test('a hook says that it arrived, the conversation also when', () => {
    const idle = { ...hello, type: 'idle_notification' };
    const seen = [received({ ...idle, delivered_at: null }, at), received(idle, at)];
    for (const order of [seen, [...seen].reverse()]) {
      const { sightings } = messagesOf(order);
      expect(sightings.values().map(({ delivered_at }) => delivered_at)).toEqual([at.time]);
    }
  });

  test('no text is kept', () => {
    const said = { ...hello, content: 'a secret', summary: 'a summary', error: 'an error' };
    const state = messagesOf([sent('t1', said), received(said), filed(said, true)]);
    expect(JSON.stringify(state.sightings.entries())).not.toMatch(/secret|summary|an error/);
  });
});

function expectNothingNew(state: MessagesState, events: readonly Event[]): void {
  const [before, version] = [copySlice(state), versionOf(state)];
  for (const again of events) noteMessages(state, again);
  expect(state.sightings.entries()).toEqual(before.sightings.entries());
  expect(versionOf(state)).toBe(version);
}

function withoutId(one: Event): Event {
  return { ...one, tool_use_id: null } as Event;
}
