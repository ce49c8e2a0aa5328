import { expect, test } from 'vitest';
import { member } from '../../src/core/event/event.js';
import {
  exactly,
  type Field,
  json,
  listOf,
  mapOf,
  maybeText,
  means,
  number,
  object,
  oneOf,
  optional,
  orNull,
  text,
  texts,
} from '../../src/core/record/describe.js';
import { fieldsOf, typeOf } from './man.js';

test.each<[string, Field]>([
  ['string', text],
  ['string or null', maybeText],
  ['anything', json],
  ['1', exactly(1)],
  ['a, b or c', oneOf(['a', 'b', 'c'])],
  ['a, b or null', orNull(oneOf(['a', 'b']))],
  ['list of strings', texts],
  ['list of anything or null', orNull(listOf(json))],
  ['object of numbers', mapOf(number)],
  ['object', mapOf(json)],
  ['object', object({})],
  ['member', member],
])('%s', (words, field) => {
  expect(typeOf(field, { member })).toBe(words);
});

test('fields, and those of the objects in them', () => {
  const path = means(text, 'its folder');
  const worktree = means(orNull(object({ path, deep: object({ path }) })), 'a copy');
  expect(fieldsOf('thing', { worktree, source: optional(text), member }, { member })).toEqual([
    { name: 'worktree', type: 'object or null', meaning: 'a copy' },
    { name: 'worktree.path', type: 'string', meaning: 'its folder' },
    { name: 'worktree.deep', type: 'object', meaning: '' },
    { name: 'source', type: 'string, may be missing', meaning: '' },
    { name: 'member', type: 'member', meaning: 'the member it is about' },
  ]);
});
