import fc from 'fast-check';
import { expect, test } from 'vitest';
import { flat, markdown, type Row } from '../../src/view/formats.js';
import { money, sanitizeData } from '../../src/view/text.js';
import { hostileRow, someFields } from './hostile.js';

test('a table with numbers on the right', () => {
  const rows = [
    { team: 'alpha', members: [1, 2], status: 'cleaned_up', cost_usd: 0.25, blocked_by: ['1', '2'] },
    { team: null, members: [], status: null, cost_usd: null, blocked_by: [] },
  ];
  expect(written(['team', 'members', 'status', 'cost_usd', 'blocked_by'], rows)).toBe(
    [
      '| team | members | status | cost\\_usd | blocked\\_by |',
      '| --- | ---: | --- | ---: | --- |',
      '| alpha | 2 | cleaned\\_up | $0.2500 | 1;2 |',
      '|  | 0 |  |  |  |',
      '',
    ].join('\n'),
  );
});

test.each([
  ['a | b', 'a \\| b'],
  ['a \\| b', 'a \\\\\\| b'],
  ['`code` *bold* _it_ ~~no~~', '\\`code\\` \\*bold\\* \\_it\\_ \\~\\~no\\~\\~'],
  ['[x](javascript:alert(1))', '\\[x\\](javascript:alert(1))'],
  ['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
  ['&lt;b&gt;', '&amp;lt;b&amp;gt;'],
  [
    '@everyone, see https://example.com or www.example.com',
    '&#64;everyone, see https:&#47;&#47;example.com or www&#46;example.com',
  ],
  ['two\nlines\r\nthree', 'two<br>lines<br>three'],
  ['tab\there', 'tab here'],
  ['\x1b[31m\u202e', '\\\\x1b\\[31m\\\\u202e'],
])('%j', (value, cell) => {
  expect(written(['x'], [{ x: value }])).toBe(`| x |\n| --- |\n| ${cell} |\n`);
});

test('every row has its columns and no markup, and reads back as its sanitised text', () => {
  fc.assert(
    fc.property(someFields, fc.array(hostileRow, { maxLength: 5 }), (fields, rows) => {
      const text = written(fields, rows);
      expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
      expect(text.replaceAll('<br>', '')).not.toMatch(/[<>]/);
      const lines = text.split('\n').slice(2, -1);
      const cells = lines.map((line) =>
        line
          .slice(2, -2)
          .split(/(?<=(?<!\\)(?:\\\\)*) \| /)
          .map(unescapeCell),
      );
      const shown = (row: Row) =>
        fields.map((field) => sanitizeData(cellText(field, row[field])).replace(/\r?\n/g, '\n').replaceAll('\t', ' '));
      expect(cells).toEqual(rows.map(shown));
    }),
  );
});

/** Money is rounded, all else is as in csv. */
function cellText(field: string, value: unknown): string {
  return field === 'cost_usd' && typeof value === 'number' ? money(value) : flat(field, value);
}

test('a total closes the table, named where the first column is a text', () => {
  const rows = [{ model: 'claude-haiku-4-5-20251001', total_tokens: 1234, cost_usd: 0.000611995 }];
  const total = { total_tokens: 1234, cost_usd: 0.000611995 };
  expect(written(['model', 'total_tokens', 'cost_usd'], rows, total).split('\n').slice(2)).toEqual([
    '| claude-haiku-4-5-20251001 | 1234 | $0.0006 |',
    '| total | 1234 | $0.0006 |',
    '',
  ]);
  expect(written(['cost_usd'], rows, total)).toBe('| cost\\_usd |\n| ---: |\n| $0.0006 |\n| $0.0006 |\n');
});

function written(fields: readonly string[], rows: readonly Row[], total?: Row): string {
  const writer = markdown(fields);
  return writer.head + rows.map((row) => writer.row(row)).join('') + writer.tail(total);
}

const entities: Readonly<Record<string, string>> = {
  '<br>': '\n',
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&#46;': '.',
  '&#47;': '/',
  '&#64;': '@',
};

function unescapeCell(cell: string): string {
  return cell.replace(/\\([!-/:-@[-`{-~])|<br>|&#?\w+;/g, (all, escaped) => escaped ?? entities[all] ?? all);
}
