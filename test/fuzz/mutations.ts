import { nasty } from '../view/hostile.js';
import { joins } from './joined.js';
import { behind, damaged, isBare, type Line, lineOf, type Mutation, toLine } from './lines.js';
import { oddly, oddlyCounted } from './odd-json.js';
import type { Random } from './random.js';
import { rewrites } from './rewritten.js';
import { ruins } from './ruined.js';
import { twists } from './twisted.js';
import { wraps } from './wrapped.js';

/** Damage to the bytes of one line. */
const toBytes = (change: (bytes: Buffer, at: number, random: Random) => (Buffer | string)[]): Mutation =>
  toLine((line, random) => {
    const parts = change(line.bytes, random.below(line.bytes.length + 1), random);
    return [damaged(Buffer.concat(parts.map((part) => Buffer.from(part))))];
  });

/** Damage that puts something into the middle of a line. */
const inserting = (something: (random: Random) => Buffer | string): Mutation =>
  toBytes((bytes, at, random) => [bytes.subarray(0, at), something(random), bytes.subarray(at)]);

const damages: Readonly<Record<string, Mutation>> = {
  'cut off': (lines, random) => {
    const at = random.below(lines.length);
    const last = lines[at]?.bytes ?? Buffer.alloc(0);
    return [...lines.slice(0, at), damaged(last.subarray(0, random.below(last.length + 1)))];
  },
  'cut line': toBytes((bytes, at) => [bytes.subarray(0, at)]),
  'beginning lost': toBytes((bytes, at) => [bytes.subarray(at)]),
  'bytes lost': toBytes((bytes, at, random) => [bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(20))]),
  'bytes doubled': toBytes((bytes, at, random) => [
    bytes.subarray(0, at),
    bytes.subarray(Math.max(0, at - 1 - random.below(20))),
  ]),
  'bits flipped': toBytes((bytes, _at, random) => {
    const flipped = Buffer.from(bytes);
    for (let left = 1 + random.below(5); left > 0; left--) {
      const at = random.below(flipped.length);
      if (at < flipped.length) flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << random.below(8)), at);
    }
    return [flipped];
  }),
  'NUL bytes': inserting((random) => Buffer.alloc(1 + random.below(9))),
  'not UTF-8': inserting((random) =>
    Buffer.from(random.pick(['ff', 'c0af', 'eda080', 'f09f98', 'e282', 'fe'] as const), 'hex'),
  ),
  'hostile text': inserting((random) => random.pick(nasty)),
  brackets: inserting((random) =>
    random.pick(['{', '}', '[', ']', '{"', '"}', '[{', '\\', '"', '\n', '\r', '}{', '},{']).repeat(1 + random.below(3)),
  ),
  'many brackets': inserting((random) =>
    random.pick(['[', '{"a":', '{"type":"', ']', '}']).repeat(random.pick([1000, 100_000] as const)),
  ),
  'record inside': (lines, random) => {
    const inner = random.one(lines)?.bytes ?? Buffer.alloc(0);
    const end = random.pick(['', '\n'] as const);
    return inserting(() => Buffer.concat([inner, Buffer.from(end)]))(lines, random);
  },
  'line lost': toLine(() => []),
  'line doubled': toLine((line) => [line, line]),
  'lines swapped': (lines, random) => {
    const at = random.below(lines.length);
    const moved = lines[at];
    const others = lines.toSpliced(at, 1);
    return moved === undefined ? others : others.toSpliced(random.below(lines.length), 0, moved);
  },
  'odd values': toLine((line, random) => [isBare(line) ? lineOf(oddly(line.bytes.toString(), random)) : line]),
  'odd numbers': (lines, random) =>
    lines.map((line) => (isBare(line) ? lineOf(oddlyCounted(line.bytes.toString(), random)) : line)),
  CRLF: (lines) => lines.map(({ bytes, records }) => ({ bytes: Buffer.concat([bytes, Buffer.from('\r')]), records })),
  BOM: (lines) => {
    const [first, ...others] = lines;
    return first === undefined ? [] : [behind('\ufeff', first), ...others];
  },
  prefix: (lines, random) => {
    const prefix = random.pick([
      ...(['2026-11-14T10:00:00.1234567Z ', 'web-1  | ', '\u001b[36mweb | \u001b[0m', 'data: '] as const),
      ...([
        '[pod/web-0/claude] ',
        'build\tRun\t2026-11-14T10:00:00.1234567Z ',
        '\u001b_bk;t=1794650400123\u0007',
      ] as const),
    ]);
    return lines.map((line) => (isBare(line) && line.bytes.length > 2 ? behind(prefix, line) : line));
  },
  noise: inserted((random) =>
    lineOf(
      random.pick([
        'npm warn old',
        '',
        '> build',
        'Error: x\n    at y (z:1:2)',
        '[',
        ']',
        '{',
        '}',
        '[]',
        '{}',
        'null',
        '\0',
      ]),
    ),
  ),
  'long noise': inserted((random) => lineOf(random.pick(['x', ' ', '[', '{', '"', '{"', '\\', '}{']).repeat(200_000))),
};

function inserted(make: (random: Random) => Line): Mutation {
  return (lines, random) => lines.toSpliced(random.below(lines.length + 1), 0, make(random));
}

export const mutations: Readonly<Record<string, Mutation>> = {
  ...damages,
  ...joins,
  ...rewrites,
  ...twists,
  ...ruins,
  ...wraps,
};

/** Mutations after which every record is still there, and means the same as if each were on its own line. */
export const harmless: ReadonlySet<string> = new Set([joins, rewrites, twists].flatMap((some) => Object.keys(some)));
