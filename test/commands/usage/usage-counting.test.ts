import { describe, expect, test } from 'vitest';
import { sample } from '../../effort.js';
import { rows } from '../../run.js';
import { haiku, init, opus, result, row, said, story } from './usage-story.js';
import { home, messageRows, report, rowsOf, session, tokens, written } from './used.js';

const total = (...records: object[]) => tokens({ ...report(story(...records), ['total']).total });

describe('a message is counted once', () => {
  test.each([
    ['over its lines', [said('m1', { input: 5, output: 1 }), said('m1', { input: 5, output: 1 })]],
    [
      'with the larger of its counts',
      [said('m1', { input: 5, output: 1 }), said('m1', { input: 3, output: 1, read: 0 })],
    ],
    [
      'over files and sessions',
      [row('m1', { input: 5, output: 1 }), row('m1', { input: 5, output: 1 }, { session: 's2' })],
    ],
    ['over stream and transcript', [said('m1', { input: 5, output: 1 }), row('m1', { input: 5 }, { final: false })]],
  ])('%s', (_, records) => {
    expect(total(...records)).toEqual({ input: 5, output: 1, write: 0, read: 0 });
    expect(report(story(...records), ['total']).total.messages).toBe(1);
  });

  test('it belongs to the session whose stream has it, else to the smallest id', () => {
    const owner = (...records: object[]) => rowsOf(story(...records), ['session']).map((one) => one['session_id']);
    expect(owner(row('m1', { input: 5 }, { session: 's2' }), row('m1', { input: 5 }, { session: 's1' }))).toEqual([
      's1',
    ]);
    expect(owner(row('m1', { input: 5 }, { session: 's1' }), said('m1', { input: 5 }, { session: 's2' }))).toEqual([
      's2',
    ]);
    expect(owner(said('m1', { input: 5 }, { session: 's2' }), row('m1', { input: 5 }, { session: 's1' }))).toEqual([
      's2',
    ]);
  });

  test('and to the main conversation rather than to an agent whose file begins with its history', () => {
    const copies = [row('m1', { input: 5 }, { agent: 'a1' }), row('m1', { input: 5 })];
    for (const records of [copies, copies.toReversed()])
      expect(
        rowsOf(story(...records), ['agent'])
          .filter((one) => one.messages > 0)
          .map((one) => one['agent']),
      ).toEqual(['main']);
  });

  test('what the program made up itself is free', () => {
    expect(total(said('m1', { input: 5 }, { model: '<synthetic>' }))).toEqual({
      input: 0,
      output: 0,
      write: 0,
      read: 0,
    });
  });
});

describe('agents inside the main transcript', () => {
  const isMain = (path: string) => !path.includes('subagents');
  const agents = (input: Parameters<typeof rowsOf>[0]) =>
    rowsOf(input, ['agent']).map((one) => [one['name'], one.messages, tokens(one)]);

  test('are counted, as far as its rows show them', () => {
    const rows = rowsOf(home('agents-in-transcript-2.1.81', isMain), ['agent']);
    expect(rows.map((one) => [one['name'], one['agent_type'], one.messages, one.cost_source])).toEqual([
      ['Read the README', 'general-purpose', 2, 'lower_bound'],
      ['Survey the sources', 'Explore', 1, 'lower_bound'],
      ['main', null, 2, 'calculated'],
    ]);
  });

  test('are the same messages beside their own files, whichever is read first', () => {
    const files = home('agents-in-transcript-2.1.81');
    const own = home('agents-in-transcript-2.1.81', (path) => !isMain(path));
    expect(agents(files)).toEqual(agents(files.toReversed()));
    expect(agents(files).filter(([name]) => name !== 'main')).toEqual(
      agents(own).map(([, ...rest], at) => [['Read the README', 'Survey the sources'][at], ...rest]),
    );
  });
});

describe('what results report', () => {
  test('is cumulative: the last of a process counts', () => {
    const turns = [
      result({ [opus]: { input: 10 } }, { own: { input: 10 } }),
      result({ [opus]: { input: 25 } }, { own: { input: 15 } }),
    ];
    expect(total(...turns)).toMatchObject({ input: 25 });
  });

  test('held-back results repeat the same figures', () => {
    const turn = () => result({ [opus]: { input: 30 } }, { own: { input: 10 } });
    expect(total(turn(), turn(), turn())).toMatchObject({ input: 30 });
  });

  test('a new process starts at zero, and may cost more than the one before', () => {
    const first = result({ [opus]: { input: 9, output: 127 } }, { own: { input: 9, output: 127 } });
    const second = result({ [opus]: { input: 13, output: 186 } }, { own: { input: 13, output: 186 } });
    expect(total(first, second)).toMatchObject({ input: 22, output: 313 });
  });

  test('what a resumed run carries over is not counted again', () => {
    const first = { [opus]: { input: 9 } };
    const second = { [opus]: { input: 13 } };
    const both = { [opus]: { input: 22 } };
    const resumed = result(both, { index: 0, since: second });
    expect(total(result(first, { index: 0, since: first }), resumed)).toMatchObject({ input: 22 });
    expect(total(resumed)).toMatchObject({ input: 13 });
  });

  test('a lone last line speaks for those before it', () => {
    expect(total(result({ [opus]: { input: 40 } }, { index: 3, since: { [opus]: { input: 7 } } }))).toMatchObject({
      input: 40,
    });
  });

  test('a lost result is made up for by the next', () => {
    const since = { [opus]: { input: 5 } };
    const first = result({ [opus]: { input: 10 } }, { index: 0, since: { [opus]: { input: 10 } } });
    expect(total(first, result({ [opus]: { input: 40 } }, { index: 2, since }))).toMatchObject({ input: 40 });
  });

  test('a zeroed result of a crash takes nothing back', () => {
    const crash = result({}, { subtype: 'error_during_execution', is_error: true });
    expect(total(result({ [opus]: { input: 10 } }), crash)).toMatchObject({ input: 10 });
    expect(total(result({ [opus]: { input: 10 } }), said('m2', { input: 4 }), crash)).toMatchObject({ input: 14 });
  });

  test('/clear starts the count again', () => {
    const clear = {
      type: 'conversation_reset',
      new_conversation_id: 'c2',
      trigger: 'clear',
      session_id: 's1',
      uuid: 'r',
    };
    const after = result({ [opus]: { input: 50 } }, { own: { input: 20 } });
    expect(total(result({ [opus]: { input: 10 } }), clear, after)).toMatchObject({ input: 60 });
  });

  test('has models no message shows', () => {
    const rows = rowsOf(story(said('m1', { input: 5 }), result({ [opus]: { input: 5 }, [haiku]: { input: 200 } })));
    expect(rows.map((one) => [one['model'], one.messages, one.input_tokens])).toEqual([
      [haiku, 0, 200],
      [opus, 1, 5],
    ]);
  });

  test('joins messages under other spellings of the model', () => {
    const rows = rowsOf(story(said('m1', { input: 5 }), result({ 'us.anthropic.claude-opus-4-6-v1:0': { input: 9 } })));
    expect(rows.map((one) => [one['model'], one.messages, one.input_tokens])).toEqual([
      ['us.anthropic.claude-opus-4-6-v1:0', 1, 9],
    ]);
  });

  test('joins messages that answer under another name than the request had', () => {
    const profile = 'arn:aws:bedrock:eu-west-1:1:application-inference-profile/x1';
    const helper = { [haiku]: { input: 3, output: 9 } };
    const run = story(
      said('m1', { input: 5, read: 90 }),
      result({ [profile]: { input: 5, output: 40, read: 90 }, ...helper }),
    );
    expect(rowsOf(run).map((one) => [one['model'], one.messages, one.input_tokens])).toEqual([
      [profile, 1, 5],
      [haiku, 0, 3],
    ]);
    expect(written(rowsOf(messageRows(run), ['agent']))).toBe(written(rowsOf(run, ['agent'])));
  });

  const ways = [
    ['joins', 'profile', 1e9],
    ['leaves over', 'gateway', 1],
  ] as const;
  test.each(sample(ways, 1))('%s more of them than a function takes arguments', async (_, model, input) => {
    const message = story(said('m', { input: 1 }, { model: 'gateway' })).replaceAll(/"(uuid|id)":"[^"]*/g, '$&-%');
    const lines = Array.from({ length: 140_000 }, (_, at) => message.replaceAll('%', String(at)));
    const own = await rows(['usage', '--by', 'turn,model'], lines.join('') + story(result({ profile: { input } })));
    expect(own).toContainEqual(expect.objectContaining({ model, messages: lines.length }));
  });

  test('counts long cache writes as short where it does not tell them apart; they are the same writes', () => {
    const [one] = rowsOf(story(said('m1', { long: 1000 }), result({ [opus]: { write: 1000 } })));
    expect(one).toMatchObject({ cache_write_1h_tokens: 1000, cache_write_5m_tokens: 0 });
  });

  test('without models is the main loop of each turn', () => {
    const turn = (cost: number, own: number) =>
      result({}, { own: { input: own }, modelUsage: undefined, total_cost_usd: cost });
    const records = [said('m1', { input: 5 }), turn(0.5, 8), said('m2', { input: 2 }), turn(0.8, 4)];
    expect(total(...records)).toMatchObject({ input: 12 });
    expect(report(story(...records), ['total']).total).toMatchObject({ cost_usd: 0.8, cost_source: 'reported' });
  });
});

describe('stream messages that no result holds', () => {
  test('come on top after the last one', () => {
    expect(total(said('m1', { input: 5 }), result({ [opus]: { input: 5 } }), said('m2', { input: 7 }))).toMatchObject({
      input: 12,
    });
  });

  test('and where a process was killed and the session resumed', () => {
    const resumed = [
      init(),
      said('m3', { input: 13, output: 1 }),
      result({ [opus]: { input: 13, output: 186 } }, { own: { input: 13 } }),
    ];
    const killed = [init(), said('m1', { input: 9, output: 2 }), said('m2', { input: 8, output: 3 })];
    expect(total(...killed, ...resumed)).toMatchObject({ input: 30, output: 191 });
    const first = result({ [opus]: { input: 9, output: 100 } }, { own: { input: 9 } });
    expect(total(said('m0', { input: 9 }), first, ...killed, ...resumed)).toMatchObject({ input: 39, output: 291 });
  });

  test('and where the end of the run cut one off', () => {
    const records = [said('m1', { input: 8, output: 1 }), said('m2', { input: 9, output: 2 })];
    const cut = said('m3', { input: 5, output: 3 });
    const end = result({ [opus]: { input: 17, output: 200 } }, { own: { input: 17 } });
    expect(total(...records, cut, end)).toMatchObject({ input: 22, output: 203 });
  });

  test('but not those a result counts late', () => {
    const since = (input: number) => ({ [opus]: { input } });
    const records = [
      said('m1', { input: 5 }),
      said('m2', { input: 7 }),
      result(since(5), { index: 0, since: since(5) }),
    ];
    expect(total(...records, result(since(12), { index: 1, since: since(7) }))).toMatchObject({ input: 12 });
  });
});

describe('transcripts of a session that reports', () => {
  test('are part of it; where they have more, that counts', () => {
    const stream = [said('m1', { input: 5, output: 1 }), result({ [opus]: { input: 5, output: 50 } })];
    const earlier = row('m0', { input: 8, output: 20 });
    for (const records of [
      [...stream, earlier],
      [earlier, ...stream],
    ])
      expect(total(...records)).toEqual({ input: 13, output: 50, write: 0, read: 0 });
  });

  test('partial output makes a lower bound', () => {
    const [whole] = rowsOf(story(row('m1', { input: 5, output: 9 })));
    const [partial] = rowsOf(story(row('m1', { input: 5, output: 2 }, { final: false })));
    expect([whole?.cost_source, partial?.cost_source]).toEqual(['calculated', 'lower_bound']);
  });

  test('so does an agent whose file is not there', () => {
    const main = home('team-2.1.140', (path) => !path.includes('subagents'));
    expect(rowsOf(main, ['total'])[0]?.cost_source).toBe('lower_bound');
    expect(rowsOf(home('team-2.1.140'), ['total'])[0]?.cost_source).toBe('calculated');
    const agents = rowsOf(main, ['agent']).map((one) => [one['name'], one.messages, one.cost_source]);
    expect(agents).toEqual([
      ['researcher', 0, 'lower_bound'],
      ['team-lead', 16, 'calculated'],
      ['writer', 0, 'lower_bound'],
    ]);
  });
});

describe('turns', () => {
  test('each has what its result adds', () => {
    const rows = rowsOf(session('team-2.1.140'), ['turn']);
    expect(rows.map((one) => [one['turn'], one.messages, one.cost_usd, one.cost_source])).toEqual([
      [1, 8, 0.1436301, 'reported'],
      [2, 1, 0.019714, 'reported'],
      [3, 3, 0.15160945, 'reported'],
      [4, 1, 0.02499825, 'reported'],
      [5, 3, 0.1012511, 'reported'],
    ]);
  });

  test('messages that only transcripts have go with the next of the main conversation, in any order of files', () => {
    const stream = { path: null, bytes: Buffer.from(session('team-2.1.140')) };
    const files = home('team-2.1.140');
    const rows = rowsOf([stream, ...files], ['turn']);
    expect(rowsOf([...files.toReversed(), stream], ['turn'])).toEqual(rows);
    expect(rows.map((one) => [one['turn'], one.messages])).toEqual([
      [1, 10],
      [2, 1],
      [3, 12],
      [4, 1],
      [5, 5],
    ]);
  });
});

describe('sessions', () => {
  test('say how they went', () => {
    const text = ['resume-1', 'resume-2', 'resume-3'].map(session).join('');
    const rows = rowsOf(text, ['session']);
    // On 2.1.325 the time of the API is carried over by a resume like the cost is, and shown as the program has it.
    expect(rows.map((one) => [one.duration_ms, one.duration_api_ms, one.num_turns, one.results, one.is_error])).toEqual(
      [
        [2604, 859, 4, 2, false],
        [203, 917, 1, 1, false],
      ],
    );
    expect(rows.map((one) => [one.subtype, one.model])).toEqual([
      ['success', opus],
      ['success', opus],
    ]);
  });

  test('a failed one has a row though nothing was used', () => {
    const failed = result({}, { subtype: 'error_during_execution', is_error: true });
    expect(rowsOf(story(init(), failed), ['session'])).toMatchObject([
      { session_id: 's1', total_tokens: 0, cost_usd: 0, is_error: true, subtype: 'error_during_execution', results: 1 },
    ]);
  });
});

describe('days', () => {
  const late = said('m1', { input: 5 }, { at: '2026-11-15T23:30:00.000Z' });
  const records = story(
    late,
    result({ [opus]: { input: 5, output: 40 } }),
    said('m2', { input: 7 }, { at: '2026-11-16T00:10:00.000Z' }),
  );

  test('a result is at least as late as the messages before it', () => {
    const rows = rowsOf(records, ['day']);
    expect(rows.map((one) => [one['day'], one.input_tokens, one.output_tokens])).toEqual([
      ['2026-11-15', 5, 40],
      ['2026-11-16', 7, 0],
    ]);
  });

  test('are those of the time zone', () => {
    const days = (timezone: string) =>
      rowsOf(records, ['day'], { timezone }).map((one) => [one['day'], one.input_tokens]);
    expect(days('Europe/Berlin')).toEqual([['2026-11-16', 12]]);
    expect(days('America/New_York')).toEqual([['2026-11-15', 12]]);
    expect(days('Asia/Kathmandu')).toEqual([['2026-11-16', 12]]);
  });
});

test('numbers no program writes do no harm', () => {
  const wild = [
    said('m1', { input: -5, output: 1e308, read: 0.4 }),
    said('m2', { input: 1e16 }),
    result({ [opus]: { input: -1, output: 1e300, cost: 1e300 }, __proto__: { input: 3 } }),
  ];
  const { total: all } = report(story(...wild), ['total']);
  expect(Object.values(all).every((value) => typeof value !== 'number' || (Number.isFinite(value) && value >= 0))).toBe(
    true,
  );
});
