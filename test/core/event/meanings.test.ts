import { expect, test } from 'vitest';
import { withMeanings } from '../../../src/core/event/schema.js';

const text = { type: 'string' };

test.each([
  ['a field has the meaning of its name', 'task', { cwd: text }, { cwd: 'working directory' }],
  ['or the one it has here', 'team:created', { name: text }, { name: 'name of the team' }],
  ['what it says of itself stays', 'task', { cwd: { ...text, description: 'mine' } }, { cwd: 'mine' }],
  ['a name nobody knows has none', 'task', { constructor: text, other: text }, {}],
])('%s', (_name, owner, properties, meanings) => {
  const described = Object(withMeanings({ type: 'object', properties }, owner)).properties;
  const said = Object.entries<{ description?: string }>(described).flatMap(([name, { description }]) =>
    description === undefined ? [] : [[name, description]],
  );
  expect(Object.fromEntries(said)).toEqual(meanings);
});

test('inside lists, choices and definitions too, and nothing else is changed', () => {
  const field = { type: 'object', properties: { cwd: text } };
  const schema = {
    $defs: { 'team:deleted': { properties: { name: text } } },
    anyOf: [{ items: field }, { const: null }],
  };
  expect(withMeanings(schema, 'x')).toEqual({
    $defs: { 'team:deleted': { properties: { name: { description: 'name of the team', type: 'string' } } } },
    anyOf: [
      { items: { type: 'object', properties: { cwd: { description: 'working directory', type: 'string' } } } },
      { const: null },
    ],
  });
});
