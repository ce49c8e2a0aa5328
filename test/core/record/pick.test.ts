import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject } from '../../../src/core/record/json.js';
import { pick, picked } from '../../../src/core/record/pick.js';

const wanted = { a: true, file: { numLines: true, file: { a: true } } } as const;

test.each([
  ['{}', {}],
  ['{"a":1}', { a: 1 }],
  [' {"a":1}'.trim(), { a: 1 }],
  ['{ "b" : [ "}" , {"a":2} ] , "a" : "x\\"}" }', { a: 'x"}' }],
  ['{"file":{"content":"{\\"numLines\\":9}\\\\","numLines":3},"a":null}', { file: { numLines: 3 }, a: null }],
  ['{"a":1,"a":[2,{"c":3}]}', { a: [2, { c: 3 }] }],
  ['{"\\u0061":-1.5e3,"b":true}', { a: -1500 }],
  ['{"file":"text","__proto__":{"a":1}}', { file: 'text' }],
  ['{"b":"\\\\","a":"\\\\\\\\"}', { a: '\\\\' }],
])('picks of %s what is wanted', (json, found) => {
  expect(pick(json, wanted)).toEqual(found);
});

test('as from the parsed object, however it is written', () => {
  const key = fc.constantFrom('a', 'b', 'file', 'numLines', 'content', '"', '\\', '{', '__proto__');
  const { object } = fc.letrec((tie) => ({
    object: fc.dictionary(key, tie('value'), { maxKeys: 5 }),
    value: fc.oneof(
      { depthSize: 'small' },
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(true, false, null, '', '}', '\\', '"', ']'),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('object'),
    ),
  }));
  fc.assert(
    fc.property(object, fc.constantFrom(undefined, 1, '\t', ' \n'), (value, space) => {
      const json = JSON.stringify(value, null, space);
      const parsed: unknown = JSON.parse(json);
      expect(isObject(parsed) && picked(parsed, wanted)).toEqual(pick(json, wanted));
    }),
    { numRuns: 300 },
  );
});
