import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hash, hashed, hashRest } from '../../../src/core/record/hash.js';
import { isObject, type JsonObject, parseJson } from '../../../src/core/record/json.js';
import { LineIndex, type Shape } from '../../../src/core/record/line-index.js';
import { header } from '../../../src/core/record/scan-engine.js';
import { runs, seed } from '../../effort.js';

const shape: Shape = {
  type: 'hash',
  message: {
    object: {
      id: 'id',
      model: 'hash',
      usage: 'place',
      content: { list: { type: 'hash', id: 'id', name: 'hash', odd_one: { mark: 'odd one' } } },
    },
  },
  session_id: 'hash',
  parent_tool_use_id: 'hash',
  uuid: 'id',
  timestamp: 'place',
  a_rather_long_name_of_32_letters: 'place',
  supersedes: { mark: 'taken back' },
};
const paths = ['type', 'message', 'message.id', 'message.model', 'message.usage', 'message.content', 'session_id'];
const morePaths = ['parent_tool_use_id', 'uuid', 'timestamp', 'a_rather_long_name_of_32_letters'];

/** What the index says of one line. */
interface Seen {
  readonly text: string;
  readonly number: number;
  readonly odd: boolean;
  readonly values: ReadonlyMap<string, string>;
  readonly items: readonly ReadonlyMap<string, string>[];
  readonly marked: boolean;
  readonly uuidHash: readonly [number, number];
}

interface Options {
  readonly sizes?: readonly number[];
  readonly shape?: Shape | undefined;
  readonly maxLineBytes?: number;
}

function indexed(
  data: Uint8Array,
  options: Options = {},
): { seen: Seen[]; tooLong: [number, number][]; lines: number } {
  const { sizes = [65_536], maxLineBytes = 1 << 28 } = options;
  const seen: Seen[] = [];
  const tooLong: [number, number][] = [];
  const index = new LineIndex({
    shape: 'shape' in options ? options.shape : shape,
    maxLineBytes,
    seed: 7,
    open(memory) {
      const bytes = Buffer.from(memory);
      const text = (from: number, to: number) => bytes.toString('utf8', from, to);
      return { bytes, text, ascii: text };
    },
    line: (entry) => seen.push(lookAt(index, entry)),
    tooLong: (number, bytes) => tooLong.push([number, bytes]),
  });
  index.begin();
  for (let at = 0, turn = 0; at < data.length; turn++) {
    const count = Math.min(sizes[turn % sizes.length] ?? 1, data.length - at);
    index.write(data.subarray(at, at + count));
    at += count;
  }
  index.end();
  return { seen, tooLong, lines: index.lines };
}

function lookAt(index: LineIndex, entry: number): Seen {
  const slot = (path: string) => entry + index.slot(path);
  const values = new Map<string, string>();
  for (const path of [...paths, ...morePaths])
    if (index.first(slot(path)) !== 0) values.set(path, index.text(slot(path)));
  const items: Map<string, string>[] = [];
  let item = index.firstItem(entry);
  for (let left = index.word(entry + header.items); left > 0; left--, item = index.nextItem(item)) {
    const found = new Map([['', index.text(item)]]);
    for (const path of ['type', 'id', 'name'])
      if (index.first(item + index.itemSlot(path)) !== 0) found.set(path, index.text(item + index.itemSlot(path)));
    items.push(found);
  }
  const uuid = slot('uuid');
  return {
    text: index.lineText(entry),
    number: index.number(entry),
    odd: index.isOdd(entry),
    values,
    items,
    marked: (index.word(entry + header.marks) & index.mark('taken back')) !== 0,
    uuidHash: [index.word(uuid + 2) >>> 0, index.word(uuid + 3) >>> 0],
  };
}

describe('the index says what JSON.parse says', () => {
  it('of any line, in pieces of any size', () => {
    const lines = fc.array(line, { maxLength: 12 });
    const sizes = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 5 });
    const property = fc.property(lines, sizes, fc.boolean(), agrees);
    fc.assert(property, { numRuns: runs(400, 20_000), seed });
  });

  it('marks odd what is not JSON, has a key twice, or spells one with escapes', () => {
    const odd = [
      ...[
        '{"a":01}',
        '{"a":1.}',
        '{"a":.5}',
        '{"a":+1}',
        '{"a":1e}',
        '{"a":nul}',
        '{"a":True}',
        '{"a":-}',
        '{"a":NaN}',
      ],
      ...[
        '{"a":[1}',
        '{"a":{"b":1]}',
        '{"a":[1,]}',
        '{"a":{"b":1,}}',
        '{"a":{b:1}}',
        '{"a" 1}',
        '{"a":1 "b":2}',
        '{"a":}',
      ],
      ...[
        '{"a":"\u0001"}',
        '{"a":"\t"}',
        '{"a":"\\x"}',
        '{"a":"\\u12g4"}',
        '{"a":"\\"}',
        '{"a":["\u0000"]}',
        '{"a":1}\f',
      ],
      ...[
        '{"type":"a","type":"b"}',
        '{"\\u0074ype":"a"}',
        '{"message":{"id":"a","id":"b"}}',
        '{"message":{},"message":{}}',
      ],
      ...[
        '{"a":1}{"b":2}',
        '{"a":1} {"b":2}',
        '{"a":1},{"b":2}',
        '{"a":1}]',
        '[1]',
        '"a"',
        '1',
        'null',
        'noise',
        '{',
        '}',
      ],
      `{"a":${'['.repeat(65)}${']'.repeat(65)}}`,
    ];
    const { seen } = indexed(Buffer.from(odd.join('\n')));
    expect(seen.map(({ text, odd: isOdd }) => [text, isOdd])).toEqual(odd.map((text) => [text, true]));
  });

  it('takes what JSON.parse takes', () => {
    const plain = [
      ...['{}', ' { } ', '{"a":-0.5e+10,"b":[ ],"c":{ },"d":[1 , "x" , null],"e":true,"f":false}', '{"a":0}\r'],
      ...['{"a":"\\u00e9\\n\\"\\\\\\/\\b\\f\\r\\t"}', '{"a":"\u2028 \u007f 🚀"}', '{"x\\ty":1}', '{"a":1,"a":2}'],
      `{"a":${'['.repeat(64)}${']'.repeat(64)}}`,
      `{"${'k'.repeat(100)}":1}`,
    ];
    const { seen } = indexed(Buffer.from(plain.join('\n')));
    // A key with an escape that nobody wants could have been any.
    const odd = new Set(['{"x\\ty":1}']);
    expect(seen.map(({ odd }) => odd)).toEqual(plain.map((text) => odd.has(text)));
  });
});

describe('bytes that are read', () => {
  // Lines as long as nothing, shorter and longer than a chunk, in chunks as a file is read.
  const lengths = fc.array(fc.oneof(fc.nat(2000), fc.nat(400_000), fc.nat(3_000_000)), { maxLength: 8 });

  it('follow those before, however long the lines are', () => {
    const property = fc.property(lengths, fc.integer({ min: 1, max: 1 << 20 }), (all, size) => {
      const data = Buffer.from(all.map((length, at) => `{"type":"${at}","a":"${'x'.repeat(length)}"}\n`).join(''));
      const seen: [boolean, number][] = [];
      const index = new LineIndex({
        shape,
        maxLineBytes: 2_000_000,
        seed: 7,
        open(memory) {
          const bytes = Buffer.from(memory);
          const text = (from: number, to: number) => bytes.toString('utf8', from, to);
          return { bytes, text, ascii: text };
        },
        line: (entry) => seen.push([index.isOdd(entry), index.lineText(entry).length]),
        tooLong: (_number, bytes) => seen.push([true, bytes]),
      });
      index.begin();
      let at = 0;
      const fill = (room: Uint8Array) => {
        const count = Math.min(size, room.length, data.length - at);
        room.set(data.subarray(at, at + count));
        at += count;
        return count;
      };
      for (let count = fill(index.room(1 << 20)); count > 0; count = fill(index.room(1 << 20))) index.push(count);
      index.end();
      const expected = all.map((length, place) => length + `{"type":"${place}","a":""}`.length);
      expect(seen).toEqual(expected.map((length) => [length > 2_000_000, length]));
    });
    fc.assert(property, { numRuns: runs(12, 300), seed });
  });
});

describe('lines', () => {
  it('are found without a shape too', () => {
    const text = '\ufeffa\r\n\n \t\nb\u2028\n\u0001\nc';
    const all = indexed(Buffer.from(text), { shape: undefined, sizes: [1] });
    expect(all.seen.map(({ text, number }) => [number, text])).toEqual([
      [1, 'a'],
      [4, 'b\u2028'],
      [5, '\u0001'],
      [6, 'c'],
    ]);
    expect(all.lines).toBe(6);
    expect(indexed(Buffer.from(text)).seen.map(({ text }) => text)).toEqual(all.seen.map(({ text }) => text));
  });

  it.each([[1], [10], [1000]])('that are too long are passed, in pieces of %i', (size) => {
    const text = `a\n${'x'.repeat(5000)}\r\nb\n${'y'.repeat(100)}\n${'z'.repeat(101)}`;
    const { seen, tooLong, lines } = indexed(Buffer.from(text), { maxLineBytes: 100, sizes: [size] });
    expect(seen.map(({ number, text }) => [number, text.length])).toEqual([
      [1, 1],
      [3, 1],
      [4, 100],
    ]);
    expect(tooLong).toEqual([
      [2, 5000],
      [5, 101],
    ]);
    expect(lines).toBe(5);
  });

  it('of many megabytes do not keep their memory', () => {
    const long = Buffer.alloc(40_000_000, 'x');
    const data = Buffer.concat([
      Buffer.from('{"a":"'),
      long,
      Buffer.from('"}\n'),
      Buffer.from('{"type":"b"}\n'.repeat(10)),
    ]);
    const { seen } = indexed(data, { sizes: [1_000_000, 3] });
    expect(seen.map(({ odd, number }) => [odd, number])).toEqual(
      Array.from({ length: 11 }, (_, at) => [false, at + 1]),
    );
  });
});

function agrees(lines: readonly string[], sizes: readonly number[], crlf: boolean): void {
  const data = Buffer.from(lines.map((text) => `${text}${crlf ? '\r\n' : '\n'}`).join(''));
  const expected = lines
    .map((text, at) => ({ text: Buffer.from(text).toString(), number: at + 1 }))
    .filter(({ text }) => !/^[ \t\r]*$/.test(text));
  const { seen } = indexed(data, { sizes });
  expect(seen.map(({ number }) => number)).toEqual(expected.map(({ number }) => number));
  for (const [at, line] of seen.entries()) {
    expect(line.text.replace(/\r$/, '').replace(/^\ufeff/, '')).toBe(
      expected[at]?.text.replace(/\r$/, '').replace(/^\ufeff/, ''),
    );
    const value = parseJson(line.text);
    if (!isObject(value)) expect({ ...line, odd: true }).toEqual(line);
    else if (!line.odd) same(line, value);
  }
}

function same(line: Seen, value: JsonObject): void {
  for (const path of [...paths, ...morePaths]) {
    const text = line.values.get(path);
    expect(text === undefined ? undefined : parseJson(text)).toEqual(at(value, path));
  }
  expect(line.marked).toBe(Object.hasOwn(value, 'supersedes'));
  const content = at(value, 'message.content');
  const list = Array.isArray(content) ? content : [];
  expect(line.items.map((item) => parseJson(item.get('') ?? ''))).toEqual(list);
  for (const [place, item] of list.entries())
    for (const path of ['type', 'id', 'name']) {
      const text = line.items[place]?.get(path);
      expect(text === undefined ? undefined : parseJson(text)).toEqual(at(item, path));
    }
  const uuid = value['uuid'];
  const isPlain = typeof uuid === 'string' && /^"[ !#-[\]-\x7f]*"$/.test(line.values.get('uuid') ?? '');
  if (!isPlain) return expect(line.uuidHash).toEqual([0, 0]);
  hash(`${uuid} called`, 7);
  const expected = { ...hashed };
  hashRest(...line.uuidHash, ' called');
  expect({ ...hashed }).toEqual(expected);
}

function at(value: unknown, path: string): unknown {
  let found = value;
  for (const key of path.split('.')) {
    if (!isObject(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

// Lines of any shape: records, look-alikes, other spellings, two in one, damage.

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom(
    '"type":"assistant"',
    '{"type":"x","message":{"id":"x"}}',
    '\\',
    '\\\\',
    '\\"',
    '"',
    '\n',
    '\r\n',
    '\0',
  ),
  fc.constantFrom(
    'x'.repeat(63).concat('\\'),
    'x'.repeat(62).concat('\\"'),
    '\\'.repeat(64),
    '\\'.repeat(65).concat('"'),
  ),
  fc
    .array(fc.constantFrom('\\', '"', 'a', '\n', '\\"', 'é', '{', '}', '\u0007'), { maxLength: 150 })
    .map((parts) => parts.join('')),
  fc.uuid(),
);
const names = [
  'type',
  'message',
  'id',
  'model',
  'usage',
  'content',
  'name',
  'session_id',
  'uuid',
  'timestamp',
  'x',
  '',
];
const moreNames = [
  'typ',
  'types',
  'a"b',
  'c\\',
  'a_rather_long_name_of_32_letters',
  'a_rather_long_name_of_32_letterss',
  'supersedes',
];
const { value } = fc.letrec<{ value: unknown; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    nasty,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(fc.constantFrom(...names, ...moreNames), tie('value')), { maxLength: 8 })
    .map((entries) => Object.fromEntries(entries)),
}));
const block = fc.record({ type: nasty, id: nasty, name: nasty, input: value, odd_one: value }, { requiredKeys: [] });
const message = fc.record(
  {
    id: value,
    model: nasty,
    usage: value,
    content: fc.oneof(value, fc.array(fc.oneof(block, value), { maxLength: 4 })),
  },
  { requiredKeys: [] },
);
const record = fc
  .record(
    {
      type: fc.oneof(fc.constantFrom('assistant', 'user'), value),
      message: fc.oneof(value, message),
      session_id: value,
      parent_tool_use_id: value,
      tool_use_result: value,
      uuid: nasty,
      timestamp: value,
      supersedes: value,
    },
    { requiredKeys: [] },
  )
  .chain((whole) =>
    fc
      .shuffledSubarray(Object.entries(whole), { minLength: Object.keys(whole).length })
      .map((entries) => Object.fromEntries(entries)),
  );

const spellings: readonly ((value: unknown) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 1).replace(/\n */g, ' '),
  (value) =>
    JSON.stringify(value).replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
  (value) => JSON.stringify(value).replace(/"(type|id)"/g, '"\\u0074ype"'),
];
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.oneof(record, value), fc.constantFrom(...spellings)).map(([v, spell]) => spell(v)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(record, record, fc.constantFrom('', ' ', ',', '\t', '\r'))
      .map(([a, b, between]) => JSON.stringify(a) + between + JSON.stringify(b)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(record, record)
      .map(([a, b]) => `${JSON.stringify(a).slice(0, -1)},${JSON.stringify(b).slice(1)}`),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(record, fc.nat(), fc.nat(3), fc.constantFrom(...'"\\{}[],:x\t01.-e\u0001'))
      .map(([whole, place, cut, char]) => {
        const text = JSON.stringify(whole);
        const from = place % text.length;
        return text.slice(0, from) + char + text.slice(from + cut);
      }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', '\t\r', 'noise', '{', '}', '"', '[]', 'null', '{}', '{"type":"a"} x'),
  },
);
