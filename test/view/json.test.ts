import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { json, ndjson, type Row, type Writer } from '../../src/view/formats.js';
import { hostileRow } from './hostile.js';

/** The same with U+FFFD for half of a surrogate pair, in keys too. */
function unicode(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\p{Surrogate}/gu, '\ufffd');
  if (Array.isArray(value)) return value.map(unicode);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [unicode(key), unicode(inner)]));
}

test.each([
  ['half \ud83d', 'half \ufffd'],
  ['\udc00\ud800', '\ufffd\ufffd'],
  ['whole \ud83d\ude00', 'whole \ud83d\ude00'],
  ['written \\ud800 and \\\\ud800', 'written \\ud800 and \\\\ud800'],
  ['\\\ud800', '\\\ufffd'],
])('%j is Unicode text', (said, text) => {
  expect(JSON.parse(written(ndjson(), [{ a: said, [said]: 1 }]))).toEqual({ a: text, [text]: 1 });
});

describe('json', () => {
  test.each([
    [[], '[]\n'],
    [[{ a: 1 }], '[\n{"a":1}\n]\n'],
    [[{ a: null }, { a: [] }], '[\n{"a":null},\n{"a":[]}\n]\n'],
  ])('%j', (rows, text) => {
    expect(written(json(), rows)).toBe(text);
  });

  test('each row is written as it comes', () => {
    const writer = json();
    expect([writer.head, writer.row({ a: 1 }), writer.row({ a: 2 }), writer.tail()]).toEqual([
      '',
      '[\n{"a":1}',
      ',\n{"a":2}',
      '\n]\n',
    ]);
  });

  test('is one array of the rows', () => {
    fc.assert(
      fc.property(fc.array(hostileRow), (rows) => {
        expect(JSON.parse(written(json(), rows))).toEqual(unicode(JSON.parse(JSON.stringify(rows))));
      }),
    );
  });
});

describe('ndjson', () => {
  test('is a row a line, in the order of its keys', () => {
    expect(written(ndjson(), [{ b: 'x\n\x1b', a: null }, { a: [{}] }])).toBe(
      '{"b":"x\\n\\u001b","a":null}\n{"a":[{}]}\n',
    );
  });

  test('is nothing without rows', () => {
    expect(written(ndjson(), [])).toBe('');
  });
});

function written(writer: Writer, rows: readonly Row[]): string {
  return writer.head + rows.map((row) => writer.row(row)).join('') + writer.tail();
}
