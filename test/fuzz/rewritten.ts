import { isObject } from '../json.js';
import { lineOf, type Mutation, toRecords } from './lines.js';
import { placesIn, withRaw } from './odd-json.js';
import type { Random } from './random.js';

/** Records as other programs write them, or as nobody would. Each is still one JSON object. */
export const rewrites: Readonly<Record<string, Mutation>> = {
  'keys in any order': styled((random) => ({ members: (members) => shuffled(members, random) })),
  'keys in reverse': styled(() => ({ members: (members) => [...members].reverse() })),
  'type last': styled(() => ({ members: (members) => byKey(members, (key) => (key === '"type"' ? 1 : 0)) })),
  'content and uuid first': styled(() => ({
    members: (members) => byKey(members, (key) => (/^"(?:uuid|content|input|usage|text)"$/.test(key) ? -1 : 0)),
  })),
  'as python writes': styled(() => ({
    colon: ': ',
    comma: ', ',
    text: (text) => escaped(text, (_, character) => character > '~'),
  })),
  'with spaces': styled(() => ({ colon: ' : ', comma: ' , ', inside: ' ' })),
  'with tabs and CR': styled((random) => ({
    colon: random.pick([':\t', '\r:', ':']),
    comma: random.pick([',\t', ',\r', '\t\t,\r']),
    inside: random.pick(['\t', '\r', '']),
  })),
  'keys escaped': styled((random) => ({
    text: (text, isKey) => (isKey && random.below(3) === 0 ? escaped(text, somewhere(random)) : JSON.stringify(text)),
  })),
  'one key escaped': styled((random) => {
    const chosen = random.pick(known);
    return { text: (text) => (text === chosen ? escaped(text, somewhere(random)) : JSON.stringify(text)) };
  }),
  'values escaped': styled((random) => ({
    text: (text, isKey) => (isKey || random.below(2) === 0 ? JSON.stringify(text) : escaped(text, somewhere(random))),
  })),
  'slashes escaped': styled(() => ({ text: (text) => JSON.stringify(text).replaceAll('/', '\\/') })),
  'keys twice, the same': twice((value) => [value, value]),
  'keys twice, another first': twice((value, random) => [otherThan(value, random), value]),
  'keys twice, another last': twice((value, random) => [value, otherThan(value, random)]),
  'keys twice, escaped': twice((value, random) => [otherThan(value, random), value], true),
  'keys of prototypes': added((random) => [
    random.pick(['"__proto__"', '"constructor"', '"toString"', '"\\u005f_proto__"', '""', '"length"', '"0"']),
    random.pick(['{"type":"result"}', '{"session_id":"x","message":{"content":[]}}', 'null', '[]', '"type"']),
  ]),
  'look-alikes in values': added((random) => [
    random.pick(['"note"', '"a\\\\"', '"\\""', '"}{"', '"x,"', '"\\u0022type"']),
    JSON.stringify(
      random.pick([
        '"type":"result"',
        '{"type":"assistant","message":{"content":[',
        '\\',
        '\\\\"',
        '"}]}',
        '\n{"type":"result"}\n',
        '","type":"result","x":"',
      ]),
    ),
  ]),
  'surrogates and controls in values': added((random) => [
    '"odd"',
    random.pick([
      '"\\ud800"',
      '"\\udc00\\ud800"',
      '"\\u0000"',
      '"\\u2028"',
      '"\u2028\u007f"',
      '"\\b\\f\\/"',
      '"\ufeff"',
    ]),
  ]),
  'deep values': added((random) => {
    const depth = random.pick([100, 2000]);
    return [
      '"deep"',
      random.pick([
        `${'['.repeat(depth)}${']'.repeat(depth)}`,
        `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
        `${'[{"message":'.repeat(depth / 2)}"}]"${'}]'.repeat(depth / 2)}`,
      ]),
    ];
  }),
  'numbers of all kinds': toRecords((record, random) => {
    const places = [...placesIn(record)].filter(({ holder, key }) => typeof Reflect.get(holder, key) === 'number');
    const place = random.one(places);
    const raw = random.pick(['1e999', '-1e999', '-0', '1.0e5', '1E+2', '0.1e-7', '-5', '12345678901234567890', '1.5']);
    return lineOf(place === null ? JSON.stringify(record) : withRaw(record, place.holder, place.key, raw));
  }),
  'values of other kinds': toRecords((record, random) => {
    const place = random.one([...placesIn(record)]);
    const raw = random.pick(['null', 'true', '0', '7', '""', '"x"', '[]', '{}', '["x","y"]', '[[]]', '[null]']);
    return lineOf(place === null ? JSON.stringify(record) : withRaw(record, place.holder, place.key, raw));
  }),
};

/** Keys that decide what a record is. */
const known = [
  'type',
  'message',
  'content',
  'usage',
  'session_id',
  'sessionId',
  'uuid',
  'tool_use_id',
  'id',
  'name',
  'model',
  'subtype',
  'is_error',
  'parent_tool_use_id',
  'input',
  'timestamp',
  'tool_use_result',
  'toolUseResult',
  'agentId',
  'isSidechain',
] as const;

/** How a program writes JSON. All styles mean the same, unless `members` changes the content. */
interface Style {
  /** Between key and value, between members, and inside the brackets. */
  readonly colon?: string;
  readonly comma?: string;
  readonly inside?: string;
  /** A text as JSON. */
  readonly text?: (text: string, isKey: boolean) => string;
  /** The members of an object as they are to be written. */
  readonly members?: (members: Member[]) => Member[];
}

/** A key and its value, both as JSON. */
type Member = readonly [key: string, value: string];

const asJson = (text: string) => JSON.stringify(text);

/** What is deeper than anything we read is written as it is, because recursion limits differ between machines. */
function write(value: unknown, style: Style, depth = 0): string {
  const { colon = ':', comma = ',', inside = '', text = asJson, members = (all) => all } = style;
  if (depth > 20) return JSON.stringify(value);
  if (typeof value === 'string') return text(value, false);
  if (Array.isArray(value)) {
    const items = value.map((item) => write(item, style, depth + 1));
    return items.length === 0 ? '[]' : `[${inside}${items.join(comma)}${inside}]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  const own = Object.entries(value).map(([key, item]): Member => [text(key, true), write(item, style, depth + 1)]);
  const all = members(own).map(([key, item]) => `${key}${colon}${item}`);
  return all.length === 0 ? '{}' : `{${inside}${all.join(comma)}${inside}}`;
}

function styled(style: (random: Random) => Style): Mutation {
  return toRecords((record, random) => lineOf(write(record, style(random))));
}

/** Some of the known keys occur twice, not always next to each other. The last one counts. */
function twice(values: (value: string, random: Random) => [string, string], isEscaped = false): Mutation {
  return styled((random) => ({
    members: (members) =>
      members.flatMap(([key, value], index): Member[] => {
        const isKnown = known.some((name) => key === `"${name}"`);
        if (!isKnown || random.below(4) > 0) return [[key, value]];
        const [first, last] = values(value, random);
        const again = isEscaped ? escaped(key.slice(1, -1), somewhere(random)) : key;
        const [one, two]: [Member, Member] = [
          [random.below(2) === 0 ? again : key, first],
          [again, last],
        ];
        const between = members[index + 1];
        return between === undefined || random.below(2) === 0 ? [one, two] : [one, ['"between"', '1'], two];
      }),
  }));
}

/** A member that nobody knows, in some object of the record. */
function added(member: (random: Random) => Member): Mutation {
  return styled((random) => ({
    members: (members) =>
      random.below(3) === 0 ? members.toSpliced(random.below(members.length + 1), 0, member(random)) : members,
  }));
}

function otherThan(value: string, random: Random): string {
  return random.pick([
    'null',
    '"other"',
    '"result"',
    '"assistant"',
    '{}',
    '[]',
    '5',
    '{"content":[],"usage":{"output_tokens":7}}',
    '[{"type":"tool_use","id":"toolu_other","name":"TaskCreate","input":{"subject":"other"}}]',
    value.length < 300 ? value.replaceAll(/\d/g, '7') : '"long"',
  ]);
}

function somewhere(random: Random): (index: number) => boolean {
  const at = random.below(4);
  return (index) => index === at || random.below(6) === 0;
}

/** Some characters as \uXXXX, with digits large or small. */
function escaped(text: string, isMeant: (index: number, character: string) => boolean): string {
  const characters = Array.from({ length: text.length }, (_, at) => {
    const character = text.charAt(at);
    if (!isMeant(at, character)) return JSON.stringify(character).slice(1, -1);
    const digits = text.charCodeAt(at).toString(16).padStart(4, '0');
    return `\\u${at % 2 === 0 ? digits : digits.toUpperCase()}`;
  });
  return `"${characters.join('')}"`;
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const copy = [...list];
  const mixed: T[] = [];
  while (copy.length > 0) mixed.push(...copy.splice(random.below(copy.length), 1));
  return mixed;
}

function byKey(members: readonly Member[], rank: (key: string) => number): Member[] {
  return [...members].sort(([a], [b]) => rank(a) - rank(b));
}
