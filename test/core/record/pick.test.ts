import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openIndex } from '../../../src/cli/lines.js';
import { isObject, type JsonObject } from '../../../src/core/record/json.js';
import type { LineIndex } from '../../../src/core/record/line-index.js';
import { type Picked, pickFields } from '../../../src/core/record/pick.js';
import { lineCount } from '../../../src/core/wire/view.js';

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

test.each([
  ['', 0],
  ['a', 1],
  ['\n', 1],
  ['a\n', 1],
  ['\na', 2],
  ['a\r\nb\n\n', 3],
  ['\\n', 1],
  ['\\\n\\', 2],
])('counts the lines of %j', (text, lines) => {
  expect(linesOf(JSON.stringify(text))).toBe(lines);
});

test('counts line ends in every spelling', () => {
  expect(linesOf('"a\\u000ab\\u000Ac\\\\u000ad\\u00ea\\u000a"')).toBe(3);
});

test('counts lines as in the parsed text', () => {
  const piece = fc.constantFrom('\n', '\\', '\\n', 'n', 'u000a', 'é', '"', ' ', 'x'.repeat(61));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      expect(linesOf(JSON.stringify(text))).toBe(lineCount(text));
    }),
    { numRuns: 300 },
  );
});

function pickIn(json: string): object {
  return withValue(json, (index, at) => pickFields(index, index.word(at), wanted));
}

function linesOf(json: string): number {
  return withValue(json, (index, at) => index.values.linesIn(index.word(at), index.word(at + 1)));
}

/** Reads a value in the middle of a line. Such a line has no line ends. */
function withValue<T>(json: string, read: (index: LineIndex, at: number) => T): T {
  const found: T[] = [];
  const index: LineIndex = openIndex({
    shape: { v: 'place' },
    line: (entry) => found.push(read(index, entry + index.slot('v'))),
    tooLong() {},
  });
  index.write(Buffer.from(`{"a":2,"v":${json.replaceAll('\n', ' ')},"a":"\\n"}\n`));
  index.end();
  const [value] = found;
  if (value === undefined) throw new Error('odd');
  return value;
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
