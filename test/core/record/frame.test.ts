import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Call, frame, recordsOf } from './recording-sink.js';

const user = '{"type":"user","session_id":"s1"}';
const record = (text: string, line: number, time: string | null = null): Call => [
  'record',
  JSON.parse(text),
  line,
  time,
];

describe('lines', () => {
  it.each<[string, string[], Call[]]>([
    ['a record', [user], [record(user, 1)]],
    ['an empty record', ['{}'], [record('{}', 1)]],
    ['nothing', ['', '   ', '\t\r', '\0\0'], []],
    ['blanks and BOM around', [`\ufeff  ${user}\r`, `\0\0${user}\0`], [record(user, 1), record(user, 2)]],
    ['a separator that is data', ['{"a":"\u2028"}'], [record('{"a":"\u2028"}', 1)]],
    ['a list', [`[${user},{"x":1}]`, '[]'], [record(user, 1), record('{"x":1}', 1)]],
    ['a list with other things', [`[1,${user},"x"]`], [record(user, 1), ['noise', 1]]],
    [
      'noise',
      ['done.', '> claude -p hi', 'null', '12', '"text"', '[1,2]', '[x', '}', '[ ] todo', '--- {"a":1}'],
      Array.from({ length: 10 }, (_, index) => ['noise', index + 1]),
    ],
    [
      'braces in a log',
      ['INFO {user} logged in', '[web] {}'],
      [
        ['noise', 1],
        ['noise', 2],
      ],
    ],
    ['not JSON', ['{not json}'], [['damaged', 1, 'not JSON (unexpected character at column 2)', 10, 'line skipped']]],
    [
      'a cut record, counted in bytes',
      ['{"a":"ä😀'],
      [['damaged', 1, 'not JSON (unexpected end)', 12, 'line skipped']],
    ],
    [
      'a cut record behind a prefix',
      ['web-1  | {"a":oops}'],
      [['damaged', 1, 'not JSON (unexpected character at column 15)', 19, 'line skipped']],
    ],
    [
      'a record and a cut one',
      [`${user}{"a":`],
      [record(user, 1), ['damaged', 1, 'not JSON (unexpected end)', 5, 'rest of line skipped']],
    ],
    [
      'a cut record and a whole one behind NULs',
      [`{"a":"\0${user}`],
      [['damaged', 1, 'not JSON (unexpected character at column 7)', 7, 'start of line skipped'], record(user, 1)],
    ],
    ['a record and a list', [`${user}[${user}]`], [record(user, 1), record(user, 1)]],
    ['unknown text before a record', [`claude> ${user}`, `ctx={"a":1} ${user}`], [record(user, 1), record(user, 2)]],
    ['unknown text, far from a record', [`${'x'.repeat(300)}${user}`], [['noise', 1]]],
    ['a time before unknown text', [`2026-11-14T10:00:00Z 00O ${user}`], [record(user, 1, '2026-11-14T10:00:00.000Z')]],
    ['a coloured record', ['\u001b[1m{\u001b[34m"a"\u001b[0m:1}\u001b[0m'], [record('{"a":1}', 1)]],
    ['a tag before a list', [`[web] [${user}]`], [record(user, 1)]],
    ['a record that is no object of type', ['web-1 | {"a":1}'], [record('{"a":1}', 1)]],
  ])('%s', (_, lines, calls) => {
    expect(frame(lines)).toEqual(calls);
  });

  it('reads a document behind a prefix, with the time of its first line', () => {
    const lines = JSON.stringify({ a: { b: [1] } }, null, 2).split('\n');
    const stamped = lines.map((line, index) => `2026-11-14T10:00:0${index}.5Z ${line}`);
    expect(frame([...stamped, '2026-11-14T10:00:08Z', `2026-11-14T10:00:09Z ${user}`])).toEqual([
      record('{"a":{"b":[1]}}', 1, '2026-11-14T10:00:00.500Z'),
      ['noise', lines.length + 1],
      record(user, lines.length + 2, '2026-11-14T10:00:09.000Z'),
    ]);
  });

  it('survives 100,000 levels', () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    expect(frame([deep, `${deep}}`, deep.slice(0, -1)]).map((call) => call[0])).toEqual([
      'record',
      'record',
      'damaged',
      'damaged',
    ]);
  });
});

describe('a record whose end is in the next line', () => {
  const outer = '{"type":"assistant","text":"hello"}';
  const [head, tail] = [outer.slice(0, 31), outer.slice(31)];

  it.each<[string, string[], Call[]]>([
    ['another record came between', [head + user, tail], [record(user, 1), record(outer, 1)]],
    ['two did', [head + user + user, tail], [record(user, 1), record(user, 1), record(outer, 1)]],
    ['more follows', [head + user, tail + user], [record(user, 1), record(outer, 1), record(user, 2)]],
    ['behind a prefix', [`web-1 | ${head}${user}`, `web-1 | ${tail}`], [record(user, 1), record(outer, 1)]],
    ['a blank line between', [head + user, '', tail], [record(user, 1), record(outer, 1)]],
    [
      'twice in a row',
      [head + user, tail + head + user, tail],
      [record(user, 1), record(outer, 1), record(user, 2), record(outer, 2)],
    ],
    ['and a list', [head + user, `${tail}[${user}]`], [record(user, 1), record(outer, 1), record(user, 2)]],
    [
      'it never comes',
      [head + user, user],
      [record(user, 1), ['damaged', 1, 'not JSON (unexpected end)', 31, 'start of line skipped'], record(user, 2)],
    ],
    [
      'something else comes',
      [head + user, 'oops'],
      [record(user, 1), ['damaged', 1, 'not JSON (unexpected end)', 31, 'start of line skipped'], ['noise', 2]],
    ],
    [
      'nothing comes',
      [head + user],
      [record(user, 1), ['damaged', 1, 'cut off at the end of input', 31, 'start of line skipped']],
    ],
  ])('%s', (_, lines, calls) => {
    expect(frame(lines)).toEqual(calls);
  });
});

describe('fixtures', () => {
  /** What a framer says about a file, in short: `2 assistant`, `3 noise`, `3 not JSON (…), 12 bytes, line skipped`. */
  const outline = (name: string) => {
    const path = new URL(`../../../fixtures/broken/${name}`, import.meta.url);
    return frame(readFileSync(path, 'utf8').split('\n')).map((call) => {
      if (call[0] === 'noise') return `${call[1]} noise`;
      if (call[0] === 'damaged') return `${call[1]} ${call[2]}, ${call[3]} bytes, ${call[4]}`;
      const type = Object(call[1]).type;
      return `${call[2]} ${type}${call[3] === null ? '' : ` ${call[3]}`}`;
    });
  };

  it.each<[string, string[]]>([
    [
      'truncated-line.ndjson',
      ['1 system', '2 assistant', '3 not JSON (unexpected end), 313 bytes, line skipped', '4 result'],
    ],
    ['bom.ndjson', ['1 system', '2 assistant', '3 assistant', '4 result']],
    ['crlf.ndjson', ['1 system', '2 assistant', '3 assistant', '4 result']],
    [
      'not-json.ndjson',
      [
        '1 system',
        '2 not JSON (unexpected character at column 2), 10 bytes, line skipped',
        '3 not JSON (unexpected character at column 21), 21 bytes, line skipped',
        '4 result',
      ],
    ],
    ['two-on-a-line.ndjson', ['1 system', '2 assistant', '2 assistant', '3 result']],
    ['record-inside-record.ndjson', ['1 system', '2 assistant', '2 assistant', '3 result']],
    ['record-inside-with-newline.ndjson', ['1 system', '2 result', '2 assistant', '4 assistant']],
    [
      'one-brace-too-many.ndjson',
      [
        '1 system',
        '2 assistant',
        '2 trailing text (}), 1 bytes, rest of line skipped',
        '3 assistant',
        '3 trailing text (}), 1 bytes, rest of line skipped',
        '4 result',
      ],
    ],
    [
      'noise-around.ndjson',
      [
        '1 noise',
        '3 system',
        '4 noise',
        '5 assistant',
        '6 noise',
        '7 noise',
        '8 assistant',
        '9 noise',
        '10 result',
        '11 noise',
        '12 noise',
      ],
    ],
    ['array-compact.json', ['1 system', '1 assistant', '1 assistant', '1 result']],
    ['array-pretty.json', ['2 system', '28 assistant', '61 assistant', '93 result']],
    ['pretty-object.json', ['1 result']],
    [
      'github-actions.log',
      [
        '1 noise',
        '2 noise',
        '3 noise',
        '4 system 2026-11-14T10:00:01.123Z',
        '5 assistant 2026-11-14T10:00:02.123Z',
        '6 assistant 2026-11-14T10:00:03.123Z',
        '7 result 2026-11-14T10:00:04.123Z',
        '53 noise',
      ],
    ],
    ['compose.log', ['1 noise', '2 noise', '3 system', '4 assistant', '5 assistant', '6 result', '7 noise']],
    ['lone-brace.ndjson', ['1 noise']],
    ['nul-bytes.ndjson', ['1 system', '2 assistant', '4 assistant', '4 result']],
  ])('%s', (name, expected) => {
    expect(outline(name)).toEqual(expected);
  });
});

describe('properties', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue());
  const objects = fc.array(object, { maxLength: 5 });
  const indent = fc.constantFrom<number | string>(1, 2, 4, '\t');
  const layouts: ((values: unknown[], space: number | string) => string)[] = [
    (values) => values.map((value) => JSON.stringify(value)).join('\n'),
    (values) => values.map((value) => JSON.stringify(value)).join(''),
    (values, space) => values.map((value) => JSON.stringify(value, null, space)).join('\n'),
    (values, space) => values.map((value) => JSON.stringify(value, null, space)).join(''),
    (values) => JSON.stringify(values),
    (values, space) => JSON.stringify(values, null, space),
    (values) => `[\n${values.map((value) => JSON.stringify(value)).join(',\n')}\n]`,
    (values, space) => `[${values.map((value) => JSON.stringify(value, null, space)).join(', ')}]`,
  ];
  const prefixes = [
    '',
    '2026-11-14T10:00:00.1234567Z ',
    'a\tb c\t2026-11-14T10:00:00.1234567Z ',
    'web-1  | ',
    '[web] ',
    '\u001b[36mweb | \u001b[0m',
    '[10:00:01] ',
    '2026-11-14 10:00:00,123 INFO ',
    'data: ',
  ];

  it('finds the same records however they are laid out', () => {
    fc.assert(
      fc.property(
        objects,
        indent,
        fc.constantFrom(...layouts),
        fc.constantFrom(...prefixes),
        (values, space, layout, prefix) => {
          const expected = JSON.parse(JSON.stringify(values));
          const calls = frame(
            layout(values, space)
              .split('\n')
              .map((line) => prefix + line),
          );
          // Behind a prefix an empty object or list is taken for text, and so is an empty line.
          fc.pre(prefix === '' || !values.some((value) => Object.keys(value).length === 0));
          expect(recordsOf(calls)).toEqual(expected);
          if (prefix === '') expect(calls).toHaveLength(values.length);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('never throws, and gives places and reasons that can be printed', () => {
    const fragment = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '[{',
      '"',
      ',',
      ':',
      '\\',
      '\0',
      '\u001b[0m',
      '{"type":"',
      user,
      user.slice(0, 20),
      user.slice(20),
      '  ',
      '2026-11-14T10:00:00Z ',
      '| ',
      'x',
      '\ud800',
    );
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fragment, { maxLength: 6 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        for (const call of frame(lines)) {
          const number = call[0] === 'record' ? call[2] : call[1];
          expect(number).toBeGreaterThan(0);
          expect(number).toBeLessThanOrEqual(lines.length);
          if (call[0] === 'damaged') expect(call[2]).toMatch(/^[\x20-\x7e]{1,60}$/);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('loses no record before or after a damaged line', () => {
    const before = { type: 'user', session_id: 'before' };
    const after = { type: 'user', session_id: 'after' };
    const cut = fc.tuple(object, fc.nat(), fc.constantFrom(undefined, 2)).map(([value, place, space]) => {
      const text = JSON.stringify({ type: 'x', value }, null, space);
      return text.slice(0, 1 + (place % text.length));
    });
    fc.assert(
      fc.property(fc.oneof(cut, fc.string({ unit: 'binary' })), (damage) => {
        const records = recordsOf(frame([JSON.stringify(before), ...damage.split('\n'), JSON.stringify(after)]));
        expect(records.at(0)).toEqual(before);
        expect(records.at(-1)).toEqual(after);
      }),
      { numRuns: 1000 },
    );
  });
});
