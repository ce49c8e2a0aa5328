import { describe, expect, test } from 'vitest';
import { createActivity, leadKey } from '../../../src/commands/teams/picture.js';
import { createParser, type Event, initialState, reduce } from '../../../src/lib.js';
import { eventsOf } from '../../lib/read-fixture.js';

function noted(events: readonly Event[]) {
  const activity = createActivity();
  let state = initialState;
  for (const event of events) {
    const before = state;
    state = reduce(before, event);
    activity.note({ event, before, after: state });
  }
  return { calls: activity.calls(state.agents), messages: activity.messages(state.agents) };
}

describe('what happened last', () => {
  test('of each agent, its last call, under the id it has in rows', () => {
    const { calls } = noted(eventsOf('team-2.1.325.ndjson'));
    expect([...calls].sort()).toEqual([
      ['a00427471a217110f', { tool: 'SendMessage', about: 'writer' }],
      ['a704452b330fac70f', { tool: 'Bash', about: 'sleep 3' }],
      [leadKey('97a98319-1525-44dc-8375-d3f3422179bd'), { tool: 'SendMessage', about: 'writer' }],
    ]);
  });

  test('messages once each, also those that are known only from their delivery, without what the program says by itself', () => {
    const { messages } = noted(eventsOf('teammate-tool.ndjson'));
    expect([...messages.keys()]).toEqual(['gap-hunt']);
    const said = (messages.get('gap-hunt') ?? []).map(({ from, to, type }) => `${from} ${to} ${type}`);
    expect(said).toContain('reader team-lead message');
    expect(said.filter((one) => one.endsWith('idle_notification'))).toEqual([]);
    expect(said.filter((one) => one === 'team-lead null broadcast')).toHaveLength(1);
  });

  test('is the same when the stream is told twice', () => {
    const events = eventsOf('teammate-tool.ndjson');
    expect(noted([...events, ...events]).messages.get('gap-hunt')).toEqual(noted(events).messages.get('gap-hunt'));
  });

  test('is bounded', () => {
    const call = (id: number) =>
      `{"type":"assistant","session_id":"s","message":{"id":"m${id}","content":[{"type":"tool_use","id":"t${id}","name":"SendMessage","input":{"to":"b","message":"${'x'.repeat(5000)} ${id}"}}]}}
{"type":"user","session_id":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t${id}","content":"ok"}]},"tool_use_result":{"success":true,"message":"ok","routing":{"sender":"main","target":"@b"}}}\n`;
    const text = Array.from({ length: 1000 }, (_, id) => call(id)).join('');
    const { messages } = noted(createParser().push(text));
    const kept = [...messages.values()].flat();
    expect(kept.length).toBeGreaterThan(100);
    expect(kept.length).toBeLessThanOrEqual(400);
    for (const { content } of kept) expect(content?.length).toBeLessThanOrEqual(1000);
  });
});
