import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../../src/core/record/json.js';
import { type Picked, pickFields } from '../../../src/core/record/pick.js';

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
  expect(pickIn(json)).toEqual(found);
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
      expect(isObject(parsed) && picked(parsed, wanted)).toEqual(pickIn(json));
    }),
    { numRuns: 300 },
  );
});

/** In the middle of other bytes, as in an index. */
function pickIn(json: string): object {
  const bytes = Buffer.from(`"{${json},"a":"`);
  return pickFields({ bytes, text: (from, to) => bytes.toString('utf8', from, to), ascii: () => '' }, 2, wanted);
}

function picked(value: JsonObject, fields: Picked): JsonObject {
  const found = Object.entries(fields).filter(([name]) => Object.hasOwn(value, name));
  return Object.fromEntries(
    found.map(([name, inside]) => {
      const field = value[name];
      return [name, inside !== true && isObject(field) ? picked(field, inside) : field];
    }),
  );
}
