import fc from 'fast-check';
import { expect, test } from 'vitest';
import { flat, type Row, tsv } from '../../src/view/formats.js';
import { hostileRow, someFields } from './hostile.js';

test('a header, then a line a row', () => {
  const rows = [
    { id: '1', subject: 'two\nlines\tand C:\\tmp\r\n', blocked_by: ['2', '3'], metadata: { a: 'b\nc' } },
    { id: '2', subject: null, blocked_by: [], metadata: null },
  ];
  expect(written(['id', 'subject', 'blocked_by', 'metadata'], rows)).toBe(
    'id\tsubject\tblocked_by\tmetadata\n1\ttwo\\nlines\\tand C:\\\\tmp\\r\\n\t2;3\t{"a":"b\\\\nc"}\n2\t\t\t\n',
  );
});

test.each([
  ['\x1b[31mred', '\\x1b[31mred'],
  ['\\x1b', '\\\\x1b'],
  ['=1+1', "'=1+1"],
  ['-5', '-5'],
  [['a', '=b'], "a;'=b"],
  ['x;\u200d@y', "x;'\u200d@y"],
  ['a, -b', 'a, -b'],
  ['\u202e', '\\u202e'],
])('%j', (value, line) => {
  expect(written(['x'], [{ x: value }])).toBe(`x\n${line}\n`);
});

test('every cell reads back as it was, but for the apostrophe before a formula', () => {
  fc.assert(
    fc.property(someFields, fc.array(hostileRow, { maxLength: 5 }), (fields, rows) => {
      const text = written(fields, rows);
      expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
      const lines = text.split('\n').slice(1, -1);
      const cells = lines.map((line) => line.split('\t').map(unescapeCell));
      for (const cell of cells.flat()) expect(cell).not.toMatch(/(?:^|;)\s*[=+@]/);
      const texts = rows.map((row) => fields.map((field) => flat(field, row[field])));
      expect(cells.map((row) => row.map(withoutApostrophes))).toEqual(texts.map((row) => row.map(withoutApostrophes)));
    }),
  );
});

function withoutApostrophes(text: string): string {
  return text.replace(/(?<=^|[;\t])'/g, '');
}

function written(fields: readonly string[], rows: readonly Row[]): string {
  const writer = tsv(fields);
  return writer.head + rows.map((row) => writer.row(row)).join('') + writer.tail();
}

function unescapeCell(cell: string): string {
  return cell.replace(/\\(?:([\\tnr])|x(..)|u\{([^}]+)\}|u(....))/g, (_, letter, two, many, four) => {
    if (letter === undefined) return String.fromCodePoint(Number.parseInt(two ?? many ?? four, 16));
    return { '\\': '\\', t: '\t', n: '\n', r: '\r' }[letter as string] ?? '';
  });
}
