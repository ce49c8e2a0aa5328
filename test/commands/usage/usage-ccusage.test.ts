// What ccusage 20.0.24 (--offline) says of the same files; it was run once, its figures are kept here.
import { describe, expect, test } from 'vitest';
import { row, story } from './usage-story.js';
import { home, report } from './used.js';

describe('ccusage counts the same', () => {
  test.each([
    ['team-2.1.140', { input: 172, output: 7057, write: 36656, read: 391935, cost: 0.4412029 }],
    ['team-2.1.39', { input: 186, output: 132, write: 39756, read: 416358, cost: 0.460884 }],
  ])('%s', (name, ccusage) => {
    const { total } = report(home(name), ['total']);
    expect({
      input: total.input_tokens,
      output: total.output_tokens,
      write: total.cache_write_5m_tokens + total.cache_write_1h_tokens,
      read: total.cache_read_tokens,
      cost: total.cost_usd,
    }).toEqual(ccusage);
  });

  test('but does not say that the output of 2.1.39 is partial', () => {
    expect(report(home('team-2.1.39'), ['total']).total.cost_source).toBe('lower_bound');
  });
});

describe('ccusage is wrong', () => {
  test('about models it has no price for: it adds them as 0', () => {
    const { rows, total } = report(home('team-2.1.325'));
    expect([total.total_tokens, total.cost_usd]).toEqual([369160, 0.25718149]);
    const known = rows.find(({ model }) => model === 'claude-opus-4-6');
    expect(known?.cost_usd).toBe(0.20445325); // all that ccusage has
  });

  const million = { input: 1_000_000 };
  test.each([
    [
      'a message whose copy has no requestId: 10.0, as it counts it twice',
      [asked('m1', million), row('m1', million)],
      5,
    ],
    ['web searches: 5.0, as it does not bill them', [row('m1', { ...million, searches: 100 })], 6],
    [
      'a long prompt of Sonnet 4.5: 22.2, at a tier the program does not have',
      [row('m1', { input: 300_000, output: 1_000_000 }, { model: 'claude-sonnet-4-5-20250929' })],
      15.9,
    ],
  ])('about %s', (_, records, cost) => {
    expect(report(story(...records), ['total']).total.cost_usd).toBe(cost);
  });
});

function asked(id: string, used: { input: number }): object {
  return { ...row(id, used), requestId: 'req_1' };
}
