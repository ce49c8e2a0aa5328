import { describe, expect, test } from 'vitest';
import { createNormalizer, type NormalizerOptions } from '../../../src/core/wire/normalize.js';
import { nowhere, placeOf } from '../../../src/core/wire/sessions.js';
import { ParsedRecord } from '../../../src/core/wire/view.js';
import type { Event } from '../../../src/lib.js';
import type { JsonObject } from '../../json.js';

const init = { type: 'system', subtype: 'init', session_id: 's1', uuid: 'i1', model: 'opus' };
const prompt = { type: 'user', message: { content: 'hello' } };

describe('whose record it is', () => {
  test.each<[string, object[], (string | null)[]]>([
    ['its own session', [{ ...prompt, session_id: 's2' }], ['s2']],
    ['the one before it', [{ ...prompt, session_id: 's2' }, prompt, prompt], ['s2', 's2', 's2']],
    ['nobody’s, before any', [prompt, { ...prompt, session_id: 's2' }], [null, 's2']],
    [
      'an unknown record does not change it',
      [{ ...prompt, session_id: 's2' }, { type: 'x', session_id: 's3' }, prompt],
      ['s2', 's3', 's2'],
    ],
    ['a session by number', [{ ...prompt, session_id: 7 }, prompt], ['7', '7']],
  ])('%s', (_what, records, expected) => {
    expect(run(records).map(({ session_id }) => session_id)).toEqual(expected);
  });

  test('a new file begins anew, with the session its path names', () => {
    const { events, normalizer } = normalizing();
    normalizer.begin(nowhere);
    normalizer.record(new ParsedRecord({ ...prompt, session_id: 's1' }), 1, null);
    normalizer.begin(placeOf('s9/subagents/agent-a1.jsonl'));
    normalizer.record(new ParsedRecord({ ...prompt, isSidechain: true, parentUuid: 'p' }), 1, null);
    normalizer.begin(nowhere);
    normalizer.record(new ParsedRecord(prompt), 1, null);
    const said = events
      .filter(({ event }) => event === 'prompt:received')
      .map(({ session_id, agent }) => [session_id, agent]);
    expect(said).toEqual([
      ['s1', 'main'],
      ['s9', 'a1'],
      [null, 'main'],
    ]);
  });
});

describe('when it happened', () => {
  test.each<[string, object, string | null, string | null]>([
    [
      'its own time',
      { ...prompt, timestamp: '2026-11-15T10:00:00Z' },
      '2026-01-01T00:00:00.000Z',
      '2026-11-15T10:00:00.000Z',
    ],
    ['the time before the line', prompt, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['unknown', prompt, null, null],
    ['nonsense', { ...prompt, timestamp: 'soon' }, null, null],
  ])('%s', (_what, record, before, time) => {
    const { events, normalizer } = normalizing();
    normalizer.record(new ParsedRecord({ ...record }), 1, { time: before, said: null, ci: null, outer: null });
    expect(events.map((event) => event.time)).toEqual([time]);
  });

  test('--stamp fills only what is unknown', () => {
    const { events, normalizer } = normalizing({ stamp: () => 'now' });
    normalizer.record(new ParsedRecord(prompt), 1, null);
    normalizer.record(new ParsedRecord({ ...prompt, timestamp: '2026-11-15T10:00:00Z' }), 2, null);
    expect(events.map((event) => event.time)).toEqual(['now', '2026-11-15T10:00:00.000Z']);
  });
});

test('an event written before messages were kept whole is still read', () => {
  const message = { type: 'message', from: 'a', to: 'b', recipients: ['b'], summary: null, content: 'x' };
  const rest = { request_id: null, approve: null, status: 'sent', error: null, error_code: null };
  const own = { message: { ...message, ...rest, delivered_at: null, tool_use_id: null } };
  const place = { seq: 1, time: null, session_id: 's', team: null, agent: 'main', line: 1 };
  const event = { cct: 1, event: 'team:message:sent', ...place, category: 'team_message', tool_use_id: null, ...own };
  expect(run([event])).toEqual([event]);
});

describe('what is added on request', () => {
  test('the record itself, last', () => {
    const [event] = run([prompt], { raw: true });
    expect(event?.raw).toEqual(prompt);
    expect(Object.keys(event ?? {}).at(-1)).toBe('raw');
  });

  test('unknown records have theirs always', () => {
    expect(run([{ type: 'mystery', x: 1 }])).toMatchObject([{ event: 'unknown', raw: { type: 'mystery', x: 1 } }]);
  });

  test('the file, after the line', () => {
    const { events, normalizer } = normalizing({ several: true });
    normalizer.begin(placeOf('a.ndjson'));
    normalizer.record(new ParsedRecord(prompt), 3, null);
    expect(Object.keys(events[0] ?? {}).slice(7, 9)).toEqual(['line', 'source']);
    expect(events[0]).toMatchObject({ line: 3, source: 'a.ndjson' });
  });
});

describe('damage', () => {
  test('is an event of the session at hand', () => {
    const { events, normalizer } = normalizing();
    normalizer.record(new ParsedRecord(init), 1, null);
    normalizer.skipped(2, 'not JSON', 17);
    expect(events.at(-1)).toMatchObject({
      event: 'input:skipped',
      session_id: 's1',
      line: 2,
      reason: 'not JSON',
      bytes: 17,
    });
  });
});

describe('which results matter', () => {
  const call = (id: string, name: string): JsonObject => ({
    type: 'assistant',
    session_id: 's1',
    message: { content: [{ type: 'tool_use', id, name }] },
  });
  const result = (id: string): JsonObject => ({
    type: 'user',
    session_id: 's1',
    message: { content: [{ type: 'tool_result', tool_use_id: id }] },
  });

  test('the tool of a call is known until its result comes', () => {
    const { normalizer } = normalizing();
    for (const [id, name] of [
      ['a', 'Agent'],
      ['b', 'Bash'],
      ['c', 'TaskUpdate'],
      ['d', 'Read'],
      ['e', 'toString'],
    ] as const)
      normalizer.record(new ParsedRecord(call(id, name)), 1, null);
    const toolOf = (id: string) => normalizer.openCalls().find((open) => open.id === id)?.tool ?? null;
    expect(['a', 'b', 'e', 'f'].map(toolOf)).toEqual(['Agent', 'Bash', 'toString', null]);
    normalizer.record(new ParsedRecord(result('a')), 2, null);
    expect(toolOf('a')).toBe(null);
  });
});

describe('the protocol moves on', () => {
  test('an unknown team tool is named, once', () => {
    const warnings: string[] = [];
    const call = (id: string, name: string): object => ({
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id, name }] },
    });
    run([call('1', 'TeamRename'), call('2', 'TeamRename'), call('3', 'TeamCreate'), call('4', 'Bash')], {
      warn: (text) => warnings.push(text),
    });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('TeamRename');
  });
});

describe('results whose call is not in the input', () => {
  const team = { category: 'team_state_change' };
  test.each<[string, unknown, string, object]>([
    [
      'a team',
      { team_name: 'crew', team_file_path: '/x', lead_agent_id: 'team-lead@crew' },
      'team:created',
      { ...team, name: 'crew' },
    ],
    ['a cleanup', { success: true, team_name: 'crew' }, 'team:deleted', { ...team, name: 'crew' }],
    ['a refused cleanup', { success: false, team_name: 'crew', message: 'no' }, 'team:cleanup_failed', { error: 'no' }],
    [
      'a teammate',
      { status: 'teammate_spawned', teammate_id: 'w@crew', name: 'w', team_name: 'crew' },
      'agent:started',
      { agent: 'w@crew', name: 'w' },
    ],
    ['an agent', { status: 'async_launched', agentId: 'a1' }, 'agent:started', { agent: 'a1', background: true }],
    [
      'a workflow is no agent',
      { status: 'async_launched', taskId: 'w1', taskType: 'local_workflow' },
      'agent:started',
      { agent: 'main', task_type: 'local_workflow' },
    ],
    ['a message', { success: true, routing: { sender: 'a', target: '@b' } }, 'team:message:sent', {}],
    [
      'a new task',
      { task: { id: '1', subject: 'x' } },
      'team:task:created',
      { task: expect.objectContaining({ id: '1', status: 'pending' }) },
    ],
    [
      'a task that was read',
      { task: { id: '1', subject: 'x', status: 'completed' } },
      'team:task:completed',
      { task: expect.objectContaining({ id: '1', status: 'completed' }) },
    ],
    [
      'a changed task',
      { success: true, taskId: '1', statusChange: { from: 'pending', to: 'in_progress' } },
      'team:task:claimed',
      {},
    ],
    ['a list of tasks', { tasks: [{ id: '1', subject: 'x', status: 'pending' }] }, 'team:task:updated', {}],
  ])('%s', (_what, data, event, expected) => {
    const events = run([
      {
        type: 'user',
        session_id: 's1',
        message: { content: [{ type: 'tool_result', tool_use_id: 'x', content: '' }] },
        tool_use_result: data,
      },
    ]);
    expect(events.find((one) => one.event === event)).toMatchObject(expected);
  });

  test.each([{ stdout: 'x' }, { success: true }, { tasks: ['x'] }, { task: {} }, { taskId: '1' }, [], 'text', null])(
    '%j says nothing more',
    (data) => {
      const events = run([
        {
          type: 'user',
          message: { content: [{ type: 'tool_result', tool_use_id: 'x', content: 'ok' }] },
          tool_use_result: data,
        },
      ]);
      expect(events.map(({ event }) => event)).toEqual(['tool:returned']);
    },
  );
});

function run(records: readonly object[], options: Partial<NormalizerOptions> = {}): Event[] {
  const { events, normalizer } = normalizing(options);
  for (const [index, record] of records.entries()) normalizer.record(new ParsedRecord({ ...record }), index + 1, null);
  return events;
}

function normalizing(options: Partial<NormalizerOptions> = {}) {
  const events: Event[] = [];
  return { events, normalizer: createNormalizer({ emit: (event) => events.push(event), ...options }) };
}
