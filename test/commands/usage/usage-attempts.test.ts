import { describe, expect, test } from 'vitest';
import { attempt, costState, opus, row, story } from './usage-story.js';
import { messageRows, report, rowsOf, written } from './used.js';

const fable = 'claude-fable-5';
const used = { input: 2, output: 130, write: 10, read: 7900 };

describe('usage.iterations', () => {
  test('of one model are what the message counts', () => {
    const attempts = [attempt('message', { input: 1, output: 45 }), attempt('message', { input: 1, output: 85 })];
    expect(rowsOf(story(row('m1', used, { attempts })))).toEqual(rowsOf(story(row('m1', used))));
  });

  test('an advisor is charged under its own model, and is no message', () => {
    const attempts = [
      attempt('message', { input: 1, output: 45 }),
      attempt('advisor_message', { input: 1000, output: 10 }, 'claude-opus-4-7'),
      attempt('message', { input: 1, output: 85 }),
    ];
    const rows = rowsOf(story(row('m1', used, { attempts }), row('m1', used, { attempts })));
    expect(rows.map((one) => [one['model'], one.messages, one.input_tokens, one.cost_usd, one.cost_source])).toEqual([
      [opus, 1, 2, 0.0072725, 'calculated'],
      ['claude-opus-4-7', 0, 1000, 0.00525, 'calculated'],
    ]);
  });

  const declined = [
    attempt('message', { input: 3, output: 57, write: 1042, read: 7200 }, fable),
    attempt('fallback_message', used, opus),
  ];

  test('what a model did before it declined is counted, but nobody is sure that it is charged', () => {
    const rows = rowsOf(story(row('m1', used, { attempts: declined })));
    expect(rows.map((one) => [one['model'], one.messages, one.output_tokens, one.cost_source])).toEqual([
      [fable, 0, 57, 'guess'],
      [opus, 1, 130, 'calculated'],
    ]);
    expect(rows[0]?.cost_usd).toBeGreaterThan(0);
  });

  test('also where the message goes by the model that was asked', () => {
    const [first] = rowsOf(story(row('m1', used, { attempts: declined, model: fable })));
    expect(first).toMatchObject({ model: fable, messages: 1, output_tokens: 187, cost_source: 'guess' });
  });

  test('one that declined before it said anything costs nothing', () => {
    const attempts = [attempt('message', { input: 900 }, fable), attempt('fallback_message', used, opus)];
    expect(rowsOf(story(row('m1', used, { attempts })))[0]).toMatchObject({
      model: fable,
      input_tokens: 900,
      cost_usd: 0,
      cost_source: 'guess',
    });
  });

  test('the program says what it charged: no attempt comes on top of that', () => {
    const records = story(row('m1', used, { attempts: declined }), costState({ [opus]: { ...used, cost: 0.0072725 } }));
    expect(report(records, ['total']).total).toMatchObject({
      output_tokens: 130,
      cost_usd: 0.0072725,
      cost_source: 'reported',
    });
  });

  test('rows of messages carry them', () => {
    const text = story(row('m1', used, { attempts: declined }), row('m2', used));
    const rows = messageRows(text);
    expect(messageRows(rows)).toBe(rows);
    for (const by of ['total', 'model', 'agent'] as const)
      expect(written(rowsOf(rows + rows, [by]))).toBe(written(rowsOf(text, [by])));
  });
});
