import { isObject, type JsonObject, parseJson } from '../json.js';
import { chooser, isBare, type Line, lineOf, type Mutation } from './lines.js';
import type { Random } from './random.js';

/** Records that contradict each other, or lack what others have. Each line is one JSON object. */
export const twists: Readonly<Record<string, Mutation>> = {
  'one uuid for two records': together((records, random) => {
    const some = records.filter(({ uuid }) => typeof uuid === 'string');
    for (let left = 1 + random.below(4); left > 0; left--) copyField('uuid', some, random);
  }),
  'one message id for two': together((records, random) => copyField('id', messagesOf(records), random)),
  'one call id for two tools': together((records, random) => copyField('id', blocksOf(records, 'tool_use'), random)),
  'results of the wrong calls': together((records, random) =>
    copyField('tool_use_id', blocksOf(records, 'tool_result'), random),
  ),
  'results before calls': (lines, random) => {
    const isResult = (line: Line) => line.bytes.includes('"tool_result"');
    return random.below(2) === 0
      ? [...lines.filter(isResult), ...lines.filter((line) => !isResult(line))]
      : [...lines].reverse();
  },
  'calls lost': (lines, random) => {
    const isMeant = chooser(lines.length, random);
    return lines.filter((line, index) => !isMeant(index) || !line.bytes.includes('"tool_use"'));
  },
  'without uuid': edited((record) => Reflect.deleteProperty(record, 'uuid')),
  'without session': edited((record) => {
    Reflect.deleteProperty(record, 'session_id');
    Reflect.deleteProperty(record, 'sessionId');
  }),
  'sessions of other kinds': edited((record, random) => {
    const id = random.pick<unknown>([null, 7, '', 'other', [], {}, true, 'x'.repeat(300), '__proto__']);
    Object.assign(record, { [random.pick(['session_id', 'sessionId'])]: id });
  }),
  'two spellings of the session': edited((record, random) => {
    const own = record['session_id'] ?? record['sessionId'];
    const [one, two] = random.pick<[unknown, unknown]>([
      [own, own],
      [own, 'other'],
      ['other', own],
      [own, null],
      [null, own],
    ]);
    Object.assign(record, { session_id: one, sessionId: two });
  }),
  'parents of other kinds': edited((record, random) => {
    record['parent_tool_use_id'] = random.pick<unknown>([5, '', 'toolu_nobody', null, [], {}, false]);
  }),
  'content of other kinds': edited((record, random) => {
    for (const message of messagesOf([record]))
      message['content'] = random.pick<unknown>([
        'text',
        '',
        null,
        5,
        ['a', 'b'],
        [null, message['content']],
        { type: 'text' },
        [[message['content']]],
      ]);
  }),
  'blocks of several records in one': together((records, random) => {
    for (const [index, message] of messagesOf(records).entries()) {
      const before = messagesOf(records)[index - 1 - random.below(3)];
      const [own, others] = [message['content'], before?.['content']];
      if (Array.isArray(own) && Array.isArray(others) && random.below(3) === 0)
        message['content'] = random.below(2) === 0 ? [...own, ...others] : [...others, ...own];
    }
  }),
  'a result in a result, a call in a call': edited((record, random) => {
    const blocks = blocksOf([record]);
    const inner = random.one(blocks);
    for (const block of blocks)
      if (inner !== null) block[random.pick(['content', 'input', 'extra'])] = [structuredClone(inner)];
  }),
  'roles swapped': edited((record) => {
    if (record['type'] === 'user') record['type'] = 'assistant';
    else if (record['type'] === 'assistant') record['type'] = 'user';
  }),
  'errors of other kinds': edited((record, random) => {
    for (const holder of [record, ...blocksOf([record])])
      if (random.below(2) === 0) holder['is_error'] = random.pick<unknown>(['true', 1, null, 0, 'false', [], true]);
  }),
  'times here and there': edited((record, random) => {
    record['timestamp'] = random.pick<unknown>([
      '2026-11-16T00:00:00.000Z',
      '2026-11-15T23:59:59Z',
      '1970-01-01T00:00:00Z',
      'yesterday',
      1763251200,
      null,
      '',
    ]);
  }),
  'as rows of a transcript': edited((record, random) => {
    const { session_id: sessionId, tool_use_result: toolUseResult, ...others } = record;
    for (const key of Object.keys(record)) Reflect.deleteProperty(record, key);
    const own = { parentUuid: null, isSidechain: random.below(3) === 0, sessionId, agentId: random.pick([null, 'a1']) };
    Object.assign(record, own, others, { toolUseResult, timestamp: '2026-11-16T00:00:00.000Z' });
  }),
  'poorer copies before': (lines, random) => {
    const isMeant = chooser(lines.length, random);
    return lines.flatMap((line, index) => {
      const record = isMeant(index) && isShort(line) ? parseJson(line.bytes.toString()) : null;
      return isObject(record) ? [lineOf(JSON.stringify(poorer(record, random))), line] : [line];
    });
  },
  'rows among frames, by one key': together((records, random) => {
    for (const record of records) if (random.below(2) === 0) record['parentUuid'] = null;
  }),
  'usage that changes': edited((record, random) => {
    for (const message of messagesOf([record]))
      message['usage'] = random.pick<unknown>([
        { input_tokens: 1, output_tokens: random.below(500) },
        { output_tokens: '5' },
        { output_tokens: null, cache_creation: { ephemeral_1h_input_tokens: 5 } },
        { input_tokens: -1 },
        [],
        null,
        'usage',
      ]);
  }),
};

/** One record, some or all, each by itself. */
function edited(edit: (record: JsonObject, random: Random) => unknown): Mutation {
  return (lines, random) => {
    const isMeant = chooser(lines.length, random);
    return changed(lines, (records) => {
      for (const [index, record] of records.entries()) if (isMeant(index)) edit(record, random);
    });
  };
}

function together(edit: (records: readonly JsonObject[], random: Random) => unknown): Mutation {
  return (lines, random) => changed(lines, (records) => edit(records, random));
}

function isShort(line: Line): boolean {
  return isBare(line) && line.bytes.length < 1e6;
}

/** The same record by its ids, without some of what it says. */
function poorer(record: JsonObject, random: Random): JsonObject {
  const without = (from: JsonObject, keep: RegExp) =>
    Object.fromEntries(Object.entries(from).filter(([key]) => keep.test(key) || random.below(2) === 0));
  const copy = without(record, /^(?:type|uuid|session_?id|message)$/i);
  if (!isObject(copy['message'])) return copy;
  const message = without(copy['message'], /^(?:id|usage)$/);
  if (isObject(message['usage'])) message['usage'] = without(message['usage'], /_tokens$/);
  return { ...copy, message };
}

/**
 * Changes all records in place, and writes them again. Lines that are not bare records, or are too deep to write, stay.
 */
function changed(lines: readonly Line[], edit: (records: readonly JsonObject[]) => void): Line[] {
  const parsed = lines.map((line) => (isShort(line) ? parseJson(line.bytes.toString()) : null));
  edit(parsed.filter(isObject));
  return lines.map((line, index) => {
    const record = parsed[index];
    if (!isObject(record)) return line;
    try {
      return lineOf(JSON.stringify(record));
    } catch {
      return line;
    }
  });
}

function messagesOf(records: readonly JsonObject[]): JsonObject[] {
  return records.map(({ message }) => message).filter(isObject);
}

function blocksOf(records: readonly JsonObject[], type?: string): JsonObject[] {
  return messagesOf(records)
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(isObject)
    .filter((block) => type === undefined || block['type'] === type);
}

/** One of them gets what another has. */
function copyField(field: string, holders: readonly JsonObject[], random: Random): void {
  const [from, to] = [random.one(holders), random.one(holders)];
  if (from !== null && to !== null) to[field] = from[field];
}
