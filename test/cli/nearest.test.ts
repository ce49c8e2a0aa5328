import { expect, test } from 'vitest';
import { nearest } from '../../src/cli/flags/flags.js';

test.each([
  ['normalise', ['normalize', 'schema'], 'normalize'],
  ['noramlize', ['normalize', 'schema'], 'normalize'],
  ['scheam', ['normalize', 'schema'], 'schema'],
  ['SCHEMA', ['normalize', 'schema'], 'schema'],
  ['team:tsk:created', ['team:task:created', 'team:created'], 'team:task:created'],
  ['cvs', ['csv', 'tsv'], 'csv'],
  ['x', ['a', 'bb'], 'a'],
  ['table', [], null],
  ['banana', ['normalize', 'schema'], null],
  ['', ['normalize'], null],
  ['a'.repeat(1_000_000), ['normalize'], null],
])('%.20s', (word, candidates, wanted) => {
  expect(nearest(word, candidates)).toBe(wanted);
});
