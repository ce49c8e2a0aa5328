import { nasty } from '../view/hostile.js';
import { behind, damaged, isBare, type Line, type Mutation, toRecords } from './lines.js';
import { placesIn, withRaw } from './odd-json.js';
import type { Random } from './random.js';

/** Records that are no longer JSON somewhere inside, mostly where nothing is read. What is read of them is unspecified. */
export const ruins: Readonly<Record<string, Mutation>> = {
  'bad literals': somewhere([
    'nul',
    'True',
    'NaN',
    'undefined',
    'tru',
    'nulll',
    'None',
    'Infinity',
    '-Infinity',
    "'x'",
  ]),
  'bad numbers': somewhere(['01', '1.', '.5', '+1', '1e', '-', '0x1', '1e+', '1 2', '--1', '1_000', '-01', '1.2.3']),
  'wrong brackets': somewhere(['[}', '{]', '[1}', '{"a":1]', '[[]', '{}}', '[{]}', '{"a":[}]', '[1,2', ']', '}']),
  'commas and colons': somewhere([
    '[1,]',
    '{"a":1,}',
    '[,]',
    '{,}',
    '{"a"}',
    '{"a":}',
    '{1:2}',
    '[1 2]',
    '{"a" 1}',
    '',
    '{"a":1,,}',
  ]),
  'bad strings': somewhere(['"\\x"', '"\\u12"', '"\\u12g4"', '"a', 'a"', '"\\"', '"a"b"', '"\n"', '"\\', '""""']),
  'controls in strings': somewhere(['"\u0000"', '"\u0001"', '"\t"', '"\r"', '"\u001b[0m"', '"\u001f"', '"\b\f"']),
  'controls between': somewhere([
    '\u0000null',
    '\u000b1',
    '\u001f""',
    '\f[]',
    '1\u0000',
    '\u00a0""',
    '\u2028[]',
    '\ufeff{}',
  ]),
  'no UTF-8 in strings': inString(['ff', 'c0af', 'eda080', 'f09f98', 'e282', '80', 'fe', 'f8888080', 'c3', 'f4908080']),
  'text between records': (lines, random) => {
    const made: Line[] = [];
    for (const line of lines) {
      const last = made.at(-1);
      const glue = random.pick([
        ' ; ',
        ' and ',
        '] ',
        '} ',
        ']}',
        '}, ',
        '"',
        '\\',
        '\\n',
        ':',
        ' | ',
        '\u001b[0m',
        '\u2028',
        '[',
        '{',
      ]);
      if (last === undefined || random.below(3) > 0) made.push(line);
      else made[made.length - 1] = damaged(Buffer.concat([last.bytes, Buffer.from(glue), line.bytes]));
    }
    return made;
  },
  'text behind': toBytes((bytes, random) => [
    bytes,
    random.pick([
      ' and more',
      ' {',
      ' [',
      '"',
      '\\',
      '{"',
      ',',
      ':',
      ' null',
      ' 5',
      '[]',
      '{}',
      '[{',
      '}}}}}}}}}',
      ...nasty,
    ]),
  ]),
  'text before': toBytes((bytes, random) => [
    random.pick([
      'data: ',
      '> ',
      'x',
      '{',
      '[',
      '"',
      '}',
      ']',
      ',',
      ', ',
      '[,',
      '{}',
      '[]',
      'null',
      '5 ',
      '\u001b[0m',
      '2026-11-16 ',
    ]),
    bytes,
  ]),
  'cut at any byte, and on': (lines, random) =>
    lines.map((line) =>
      random.below(5) === 0 ? damaged(line.bytes.subarray(0, random.below(line.bytes.length + 1))) : line,
    ),
  'cut and glued to the next': (lines, random) => {
    const made: Line[] = [];
    let cut: Buffer | null = null;
    for (const line of lines) {
      const bytes: Buffer = cut === null ? line.bytes : Buffer.concat([cut, line.bytes]);
      const isCut = random.below(5) === 0;
      if (!isCut) made.push(cut === null ? line : damaged(bytes));
      cut = isCut ? bytes.subarray(0, random.below(bytes.length + 1)) : null;
    }
    return cut === null ? made : [...made, damaged(cut)];
  },
  'over two lines': toBytes((bytes, random) => {
    const at = random.below(bytes.length + 1);
    return [bytes.subarray(0, at), random.pick(['\n', '\r\n', '\n\n', '\n   ']), bytes.subarray(at)];
  }),
  'records inside of others': (lines, random) =>
    lines.map((line) => {
      const inner = random.one(lines);
      if (inner === null || random.below(6) > 0) return line;
      const at = random.below(line.bytes.length + 1);
      const end = Buffer.from(random.pick(['', '', '\n', '\r\n']));
      return damaged(Buffer.concat([line.bytes.subarray(0, at), inner.bytes, end, line.bytes.subarray(at)]));
    }),
  'prefix before some': (lines, random) => {
    const prefix = random.pick(['2026-11-14T10:00:00.1234567Z ', 'web-1  | ', 'web-1 | ', '\u001b[36mweb | \u001b[0m']);
    return lines.map((line) => (isBare(line) && random.below(3) === 0 ? behind(prefix, line) : line));
  },
  'pretty-printed': toRecords((record, random) => damaged(JSON.stringify(record, null, random.pick([2, 0, '\t', 1])))),
};

/** A value somewhere in a record is replaced by this text. */
function somewhere(raws: readonly [string, ...string[]]): Mutation {
  return toRecords((record, random) => damaged(replaced(record, random, random.pick(raws))));
}

function inString(bytes: readonly [string, ...string[]]): Mutation {
  return toRecords((record, random) => {
    const [before = '', after = ''] = replaced(record, random, '"@@here@@"').split('@@here@@');
    const odd = Buffer.from(random.pick(bytes), 'hex');
    return damaged(Buffer.concat([Buffer.from(before), odd, Buffer.from(after)]));
  });
}

function replaced(record: object, random: Random, raw: string): string {
  const place = random.one([...placesIn(record)]);
  return place === null ? raw : withRaw(record, place.holder, place.key, raw);
}

function toBytes(change: (bytes: Buffer, random: Random) => (Buffer | string)[]): Mutation {
  return (lines, random) =>
    lines.map((line) =>
      isBare(line) && random.below(4) === 0
        ? damaged(Buffer.concat(change(line.bytes, random).map((part) => Buffer.from(part))))
        : line,
    );
}
