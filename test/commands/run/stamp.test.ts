import { expect, test } from 'vitest';
import { Stamper } from '../../../src/commands/run/guard.js';

const time = '2026-11-17T10:00:00.000Z';
const stamp = `"timestamp":"${time}"`;

function stamped(text: string, size = text.length || 1): string {
  const stamper = new Stamper(() => time);
  const bytes = Buffer.from(text);
  const pieces = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(stamper.take(bytes.subarray(at, at + size)));
  return Buffer.concat([...pieces, stamper.rest()]).toString();
}

test.each([
  ['{"a":1}\n', `{"a":1,${stamp}}\n`],
  ['{}\n', `{${stamp}}\n`],
  ['{ }', `{ ${stamp}}`],
  ['{"a":{"b":"}"}} \r\n', `{"a":{"b":"}"},${stamp}} \r\n`],
  ['{"timestamp":null}\n', '{"timestamp":null}\n'],
  ['{"timest\\u0061mp":1}\n', '{"timest\\u0061mp":1}\n'],
  ['{"a":{"timestamp":1}}\n', `{"a":{"timestamp":1},${stamp}}\n`],
  ['{"a":1', '{"a":1'],
  ['{"a":1} {"b":2}\n', '{"a":1} {"b":2}\n'],
  ['[{"a":1}]\n', '[{"a":1}]\n'],
  ['a banner }\n\n', 'a banner }\n\n'],
  ['"text"\nnull\n', '"text"\nnull\n'],
  ['{"é":"漢"}\n{"b":2}', `{"é":"漢",${stamp}}\n{"b":2,${stamp}}`],
])('%j', (line, expected) => {
  for (const size of [1, 3, 1000]) expect(stamped(line, size)).toBe(expected);
});
