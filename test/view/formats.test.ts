import { describe, expect, test } from 'vitest';
import { type Fields, type FormatName, openWriter, type Row } from '../../src/view/formats.js';
import { noPaint } from '../../src/view/signs.js';

const all = ['id', 'status', 'owner', 'blocked_by'];
const rows: readonly Row[] = [{ id: '1', status: 'pending', owner: 'ann', blocked_by: ['2'], extra: true }];

describe('openWriter', () => {
  test.each<[FormatName, Fields, string]>([
    ['table', { all }, 'ID  STATUS   OWNER  BLOCKED BY\n1   pending  ann    2\n'],
    ['table', { all, table: ['id', 'owner'] }, 'ID  OWNER\n1   ann\n'],
    ['table', { all, table: ['id', 'owner'], chosen: ['status', 'id'] }, 'STATUS   ID\npending  1\n'],
    ['ndjson', { all, table: ['id'] }, '{"id":"1","status":"pending","owner":"ann","blocked_by":["2"],"extra":true}\n'],
    ['ndjson', { all, chosen: ['owner', 'id'] }, '{"owner":"ann","id":"1"}\n'],
    ['ndjson', { all, chosen: ['toString', 'id'] }, '{"toString":null,"id":"1"}\n'],
    ['json', { all, chosen: ['owner'] }, '[\n{"owner":"ann"}\n]\n'],
    ['csv', { all, table: ['id'] }, 'id,status,owner,blocked_by\n1,pending,ann,2\n'],
    ['csv', { all, chosen: ['blocked_by', 'id'] }, 'blocked_by,id\n2,1\n'],
    ['tsv', { all, chosen: ['blocked_by', 'id'] }, 'blocked_by\tid\n2\t1\n'],
    ['md', { all, chosen: ['owner'] }, '| owner |\n| --- |\n| ann |\n'],
  ])('%s of %j', (name, fields, text) => {
    const writer = openWriter(name, fields, { width: 80, paint: noPaint });
    expect(writer.head + rows.map((row) => writer.row(row)).join('') + writer.tail()).toBe(text);
  });
});
