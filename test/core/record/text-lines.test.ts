import { describe, expect, test } from 'vitest';
import { TextLines } from '../../../src/core/record/line.js';

function linesOf(pieces: string[], maxLineBytes = 1_000): (string | number)[] {
  const seen: (string | number)[] = [];
  const lines = new TextLines({ line: (text) => seen.push(text), tooLong: (bytes) => seen.push(bytes) }, maxLineBytes);
  for (const piece of pieces) lines.push(piece);
  lines.end();
  return seen;
}

describe('lines, wherever the text is cut', () => {
  const text = '\ufeffone\r\ntwo\n\nfour \u2028 é\n\r\nlast\r';
  const expected = ['one', 'two', '', 'four \u2028 é', '', 'last'];

  test('in one piece', () => expect(linesOf([text])).toEqual(expected));
  test('in single characters', () => expect(linesOf([...text])).toEqual(expected));
  test.each([...text].map((_, at) => at))('cut at %i', (at) => {
    expect(linesOf([text.slice(0, at), text.slice(at)])).toEqual(expected);
  });
});

test.each<[string[], (string | number)[]]>([
  [[], []],
  [[''], []],
  [['\n'], ['']],
  [['a\n'], ['a']],
  [
    ['a', '\nb'],
    ['a', 'b'],
  ],
  [['a\ufeff\n\ufeffb'], ['a\ufeff', '\ufeffb']],
])('%j', (pieces, expected) => expect(linesOf(pieces)).toEqual(expected));

describe('a line of more than the allowed bytes is counted and dropped', () => {
  test.each<[string[], (string | number)[]]>([
    [['12345\nok\n'], ['12345', 'ok']],
    [['12345\r\nok\n'], ['12345', 'ok']],
    [['123456\nok\n'], [6, 'ok']],
    [
      ['12', '34', '56', '78\nok'],
      [8, 'ok'],
    ],
    [['12345678'], [8]],
    [['ééé\nok'], [6, 'ok']],
    [['éé\nok'], ['éé', 'ok']],
  ])('%j', (pieces, expected) => expect(linesOf(pieces, 5)).toEqual(expected));
});

test('a second text begins anew', () => {
  const seen: string[] = [];
  const lines = new TextLines({ line: (text) => seen.push(text), tooLong: () => {} }, 100);
  lines.push('\ufeffa');
  lines.end();
  lines.push('\ufeffb');
  lines.end();
  expect(seen).toEqual(['a', 'b']);
});
