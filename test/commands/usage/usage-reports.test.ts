import { describe, expect, test } from 'vitest';
import { costState, haiku, init, opus, prompt, result, row, said, story } from './usage-story.js';
import { home, messageRows, report, rowsOf, tokens, written } from './used.js';

const total = (...records: object[]) => report(story(...records), ['total']).total;
const minute = (at: number) => `2026-11-16T08:${String(at).padStart(2, '0')}:00.000Z`;

/** The same in every order in which the records can stand. */
function inAnyOrder(records: readonly object[][], expected: object): void {
  for (const order of orders(records)) expect(total(...order.flat())).toMatchObject(expected);
}

function orders<T>(list: readonly T[]): T[][] {
  if (list.length < 2) return [[...list]];
  return list.flatMap((first, at) => orders(list.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}

describe('the cost-state of a transcript', () => {
  test('is what the session reported, with what no row shows', () => {
    const records = [
      row('m1', { input: 100, output: 9 }),
      costState({ [opus]: { input: 700, output: 30, cost: 0.5 } }),
    ];
    expect(total(...records)).toMatchObject({
      input_tokens: 700,
      output_tokens: 30,
      cost_usd: 0.5,
      cost_source: 'reported',
    });
    expect(rowsOf(story(...records), ['agent']).map((one) => [one['agent'], one.input_tokens])).toEqual([
      ['main', 100],
      ['unattributed', 600],
    ]);
  });

  test('is cumulative: the last of a session counts', () => {
    const first = costState({ [opus]: { input: 10, cost: 0.1 } });
    const last = costState({ [opus]: { input: 25, cost: 0.3 }, [haiku]: { input: 5, cost: 0.1 } });
    expect(total(row('m1', { input: 10 }), first, row('m2', { input: 15 }), last)).toMatchObject({
      input_tokens: 30,
      cost_usd: 0.4,
    });
  });

  test('says the same as the results of the stream, in any order of files', () => {
    const stream = [said('m1', { input: 10 }), result({ [opus]: { input: 12, cost: 0.1 } }, { own: { input: 10 } })];
    const transcript = [row('m1', { input: 10 }), costState({ [opus]: { input: 12, cost: 0.1 } })];
    inAnyOrder([stream, transcript], { input_tokens: 12, cost_usd: 0.1, cost_source: 'reported' });
  });

  test('adds what came after the last result, as of a run that was interrupted', () => {
    const stream = [said('m1', { input: 10 }), result({ [opus]: { input: 10, cost: 0.1 } }), said('m2', { input: 4 })];
    const transcript = [
      row('m1', { input: 10 }, { at: minute(1) }),
      row('m2', { input: 4 }, { at: minute(2) }),
      costState({ [opus]: { input: 20, cost: 0.3 } }),
    ];
    inAnyOrder([stream, transcript], { messages: 2, input_tokens: 20, cost_usd: 0.3, cost_source: 'reported' });
  });

  test('does not hold what its transcript has after it: the program was killed', () => {
    const records = [
      row('m1', { input: 10 }, { at: minute(1) }),
      costState({ [opus]: { input: 50, cost: 0.5 } }),
      prompt('again', { at: minute(2) }),
      row('m2', { input: 8 }, { at: minute(2) }),
      row('m3', { input: 1 }, { at: minute(3), agent: 'a1' }),
    ];
    expect(total(...records)).toMatchObject({ input_tokens: 59 });
  });

  test('holds a message that is written behind it because it was interrupted', () => {
    expect(report(home('interrupted-2.1.326'), ['total']).total).toMatchObject({
      input_tokens: 18,
      cache_read_tokens: 45_393,
      cost_usd: 0.0743365,
      cost_source: 'reported',
    });
  });

  test('holds an agent that ended after the main conversation', () => {
    const late = row('m2', { input: 8 }, { at: minute(9), agent: 'a1' });
    const main = [row('m1', { input: 10 }, { at: minute(1) }), costState({ [opus]: { input: 50, cost: 0.5 } })];
    inAnyOrder([main, [late]], { input_tokens: 50, cost_usd: 0.5, cost_source: 'reported' });
  });

  test('nor a message that only the stream of a killed run has', () => {
    const killed = [said('m9', { input: 8 }, { at: minute(1) })];
    const transcript = [row('m1', { input: 10 }, { at: minute(2) }), costState({ [opus]: { input: 50, cost: 0.5 } })];
    inAnyOrder([killed, transcript], { input_tokens: 58 });
  });

  test('is a guess where the program did not know the model', () => {
    const state = costState(
      { 'glm-5.1': { input: 700, cost: 0.0028 }, [opus]: { input: 10, cost: 0.1 } },
      { hasUnknownModelCost: true },
    );
    expect(rowsOf(story(state)).map((one) => [one['model'], one.cost_source])).toEqual([
      [opus, 'reported'],
      ['glm-5.1', 'guess'],
    ]);
  });

  test('joins messages that answer under another name than the request had', () => {
    const records = [row('m1', { input: 10 }, { model: haiku }), costState({ [opus]: { input: 10, cost: 0.1 } })];
    expect(rowsOf(story(...records)).map((one) => [one['model'], one.messages, one.cost_source])).toEqual([
      [opus, 1, 'reported'],
    ]);
  });

  test('has the time of the last message before it', () => {
    const records = [row('m1', { input: 10 }, { at: minute(1) }), costState({ [opus]: { input: 12, cost: 0.1 } })];
    expect(rowsOf(story(...records), ['day']).map((one) => [one['day'], one.input_tokens])).toEqual([
      ['2026-11-16', 12],
    ]);
  });

  test('rows of messages carry it', () => {
    const text = story(row('m1', { input: 10 }), costState({ [opus]: { input: 12, cost: 0.1 }, [haiku]: { cost: 1 } }));
    const rows = messageRows(text);
    for (const by of ['total', 'model', 'session', 'agent', 'turn', 'day'] as const)
      expect(written(rowsOf(rows + rows, [by]))).toBe(written(rowsOf(text, [by])));
    expect(messageRows(rows)).toBe(rows);
  });
});

describe('a fork carries over what its parent cost', () => {
  const old = [row('m1', { input: 4 }, { at: minute(1) }), row('m2', { input: 5 }, { at: minute(2) })];
  const oldAgain = (session: string) => [
    row('m1', { input: 4 }, { at: minute(1), session }),
    row('m2', { input: 5 }, { at: minute(2), session }),
  ];
  const state = (session: string, input: number) => costState({ [opus]: { input, cost: input / 100 } }, { session });
  const fork = (session: string) => [
    ...oldAgain(session),
    row('m3', { input: 6 }, { at: minute(3), session }),
    state(session, 15),
    prompt('again', { at: minute(5), session }),
    row('m5', { input: 8 }, { at: minute(5), session }),
    state(session, 23),
  ];
  const again = [prompt('again', { at: minute(4) }), row('m4', { input: 7 }, { at: minute(4) })];
  const parent = [...old, state('s1', 9), ...again, state('s1', 16)];

  test.each(['s0', 's2'])('whichever id is smaller (%s)', (session) => {
    inAnyOrder([parent, fork(session)], { messages: 5, input_tokens: 30, cost_usd: 0.3, cost_source: 'reported' });
  });

  const spent = (input: Parameters<typeof rowsOf>[0]) =>
    rowsOf(input, ['session']).map((one) => [String(one['session_id']).slice(0, 4), one.messages, one.cost_usd]);

  test.each(['s0', 's2'])('its copies are older than its file (%s)', (session) => {
    const opened = [{ type: 'queue-operation', operation: 'enqueue', sessionId: session, timestamp: minute(3) }];
    const own = [session, 2, 0.14];
    for (const order of orders([parent, [...opened, ...fork(session)]]))
      expect(spent(story(...order.flat()))).toEqual([own, ['s1', 3, 0.16]].sort());
    expect(rowsOf(story(...opened, ...fork(session)), ['session'])).toMatchObject([
      { session_id: session, messages: 2, input_tokens: 14, cost_source: 'calculated' },
    ]);
  });

  test.each([
    ['forked-2.1.326', ['0eab', 4, 0.0587275], ['f75b', 1, 0.015855]],
    ['forked-2.1.39', ['161d', 4, 0.052885], ['f2c3', 1, 0.01397875]],
  ])('%s: each session has what it requested, together, alone and from rows', (name, ...expected) => {
    const files = home(name);
    const alone = files.map((file) => [file]);
    expect(spent(files)).toEqual(expected);
    expect(spent(files.toReversed())).toEqual(expected);
    expect(alone.flatMap(spent)).toEqual(expected);
    expect(spent(alone.map(messageRows).join(''))).toEqual(expected);
    expect(spent(alone.toReversed().map(messageRows).join(''))).toEqual(expected);
  });

  test('alone it has all of it, if nothing shows that it is a fork', () => {
    expect(total(...fork('s2'))).toMatchObject({ messages: 4, input_tokens: 23, cost_usd: 0.23 });
  });

  test('seven runs of a session, a fork and a killed run, as the program wrote them', () => {
    const files = home('forked-2.1.325');
    const isFile = (path: string) => path.endsWith('.jsonl');
    // Each API call: the lead's 4, 5, 7, 3 tokens, the fork's 6 and 8, and 9 of the run that was killed.
    expect(tokens({ ...report(files, ['total']).total })).toMatchObject({ input: 42 });
    expect(report(home('forked-2.1.325', isFile), ['total']).total).toMatchObject({
      input_tokens: 33,
      output_tokens: 550,
      cost_source: 'reported',
    });
    expect(rowsOf(files, ['turn']).map((one) => [one['turn'], one.input_tokens])).toEqual([
      [1, 4],
      [2, 5],
      [3, 7],
      [4, 9],
      [5, 3],
      [1, 6],
      [2, 8],
    ]);
  });
});

describe('/clear on 2.1.140', () => {
  test('has a new session id, but is one process', () => {
    const cleared = (session: string) =>
      result({ [opus]: { input: 10, cost: 0.1 } }, { session, num_turns: 0, duration_ms: 1 });
    const records = [
      said('m1', { input: 10 }),
      result({ [opus]: { input: 10, cost: 0.1 } }, { own: { input: 10 } }),
      cleared('s2'),
      said('m2', { input: 5 }, { session: 's2' }),
      result({ [opus]: { input: 15, cost: 0.2 } }, { session: 's2', own: { input: 5 } }),
    ];
    expect(total(...records)).toMatchObject({ input_tokens: 15, cost_usd: 0.2, cost_source: 'reported' });
    expect(rowsOf(story(...records), ['session']).map((one) => [one['session_id'], one.input_tokens])).toEqual([
      ['s1', 10],
      ['s2', 5],
    ]);
    const rows = messageRows(story(...records));
    expect(written(rowsOf(rows, ['session', 'model']))).toBe(written(rowsOf(story(...records), ['session', 'model'])));
  });

  test('two sessions that happen to cost the same are two', () => {
    const one = (session: string) => result({ [opus]: { input: 10, cost: 0.1 } }, { session, own: { input: 10 } });
    expect(total(one('s1'), one('s2'))).toMatchObject({ input_tokens: 20, cost_usd: 0.2 });
  });

  test('a real one', () => {
    const files = home('cleared-2.1.140');
    expect(report(files, ['total']).total).toMatchObject({
      input_tokens: 42,
      output_tokens: 679,
      cost_usd: 0.08429675,
    });
  });
});

describe('results are ordered by their counters', () => {
  const run = (...turns: [total: number, own: number][]) =>
    turns.map(([input, own]) => result({ [opus]: { input } }, { own: { input: own } }));

  test('runs of one session, in any order', () => {
    // The second run starts at zero, and its figures lie between those of the first.
    inAnyOrder([run([5, 5], [12, 7]), run([4, 4], [9, 5])], { input_tokens: 21 });
  });

  test('figures that a numbered result carries over, in any order', () => {
    const carrying = (input: number, own: number) => [result({ [opus]: { input } }, { index: 0, own: { input: own } })];
    inAnyOrder([carrying(9, 9), carrying(22, 13)], { input_tokens: 22 });
  });

  test('time of the API goes on with them', () => {
    const since = (input: number) => ({ [opus]: { input } });
    const first = [result(since(9), { index: 0, since: since(9), duration_api_ms: 500 })];
    const resumed = [result(since(22), { index: 0, since: since(13), duration_api_ms: 800 })];
    for (const order of orders([first, resumed]))
      expect(rowsOf(story(...order.flat()), ['session'])).toMatchObject([{ input_tokens: 22, duration_api_ms: 800 }]);
  });

  test('the last result is the latest, also one that failed without any figures', () => {
    const first = [init(), said('m1', { input: 9 }, { at: minute(1) }), ...run([9, 9])];
    const failed = result({}, { subtype: 'error_during_execution', is_error: true });
    const second = [init(), said('m2', { input: 3 }, { at: minute(5) }), ...run([3, 3]), failed];
    for (const order of orders([first, second]))
      expect(rowsOf(story(...order.flat()), ['session'])).toMatchObject([{ input_tokens: 12, is_error: true }]);
  });

  test('turns are numbered by time', () => {
    const turn = (id: string, input: number, at: number) => [
      init(),
      said(id, { input }, { at: minute(at) }),
      ...run([input, input]),
    ];
    for (const order of orders([turn('m1', 9, 1), turn('m2', 13, 2), turn('m3', 4, 3)]))
      expect(rowsOf(story(...order.flat()), ['turn']).map((one) => [one['turn'], one.input_tokens])).toEqual([
        [1, 9],
        [2, 13],
        [3, 4],
      ]);
  });

  test('a result of a run after one that was killed ends its own turn', () => {
    const since = (input: number) => ({ [opus]: { input } });
    const records = [
      init(),
      said('m1', { input: 9 }),
      init(),
      said('m2', { input: 4 }),
      result(since(4), { index: 0, since: since(4) }),
    ];
    expect(rowsOf(story(...records), ['turn', 'model']).map((one) => [one['turn'], one.cost_source])).toEqual([
      [1, 'lower_bound'],
      [2, 'calculated'],
    ]);
  });
});

test('where a result costs more than its models, that is what the program said', () => {
  const run = [
    said('m1', { input: 1000 }),
    result({ [opus]: { input: 1000, cost: 0.01 } }, { own: { input: 1000 }, total_cost_usd: 0.03 }),
    said('m2', { input: 1000 }),
    result({ [opus]: { input: 2000, cost: 0.02 } }, { own: { input: 1000 }, total_cost_usd: 0.05 }),
  ];
  expect(total(...run)).toMatchObject({ cost_usd: 0.05, cost_source: 'reported' });
  expect(rowsOf(story(...run)).map((one) => [one['model'], one.total_tokens, one.cost_usd])).toEqual([
    [opus, 2000, 0.02],
    [null, 0, 0.03],
  ]);
  const rows = messageRows(story(...run));
  expect(written(rowsOf(rows, ['model']))).toBe(written(rowsOf(story(...run), ['model'])));
});

test('long cache writes of a result are those of its own usage, where its models do not tell them apart', () => {
  const run = [result({ [opus]: { write: 900 }, [haiku]: { write: 50 } }, { own: { write: 100, long: 600 } })];
  expect(
    rowsOf(story(...run)).map((one) => [one['model'], one.cache_write_5m_tokens, one.cache_write_1h_tokens]),
  ).toEqual([
    [haiku, 50, 0],
    [opus, 300, 600],
  ]);
});
