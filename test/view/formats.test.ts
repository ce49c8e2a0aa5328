import { describe, expect, test } from 'vitest';
import {
  type Fields,
  type FormatName,
  formatNames,
  formats,
  openWriter,
  pickFields,
  type Row,
  selectFields,
} from '../../src/view/formats.js';
import { noPaint } from '../../src/view/paint.js';

const all = ['id', 'status', 'owner', 'blocked_by'];
const rows: readonly Row[] = [{ id: '1', status: 'pending', owner: 'ann', blocked_by: ['2'], extra: true }];

test('every format has a name to ask for', () => {
  expect([...formatNames].sort()).toEqual(Object.keys(formats).sort());
});

describe('selectFields', () => {
  test.each([
    [['id'], ['id']],
    [
      ['owner', 'id'],
      ['owner', 'id'],
    ],
    [
      [' owner ', 'id', 'owner', ''],
      ['owner', 'id'],
    ],
  ])('%j', (wanted, fields) => {
    expect(selectFields(all, wanted)).toEqual({ ok: true, fields });
  });

  test.each([
    [['nope'], ['nope'], 'unknown field nope; there are id, status, owner, blocked_by'],
    [
      ['id', 'x\x1b', 'constructor'],
      ['x\x1b', 'constructor'],
      'unknown fields x\\x1b, constructor; there are id, status, owner, blocked_by',
    ],
    [[''], [], 'no field named; there are id, status, owner, blocked_by'],
  ])('%j is refused', (wanted, unknown, error) => {
    expect(selectFields(all, wanted)).toEqual({ ok: false, unknown, error });
  });
});

test('pickFields orders, and fills what is missing with null', () => {
  expect(JSON.stringify(pickFields({ a: 1, b: undefined, c: [] }, ['c', 'b', 'toString', 'a']))).toBe(
    '{"c":[],"b":null,"toString":null,"a":1}',
  );
});

describe('openWriter', () => {
  test.each<[FormatName, Fields, string]>([
    ['table', { all }, 'ID  STATUS   OWNER  BLOCKED BY\n1   pending  ann    2\n'],
    ['table', { all, table: ['id', 'owner'] }, 'ID  OWNER\n1   ann\n'],
    ['table', { all, table: ['id', 'owner'], chosen: ['status', 'id'] }, 'STATUS   ID\npending  1\n'],
    ['ndjson', { all, table: ['id'] }, '{"id":"1","status":"pending","owner":"ann","blocked_by":["2"],"extra":true}\n'],
    ['ndjson', { all, chosen: ['owner', 'id'] }, '{"owner":"ann","id":"1"}\n'],
    ['json', { all, chosen: ['owner'] }, '[\n{"owner":"ann"}\n]\n'],
    ['csv', { all, table: ['id'] }, 'id,status,owner,blocked_by\n1,pending,ann,2\n'],
    ['csv', { all, chosen: ['blocked_by', 'id'] }, 'blocked_by,id\n2,1\n'],
    ['tsv', { all, chosen: ['blocked_by', 'id'] }, 'blocked_by\tid\n2\t1\n'],
    ['md', { all, chosen: ['owner'] }, '| owner |\n| --- |\n| ann |\n'],
  ])('%s of %j', (name, fields, text) => {
    const writer = openWriter(name, fields, { width: 80, paint: noPaint });
    expect(writer.head() + rows.map((row) => writer.row(row)).join('') + writer.tail()).toBe(text);
  });
});
