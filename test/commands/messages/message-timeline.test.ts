import { describe, expect, test } from 'vitest';
import { messageRowSchema } from '../../../src/api/state.js';
import type { MessageRow } from '../../../src/commands/messages/row.js';
import { Timeline } from '../../../src/commands/messages/rows.js';
import { type Event, messageStatuses } from '../../../src/core/event/event.js';
import { isLost } from '../../../src/core/tables/sends.js';
import { called, failed, filed, joined, received, retracted, sent, started, teamCreated } from './message-events.js';

const ask = { from: 'main', to: 'writer', content: 'How far are you?', summary: 'Asks' };
const report = { from: 'a1', to: 'main', content: 'Done.' };
const byAgent = { agent: 'a1', team: 'session-s1' };
const at = (second: number, place: object = {}) => ({ time: `2026-11-16T02:00:0${second}.000Z`, ...place });

describe('when a row is written', () => {
  test.each<[name: string, events: Event[], then: string[], end: string[]]>([
    ['when the call came back', [called('t1', ask), sent('t1', ask)], ['t1 main sent'], []],
    ['when it was refused', [called('t1', ask), failed('t1', ask)], ['t1 main failed'], []],
    ['when its result came, also without a call', [sent('t1', ask)], ['t1 main sent'], []],
    ['once, though it came twice', [sent('t1', ask), called('t1', ask), sent('t1', ask)], ['t1 main sent'], []],
    ['at the end, if the call never came back', [called('t1', ask)], [], ['t1 main open']],
    ['never, if the call was taken back', [called('t1', ask), retracted(['t1'])], [], []],
    ['at the end, if only its arrival is known', [received(ask, at(1))], [], ['null main delivered']],
    ['at the end, if it lies in an inbox', [filed(ask, false, at(1))], [], ['null main sent']],
    ['not again where it arrives', [received(ask, at(1)), sent('t1', ask)], ['t1 main sent'], []],
    ['not again where it arrives, though open', [called('t1', ask), received(ask, at(1))], [], ['t1 main open']],
    [
      'at once, if the agent has a name',
      [started('a1', { name: 'bob' }), sent('t1', report, byAgent)],
      ['t1 bob sent'],
      [],
    ],
    ['at once, if the result says who sent it', [sent('t1', { ...report, from: 'bob' }, byAgent)], ['t1 bob sent'], []],
    ['when the agent is named', [sent('t1', report, byAgent), started('a1', { name: 'bob' })], ['t1 bob sent'], []],
    [
      'when the agent is described',
      [sent('t1', report, byAgent), started('a1', { description: 'Count lines' })],
      ['t1 Count lines sent'],
      [],
    ],
    [
      'when the agent is named under another id',
      [sent('t1', report, byAgent), started('bob@crew', { name: 'bob', task_id: 'a1' })],
      ['t1 bob sent'],
      [],
    ],
    [
      'when the agent joins',
      [sent('t1', report, byAgent), sent('t2', report, byAgent), joined('bob', 'a1')],
      ['t1 bob sent', 't2 bob sent'],
      [],
    ],
    [
      'not yet when only its type is known',
      [started('a1', { agent_type: 'Explore' }), sent('t1', report, byAgent)],
      [],
      ['t1 Explore sent'],
    ],
    ['at the end, if nobody names the agent', [sent('t1', report, byAgent)], [], ['t1 a1 sent']],
    [
      'not when an agent of another session is named',
      [sent('t1', report, byAgent), started('a1', { name: 'eve' }, { session_id: 's2' })],
      [],
      ['t1 a1 sent'],
    ],
  ])('%s', (_name, events, then, end) => {
    const [timeline, rows] = follow(events);
    expect(rows.map(brief)).toEqual(then);
    expect(timeline.end().map(brief)).toEqual(end);
  });

  test('in transcripts the team of an agent may stand in a later file', () => {
    const said = { ...report, from: 'bob' };
    const [, rows] = all([sent('t1', said, { agent: 'a1' }), teamCreated('crew')]);
    expect(rows.map(({ team }) => team)).toEqual(['crew']);
  });

  test('without a session, whoever the lead of the team has named by then', () => {
    const nowhere = { session_id: null, team: 'crew' };
    const said = { from: 'main', to: 'a1' };
    const [, rows] = follow([
      sent('t1', said, nowhere),
      teamCreated('crew'),
      joined('bob', 'a1'),
      sent('t2', said, nowhere),
    ]);
    expect(rows.map(({ recipients }) => recipients)).toEqual([['a1'], ['bob']]);
  });

  test('settled, everything is written at the end', () => {
    const events = [sent('t1', ask), called('t2', ask), failed('t3', ask), received({ ...ask, content: 'x' })];
    const [timeline, rows] = follow(events, true);
    expect(rows).toEqual([]);
    expect(timeline.end().map(brief)).toEqual([
      't1 main sent',
      't2 main open',
      't3 main failed',
      'null main delivered',
    ]);
  });

  test('settled, rows stand in the order of their times', () => {
    const events = [
      sent('t1', ask, at(3)),
      sent('t2', ask),
      sent('t3', ask, at(1)),
      sent('t4', ask),
      sent('t5', ask, at(2)),
    ];
    const [timeline] = follow(events, true);
    expect(timeline.end().map((row) => row.tool_use_id)).toEqual(['t3', 't4', 't5', 't1', 't2']);
  });

  test('what is written is forgotten, but for its key', () => {
    const [timeline] = follow([called('t1', ask), sent('t1', ask), failed('t2', ask)]);
    expect([timeline.texts.size, timeline.waiting.size, timeline.messages.sightings.size]).toEqual([0, 0, 2]);
  });

  test('an event that says nothing of messages leaves everything as it is', () => {
    const [timeline] = follow([called('t1', ask)]);
    const { agents, messages } = timeline;
    expect(timeline.follow(called('t1', ask))).toEqual([]);
    expect(timeline.agents).toBe(agents);
    expect(timeline.messages).toBe(messages);
  });
});

describe('what a row says', () => {
  test.each<[name: string, events: Event[], row: Partial<MessageRow>]>([
    [
      'a send',
      [sent('t1', ask, { ...at(1), line: 7, team: 'crew' })],
      {
        time: '2026-11-16T02:00:01.000Z',
        session_id: 's1',
        team: 'crew',
        type: 'message',
        from: 'main',
        to: 'writer',
        recipients: ['writer'],
        summary: 'Asks',
        content: 'How far are you?',
        request_id: null,
        approve: null,
        status: 'sent',
        error: null,
        error_code: null,
        delivered_at: null,
        tool_use_id: 't1',
        line: 7,
      },
    ],
    [
      'a refusal',
      [failed('t1', { ...ask, error_code: 'agent_not_found' })],
      { error: 'No agent named', error_code: 'agent_not_found', recipients: [] },
    ],
    [
      'an address that is an id, and who it is',
      [joined('bob', 'a1'), sent('t1', { ...ask, to: 'a1' })],
      { to: 'a1', recipients: ['bob'] },
    ],
    ['a lead of a team', [teamCreated('crew'), sent('t1', ask)], { from: 'team-lead', team: 'crew' }],
    ['a lead that says so itself', [sent('t1', { ...ask, from: 'team-lead' })], { from: 'team-lead' }],
    [
      'a broadcast',
      [sent('t1', { ...ask, type: 'broadcast', to: null, recipients: ['a', 'b'] })],
      { to: null, recipients: ['a', 'b'] },
    ],
    [
      'an arrival',
      [received({ ...ask, to: 'a1', summary: null }, at(2)), joined('bob', 'a1')],
      {
        to: 'bob',
        recipients: ['bob'],
        status: 'delivered',
        delivered_at: '2026-11-16T02:00:02.000Z',
        tool_use_id: null,
      },
    ],
    [
      'an entry of an inbox, in the session that leads the team',
      [filed(ask, true, at(1)), teamCreated('crew')],
      { session_id: 's1', team: 'crew' },
    ],
    [
      'an entry of an inbox of one of two teams',
      [filed(ask, true, at(1)), teamCreated('crew'), teamCreated('crew', { session_id: 's2' })],
      { session_id: null, team: 'crew' },
    ],
    [
      'an arrival that also lies in a file, which says when it was written',
      [received(ask, at(2, { team: 'crew' })), filed(ask, true, at(1))],
      { time: '2026-11-16T02:00:01.000Z', session_id: 's1', delivered_at: '2026-11-16T02:00:02.000Z' },
    ],
    [
      'an entry of an inbox',
      [filed(ask, true, at(1))],
      { session_id: null, team: 'crew', status: 'delivered', delivered_at: null },
    ],
    ['an entry nobody read', [filed({ ...ask, to: null }, false)], { to: null, recipients: [], status: 'sent' }],
  ])('%s', (_name, events, row) => {
    const [, rows] = all(events);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject(row);
    expect(messageRowSchema.parse(rows[0])).toEqual(rows[0]);
  });

  test.each<[name: string, events: Event[], status: string, when: string | null]>([
    ['sent', [sent('t1', ask)], 'sent', null],
    [
      'delivered',
      [sent('t1', ask), received(ask, at(2)), received(ask, at(1))],
      'delivered',
      '2026-11-16T02:00:01.000Z',
    ],
    ['read, nobody knows when', [sent('t1', ask, { team: 'crew' }), filed(ask, true, at(1))], 'delivered', null],
    ['left in an inbox', [sent('t1', ask, { team: 'crew' }), filed(ask, false, at(1))], 'sent', null],
    [
      'never came back, yet arrived',
      [called('t1', ask), received(ask, at(1))],
      'delivered',
      '2026-11-16T02:00:01.000Z',
    ],
    ['never came back', [called('t1', ask)], 'open', null],
    ['failed', [failed('t1', ask)], 'failed', null],
  ])('settled: %s', (_name, events, status, when) => {
    const [, rows] = all(events, true);
    expect(rows.map((row) => [row.status, row.delivered_at])).toEqual([[status, when]]);
  });

  // Whatever becomes of a message, an inbox may be all that says it.
  test.each(messageStatuses.filter((status) => isLost({ status })))('settled: %s in an inbox', (status) => {
    const entry = filed({ ...ask, status }, false, at(1));
    const statusesOf = (...events: Event[]) => all(events, true)[1].map((row) => row.status);
    expect(statusesOf(entry)).toEqual([status]);
    expect(statusesOf(sent('t1', ask, { team: 'crew' }), entry)).toEqual([status]);
  });
});

function follow(events: readonly Event[], settled = false): [Timeline, MessageRow[]] {
  const timeline = new Timeline({ settled });
  return [timeline, events.flatMap((event) => timeline.follow(event))];
}

function all(events: readonly Event[], settled = false): [Timeline, MessageRow[]] {
  const [timeline, rows] = follow(events, settled);
  return [timeline, [...rows, ...timeline.end()]];
}

function brief({ tool_use_id, from, status }: MessageRow): string {
  return `${tool_use_id} ${from} ${status}`;
}
