import { describe, expect, test } from 'vitest';
import { type AuditLog, createAuditReader, newAuditLog, noteAudit } from '../../../src/commands/audit/audit.js';
import { type AuditCall, isEarlierSpot, type Spot } from '../../../src/commands/audit/fold.js';
import { excess, ruleNames, rules, teamNamePattern } from '../../../src/commands/audit/row.js';
import type { Event } from '../../../src/core/event/event.js';
import { called, event, filed, received, sent, started, teamCreated } from '../messages/message-events.js';

const fold = (...events: Event[]): AuditLog => {
  const log = newAuditLog();
  for (const event of events) noteAudit(log, event);
  return log;
};

const callsOf = (...events: Event[]): AuditCall[] => {
  const reader = createAuditReader();
  for (const event of events) reader.note(event);
  return [...reader.facts().audit.calls.values()];
};

function toolCalled(tool: string, id: string | null, input: unknown): Event {
  return event('tool:called', { tool, tool_use_id: id, message_id: null, input, message: null });
}

function toolReturned(tool: string | null, id: string, success: boolean, result: unknown): Event {
  return event('tool:returned', { tool, tool_use_id: id, is_error: !success, success, result });
}

test('what happened once is kept once', () => {
  const events = [
    teamCreated('crew'),
    started('a1', { name: 'writer', tool_use_id: 't1', prompt: 'Begin' }),
    toolCalled('TaskUpdate', 't2', { taskId: '1' }),
    toolReturned('TaskUpdate', 't2', false, 'Task not found'),
    called('t3', { from: 'main', to: 'writer', content: 'Hi' }),
    sent('t3', { from: 'main', to: 'writer', content: 'Hi' }),
    received({ from: 'writer', to: 'main', content: 'Ho' }, { time: '2026-11-16T10:00:00.000Z' }),
    filed({ from: 'writer', to: 'main', content: 'Ho' }, false),
  ];
  expect(fold(...events, ...events)).toEqual(fold(...events));
  expect(callsOf(...events, ...events)).toMatchObject(callsOf(...events));
});

test('a call belongs to whoever made it, even if its result is read first', () => {
  const call = { ...toolCalled('TaskUpdate', 't1', { taskId: '1' }), agent: 'a1', source: 'b.jsonl' };
  const back = {
    ...toolReturned(null, 't1', false, { success: false, taskId: '1' }),
    agent: 'main',
    source: 'a.jsonl',
  };
  expect(callsOf(back)).toMatchObject([{ agent: 'main', tool: 'TaskUpdate', task: '1', outcome: 'failed' }]);
  expect(callsOf(back, call)).toMatchObject([{ agent: 'a1' }]);
  expect(callsOf(call, back)).toEqual(callsOf(back, call));
});

test('an event that no finding needs changes nothing', () => {
  const call = toolCalled('TaskList', 't1', {});
  const thought = event('thinking:produced', { message_id: null, model: null, text: 'x' });
  expect(fold(call, thought)).toEqual(fold(call));
});

describe('calls', () => {
  test.each<[tool: string, input: unknown, missing: string[]]>([
    ['TeamCreate', {}, ['team_name']],
    ['TeamCreate', { team_name: 'crew' }, []],
    ['TeamDelete', {}, []],
    ['Teammate', {}, ['operation']],
    ['Teammate', { operation: 'spawnTeam' }, ['team_name']],
    ['Task', { prompt: 'x' }, []],
    ['Task', { prompt: 'x', team_name: 'crew' }, ['name']],
    ['TaskCreate', {}, ['subject', 'description']],
    ['TaskCreate', { subject: '', description: 'x' }, ['subject']],
    ['TaskUpdate', { task_id: 3 }, []],
    ['TaskGet', {}, ['taskId']],
    ['TaskList', {}, []],
    // What was left out by --no-content is not missing.
    ['TaskCreate', null, []],
  ])('%s %j lacks %j', (tool, input, missing) => {
    expect(callsOf(toolCalled(tool, 't1', input))).toMatchObject([{ missing: missing.join(', ') || null }]);
  });

  test.each<[result: unknown, error: string | null, code: string | null]>([
    ['Error: Task not found', 'Task not found', 'task_not_found'],
    ['<tool_use_error>Circular dependency</tool_use_error>', 'Circular dependency', 'circular_dependency'],
    [{ success: false, error: 'rate_limit', message: 'Slow down' }, 'Slow down', 'rate_limit'],
    [[{ type: 'text', text: '{"success":false,"message":"No agent named x"}' }], 'No agent named x', 'agent_not_found'],
    [{ task: null }, 'Task not found', 'task_not_found'],
    [null, null, null],
  ])('%j is the error %j, code %j', (result, error, error_code) => {
    expect(callsOf(toolCalled('TaskUpdate', 't1', {}), toolReturned('TaskUpdate', 't1', false, result))).toMatchObject([
      { outcome: 'failed', error, error_code },
    ]);
  });

  test('of other tools, and without an id, are not kept', () => {
    expect(callsOf(toolCalled('Bash', 't1', {}), toolCalled('TaskList', null, {}))).toEqual([]);
  });

  test('that were taken back are forgotten', () => {
    const taken = event('session:changed', { type: 'user', subtype: 'retracted', tool_use_ids: ['t1'] });
    expect(callsOf(toolCalled('TaskList', 't1', {}), taken)).toEqual([]);
  });

  test('know the time of their result, and who made them', () => {
    const asked = { ...toolCalled('TaskGet', 't1', {}), agent: 'a1', time: '2026-11-16T10:00:00.000Z' };
    const back = {
      ...toolReturned('TaskGet', 't1', true, {}),
      agent: 'main',
      time: '2026-11-16T10:00:09.000Z',
      line: 77,
    };
    expect(callsOf(asked, back)).toMatchObject([{ agent: 'a1', time: back.time, line: 77, outcome: 'ok' }]);
  });
});

describe('the time of what has none', () => {
  const noon = '2026-11-16T12:00:00.000Z';
  const text = event('text:produced', { message_id: null, model: null, text: '' }, { time: noon });

  test.each([
    ['s1', noon],
    ['s2', null],
  ])('is that of what stands before it, in %s', (session_id, at) => {
    const [step] = fold(text, started('a1', {}, { session_id })).members.steps.values();
    expect(step).toMatchObject({ time: null, at });
  });

  test('decides, and else the order of reading', () => {
    const spot = (when: string | null, seq: number): Spot => ({
      ...{ session_id: null, team: null, agent: null, time: null, line: null, source: null },
      at: when,
      seq,
    });
    expect(isEarlierSpot(spot('a', 2), spot('b', 1))).toBe(true);
    expect(isEarlierSpot(spot('a', 1), spot('a', 2))).toBe(true);
    expect(isEarlierSpot(spot(null, 2), spot('b', 1))).toBe(false);
  });
});

describe('deliveries', () => {
  const said = { from: 'writer', to: 'main', content: 'Done' };
  const times = ['2026-11-16T10:00:00.000Z', '2026-11-16T10:00:05.000Z'];

  test('of one message are told apart by their times', () => {
    const arrived = times.map((time) => received({ ...said, delivered_at: time }, { time: times[0] ?? null }));
    expect([...fold(...arrived).messages.arrivals.values()]).toEqual([new Set(times)]);
  });

  test('without a time are one', () => {
    expect(fold(received(said), received(said)).messages.arrivals.size).toBe(0);
  });

  test('show that arrivals can be seen, in a conversation and not in a file', () => {
    expect(fold(received(said)).messages.listeners.size).toBe(1);
    expect(fold(filed(said, true)).messages.listeners.size).toBe(0);
  });
});

describe('limits', () => {
  test('are counted in characters', () => {
    expect(excess('x'.repeat(200), rules.long_subject)).toBeNull();
    expect(excess('x'.repeat(201), rules.long_subject)).toBe(201);
    expect(excess('😀'.repeat(200), rules.long_subject)).toBeNull();
    expect(excess(null, rules.long_subject)).toBeNull();
  });

  test('are those that are documented', () => {
    const table = ruleNames.flatMap((name) => {
      const rule = rules[name];
      return 'max' in rule ? [[name, rule.max, rule.seconds]] : [];
    });
    expect(table).toEqual([
      ['many_teams', 100, null],
      ['many_agents', 50, null],
      ['team_rate', 10, 3600],
      ['agent_rate', 50, 3600],
      ['call_rate', 1000, 60],
      ['long_subject', 200, null],
      ['long_description', 5000, null],
      ['many_tasks', 1000, null],
      ['task_rate', 1000, 86_400],
      ['long_message', 10_000, null],
      ['long_summary', 100, null],
      ['broadcast_rate', 1, 5],
    ]);
    expect(['crew-7', 'Crew', 'a_b', ''].map((name) => teamNamePattern.test(name))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

test('a result without its call is not an update because it names a task', () => {
  const launched = { status: 'async_launched', taskId: 'w1', taskType: 'local_workflow' };
  expect(callsOf(toolReturned(null, 't1', true, launched))).toEqual([]);
  expect(callsOf(toolReturned(null, 't1', true, { success: true, taskId: '1' }))).toHaveLength(1);
});
