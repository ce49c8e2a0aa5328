import { expect, test } from 'vitest';
import { canonicalModel, modelKey } from '../../../src/core/prices/model-name.js';

test.each([
  ['opus', 'claude-opus-5-5'],
  ['sonnet[1m]', 'claude-sonnet-5-5'],
  ['opusplan', 'claude-sonnet-5-5'],
  ['claude-opus-4-20250514', 'claude-opus-4-0'],
  ['arn:aws:bedrock:us-east-1::inference-profile/us.anthropic.claude-opus-4-1-20250805-v1:0', 'claude-opus-4-1'],
  ['claude-opus-5-1', null],
  ['claude-opus-5-2[1m]', null],
  ['claude-opus-5-5-20261001', 'claude-opus-5-5'],
  ['opus-5', null],
  ['', null],
])('%s is %s', (model, name) => {
  expect(canonicalModel(model)).toBe(name);
});

test('a model that is not known goes by its own name, however it is spelled', () => {
  expect(modelKey('GLM-5.1')).toBe('glm-5-1');
  expect(modelKey('glm-5.1[1m]')).toBe('glm-5-1');
});
