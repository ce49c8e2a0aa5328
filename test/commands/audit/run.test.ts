import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { auditedSubjects } from '../../../src/commands/audit/row.js';
import { readAll } from '../../laws/reading.js';
import { cct, rows } from '../../run.js';
import { findings, findingsIn, Story } from './finding-story.js';

const result = { type: 'result', subtype: 'success', is_error: false, num_turns: 1 };

function found(story: Story): string[] {
  return findings('run', story.text).map(({ rule, agent, tool_use_id, detail }) =>
    [rule, agent, tool_use_id ?? '-', detail].join(' | '),
  );
}

test('a failed run has the time of the record before its result, which has none', async () => {
  const shown = await rows(['audit', '-q', 'fixtures/sessions/stop-int-2.1.325.ndjson']);
  const [last] = shown.filter(({ rule }) => rule === 'run_failed');
  expect(last).toMatchObject({ time: '2026-11-16T12:13:22.587Z', detail: 'stopped: interrupted' });
});

test('calls that were refused did not fail', async () => {
  const shown = await rows(['audit', '-q', '--of', 'calls', 'fixtures/sessions/permit-control-2.1.326.ndjson']);
  expect(shown.map(({ detail }) => detail)).toEqual([
    '1 call of Bash was refused or interrupted',
    '1 call of Bash was refused or interrupted',
  ]);
  const story = new Story();
  story.call('Bash', { command: 'false' }, {}, { error: 'Exit code 1' });
  const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected";
  story.call('Bash', { command: 'rm x' }, {}, { error: refusal });
  expect(findings('calls', story.text).map(({ detail }) => detail)).toEqual([
    '1 call of Bash failed, 1 was refused or interrupted',
  ]);
});

describe('a turn that failed before the session went on', () => {
  const home = 'fixtures/files/failed-then-continued-2.1.328';
  const failed = { rule: 'turn_failed', time: '2026-11-20T00:49:16.645Z', detail: 'failed: API error 529' };
  const runs = [`${home}/run-1.ndjson`, `${home}/run-2.ndjson`];

  test.each([[[home]], [runs], [runs.toReversed()]])('is named if each run has a file: %s', async (files) => {
    expect(await rows(['audit', '-q', ...files])).toMatchObject([failed]);
  });

  test('has the time of its result, also if other turns follow in its file', () => {
    const joined = Buffer.concat(runs.map((path) => readFileSync(path)));
    const other = 'fixtures/sessions/one-shot.ndjson';
    const files = [
      { path: 'joined.ndjson', bytes: joined },
      { path: other, bytes: readFileSync(other) },
    ];
    expect(findingsIn('run', readAll(files).events)).toMatchObject([failed]);
  });
});

describe('a run that broke off', () => {
  test('has no result', () => {
    expect(found(new Story())).toEqual(['no_result |  | - | the stream ended without a result']);
    expect(found(new Story().put(result))).toEqual([]);
  });

  test('names the calls that had not come back', () => {
    const story = new Story();
    story.call('Bash', { command: 'true' }, {});
    const id = story.open('Bash', { command: 'sleep 99' });
    expect(found(story)).toEqual([
      `open_call | main | ${id} | Bash had not come back`,
      'no_result |  | - | the stream ended without a result',
    ]);
    // The program says how it ended: what it left open is its own business.
    expect(found(story.put(result))).toEqual([]);
  });

  test('in a real one: calls, agents and the missing result', async () => {
    const shown = await rows(['audit', '-q', 'fixtures/sessions/killed-midway.ndjson']);
    const lines = shown.map(({ rule, agent, line }) => `${rule} ${agent} ${line}`);
    expect(lines.sort()).toEqual([
      'failed_call team-lead 15',
      'no_result null null',
      'open_agent researcher null',
      'open_agent writer null',
      'open_call team-lead 24',
      'open_call team-lead 25',
    ]);
  });

  test('a call whose result is in another file is not open, whichever is read first', () => {
    const cut = new Story();
    const id = cut.open('Bash', { command: 'true' });
    const block = { type: 'tool_result', tool_use_id: id, content: 'ok' };
    const row = { type: 'user', sessionId: cut.session, uuid: 'r1', message: { role: 'user', content: [block] } };
    const files = [
      { path: 'run.ndjson', bytes: Buffer.from(cut.text) },
      { path: 'session.jsonl', bytes: Buffer.from(`${JSON.stringify(row)}\n`) },
    ];
    for (const order of [files, files.toReversed()])
      expect(findingsIn('run', readAll(order).events).map(({ rule }) => rule)).toEqual(['no_result']);
  });
});

describe('several files', () => {
  const whole = 'fixtures/sessions/team-2.1.325.ndjson';
  const lines = readFileSync(whole, 'utf8').split('\n');
  const part = (name: string, count: number) => ({
    path: name,
    bytes: Buffer.from(`${lines.slice(0, count).join('\n')}\n`),
  });
  const rulesOf = (files: { path: string; bytes: Buffer }[]) => {
    const [one, other] = [files, files.toReversed()].map((order) =>
      findingsIn('run', readAll(order).events).map(({ rule, agent }) => `${rule} ${agent}`),
    );
    expect(one).toEqual(other);
    return one;
  };

  test('of one stream: the whole one says that it ended', () => {
    expect(rulesOf([part('cut.ndjson', 20), part('whole.ndjson', lines.length)])).toEqual([]);
    expect(rulesOf([part('cut.ndjson', 20), part('more.ndjson', 30)])).toContain('no_result null');
  });

  test('a session that was resumed, and broke off then', () => {
    const first = new Story().put(result);
    const again = new Story();
    again.lines.splice(0, 1, { ...again.lines[0], uuid: 'the second init' });
    const files = [
      { path: 'first.ndjson', bytes: Buffer.from(first.text) },
      { path: 'again.ndjson', bytes: Buffer.from(again.text) },
    ];
    expect(rulesOf(files)).toEqual(['no_result null']);
  });

  test('the transcript of a stream does not open it again', async () => {
    const home = 'fixtures/files/cleared-2.1.140';
    const transcript = `${home}/projects/-home-dev-project/9fa2b977-ee6d-42e7-bef4-299d5bc1c6a6.jsonl`;
    const shown = await rows(['audit', '-q', `${home}/run.ndjson`, transcript]);
    expect(shown.map(({ rule }) => rule)).toEqual(['context_full']);
  });
});

describe('context_full', () => {
  const home = 'fixtures/files/cleared-2.1.140';
  const stream = 'fixtures/sessions/autocompact-2.1.325.ndjson';

  test('a compaction, and a prompt that nearly fills the window, are notes', async () => {
    const { code, stdout } = await cct(['audit', '-e', stream]);
    expect(code).toBe(0);
    const about = { rule: 'context_full', severity: 'note', agent: 'main' };
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { ...about, line: 10, detail: 'compacted (auto), 192119 tokens before and 2699 after' },
      // The program reports the window.
      { ...about, line: 5, detail: 'a prompt of 192005 tokens to claude-opus-4-6, whose window is 200000' },
    ]);
  });

  test('a compaction that the stream and the transcript show is one, with the time of the transcript', async () => {
    const files = [
      `${home}/run.ndjson`,
      `${home}/projects/-home-dev-project/9fa2b977-ee6d-42e7-bef4-299d5bc1c6a6.jsonl`,
    ];
    // 2.1.325 writes the figures of a compaction in another order.
    const both = [stream, 'fixtures/files/autocompact-2.1.325'];
    for (const order of [files, files.toReversed(), both, both.toReversed()]) {
      const shown = await rows(['audit', '-q', ...order]);
      const full = shown.filter(({ detail }) => String(detail).startsWith('compacted'));
      expect(full).toMatchObject([{ time: expect.stringMatching(/^2026-/), agent: 'main', rule: 'context_full' }]);
    }
  });

  test.each([
    [180_001, 200_000, 1],
    [180_000, 200_000, 0],
    [180_001, null, 0],
    [180_001, 1_000_000, 0],
  ])('a prompt of %d tokens, window %d', async (tokens, window, count) => {
    const at = { cct: 1, session_id: 's', team: null, agent: 'main' };
    const counts = { output_tokens: 5, cache_write_5m_tokens: 0, cache_write_1h_tokens: 1000, web_search_requests: 0 };
    const recorded = {
      ...{ ...at, seq: 1, event: 'usage:recorded', time: null, line: 1, message_id: 'm1', request_id: null },
      ...{ model: 'claude-opus-4-6', ...counts, input_tokens: 1, cache_read_tokens: tokens - 1001 },
      ...{ speed: null, service_tier: null, inference_geo: null, final: true, transcript: false },
      ...{ iteration: null, iteration_type: null },
    };
    const ended = JSON.parse(
      (await cct(['normalize', '--event', 'session:ended', stream])).stdout.split('\n')[0] ?? '',
    );
    const [[, usage] = []] = Object.entries<object>(ended.model_usage);
    const model_usage = { 'claude-opus-4-6[1m]': { ...usage, context_window: window } };
    const lines = [recorded, { ...ended, ...at, seq: 2, line: 2, model_usage }];
    const shown = await rows(['audit'], lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect(shown).toMatchObject(
      count === 0
        ? []
        : [
            {
              rule: 'context_full',
              line: 1,
              detail: `a prompt of ${tokens} tokens to claude-opus-4-6, whose window is ${window}`,
            },
          ],
    );
  });
});

describe('cct audit', () => {
  test.each(['2.1.39', '2.1.140', '2.1.325'])('has everything that the audits of %s have', async (version) => {
    const file = `fixtures/sessions/team-${version}.ndjson`;
    const single = await Promise.all(auditedSubjects.map((name) => rows(['audit', '--of', name, file])));
    const all = await rows(['audit', file]);
    expect(all.length).toBeGreaterThan(0);
    expect(all.map((row) => JSON.stringify(row)).sort()).toEqual(
      single
        .flat()
        .map((row) => JSON.stringify(row))
        .sort(),
    );
  });

  test('-e is 1 for a problem', async () => {
    expect((await cct(['audit', '-e', '-q', 'fixtures/sessions/killed-midway.ndjson'])).code).toBe(1);
    expect((await cct(['audit', '-q', 'fixtures/sessions/killed-midway.ndjson'])).code).toBe(0);
    expect((await cct(['audit', '-e'])).code).toBe(0);
  });

  test('--limit leaves problems out of the list, not out of the exit code', async () => {
    const file = 'fixtures/sessions/killed-midway.ndjson';
    const ran = await cct(['audit', '-e', '-q', '--limit', '1', '-f', 'table', file]);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/\n… 5 more not shown\n$/);
  });
});
