import { expect, test } from 'vitest';
import { fieldsOf, type JsonSchema, typeOf } from '../../src/cli/docs/man.js';

test.each<[string, JsonSchema]>([
  ['string', { type: 'string' }],
  ['string or null', { type: ['string', 'null'] }],
  ['anything', {}],
  ['1', { const: 1 }],
  ['a, b or c', { enum: ['a', 'b', 'c'] }],
  ['a, b or null', { anyOf: [{ enum: ['a', 'b'] }, { type: 'null' }] }],
  ['list of strings', { type: 'array', items: { type: 'string' } }],
  ['list of anything or null', { anyOf: [{ type: 'array', items: {} }, { type: 'null' }] }],
  ['object of numbers', { type: 'object', additionalProperties: { type: 'number' } }],
  ['object', { type: 'object', additionalProperties: {} }],
  ['member', { $ref: '#/$defs/member' }],
])('%s', (words, schema) => {
  expect(typeOf(schema)).toBe(words);
});

test('fields, and those of the objects in them', () => {
  const path: JsonSchema = { type: 'string', description: 'its folder' };
  const object: JsonSchema = { type: 'object', properties: { path, deep: { type: 'object', properties: { path } } } };
  const worktree: JsonSchema = { description: 'a copy', anyOf: [object, { type: 'null' }] };
  expect(fieldsOf({ properties: { worktree, source: path }, required: ['worktree'] })).toEqual([
    { name: 'worktree', type: 'object or null', meaning: 'a copy' },
    { name: 'worktree.path', type: 'string', meaning: 'its folder' },
    { name: 'worktree.deep', type: 'object', meaning: '' },
    { name: 'source', type: 'string, not always there', meaning: 'its folder' },
  ]);
});
