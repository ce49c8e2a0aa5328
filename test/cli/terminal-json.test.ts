import { expect, test } from 'vitest';
import { jsonTextFor } from '../../src/cli/print.js';

test.each([
  ['plain text', 'grüß 你好 🎉', '"grüß 你好 🎉"'],
  ['an escape sequence', '\x1b[31m', '"\\u001b[31m"'],
  ['the same with a C1 control', '\x9b31m', '"\\u009b31m"'],
  ['delete', '\x7f', '"\\u007f"'],
  ['right to left', 'a\u202eb', '"a\\u202eb"'],
  ['zero width', 'a\u200bb\ufeff', '"a\\u200bb\\ufeff"'],
  ['a line separator', 'a\u2028b', '"a\\u2028b"'],
  ['a tag, which takes two units', '\u{e0041}', '"\\udb40\\udc41"'],
])('%s', (_name, text, json) => {
  expect(jsonTextFor(true)(JSON.stringify(text))).toBe(json);
  expect(JSON.parse(jsonTextFor(true)(JSON.stringify(text)))).toBe(text);
});
