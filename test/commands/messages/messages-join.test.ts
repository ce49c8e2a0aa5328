import { describe, expect, test } from 'vitest';
import { joinMessages } from '../../../src/commands/messages/join.js';
import { newAgents, noteAgents } from '../../../src/core/tables/agents.js';
import type { Event } from '../../../src/lib.js';
import {
  called,
  failed,
  filed,
  joined,
  messagesOf,
  queued,
  received,
  sent,
  started,
  teamCreated,
} from './message-events.js';

const ask = { from: 'team-lead', to: 'writer', content: 'How far are you?' };
const asMain = { ...ask, from: 'main' };
const request = { ...ask, type: 'shutdown_request', request_id: 'shutdown-1@writer', content: 'Done?' };
const response = { ...request, type: 'shutdown_response', from: 'writer', to: 'team-lead', content: null };
const idle = { from: 'writer', to: 'team-lead', type: 'idle_notification' };
const news = { from: 'team-lead', type: 'broadcast', to: null, recipients: ['writer', 'reader'], content: 'News' };
const heard = (to: string) => ({ from: 'team-lead', to, content: 'News' });
const at = (second: number, place: object = {}) => ({ time: `2026-11-16T02:00:0${second}.000Z`, ...place });
const team = { team: 'crew' };
const answer = {
  from: 'team-lead',
  to: 'writer',
  type: 'plan_approval_response',
  request_id: 'plan-1@writer',
  approve: true,
};
const twice = (turns: string[]) => turns.map((agent) => received({ ...ask, to: agent }, at(2, { agent })));

describe('one message', () => {
  test.each<[string, Event[]]>([
    [
      'on all its ways',
      [sent('t1', ask, team), queued(ask, at(1, team)), received(ask, at(2)), filed(ask, true, at(0))],
    ],
    ['seen before it was sent', [received(ask, at(2)), filed(ask, true, at(0)), sent('t1', ask, team)]],
    ['only queued and read', [queued(ask, at(1)), received(ask, at(2))]],
    ['only in a file and in a conversation', [filed(ask, true, at(0)), received(ask, at(2, team))]],
    ['delivered three times', [sent('t1', ask), received(ask, at(1)), received(ask, at(2)), received(ask, at(3))]],
    ['with space around it', [sent('t1', ask), received({ ...ask, content: ` ${ask.content}\n` }, at(1))]],
    ['of a lead with two names', [sent('t1', asMain), received(ask, at(1))]],
    ['of a lead with an id', [sent('t1', { ...ask, from: 'team-lead@crew' }), received(asMain, at(1))]],
    ['to an agent by its id', [known('writer', 'a1'), sent('t1', { ...ask, to: 'a1' }), received(ask, at(1))]],
    ['to an agent by its full name', [sent('t1', { ...ask, to: 'writer@crew' }), received(ask, at(1))]],
    [
      'to an agent that is named later',
      [received({ ...ask, to: 'a1' }, at(1)), sent('t1', ask), known('writer', 'a1')],
    ],
    [
      'by an agent that is named later',
      [sent('t1', { ...ask, from: 'a1' }), received({ ...ask, from: 'bob' }), known('bob', 'a1')],
    ],
    ['whose call never came back', [called('t1', ask), received(ask, at(1))]],
    ['a request, known by its id', [sent('t1', request), received({ ...request, content: 'x', from: 'main' }, at(1))]],
    [
      'a request whose call never came back',
      [called('t1', { ...request, request_id: null }), received(request, at(1))],
    ],
    [
      'a request kept under another team',
      [teamCreated('crew'), sent('t1', request, team), filed(request, false, { team: 'default' })],
    ],
    ['an answer that names nobody', [sent('t1', { ...response, to: null }), received(response, at(1))]],
    [
      'to a teammate in a session of its own',
      [sent('t1', ask, team), received(ask, at(1, { session_id: 's2', ...team }))],
    ],
    [
      'in a team known only later',
      [sent('t1', ask), received(ask, at(1, { session_id: 's2', ...team })), teamCreated('crew')],
    ],
    ['in a file of unknown place', [sent('t1', ask, team), filed(ask, true, { team: null })]],
    ['a broadcast', [sent('t1', news), received(heard('writer'), at(1)), received(heard('reader'), at(1))]],
    [
      'a broadcast in files',
      [sent('t1', news, team), filed(heard('writer'), true, at(1)), filed(heard('reader'), false, at(1))],
    ],
    [
      'in a copy of the conversation, as each turn of 2.1.140 keeps one',
      [joined('writer', 'a1'), started('a2', { continues: 'a1' }), queued(ask, at(1)), ...twice(['a1', 'a2'])],
    ],
    ['in a stream without times and in a transcript', [received(ask), received(ask, at(1))]],
    ['in a fork of the session', [received(ask, at(1)), received(ask, at(1, { session_id: 's2' }))]],
    ['to whoever had a turn nobody knows', [sent('t1', ask), received({ ...ask, to: 'a7' }, at(1, { agent: 'a7' }))]],
    ['an idle notification', [queued(idle, at(1)), received(idle, at(1)), filed(idle, true, at(1, team))].map(inCrew)],
  ])('%s', (_name, events) => {
    expect(joinedFrom(events)).toHaveLength(1);
  });
});

describe('several messages', () => {
  test.each<[string, Event[], string[]]>([
    ['sent twice, delivered once', [sent('t1', ask), sent('t2', ask), received(ask, at(1))], ['t1 envelope', 't2']],
    [
      'sent twice, delivered twice',
      [sent('t1', ask), received(ask, at(1)), sent('t2', ask), received(ask, at(2))],
      ['t1 envelope', 't2 envelope'],
    ],
    [
      'received twice, each from the queue',
      [queued(ask, at(1)), received(ask, at(2)), queued(ask, at(3)), received(ask, at(4))],
      ['- queue envelope', '- queue envelope'],
    ],
    ['refused, and yet another came', [failed('t1', ask), received(ask, at(1))], ['t1', '- envelope']],
    ['of two senders', [sent('t1', ask), received({ ...ask, from: 'reader' }, at(1))], ['t1', '- envelope']],
    ['to two recipients', [sent('t1', ask), received({ ...ask, to: 'reader' }, at(1))], ['t1', '- envelope']],
    ['of two types', [sent('t1', ask), received({ ...ask, type: 'other' }, at(1))], ['t1', '- envelope']],
    ['of two contents', [sent('t1', ask), received({ ...ask, content: 'x' }, at(1))], ['t1', '- envelope']],
    ['in two sessions', [sent('t1', ask), received(ask, at(1, { session_id: 's2' }))], ['t1', '- envelope']],
    [
      'in two sessions that have a team of the same name',
      [
        sent('t1', ask, team),
        sent('t2', ask, { session_id: 's2', ...team }),
        received(ask, at(1, { session_id: 's2', ...team })),
      ],
      ['t1', 't2 envelope'],
    ],
    [
      'in files of another team',
      [teamCreated('crew'), sent('t1', ask, team), filed(ask, true, { team: 'x' })],
      ['t1', '- inbox'],
    ],
    [
      'a request and its answer',
      [sent('t1', request), sent('t2', response), received(response)],
      ['t1', 't2 envelope'],
    ],
    [
      'idle twice',
      [received(idle, at(1)), queued(idle, at(1)), received(idle, at(2))],
      ['- envelope queue', '- envelope'],
    ],
    [
      'two broadcasts of the same',
      [sent('t1', news), sent('t2', news), received(heard('writer'), at(1)), received(heard('reader'), at(1))],
      ['t1 envelope envelope', 't2'],
    ],
    [
      'a plan answered by the program and by the model',
      [
        called('t1', { ...answer, approve: false, content: 'No' }, at(2)),
        filed({ ...answer, approve: true, content: null }, true, at(1)),
        filed({ ...answer, approve: false, content: 'No' }, true, at(3)),
        received({ ...answer, approve: true, content: null }, at(1)),
      ].map(inCrew),
      ['- envelope inbox', 't1 inbox'],
    ],
    [
      'a plan approved twice',
      [
        filed(answer, true, at(1)),
        called('t1', answer, at(3)),
        sent('t1', answer, at(3)),
        filed(answer, true, at(4)),
      ].map(inCrew),
      ['- inbox', 't1 inbox'],
    ],
    [
      'read before it was sent, and after',
      [called('t1', ask, at(5)), sent('t1', ask, at(6)), received(ask, at(1)), received(ask, at(7))],
      ['- envelope', 't1 envelope'],
    ],
    [
      'each an entry of an inbox',
      [sent('t1', ask, at(1)), filed(ask, true, at(1)), filed(ask, true, at(2))].map(inCrew),
      ['t1 inbox', '- inbox'],
    ],
    [
      'for two turns nobody knows',
      [
        sent('t1', ask),
        sent('t2', { ...ask, to: 'reader' }),
        received(ask, at(1)),
        received({ ...ask, to: 'a7' }, at(2, { agent: 'a7' })),
        received({ ...ask, to: 'a8' }, at(3, { agent: 'a8' })),
      ],
      ['t1 envelope', 't2 envelope', '- envelope'],
    ],
    [
      'two that are equal in one record',
      [sent('t1', ask), sent('t2', ask), received(ask, at(1)), equal(received(ask, at(1)))],
      ['t1 envelope', 't2 envelope'],
    ],
    [
      'a broadcast and a message of the same',
      [
        sent('t1', news),
        sent('t2', heard('writer')),
        received(heard('writer'), at(1)),
        received(heard('writer'), at(2)),
      ],
      ['t1 envelope', 't2 envelope'],
    ],
  ])('%s', (_name, events, messages) => {
    expect(joinedFrom(events)).toEqual(messages);
  });

  test('any number of the same, in no more time than they need', () => {
    const alike = (count: number) =>
      Array.from({ length: count }, (_, n) => [
        sent(`t${n}`, ask, team),
        received(ask, { session_id: 's2', ...team }),
        filed(ask, true, { time: new Date(n).toISOString() }),
      ]).flat();
    // Quadratic would not end within the time a test has.
    const odd = joinedFrom(alike(20_000)).filter((text, n) => text !== `t${n} envelope inbox`);
    expect(odd.length).toBe(0);
  });
});

describe('a request', () => {
  test.each<[string, Event[], boolean]>([
    ['that nobody answered', [sent('t1', request)], false],
    ['that was answered', [sent('t1', request), received(response)], true],
    ['whose answer never came back', [sent('t1', request), called('t2', response)], true],
    ['whose answer was refused', [sent('t1', request), failed('t2', response)], true],
    ['whose answer is in a file of another team', [sent('t1', request), filed(response, false, { team: 'x' })], true],
    ['known only from a file', [filed(request, false, at(0)), sent('t2', response, at(1))], true],
    ['of another id', [sent('t1', request), received({ ...response, request_id: 'shutdown-2@writer' })], false],
    ['of another kind', [sent('t1', request), received({ ...response, type: 'plan_approval_response' })], false],
    [
      'without an id',
      [sent('t1', { ...request, request_id: null }), received({ ...response, request_id: null })],
      false,
    ],
  ])('%s', (_name, events, answered) => {
    const [message] = joinMessages(messagesOf(events), newAgents());
    expect([message?.call?.type ?? message?.seen[0]?.type, message?.arrived]).toEqual(['shutdown_request', answered]);
  });
});

test('a message that resumed its recipient has arrived', () => {
  const resumed = started('a1', { resumed: true, tool_use_id: 't1' });
  const spawned = started('a2', { tool_use_id: 't9' });
  const events = [sent('t1', ask), sent('t2', ask), spawned];
  for (const order of [
    [...events, resumed],
    [resumed, ...events],
  ]) {
    const messages = joinMessages(messagesOf(order), newAgents());
    expect(messages.map(({ call, arrived }) => `${call?.tool_use_id} ${arrived}`)).toEqual(['t1 true', 't2 false']);
  }
});

/** `t1 queue envelope`: the call, or a dash, and where else it was seen. */
function joinedFrom(events: readonly Event[]): string[] {
  const agents = newAgents();
  for (const event of events) noteAgents(agents, event);
  const messages = joinMessages(messagesOf(events), agents);
  return messages.map(({ call, seen }) => [call?.tool_use_id ?? '-', ...seen.map(({ via }) => via)].join(' '));
}

function known(name: string, id: string): Event {
  return name === 'bob' ? started(id, { name }) : joined(name, id);
}

/** The second of two equal ones in a record. */
function equal(event: Event): Event {
  return Object.assign({}, event, { nth: 2 });
}

function inCrew(event: Event): Event {
  return { ...event, team: 'crew' };
}
