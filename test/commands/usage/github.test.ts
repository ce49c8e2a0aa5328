import { expect, test } from 'vitest';
import { githubOutput } from '../../../src/commands/usage/print.js';

test('the total as name=value, the rows as JSON', () => {
  const total = { total_tokens: 12, cost_usd: 0.5, cost_source: 'reported', unpriced_tokens: null };
  expect(githubOutput(total, [{ model: 'm', cost_usd: 0.5 }])).toBe(
    'total_tokens=12\ncost_usd=0.5\ncost_source=reported\nunpriced_tokens=\nrows=[{"model":"m","cost_usd":0.5}]\n',
  );
});

test('no value can begin another output', () => {
  const text = githubOutput({ name: 'a\nPATH=/evil' }, [{ agent: 'b\nPATH=/evil\u2028' }]);
  expect(text.split('\n').filter((line) => line.startsWith('PATH'))).toEqual([]);
  expect(text.split('\n').length).toBe(3);
});
