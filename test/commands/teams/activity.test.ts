import { describe, expect, test } from 'vitest';
import { type Call, createActivity, leadKey } from '../../../src/commands/teams/picture.js';
import { newState, reduceAll, reduceRows } from '../../../src/core/tables/reduce.js';
import { createParser, type Event } from '../../../src/lib.js';
import { eventsOf } from '../../lib/read-fixture.js';

function noted(events: readonly Event[]) {
  const activity = createActivity();
  const state = reduceAll(events, reduceRows, newState(), activity);
  return { agents: activity.agents(state.agents), messages: activity.messages(state.agents) };
}

describe('what happened last', () => {
  test('parts of a message show that the lead is heard', () => {
    const activity = createActivity(() => 5);
    activity.partial(3);
    const events = eventsOf('parallel-subagents.ndjson').slice(0, 30);
    const state = reduceAll(events, reduceRows, newState(), activity);
    const before = activity.noted;
    activity.partial(9);
    // A picture that was made before is out of date.
    expect(activity.noted).toBeGreaterThan(before);
    const heard = [...activity.agents(state.agents)].map(([id, { heard }]) => [id.startsWith('lead'), heard?.at]);
    expect(heard).toEqual([
      [true, 9],
      [false, 5],
      [false, 5],
    ]);
  });

  test('of each agent, its last call, under the id it has in rows', () => {
    const { agents } = noted(eventsOf('team-2.1.325.ndjson'));
    const last = [...agents].map(([id, { calls }]) => [id, shown(calls).at(-1)]);
    expect(last.sort()).toEqual([
      ['a00427471a217110f', 'SendMessage writer returned'],
      ['a704452b330fac70f', 'Bash sleep 3 returned'],
      [leadKey('97a98319-1525-44dc-8375-d3f3422179bd'), 'SendMessage writer returned'],
    ]);
  });

  test('of each agent, all calls that are open, however many there are', () => {
    const ids = Array.from({ length: 20 }, (_, at) => `t${at}`);
    const { agents } = noted(createParser().push([...ids.map((id) => use(id, 'm1')), returned('t3', true)].join('')));
    const [{ calls } = { calls: [] }] = agents.values();
    expect(shown(calls)).toEqual(ids.map((id) => `Bash echo ${id} ${id === 't3' ? 'failed' : 'open'}`));
  });

  test('a call that failed, and of one that is lost no more than that it is not open', () => {
    const lines = [use('t1', 'm1'), use('t2', 'm1'), returned('t1', true), use('t3', 'm2')];
    const { agents } = noted(createParser().push(lines.join('')));
    const [{ calls } = { calls: [] }] = agents.values();
    expect(shown(calls)).toEqual(['Bash echo t1 failed', 'Bash echo t2 returned', 'Bash echo t3 open']);
  });

  test('a call is not open whose result came before it', () => {
    const { agents } = noted(createParser().push([returned('t1', false), use('t1', 'm1')].join('')));
    const [{ calls } = { calls: [] }] = agents.values();
    expect(shown(calls)).toEqual(['Bash echo t1 returned']);
  });

  test('when it was heard, by the clock: also where records have no times', () => {
    let time = 5;
    const activity = createActivity(() => time);
    const state = newState();
    const text = [use('t1', 'm1'), returned('t1', false)].join('');
    for (const event of createParser().push(text)) {
      reduceAll([event], reduceRows, state, activity);
      time += 5;
    }
    const [main] = activity.agents(state.agents).values();
    expect(main?.heard).toEqual({ at: time - 5, spoke: true });
    expect(main?.calls.map(({ at }) => at)).toEqual([5]);
  });

  test('when it was heard is not known from records that may be old', () => {
    const activity = createActivity((time) => (time === null ? null : Date.parse(time)));
    const old = JSON.parse(use('t1', 'm1'));
    const text = [{ ...old, timestamp: '2026-11-15T10:00:00.000Z' }, old].map((row) => JSON.stringify(row)).join('\n');
    const heardIn = (lines: string) => {
      const state = reduceAll(createParser().push(lines), reduceRows, newState(), activity);
      return [...activity.agents(state.agents).values()].map(({ heard }) => heard?.at);
    };
    expect(heardIn(use('t0', 'm0'))).toEqual([undefined]);
    // The one behind it is from the same minute, as far as anybody knows.
    expect(heardIn(`${text}\n`)).toEqual([Date.parse('2026-11-15T10:00:00.000Z')]);
  });

  test('messages in order of time, whichever file was read first', () => {
    const sent = (id: string, timestamp: string) => [
      {
        type: 'assistant',
        session_id: 's',
        timestamp,
        message: { id, content: [{ type: 'tool_use', id, name: 'SendMessage', input: { to: 'b', message: id } }] },
      },
      {
        type: 'user',
        session_id: 's',
        timestamp,
        message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
        tool_use_result: { success: true, message: 'ok', routing: { sender: 'main', target: '@b' } },
      },
    ];
    const rows = [...sent('later', '2026-11-15T10:00:09.000Z'), ...sent('sooner', '2026-11-15T10:00:01.000Z')];
    const { messages } = noted(createParser().push(`${rows.map((row) => JSON.stringify(row)).join('\n')}\n`));
    expect([...messages.values()].flat().map(({ content }) => content)).toEqual(['sooner', 'later']);
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

  test('is bounded when no call ever comes back', () => {
    const text = Array.from({ length: 1000 }, (_, id) => use(`t${id}`, null)).join('');
    const [{ calls } = { calls: [] }] = noted(createParser().push(text)).agents.values();
    expect(calls.length).toBe(100);
    expect(shown(calls).at(-1)).toBe('Bash echo t999 open');
  });
});

function shown(calls: readonly Call[]): string[] {
  return calls.map(({ tool, about, status }) => `${tool} ${about} ${status}`);
}

function use(id: string, message: string | null): string {
  const content = [{ type: 'tool_use', id, name: 'Bash', input: { command: `echo ${id}` } }];
  return `${JSON.stringify({ type: 'assistant', session_id: 's', message: { id: message, content } })}\n`;
}

function returned(id: string, is_error: boolean): string {
  const content = [{ type: 'tool_result', tool_use_id: id, content: 'ok', is_error }];
  return `${JSON.stringify({ type: 'user', session_id: 's', message: { content } })}\n`;
}
