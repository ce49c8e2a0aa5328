import { expect, test } from 'vitest';
import { leadingJson, parseJson, toJson } from '../../../src/core/record/json.js';

test.each<[string, unknown]>([
  ['{"a":1}', { a: 1 }],
  ['  \n{"a":1}\n', { a: 1 }],
  ['{"a":{"b":"}"}} and then prose', { a: { b: '}' } }],
  ['{"a":1}\n{"a":2}', { a: 1 }],
  ['{\n  "a": "\\"{"\n}\n\nUse this to …', { a: '"{' }],
  ['{}', {}],
  ['{"a":1', null],
  ['{a:1}', null],
  ['{"a":1,}', null],
  ['prose {"a":1}', null],
  ['[{"a":1}]', null],
  ['"text"', null],
  ['', null],
  [' \n ', null],
])('%j', (text, expected) => {
  expect(leadingJson(text)).toEqual(expected);
});

test('toJson spells what JSON can, and names what is nested too deep for it', () => {
  expect(toJson({ a: [1, 'é'] })).toBe('{"a":[1,"é"]}');
  expect(toJson(undefined)).toBe('null');
  const deep: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
  expect(toJson(deep)).toBe('"[nested too deep]"');
  const [open, close] = ['['.repeat(199), ']'.repeat(199)];
  const kept = `${open}["[nested too deep]"]${close}`;
  expect(toJson({ list: deep, two: 2 })).toBe(`{"list":${kept},"two":2}`);
  expect(parseJson(toJson({ one: { deep }, two: 2 }))).toEqual({ one: expect.anything(), two: 2 });
});
