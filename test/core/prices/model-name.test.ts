import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { canonicalModel, modelKey } from '../../../src/core/prices/models.js';

test.each([
  ['opus', 'claude-opus-5-5'],
  ['sonnet[1m]', 'claude-sonnet-5-5'],
  ['opusplan', 'claude-sonnet-5-5'],
  ['claude-opus-4-20250514', 'claude-opus-4-0'],
  ['arn:aws:bedrock:us-east-1::inference-profile/us.anthropic.claude-opus-4-1-20250805-v1:0', 'claude-opus-4-1'],
  ['claude-opus-5-1', null],
  ['claude-opus-5-2[1m]', null],
  ['claude-opus-5-5-20261001', 'claude-opus-5-5'],
  ['claude-opus-5-1-20261001', null],
  ['claude-opus-5-1-preview', 'claude-opus-5'],
  ['claude-opus-5.0', 'claude-opus-5'],
  ['us.anthropic.claude-opus-5-1-v1:0', null],
  ['claude-sonnet-4-9-preview', null],
  ['claude-sonnet-4-preview', 'claude-sonnet-4-0'],
  ['opus-5', null],
  ['', null],
])('%s is %s', (model, name) => {
  expect(canonicalModel(model)).toBe(name);
});

// What Claude Code 2.1.325 called each of these ids that it was asked to use; null where it did not know a price.
const measured: { readonly model: string; readonly canonical: string | null }[] = readFileSync(
  'fixtures/usage/model-ids.ndjson',
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));

test('1100 ids, plausible and not, mean the model that the program takes them for', () => {
  expect(measured.length).toBe(1100);
  expect(measured.filter(({ model, canonical }) => canonicalModel(model) !== canonical)).toEqual([]);
});

test('a model that is not known goes by its own name, however it is spelled', () => {
  expect(modelKey('GLM-5.1')).toBe('glm-5-1');
  expect(modelKey('glm-5.1[1m]')).toBe('glm-5-1');
});
