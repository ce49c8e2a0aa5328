import { describe, expect, test } from 'vitest';
import { haiku, init, opus, result, row, said, story } from './usage-story.js';
import { report, rowsOf, session } from './used.js';

const cost = (
  text: string,
  by: 'total' | 'model' | 'agent' = 'total',
  mode: 'auto' | 'reported' | 'calculated' = 'auto',
) => rowsOf(text, [by], { mode }).map((one) => [one.cost_usd, one.cost_source, one.unpriced_tokens]);

describe('where money comes from', () => {
  const run = story(
    said('m1', { input: 1000, output: 1 }),
    result({ [opus]: { input: 1000, output: 100, cost: 0.01 } }),
  );

  test.each([
    ['auto', [[0.01, 'reported', 0]]],
    ['reported', [[0.01, 'reported', 0]]],
    ['calculated', [[0.0075, 'calculated', 0]]],
  ] as const)('--mode %s', (mode, expected) => {
    expect(cost(run, 'total', mode)).toEqual(expected);
  });

  test('--mode reported has no money for what was not reported', () => {
    expect(cost(story(said('m1', { input: 1000 })), 'total', 'reported')).toEqual([[null, 'unpriced', 1000]]);
    expect(cost(run, 'agent', 'reported')).toEqual([
      [null, 'unpriced', 1001],
      [0.01, 'reported', 0],
    ]);
  });

  test('an agent’s share is calculated, what is left is the program’s', () => {
    expect(cost(run, 'agent')).toEqual([
      [0.005025, 'lower_bound', 0],
      [0.004975, 'reported', 0],
    ]);
  });

  test.each([
    [
      'the rest of what a message said',
      said('m1', { input: 1000, output: 1 }),
      { input: 1000, output: 9 },
      'calculated',
    ],
    ['what no message shows', said('m1', { input: 1000, output: 9 }), { input: 3000, output: 9 }, 'lower_bound'],
    [
      'the rest of a message that was served fast',
      said('m1', { input: 1000, output: 1 }, { served: { speed: 'fast' } }),
      { input: 1000, output: 9 },
      'lower_bound',
    ],
  ])('calculated, %s', (_, message, whole, word) => {
    const run = story(message, result({ [opus]: { ...whole, cost: 1 } }));
    expect(cost(run, 'total', 'calculated')).toMatchObject([[expect.any(Number), word, 0]]);
  });

  test('calculated, every model of every stream costs what the program says', () => {
    const stories = [
      'background-2.1.325',
      'compact-2.1.39',
      'parallel-subagents',
      'partial-2.1.325',
      'team-2.1.140',
      'team-2.1.325',
      'team-2.1.39',
    ];
    for (const name of stories) {
      const reported = rowsOf(session(name), ['model'], { mode: 'reported' });
      const calculated = rowsOf(session(name), ['model'], { mode: 'calculated' });
      for (const [at, one] of reported.entries())
        expect(Math.abs((one.cost_usd ?? 0) - (calculated[at]?.cost_usd ?? 1)), name).toBeLessThan(1e-9);
    }
  });
});

describe('models without a price', () => {
  const foreign = said('m1', { input: 700 }, { model: 'glm-5.1' });

  test('cost null, not 0, and their tokens count', () => {
    expect(cost(story(foreign))).toEqual([[null, 'unpriced', 700]]);
  });

  test('beside others they are named apart', () => {
    expect(cost(story(foreign, row('m2', { input: 1000 })))).toEqual([[0.005, 'calculated', 700]]);
  });

  test('the program charges its default: a guess', () => {
    const charged = result({
      'glm-5.1': { input: 700, cost: 0.0028, basis: 'unknown' },
      [opus]: { input: 1000, cost: 0.005 },
    });
    expect(cost(story(foreign, charged), 'model')).toEqual([
      [0.005, 'reported', 0],
      [0.0028, 'guess', 0],
    ]);
    expect(cost(story(foreign, charged))).toEqual([[0.0078, 'guess', 0]]);
  });

  test('a result that names no cost is priced by the table', () => {
    expect(cost(story(said('m1', { input: 1000 }), result({ [opus]: { input: 1000, output: 10 } })))).toEqual([
      [0.00525, 'calculated', 0],
    ]);
  });
});

describe('other prices than ours', () => {
  test('an older program charged less: messages share what was paid', () => {
    const run = story(
      said('m1', { input: 1000 }),
      said('m2', { input: 3000 }, { parent: 'toolu_1' }),
      result({ [opus]: { input: 4000, cost: 0.01 } }),
    );
    const rows = rowsOf(run, ['agent']);
    expect(rows.map((one) => [one['agent'], one.cost_usd])).toEqual([
      ['main', 0.0025],
      ['toolu_1', 0.0075],
    ]);
    expect(report(run, ['agent']).total).toMatchObject({ cost_usd: 0.01, cost_source: 'reported' });
  });

  test('what transcripts have beyond the report is priced by the table', () => {
    const run = story(
      row('m0', { input: 1000 }),
      said('m1', { input: 1000 }),
      result({ [opus]: { input: 1000, cost: 0.004 } }),
    );
    expect(cost(run)).toEqual([[0.009, 'lower_bound', 0]]);
  });
});

test('a message that a result holds and its turn are as good as the result', () => {
  const run = story(
    init(),
    said('m1', { input: 10 }),
    result({ [opus]: { input: 10, cost: 0.1 }, [haiku]: { input: 5, cost: 0.2 } }, { own: { input: 10 } }),
    init(),
    said('m2', { input: 20 }),
    result({ [opus]: { input: 30, cost: 0.4 }, [haiku]: { input: 5, cost: 0.2 } }, { own: { input: 20 } }),
  );
  expect(rowsOf(run, ['turn']).map((one) => [one['turn'], one.cost_usd, one.cost_source])).toEqual([
    [1, 0.3, 'reported'],
    [2, 0.3, 'reported'],
  ]);
});

test('where nothing was read nobody knows what it cost', () => {
  const nothing = { total_tokens: 0, messages: 0, cost_usd: null, cost_source: null, unpriced_tokens: 0 };
  for (const text of ['', '{"no":1}\n', story({ type: 'user', session_id: 's1', message: { content: 'hi' } })])
    expect(rowsOf(text, ['total'])).toMatchObject([nothing]);
  expect(rowsOf('', ['model'])).toEqual([]);
});
