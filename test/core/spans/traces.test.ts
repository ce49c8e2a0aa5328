// What spans are made of, in small streams: who waited for whom, what is open, what links to what.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { accountRows, spanRows } from '../../../src/commands/trace/fold.js';
import { readAll } from '../../laws/reading.js';
import { ndjson } from '../../streams.js';
import { tracesIn } from './traces-in.js';

const session_id = '11111111-2222-3333-4444-555555555555';

/** A record at a second of a run; null: it has no time. */
function at(second: number | null, record: object): object {
  const timestamp = second === null ? {} : { timestamp: new Date(Date.UTC(2026, 10, 16, 9, 0, second)).toISOString() };
  return { ...record, session_id, ...timestamp };
}

const init = { type: 'system', subtype: 'init', model: 'claude-opus-4-6', tools: ['Bash'], uuid: 'u-init' };

function prompt(text: string): object {
  return { type: 'user', uuid: `u-${text}`, message: { role: 'user', content: text } };
}

function calls(message: string, ...blocks: [id: string, name: string, input?: object][]): object {
  const content = blocks.map(([id, name, input = {}]) => ({ type: 'tool_use', id, name, input }));
  return assistant(message, content);
}

function says(message: string, text: string): object {
  return assistant(message, [{ type: 'text', text }]);
}

function assistant(id: string, content: readonly object[]): object {
  const usage = { input_tokens: 10, output_tokens: 5 };
  return {
    type: 'assistant',
    uuid: `u-${id}-${JSON.stringify(content).length}`,
    message: { id, model: 'claude-opus-4-6', role: 'assistant', content, usage },
  };
}

function returns(tool_use_id: string, content = 'ok'): object {
  return {
    type: 'user',
    uuid: `u-r-${tool_use_id}`,
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id, content }] },
  };
}

const ended = { type: 'result', subtype: 'success', is_error: false, uuid: 'u-result' };

function tracesOf(records: readonly object[]) {
  return tracesIn(readAll([{ path: null, bytes: Buffer.from(ndjson(records)) }]).events);
}

function accounts(records: readonly object[]) {
  return tracesOf(records)
    .flatMap(accountRows)
    .map(({ name, wall_ms, active_ms, tool_ms, wait_agent_ms, wait_person_ms, idle_ms, critical_ms }) => ({
      ...{ name, wall_ms, active_ms, tool_ms, wait_agent_ms, wait_person_ms, idle_ms, critical_ms },
    }));
}

function spans(records: readonly object[]) {
  return tracesOf(records).flatMap(spanRows);
}

const asked = {
  type: 'control_request',
  request_id: 'r1',
  request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {} },
};
const allowed = { type: 'control_response', response: { subtype: 'success', request_id: 'r1', response: {} } };

describe('waits for a person', () => {
  const during = (...records: object[]) => [
    at(null, init),
    at(0, prompt('go')),
    at(2, calls('m1', ['t1', 'Bash'])),
    ...records,
    at(9, returns('t1')),
    at(10, says('m2', 'done')),
    at(null, ended),
  ];

  test('a permission that was asked for is not the time of the tool', () => {
    expect(accounts(during(at(3, asked), at(7, allowed)))).toEqual([
      {
        name: 'main',
        wall_ms: 10_000,
        active_ms: 3000,
        tool_ms: 3000,
        wait_agent_ms: 0,
        wait_person_ms: 4000,
        idle_ms: 0,
        critical_ms: 10_000,
      },
    ]);
  });

  test('without an answer it goes on to the next thing that happens', () => {
    expect(accounts(during(at(3, asked)))).toMatchObject([{ tool_ms: 1000, wait_person_ms: 6000 }]);
  });

  test('a permission hook counts too', () => {
    const hook = { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: {}, cwd: '/home/dev' };
    expect(accounts(during(at(4, hook)))).toMatchObject([{ tool_ms: 2000, wait_person_ms: 5000 }]);
  });

  test('a question is one as a whole', () => {
    const records = [
      at(0, prompt('go')),
      at(1, calls('m1', ['t1', 'AskUserQuestion'])),
      at(61, returns('t1')),
      at(62, says('m2', 'ok')),
    ];
    expect(accounts(records)).toMatchObject([{ active_ms: 2000, tool_ms: 0, wait_person_ms: 60_000 }]);
  });

  test('is not known where nothing could show it', () => {
    expect(accounts(during())).toMatchObject([{ tool_ms: 7000, wait_person_ms: null }]);
  });
});

describe('agents', () => {
  const started = { subagent_type: 'Explore', description: 'Look', prompt: 'look' };
  const inside = (record: object) => ({ ...record, parent_tool_use_id: 'a1' });
  const front = [
    at(null, init),
    at(0, prompt('go')),
    at(1, calls('m1', ['a1', 'Agent', started])),
    at(2, inside(calls('m2', ['t2', 'Bash']))),
    at(8, inside(returns('t2'))),
    at(11, returns('a1')),
    at(12, says('m3', 'done')),
    at(null, ended),
  ];

  test('whoever runs one waits for it, and the path goes through it', () => {
    expect(accounts(front)).toMatchObject([
      { name: 'main', wall_ms: 12_000, active_ms: 2000, tool_ms: 0, wait_agent_ms: 10_000, critical_ms: 2000 },
      { name: 'Look', wall_ms: 10_000, active_ms: 4000, tool_ms: 6000, critical_ms: 10_000 },
    ]);
  });

  test('an agent stands below the call that spawned it', () => {
    const all = spans(front);
    const look = all.find(({ kind, label }) => kind === 'agent' && label === 'Look');
    expect(all.find(({ span_id }) => span_id === look?.parent_id)?.tool_use_id).toBe('a1');
  });

  test('of parallel calls the one that came back last is on the path', () => {
    const records = [
      at(0, prompt('go')),
      at(1, calls('m1', ['t1', 'Bash'], ['t2', 'Read'])),
      at(3, returns('t1')),
      at(9, returns('t2')),
      at(10, says('m2', 'ok')),
    ];
    const critical = spans(records).map(({ label, critical_ms }) => [label, critical_ms]);
    expect(critical).toContainEqual(['Bash', 0]);
    expect(critical).toContainEqual(['Read', 8000]);
  });
});

describe('what never came back', () => {
  test('is open, and ends with the input', () => {
    const records = [
      at(null, init),
      at(0, prompt('go')),
      at(1, calls('m1', ['t1', 'Bash'], ['t2', 'Read'])),
      at(5, returns('t2')),
    ];
    const open = spans(records)
      .filter((span) => span.open)
      .map(({ kind, label, duration_ms }) => [kind, label, duration_ms]);
    expect(open).toEqual([
      ['team', 'session-11111111', 5000],
      ['agent', 'main', 5000],
      ['turn', 'turn 1', 5000],
      ['call', 'Bash', 4000],
    ]);
  });

  test('ends with the next turn, where there is one', () => {
    const next = { ...init, uuid: 'u-init-2' };
    const records = [
      at(null, init),
      at(0, prompt('go')),
      at(1, calls('m1', ['t1', 'Bash'])),
      at(null, next),
      at(60, prompt('and')),
      at(62, says('m2', 'ok')),
      at(null, ended),
    ];
    expect(spans(records).find(({ tool_use_id }) => tool_use_id === 't1')).toMatchObject({
      open: true,
      duration_ms: 59_000,
    });
  });

  test('is no call if it was taken back', () => {
    const bytes = readFileSync('fixtures/sessions/superseded.ndjson');
    const { events } = readAll([{ path: null, bytes }]);
    const lost = events.flatMap((event) => (event.event === 'session:changed' ? (event.tool_use_ids ?? []) : []));
    expect(lost).not.toEqual([]);
    const rows = tracesIn(events).flatMap(spanRows);
    expect(rows.map(({ tool_use_id }) => tool_use_id).filter((id) => id !== null && lost.includes(id))).toEqual([]);
  });
});

describe('without times', () => {
  const records = [init, prompt('go'), calls('m1', ['t1', 'Bash']), returns('t1'), says('m2', 'ok'), ended].map(
    (record) => at(null, record),
  );

  test('every record takes one unit', () => {
    const [trace] = tracesOf(records);
    expect(trace?.toScale).toBe(false);
    expect(spans(records).map(({ kind, time, start_ms, duration_ms }) => [kind, time, start_ms, duration_ms])).toEqual([
      ['team', null, 0, 5],
      ['agent', null, 0, 5],
      ['turn', null, 1, 3],
      ['chat', null, 1, 1],
      ['call', null, 2, 1],
      ['chat', null, 3, 1],
    ]);
  });

  test('one time is enough for a scale; what has none stands at the record before it', () => {
    const some = records.map((record, index) =>
      index === 3 ? { ...record, timestamp: '2026-11-16T09:00:07.000Z' } : record,
    );
    expect(spans(some).map(({ kind, time, estimated }) => [kind, time, estimated])).toContainEqual([
      'call',
      '2026-11-16T09:00:07.000Z',
      true,
    ]);
  });
});

test('a run is not joined with the log of another one', () => {
  const [first, second] = [1, 2].map((run) =>
    readFileSync(`fixtures/files/resumed-in-another-container/review-${run}.ndjson`, 'utf8'),
  );
  const run = {
    ...{ cct: 1, seq: 1, event: 'run:started', time: '2026-11-16T09:00:00.000Z', session_id: null, team: null },
    ...{ agent: null, line: 1, ci: 'github-actions', workflow: 'nightly', run_id: '77', commit: null },
    ...{ pull_request: null, traceparent: null, labels: {}, command: ['claude', '-p'] },
  };
  const parts = [
    { path: 'first', bytes: Buffer.from(first ?? '') },
    { path: 'second', bytes: Buffer.from(`${ndjson([run])}${second}`) },
  ];
  for (const order of [parts, parts.toReversed()]) {
    const said = tracesIn(readAll(order).events).map((trace) => trace.run);
    expect(said).toMatchObject([{ workflow: null, run_id: null, labels: { service: 'review-1' } }]);
  }
});

test('an agent without a record of its own has no times, and a count of records is no time', () => {
  const call = calls('m1', ['a1', 'Agent', { description: 'Look', prompt: 'look', run_in_background: true }]);
  const started = {
    type: 'system',
    subtype: 'task_started',
    task_id: 'b1',
    tool_use_id: 'a1',
    task_type: 'local_agent',
  };
  const records = [at(0, prompt('go')), at(1, call), at(1, started), at(9, says('m2', 'ok'))];
  const unknown = { wall_ms: null, active_ms: null, tool_ms: null, wait_agent_ms: null, idle_ms: null };
  expect(accounts(records)).toMatchObject([
    { name: 'main', wall_ms: 9000 },
    { name: 'Look', ...unknown },
  ]);
  const untimed = tracesOf([prompt('go'), call, started, says('m2', 'ok')].map((record) => at(null, record)));
  expect(untimed.flatMap(accountRows)).toMatchObject([
    { ...unknown, critical_ms: null, records: 3 },
    { ...unknown, critical_ms: null, records: null },
  ]);
});

test('a turn that tried again for long after its last call is as long as its result says', () => {
  const bytes = readFileSync('fixtures/sessions/api-error.ndjson');
  const [trace] = tracesIn(readAll([{ path: null, bytes }]).events);
  expect(/"duration_ms":(\d+)/.exec(bytes.toString())?.[1]).toBe('2279');
  expect((trace?.root.end ?? 0) - (trace?.root.start ?? 0)).toBe(2279);
});
