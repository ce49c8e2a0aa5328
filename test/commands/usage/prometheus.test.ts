import { expect, test } from 'vitest';
import { type Metric, prometheusText } from '../../../src/commands/usage/print.js';

const metrics: readonly Metric[] = [
  {
    name: 'used',
    help: 'Used.',
    values: [
      { field: 'a', labels: { kind: 'x' } },
      { field: 'b', labels: { kind: 'y' } },
    ],
  },
  { name: 'cost', help: 'Cost.', values: [{ field: 'usd' }], labels: ['source'] },
];

test('one gauge per metric, one sample per row and value', () => {
  const rows = [
    { model: 'm1', a: 1, b: 2, usd: 1e-7, source: 'reported' },
    { model: null, a: 3, b: 4, usd: null, source: 'unpriced' },
  ];
  expect(prometheusText(metrics, ['model'], rows)).toBe(
    [
      '# HELP used Used.',
      '# TYPE used gauge',
      'used{model="m1",kind="x"} 1',
      'used{model="m1",kind="y"} 2',
      'used{model="",kind="x"} 3',
      'used{model="",kind="y"} 4',
      '# HELP cost Cost.',
      '# TYPE cost gauge',
      'cost{model="m1",source="reported"} 1e-7',
      '',
    ].join('\n'),
  );
});

test('a total needs no labels', () => {
  expect(
    prometheusText(
      metrics.slice(1).map(({ labels: _, ...rest }) => rest),
      [],
      [{ usd: 1 }],
    ),
  ).toContain('\ncost 1\n');
});

test('labels are text and nothing else', () => {
  const text = prometheusText(
    metrics.slice(1),
    ['model'],
    [{ model: 'a"} 9\nevil 1\\\u001b[2J', usd: 1, source: 's' }],
  );
  expect(text.split('\n')[2]).toBe(String.raw`cost{model="a\"} 9\\nevil 1\\\\x1b[2J",source="s"} 1`);
});
