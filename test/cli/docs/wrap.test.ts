import { expect, test } from 'vitest';
import { definitions, wrap } from '../../../src/cli/docs/help.js';

test.each([
  ['short', 'a b', 10, '', 'a b'],
  ['at the width', 'abc def', 7, '', 'abc def'],
  ['over the width', 'abc def', 6, '', 'abc\ndef'],
  ['a word that is too long', 'abcdefgh ij', 4, '', 'abcdefgh\nij'],
  ['indented', 'abc def', 8, '  ', '  abc\n  def'],
  ['paragraphs', 'a b\n\nc d', 2, '', 'a\nb\n\nc\nd'],
  ['lines that are set already', 'a b\n  c  d', 3, '', 'a b\n  c  d'],
])('%s', (_name, text, width, indent, wrapped) => {
  expect(wrap(text, width, indent)).toBe(wrapped);
});

test.each([
  [
    'beside',
    [
      ['a', 'one'],
      ['bcd', 'two'],
    ],
    40,
    '  a    one\n  bcd  two',
  ],
  ['wrapped beside', [['a', 'one two three']], 12, '  a  one two\n     three'],
  [
    'below a long term',
    [
      ['a', 'one'],
      ['x'.repeat(40), 'two'],
    ],
    60,
    `  a  one\n  ${'x'.repeat(40)}\n     two`,
  ],
  ['nothing to say', [['a', '']], 40, '  a'],
] satisfies [string, [string, string][], number, string][])('definitions %s', (_name, entries, width, text) => {
  expect(definitions(entries, width)).toBe(text);
});
