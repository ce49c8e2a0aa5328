import { describe, expect, it } from 'vitest';
import { type Call, frame } from './recording-sink.js';

const a = { type: 'a', list: [{ type: 'text' }, 1, '}'], empty: {} };
const b = { type: 'b', text: '"{[' };

/** A value as lines, indented as asked. */
const pretty = (value: unknown, indent: number | string = 2) => JSON.stringify(value, null, indent).split('\n');
const record = (value: unknown, line: number): Call => ['record', value, line, null];

describe('documents', () => {
  it.each<[string, string[], Call[]]>([
    ['an object', pretty(a), [record(a, 1)]],
    ['indented by tabs', pretty(a, '\t'), [record(a, 1)]],
    ['all of it indented', pretty(a).map((line) => `    ${line}`), [record(a, 1)]],
    ['not indented at all', pretty(a).map((line) => line.trim()), [record(a, 1)]],
    ['blank lines inside', pretty(b).flatMap((line) => [line, '', '  ']), [record(b, 1)]],
    ['CR at the ends', pretty(a).map((line) => `${line}\r`), [record(a, 1)]],
    ['two objects', [...pretty(b), ...pretty(a)], [record(b, 1), record(a, 5)]],
    ['two with a comma between', ['{', '"x": 1', '},', '{', '}'], [record({ x: 1 }, 1), record({}, 4)]],
    [
      'two files without final newline',
      ['{', '  "x": 1', '}{', '  "y": 2', '}'],
      [record({ x: 1 }, 1), record({ y: 2 }, 3)],
    ],
    [
      'lists without final newline',
      ['[', '  {', '  }', '][]{"x":1}[', '  {"y":2}', ']'],
      [record({}, 2), record({ x: 1 }, 4), record({ y: 2 }, 5)],
    ],
    ['a list', pretty([b, a, b]), [record(b, 2), record(a, 6), record(b, 17)]],
    ['an empty list', ['[', ']'], []],
    ['a list of records, one a line', ['[', '{"x":1},', '{"y":2}', ']'], [record({ x: 1 }, 2), record({ y: 2 }, 3)]],
    ['with a comma too many', ['[', '{"x":1},', ']'], [record({ x: 1 }, 2)]],
    ['with commas in front', ['[', '  {"x":1}', ', {"y":2}', ']'], [record({ x: 1 }, 2), record({ y: 2 }, 3)]],
    ['brackets together', ['[{', '  "x": 1', '}, {', '  "y": 2', '}]'], [record({ x: 1 }, 1), record({ y: 2 }, 3)]],
    ['a list that goes on', ['[{"x":1},', '{"y":2}]'], [record({ x: 1 }, 1), record({ y: 2 }, 2)]],
    ['other things in a list', pretty([1.5, b, 'x', null, [b]]), [['noise', 2], record(b, 3)]],
    [
      'a list and text',
      ['[{"x":1}] ok'],
      [record({ x: 1 }, 1), ['damaged', 1, 'trailing text (at column 11)', 2, 'rest of line skipped']],
    ],
    [
      'an object and a bracket',
      ['{', '  "x": 1', '}}'],
      [record({ x: 1 }, 1), ['damaged', 3, 'trailing text (})', 1, 'rest of line skipped']],
    ],
  ])('%s', (_, lines, calls) => {
    expect(frame(lines)).toEqual(calls);
  });

  it.each<[string, string[], Call[]]>([
    [
      'a record ends an object that was cut off',
      ['{', '  "a": 1,', '{"type":"x"}'],
      [['damaged', 1, 'unfinished document', 11, 'document skipped'], record({ type: 'x' }, 3)],
    ],
    [
      'also where it could be an element of a list inside',
      ['{', '  "a": [', '{"type":"x"}', ...pretty(b)],
      [['damaged', 1, 'unfinished document', 10, 'document skipped'], record({ type: 'x' }, 3), record(b, 4)],
    ],
    [
      'and another document',
      ['{', '  "a": [', ...pretty(b)],
      [['damaged', 1, 'unfinished document', 10, 'document skipped'], record(b, 3)],
    ],
    [
      'a brace alone',
      ['{', '{"type":"x"}'],
      [['damaged', 1, 'unfinished document', 1, 'document skipped'], record({ type: 'x' }, 2)],
    ],
    [
      'a bracket alone',
      ['[', 'oops'],
      [
        ['damaged', 1, 'unfinished document', 1, 'document skipped'],
        ['noise', 2],
      ],
    ],
    [
      'an object printed for people',
      ['{', "  code: 'ENOENT',", '  list: [', '    {', '    }', '  ]', '}', '{"type":"x"}'],
      [
        ['damaged', 1, 'unfinished document', 1, 'document skipped'],
        ...[2, 3, 4, 5, 6, 7].map((line): Call => ['noise', line]),
        record({ type: 'x' }, 8),
      ],
    ],
    [
      'a list that lost a line of its second element',
      pretty([b, a, b]).filter((_, index) => index !== 7),
      [
        record(b, 2),
        ['damaged', 6, 'unfinished document', 18, 'element skipped'],
        ...[8, 9, 10, 11, 12, 13, 14, 15].map((line): Call => ['noise', line]),
        record(b, 16),
        ['noise', 20],
      ],
    ],
    [
      'a list of records with a cut one',
      ['[', '{"x":1},', '{"y":', '{"z":3},', ']'],
      [
        record({ x: 1 }, 2),
        ['damaged', 3, 'unfinished document', 5, 'element skipped'],
        record({ z: 3 }, 4),
        ['noise', 5],
      ],
    ],
    [
      'a list of records with one cut in a string',
      ['[', '{"x":1},', '{"y":"', '{"z":3},', ']'],
      [
        record({ x: 1 }, 2),
        ['damaged', 1, 'unfinished document', 0, 'nothing skipped'],
        ['damaged', 3, 'not JSON (unexpected end)', 6, 'line skipped'],
        record({ z: 3 }, 4),
        ['noise', 5],
      ],
    ],
    [
      'records after a bracket without commas',
      ['[', '{"x":1}', '{"y":2}'],
      [record({ x: 1 }, 2), ['damaged', 1, 'unfinished document', 0, 'nothing skipped'], record({ y: 2 }, 3)],
    ],
    [
      'a producer that was started again in the midst of a line',
      ['{', '  "type": "assistant",', '  "text": "hel{"type":"user"}', '  {"type":"user"}', '{"x":1}'],
      [
        ['damaged', 1, 'unfinished document', 24, 'document skipped'],
        record({ type: 'user' }, 3),
        record({ type: 'user' }, 4),
        record({ x: 1 }, 5),
      ],
    ],
    [
      'a list in one line, cut in a string',
      ['[{"x":1},{"y":"', '{"z":3}'],
      [
        record({ x: 1 }, 1),
        ['damaged', 1, 'not JSON (unexpected end)', 6, 'rest of line skipped'],
        record({ z: 3 }, 2),
      ],
    ],
    [
      'a list in one line with a bad element',
      ['[{"x":1},{"y":oops},{"type":"user"}]'],
      [
        record({ x: 1 }, 1),
        ['damaged', 1, 'not JSON (unexpected character at column 15)', 11, 'part of line skipped'],
        record({ type: 'user' }, 1),
        ['damaged', 1, 'trailing text (])', 1, 'rest of line skipped'],
      ],
    ],
    [
      'an object at the end',
      ['{', '  "a": 1'],
      [['damaged', 1, 'cut off at the end of input', 10, 'document skipped']],
    ],
    [
      'an element at the end',
      ['[{"x":1},', '  {', '    "ä": 1,'],
      [record({ x: 1 }, 1), ['damaged', 2, 'cut off at the end of input', 14, 'element skipped']],
    ],
    [
      'a list at the end',
      ['[{"x":1},'],
      [record({ x: 1 }, 1), ['damaged', 1, 'cut off at the end of input', 0, 'nothing skipped']],
    ],
  ])('damage: %s', (_, lines, calls) => {
    expect(frame(lines)).toEqual(calls);
  });

  it('holds no more than it may', () => {
    const lines = [...pretty(b), '{', ...Array.from({ length: 10 }, (_, index) => `  "k${index}": 0,`), '}', '{"x":1}'];
    expect(frame(lines, 40)).toEqual([
      record(b, 1),
      ['damaged', 5, 'document too long', 45, 'document skipped'],
      ...[10, 11, 12, 13, 14, 15, 16].map((line): Call => ['noise', line]),
      record({ x: 1 }, 17),
    ]);
    expect(frame(['[{"abc":'], 4)).toEqual([['damaged', 1, 'document too long', 8, 'document skipped']]);
  });
});
