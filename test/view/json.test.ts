import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { json, ndjson, type Row, type Writer } from '../../src/view/formats.js';
import { hostileRow } from './hostile.js';

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
        expect(JSON.parse(written(json(), rows))).toEqual(JSON.parse(JSON.stringify(rows)));
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
