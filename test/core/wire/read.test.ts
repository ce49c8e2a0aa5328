import { describe, expect, test } from 'vitest';
import { countOf, idOf, listOf, textOf } from '../../../src/core/record/json.js';
import { type Fieldset, jsonOf, onlyTextsOf, read, spelled, whole } from '../../../src/core/wire/read.js';

const shape = {
  id: spelled(idOf, 'id', 'taskId'),
  name: textOf,
  tokens: spelled(countOf, 'totalTokens'),
  tools: onlyTextsOf,
  blocks: listOf,
  patch: whole({ status: textOf, error: textOf }),
  more: jsonOf,
};
const nothing = { id: null, name: null, tokens: null, tools: null, blocks: null, patch: null, more: null };

describe('a bad field does not cost the others', () => {
  test.each<[string, object, object]>([
    ['a wrong type', { name: 7, id: 'a' }, { id: 'a' }],
    ['several', { name: [], id: {}, totalTokens: '9', blocks: [1] }, { blocks: [1] }],
    ['no number', { totalTokens: Number.POSITIVE_INFINITY, name: 'writer' }, { name: 'writer' }],
    ['another spelling', { totalTokens: 9, tokens: 7 }, { tokens: 9 }],
    ['the first spelling that can be read', { id: '', taskId: 3 }, { id: '3' }],
    ['a list with something else in it', { name: 'm', tools: ['Read', 7] }, { name: 'm' }],
    ['a bad field further in costs its piece', { id: 'b', patch: { status: 7, error: 'x' } }, { id: 'b' }],
    ['what is not said further in', { patch: { error: null, more: 7 } }, { patch: { status: null, error: null } }],
    ['anything', { more: [7] }, { more: [7] }],
    ['unknown ones are left', { name: 'crew', color: 'blue' }, { name: 'crew' }],
  ])('%s', (_what, value, expected) => {
    expect(read<Fieldset>(shape, value)).toEqual({ ...nothing, ...expected });
  });

  test.each([null, undefined, 'text', 7, [], [{ name: 'x' }]])('%j reads as an empty object', (value) => {
    expect(read(shape, value)).toEqual(nothing);
  });

  test.each([Symbol('x'), () => {}, 1n])('whatever is wrong: %s', (odd) => {
    const { more: _more, ...all } = Object.fromEntries(Object.keys(shape).map((name) => [name, odd]));
    expect(read(shape, all)).toEqual(nothing);
  });

  test('the value itself stays as it was', () => {
    const value = { id: 7, name: 'writer', patch: { status: 'x', more: 1 } };
    read(shape, value);
    expect(value).toEqual({ id: 7, name: 'writer', patch: { status: 'x', more: 1 } });
  });
});
