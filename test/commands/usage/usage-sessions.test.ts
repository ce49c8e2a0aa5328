import { describe, expect, test } from 'vitest';
import type { UsageKey } from '../../../src/lib.js';
import { readAll, readText } from '../../laws/reading.js';
import { cct, rows } from '../../run.js';
import { init, opus, result, row, said, story } from './usage-story.js';
import { home, messageRows, rowsOf, session, written } from './used.js';

const only = (input: Parameters<typeof rowsOf>[0], by: readonly UsageKey[]) => rowsOf(input, by)[0];

describe('weeks and months', () => {
  const at = (time: string) => story(said('m1', { input: 5 }, { at: time }));
  test.each([
    ['2026-11-16T08:00:00.000Z', 'UTC', '2026-W47', '2026-11'],
    ['2026-11-15T23:30:00.000Z', 'UTC', '2026-W46', '2026-11'],
    ['2026-11-15T23:30:00.000Z', 'Europe/Berlin', '2026-W47', '2026-11'],
    // A week belongs to the year of its Thursday.
    ['2027-01-01T12:00:00.000Z', 'UTC', '2026-W53', '2027-01'],
    ['2024-12-30T12:00:00.000Z', 'UTC', '2025-W01', '2024-12'],
    ['2026-10-31T23:30:00.000Z', 'Europe/Berlin', '2026-W44', '2026-11'],
  ])('%s in %s', (time, timezone, week, month) => {
    expect(rowsOf(at(time), ['week', 'month'], { timezone })).toMatchObject([{ week, month }]);
    expect(rowsOf(at(time), ['message', 'week', 'month'], { timezone })).toMatchObject([{ week, month }]);
  });

  test.each(['2026-99-99T00:00:00Z', 'soon', null])('%s is no time', (time) => {
    const event = {
      cct: 1,
      seq: 1,
      event: 'usage:recorded',
      time,
      session_id: 's1',
      team: null,
      agent: 'main',
      line: 1,
    };
    const counts = { input_tokens: 5, output_tokens: 0, cache_write_5m_tokens: 0, cache_write_1h_tokens: 0 };
    const own = { message_id: 'm1', request_id: null, model: opus, ...counts, cache_read_tokens: 0 };
    const rest = { web_search_requests: 0, speed: null, service_tier: null, inference_geo: null, final: true };
    const text = story({ ...event, ...own, ...rest, transcript: false, iteration: null, iteration_type: null });
    expect(only(text, ['week'])).toMatchObject({ week: null, messages: 1 });
  });

  test('a table of messages shows the day that was asked for', async () => {
    const { stdout } = await cct(['usage', '--by', 'message,day', '-f', 'table'], session('one-shot'));
    expect(stdout).toMatch(/^DAY .*\n2026-11-15 /m);
  });
});

describe('where a session belongs', () => {
  test('a stream names its project and version, its transcript the branch too', () => {
    expect(only(session('autocompact-2.1.325'), ['session'])).toMatchObject({
      project: '/home/dev/project',
      branch: null,
      version: '2.1.325',
      started_at: '2026-11-16T11:59:02.474Z',
      ended_at: '2026-11-16T11:59:03.415Z',
      outcome: 'finished',
    });
    expect(only(home('autocompact-2.1.325'), ['project', 'branch', 'version'])).toMatchObject({
      project: '/home/dev/project',
      branch: 'main',
      version: '2.1.325',
      messages: 4,
    });
  });

  test('the first of each counts, whichever file is read first', () => {
    const begun = {
      ...row('m1', { input: 5 }, { at: '2026-11-16T08:00:00.000Z' }),
      cwd: '/a',
      version: '2.1.1',
      gitBranch: 'main',
    };
    const moved = {
      ...row('m2', { input: 7 }, { at: '2026-11-16T09:00:00.000Z' }),
      cwd: '/b',
      version: '2.1.2',
      gitBranch: 'fix',
    };
    const first = { path: 'a.jsonl', bytes: Buffer.from(story(begun)) };
    const second = { path: 'b.jsonl', bytes: Buffer.from(story(moved)) };
    for (const files of [
      [first, second],
      [second, first],
    ]) {
      expect(rowsOf(files, ['project', 'branch', 'version'])).toMatchObject([
        { project: '/a', branch: 'main', version: '2.1.1', messages: 2 },
      ]);
      expect(only(files, ['session'])?.started_at).toBe('2026-11-16T08:00:00.000Z');
    }
  });

  test.each([
    ['finished', [init(), said('m1', { input: 5 }), result({ [opus]: { input: 5 } })]],
    ['failed', [init(), said('m1', { input: 5 }), result({}, { subtype: 'error_max_turns', is_error: true })]],
    ['stopped', [init(), said('m1', { input: 5 }), result({}, { subtype: 'error_during_execution', is_error: true })]],
    ['unfinished', [init(), said('m1', { input: 5 })]],
    [
      'unfinished',
      [init(), said('m1', { input: 5 }), result({ [opus]: { input: 5 } }), init(), said('m2', { input: 5 })],
    ],
    [null, [row('m1', { input: 5 })]],
  ])('its outcome: %s', (outcome, records) => {
    const text = story(...records);
    expect(only(text, ['session'])?.outcome).toBe(outcome);
    expect(only(messageRows(text), ['session'])?.outcome).toBe(outcome);
  });

  test('a stream that was interrupted and has no result was stopped', () => {
    expect(only(session('stop-agents-int-2.1.325'), ['session'])?.outcome).toBe('stopped');
    expect(only(session('stop-term-2.1.140'), ['session'])?.outcome).toBe('unfinished');
  });

  const run = { cct: 1, seq: 1, event: 'run:started', time: '2026-11-16T08:00:00.000Z', session_id: null, team: null };
  const job = {
    agent: null,
    line: 1,
    workflow: null,
    run_id: '7',
    commit: null,
    pull_request: null,
    traceparent: null,
  };
  const kept = { ...run, ...job, ci: 'github-actions', labels: { ticket: '123' }, command: ['claude'] };
  const places = (input: Parameters<typeof rowsOf>[0]) =>
    rowsOf(input, ['session']).map((one) => [one['session_id'], one.ci, one.labels]);

  test('run:started belongs to the session that follows it, and to no later one', () => {
    const mine = [init('s1'), said('m1', { input: 5 })];
    const other = [init('s2'), said('m2', { input: 5 }, { session: 's2' })];
    const expected = [
      ['s1', 'github-actions', { ticket: '123' }],
      ['s2', null, {}],
    ];
    expect(places(story(kept, ...mine, ...other))).toEqual(expected);
    expect(places(story(...other, kept, ...mine))).toEqual(expected);
    expect(places(messageRows(story(...other, kept, ...mine)))).toEqual(expected);
  });

  test('each of several files has its own run, also if no session follows one', () => {
    const of = (id: string) => [init(id), said(`m-${id}`, { input: 5 }, { session: id })];
    const texts = [story(kept, ...of('s1')), story({ ...kept, labels: { ticket: '9' } }), story(...of('s2'))];
    const expected = [
      ['s1', 'github-actions', { ticket: '123' }],
      ['s2', null, {}],
    ];
    const files = texts.map((bytes, at) => ({ path: `${at}.ndjson`, bytes: Buffer.from(bytes) }));
    const events = texts.map((text, at) => ({
      path: `${at}.ndjson`,
      bytes: Buffer.from(written(readText(text).events)),
    }));
    for (const input of [
      files,
      files.toReversed(),
      events.slice(0, 1).concat(files.slice(2)),
      written(readAll(files).events),
    ])
      expect(places(input)).toEqual(expected);
  });

  test('after a reset the run goes on under another session id', () => {
    const reset = { type: 'conversation_reset', session_id: 's1', uuid: 'reset-1' };
    const text = story(
      kept,
      init('s1'),
      said('m1', { input: 5 }),
      reset,
      init('s2'),
      said('m2', { input: 5 }, { session: 's2' }),
    );
    expect(places(text).map(([, ci]) => ci)).toEqual(['github-actions', 'github-actions']);
  });

  const logged = (prefix: string, text: string) => text.replace(/^(?=.)/gm, prefix);

  test('each run in a log has its own labels', () => {
    const expected = [
      ['984b7105-acb7-40ff-b2eb-211d10cc7c74', null, { service: 'writer-1' }],
      ['b288ca1d-7aad-4bec-b58a-a85beb2008b0', null, { service: 'reviewer-1' }],
    ];
    expect(places(session('compose-two-runs'))).toEqual(expected);
    expect(places(messageRows(session('compose-two-runs')))).toEqual(expected);
  });

  test('of two logs of a session, the earlier counts, whichever is read first', () => {
    const files = home('resumed-in-another-container');
    const labels = { service: 'review-1' };
    for (const parts of [files, files.toReversed(), [...files, ...files]]) {
      expect(only(parts, ['session'])).toMatchObject({ ci: null, labels });
      expect(only(messageRows(parts), ['session'])).toMatchObject({ ci: null, labels });
    }
  });

  test('what the run says counts before its log, and --label before both', async () => {
    const own = { ...kept, ci: null, labels: { service: 'mine', job: 'mine' } };
    const log = 'build\tRun claude\t2026-11-16T08:00:00.1234567Z web-1  | ';
    const text = logged(log, story(own, init('s1'), said('m1', { input: 5 })));
    const labels = { service: 'mine', step: 'Run claude', job: 'mine' };
    const flags = ['usage', '--by', 'session'];
    expect(await rows(flags, text)).toMatchObject([{ ci: 'github-actions', labels }]);
    const told = logged(log, story({ ...kept, ci: 'gitlab' }, init('s1'), said('m1', { input: 5 })));
    expect(await rows(flags, told)).toMatchObject([{ ci: 'gitlab', labels: { ticket: '123', service: 'web-1' } }]);
  });

  test('ci and labels come from one log, the earliest, in any order of logs or of rows', () => {
    const late = logged('web-1  | ', story(init(), said('m1', { input: 5 }, { at: '2026-11-16T09:00:00.000Z' })));
    const early = logged('build\tRun\t2026-11-16T08:00:00.1234567Z ', story(init(), said('m2', { input: 5 })));
    const mapped = { early: messageRows(early), late: messageRows(late) };
    const parts = (...texts: string[]) => texts.map((bytes, at) => ({ path: `${at}.log`, bytes: Buffer.from(bytes) }));
    for (const input of [
      ...[parts(early, late), parts(late, early), parts(mapped.early, mapped.late), parts(mapped.late, mapped.early)],
      ...[mapped.early + mapped.late, mapped.late + mapped.early],
      ...[parts(mapped.late, early), parts(late, mapped.early), mapped.late + early, mapped.early + late],
    ])
      expect(only(input, ['session'])).toMatchObject({ ci: 'github-actions', labels: { job: 'build', step: 'Run' } });
  });

  test('the log of another file does not fill in the ci of a run', () => {
    const at = { at: '2026-11-16T09:00:00.000Z' };
    const own = story({ ...kept, ci: null }, init(), said('m1', { input: 5 }, at));
    const log = logged('build\tRun\t2026-11-16T10:00:00.1234567Z ', story(init(), said('m1', { input: 5 })));
    const files = [own, log].map((bytes, index) => ({ path: `${index}.log`, bytes: Buffer.from(bytes) }));
    for (const input of [files, files.toReversed(), messageRows(own) + messageRows(log)])
      expect(only(input, ['session'])).toMatchObject({ ci: null, labels: { ticket: '123' } });
  });

  test('with --no-content, rows that are read back have the labels that their log has', async () => {
    const prompt = 'rewrite the quagga page';
    const log = logged(`web\t${prompt}\t2026-11-16T10:00:00.1234567Z `, story(init(), said('m1', { input: 5 })));
    const kin = story({ ...kept, labels: { ticket: '123', prompt } }, init(), said('m1', { input: 5 }));
    for (const [text, labels] of [
      [log, { job: 'web' }],
      [log + story(result({ [opus]: { input: 5 } })), { job: 'web' }],
      [kin, { ticket: '123' }],
    ] as const) {
      const flags = ['usage', '--no-content', '--by'];
      const { stdout: mapped } = await cct(['usage', '--by', 'message'], text);
      expect(mapped).toContain(prompt);
      expect((await rows([...flags, 'session'], text))[0]?.['labels']).toEqual(labels);
      expect((await rows([...flags, 'session'], mapped))[0]?.['labels']).toEqual(labels);
      expect((await cct([...flags, 'message'], mapped)).stdout).not.toContain('quagga');
    }
  });

  test('a log that begins in the middle of a session says it too', () => {
    expect(places(logged('web-1  | ', story(said('m1', { input: 5 }))))).toEqual([['s1', null, { service: 'web-1' }]]);
  });

  test('nothing comes from the environment', async () => {
    const env = { CI: 'true', GITHUB_ACTIONS: 'true', GITLAB_CI: 'true', HOSTNAME: 'x' };
    const { stdout } = await cct(['usage', '--by', 'session'], story(init(), said('m1', { input: 5 })), { env });
    expect(JSON.parse(stdout)).toMatchObject({ ci: null, labels: {} });
  });
});

describe('the size of the context', () => {
  test('the largest prompt, and the window of its model', () => {
    expect(only(session('autocompact-2.1.325'), ['total'])).toMatchObject({
      context_tokens: 192_005,
      context_window: 200_000,
      cache_read_share: 0.975,
      compactions: 1,
    });
    expect(only(session('billing-1m-2.1.325'), ['model'])).toMatchObject({ context_window: 1_000_000 });
  });

  test('a transcript does not say the window, and a report without messages no prompt', () => {
    expect(
      only(
        home('autocompact-2.1.325', (path) => path.endsWith('.jsonl')),
        ['total'],
      )?.context_window,
    ).toBeNull();
    const [, rest] = rowsOf(story(init(), said('m1', { input: 5 }), result({ [opus]: { input: 9 } })), ['agent']);
    expect(rest).toMatchObject({ agent: 'unattributed', context_tokens: null, context_window: null });
    expect(only(story(init()), ['total'])).toMatchObject({ cache_read_share: null, context_tokens: null });
  });

  test('of two windows of one model, the one that had room; else nobody knows', () => {
    const used = (prompt: number) => {
      const models = { [opus]: { input: 5 }, [`${opus}[1m]`]: { input: 5 } };
      const text = story(init(), said('m1', { input: prompt }), result(models));
      const record = JSON.parse(text.trim().split('\n').at(-1) ?? '');
      record.modelUsage[opus].contextWindow = 200_000;
      record.modelUsage[`${opus}[1m]`].contextWindow = 1_000_000;
      return only(story(init(), said('m1', { input: prompt }), record), ['total'])?.context_window;
    };
    expect(used(300_000)).toBe(1_000_000);
    expect(used(100_000)).toBeNull();
  });
});

describe('compactions', () => {
  test.each(['compact-2.1.39', 'autocompact-2.1.325'])('%s: counted once, at the next message', (name) => {
    expect(only(session(name), ['total'])?.compactions).toBe(1);
    const counts = rowsOf(session(name), ['message']).map((one) => one.compactions);
    const messages = rowsOf(session(name), ['message']).map((one) => one.context_tokens);
    expect(counts.filter((count) => count > 0)).toEqual([1]);
    // The prompt after it is not the largest of autocompact-2.1.325, and the last of compact-2.1.39.
    expect(messages[counts.indexOf(1)]).toBe(name === 'compact-2.1.39' ? 13_607 : 12_008);
  });

  test('a stream and its transcript tell of the same one, in any order', () => {
    const files = home('autocompact-2.1.325', (path) => path.endsWith('.jsonl'));
    const stream = { path: 'stream.ndjson', bytes: Buffer.from(session('autocompact-2.1.325')) };
    for (const parts of [
      [stream, ...files],
      [...files, stream],
    ])
      expect(only(parts, ['turn'])).toMatchObject({ turn: 1, compactions: 1, cache_breaks: 1 });
  });

  const boundary = (uuid: string) => ({ type: 'system', subtype: 'compact_boundary', session_id: 's1', uuid });
  test('after the last message it counts at that one, without messages at the result', () => {
    const text = story(init(), said('m1', { input: 5 }), boundary('c1'));
    expect(rowsOf(text, ['agent', 'model'])).toMatchObject([{ agent: 'main', model: opus, compactions: 1 }]);
    const alone = story(init(), boundary('c1'), result({ [opus]: { input: 9 } }));
    expect(rowsOf(alone, ['agent'])).toMatchObject([{ agent: 'unattributed', compactions: 1 }]);
    expect(rowsOf(messageRows(alone), ['agent'])).toMatchObject([{ agent: 'unattributed', compactions: 1 }]);
  });
});

describe('where the cache broke', () => {
  const minute = (at: number) => new Date(Date.parse('2026-11-16T08:00:00.000Z') + at * 60_000).toISOString();
  const causes = (...records: object[]) => {
    const text = story(...records);
    const found = rowsOf(text, ['turn']).flatMap((one) => one['cache_break_causes']);
    expect(rowsOf(messageRows(text), ['turn']).flatMap((one) => one['cache_break_causes'])).toEqual(found);
    return found;
  };
  const first = said('m1', { input: 5, write: 1000, read: 20_000 }, { at: minute(0) });
  const second = (at: number, more: { model?: string } = {}) =>
    said('m2', { input: 5, write: 20_000, read: 2000 }, { at: minute(at), ...more });
  const withTools = (...tools: string[]) => ({ ...init(), tools, claude_code_version: '2.1.325' });

  test.each([
    ['idle', [first, second(6)]],
    ['unknown', [first, second(4)]],
    ['unknown', [said('m1', { input: 5, long: 1000, read: 20_000 }, { at: minute(0) }), second(59)]],
    ['idle', [said('m1', { input: 5, long: 1000, read: 20_000 }, { at: minute(0) }), second(61)]],
    ['model_changed', [first, second(1, { model: 'claude-sonnet-4-6' })]],
    ['tools_or_system_changed', [withTools('Bash'), first, withTools('Bash', 'mcp__lab__slow'), second(1)]],
    ['unknown', [withTools('Bash'), first, withTools('Bash'), second(1)]],
  ])('%s', (cause, records) => expect(causes(init(), ...records)).toEqual([cause]));

  test('not where the prompt did not grow, nor between two agents, nor where as much was read', () => {
    expect(causes(init(), first, said('m2', { input: 5, write: 1000, read: 2000 }, { at: minute(1) }))).toEqual([]);
    expect(causes(init(), first, said('m2', { input: 5, write: 30_000, read: 20_000 }, { at: minute(9) }))).toEqual([]);
    const other = said('m2', { input: 5, write: 20_000, read: 2000 }, { at: minute(1), parent: 'toolu_1' });
    expect(causes(init(), first, other)).toEqual([]);
  });

  test('in order of time, whichever file is read first', () => {
    const early = row('m1', { input: 5, write: 1000, read: 20_000 }, { at: minute(0) });
    const late = row('m2', { input: 5, write: 20_000, read: 2000 }, { at: minute(6) });
    const files = [early, late].map((one, at) => ({ path: `${at}.jsonl`, bytes: Buffer.from(story(one)) }));
    for (const parts of [files, files.toReversed()])
      expect(rowsOf(parts, ['turn'])).toMatchObject([{ cache_breaks: 1, cache_break_causes: ['idle'] }]);
  });
});

test('the rows of results without usage do not depend on the order of the runs', async () => {
  const runs = [1, 2].map((run) => `fixtures/files/continued-after-background-2.1.328/run-${run}.ndjson`);
  const rowsIn = async (files: readonly string[]) => {
    const { stdout } = await cct(['usage', '--by', 'message', ...files]);
    return stdout.split('\n').sort();
  };
  expect(await rowsIn(runs.toReversed())).toEqual(await rowsIn(runs));
});
