import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csv, flat, type Row } from '../../src/view/formats.js';
import { sanitizeData } from '../../src/view/text.js';
import { hostileRow, someFields } from './hostile.js';

test('a header, then a line a row', () => {
  const rows = [
    {
      team: 'alpha',
      members: [{ name: 'a' }, { name: 'b' }],
      blocked_by: ['1', '2'],
      tasks: { pending: 1 },
      cost_usd: 0.5,
      ready: true,
    },
    { team: null, members: [], blocked_by: [], tasks: null, cost_usd: null, ready: false },
  ];
  expect(written(['team', 'members', 'blocked_by', 'tasks', 'cost_usd', 'ready'], rows)).toBe(
    'team,members,blocked_by,tasks,cost_usd,ready\nalpha,2,1;2,"{""pending"":1}",0.5,true\n,0,,,,false\n',
  );
});

test('no rows leave the header', () => {
  expect(written(['a', 'b'], [])).toBe('a,b\n');
});

test.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['=HYPERLINK("https://example.com","x")', `"'=HYPERLINK(""https://example.com"",""x"")"`],
  ['+1', "'+1"],
  ['-1+cmd', "'-1+cmd"],
  ['-5', '-5'],
  ['-5.25e-7', '-5.25e-7'],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t'=1"],
  ['\r=1', "'\\r'=1"],
  [' =1', "' =1"],
  ['＝1', "'＝1"],
  ['a;=1', "a;'=1"],
  ['a; =1;b', "a;' =1;b"],
  ['a\t@b', "a\t'@b"],
  ['1;-2;+3', "1;-2;'+3"],
  ['two\n=1', `"two\n'=1"`],
  ['list:\n- one\n- two', '"list:\n- one\n- two"'],
  [['=1', 'b', '-c'], "'=1;b;'-c"],
  ['\x1b[31mred', '\\x1b[31mred'],
  ['世界', '世界'],
  [-5, '-5'],
  ['', '""'],
  [null, '""'],
])('%j', (value, line) => {
  expect(written(['x'], [{ x: value }])).toBe(`x\n${line}\n`);
});

test('fields come from the row itself, not from what every object has', () => {
  expect(written(['constructor', '__proto__'], [{}])).toBe('constructor,__proto__\n,\n');
});

test('every file parses back to its sanitised cells, none of them a formula', () => {
  fc.assert(
    fc.property(someFields, fc.array(hostileRow, { maxLength: 5 }), (fields, rows) => {
      const [head, ...body] = parseCsv(written(fields, rows));
      expect(head).toEqual(fields);
      expect(body).toHaveLength(rows.length);
      rows.forEach((row, place) => {
        const cells = body[place] ?? [];
        const texts = fields.map((field) => sanitizeData(flat(field, row[field])));
        expect(cells.map(withoutApostrophes)).toEqual(texts.map(withoutApostrophes));
        for (const cell of cells) {
          expect(cell).not.toMatch(/(?:^|[;\t])[ \u3000]*[=+@]|^[\t\r]|\n[=@]/);
          if (cell.startsWith('-')) expect(Number.isNaN(Number(cell))).toBe(false);
        }
      });
    }),
  );
});

/** Those that keep a cell from being a formula. */
function withoutApostrophes(text: string): string {
  return text.replace(/(?<=^|[;\t\r\n])'/g, '');
}

function written(fields: readonly string[], rows: readonly Row[]): string {
  const writer = csv(fields);
  return writer.head + rows.map((row) => writer.row(row)).join('') + writer.tail();
}

function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  const row: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))([,\n])/y;
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const found = cell.exec(text);
    if (found === null) throw new Error(`no cell at ${at} of ${JSON.stringify(text)}`);
    row.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === '\n') rows.push(row.splice(0));
  }
  return rows;
}
