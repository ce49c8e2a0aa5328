import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonBytes, parseJson } from '../../../src/core/record/json.js';
import { LineIndex } from '../../../src/core/record/line-index.js';
import { runs, seed } from '../../effort.js';

/** Whether the index says that JSON.stringify writes this value again; null for a line that is odd. */
function isCanonical(value: Uint8Array | string): boolean | null {
  let said: boolean | null = null;
  const index: LineIndex = new LineIndex({
    shape: { v: 'place' },
    maxLineBytes: 1 << 28,
    seed: 7,
    open(memory) {
      const bytes = Buffer.from(memory);
      const text = (from: number, to: number) => bytes.toString('utf8', from, to);
      return { bytes, text, ascii: text };
    },
    line(entry) {
      const at = entry + index.slot('v');
      said = index.isOdd(entry) ? null : index.values.isCanonical(index.word(at), index.word(at + 1));
    },
    tooLong() {},
  });
  index.write(Buffer.concat([Buffer.from('{"v":'), Buffer.from(value), Buffer.from('}\n')]));
  index.end();
  return said;
}

describe('a value that JSON.stringify writes again', () => {
  test.each([
    ...['""', '"a"', '1', '0', '-7', '0.5', '0.074965057', '123456789012345', 'true', 'false', 'null', '[]', '{}'],
    ...['{"a":1,"b":{"a":2}}', '[{"a":1},{"a":2}]', '"a\\nb\\t\\"c\\\\"', '"\\u001b[0m"', '"\\u000b"', '"…é𝄞"'],
    ...['{"a":"x:","b":":"}', '["a:b",{"c":[{"c":1}]}]', `"${'x'.repeat(40)}\\n${'é'.repeat(40)}"`],
  ])('%s', (text) => {
    expect(JSON.stringify(JSON.parse(text))).toBe(text);
    expect(isCanonical(text)).toBe(true);
  });
});

describe('a value that it writes otherwise, or that is hard to tell', () => {
  test.each([
    ...['1.0', '1e3', '-0', '0.10', '1E5', '12345678901234567890', '0.0000001', '[1, 2]', '{"a": 1}', '{ }'],
    ...[
      '"\\/"',
      '"\\u0041"',
      '"\\u000A"',
      '"\\u000a"',
      '"\\u001B"',
      '"\\u00e9"',
      '{"a":1,"a":2}',
      '{"a":{"b":1,"b":2}}',
    ],
    ...['"\\ud834\\udd1e"', `{${Array.from({ length: 70 }, (_, at) => `"k${at}":1`).join()}}`],
  ])('%s', (text) => {
    expect(isCanonical(text)).toBe(false);
  });

  test.each([
    [[0xc0, 0x80]],
    [[0xed, 0xa0, 0x80]],
    [[0xff]],
    [[0xe2, 0x82]],
    [[0xf5, 0x80, 0x80, 0x80]],
    [[0xf0, 0x80, 0x80, 0x80]],
  ])('bytes that are not UTF-8: %j', (bytes) => {
    expect(isCanonical(Buffer.concat([Buffer.from('"a'), Buffer.from(bytes), Buffer.from('b"')]))).toBe(false);
  });
});

test('whoever is called canonical has the length that JSON.stringify gives it', () => {
  const piece = fc.constantFrom(
    ...['"', '\\"', '\\n', '\\u001f', '\\u001F', '\\/', '\\\\', 'é', '…', '𝄞', 'a:', '{', '}', '[', ']', ',', ':', ' '],
    ...['"a"', '"b":', '1', '0', '-', '.', 'e', 'true', 'null', '{"a":', '"x":"y"', '0.25', '00', '17'],
  );
  const text = fc.oneof(
    fc.json(),
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    fc.array(piece, { maxLength: 12 }).map((pieces) => `{"a":${pieces.join('')}}`),
  );
  fc.assert(
    fc.property(text, (value) => {
      if (value.includes('\n') || isCanonical(value) !== true) return;
      expect(jsonBytes(parseJson(value))).toBe(Buffer.byteLength(value));
    }),
    { numRuns: runs(500), seed },
  );
});

test('the length of a field is that of its UTF-8', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(jsonBytes(value)).toBe(Buffer.byteLength(JSON.stringify(value)));
    }),
    { numRuns: runs(200), seed },
  );
});
