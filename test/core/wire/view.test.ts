import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openIndex } from '../../../src/cli/lines.js';
import { isObject, type JsonObject, parseJson } from '../../../src/core/record/json.js';
import { IndexedRecord } from '../../../src/core/wire/indexed.js';
import { kindOf } from '../../../src/core/wire/kinds.js';
import { Seen } from '../../../src/core/wire/seen.js';
import { blockKeys, type ResultKey, recordKeys, recordShape, resultKeys } from '../../../src/core/wire/spell.js';
import { type BlockView, type Content, ParsedRecord, type RecordView } from '../../../src/core/wire/view.js';
import { joined, linesOf } from '../../fuzz/lines.js';
import { Random } from '../../fuzz/random.js';
import { rewrites } from '../../fuzz/rewritten.js';
import { twists } from '../../fuzz/twisted.js';
import { families } from '../../laws/families.js';
import { bytesOf, homes, sessions } from '../../laws/inputs.js';
import { testEach } from '../../laws/law.js';
import { shareOf } from '../../laws/laws.js';
import { ndjson } from '../../streams.js';

/** Everything a view can be asked. */
function answers(view: RecordView): object {
  const keys = Object.keys(recordKeys) as (keyof typeof recordKeys)[];
  return {
    kind: kindOf(view),
    ...Object.fromEntries(keys.map((key) => [key, view[key]])),
    type: view.type,
    isFirst: view.isFirst,
    hasRowKeys: view.hasRowKeys,
    isStrange: view.isStrange,
    content: contentAnswers(view.content),
    result: {
      isGiven: view.result.isGiven,
      isObject: view.result.isObject,
      success: view.result.success,
      value: view.result.value() ?? null,
      bytes: view.result.isGiven && view.result.bytes(),
      durationMs: view.result.timings().durationMs,
      ...Object.fromEntries((Object.keys(resultKeys) as ResultKey[]).map((key) => [key, view.result.field(key)])),
    },
    picked: pickedOf(view.pick({ subtype: true, version: true, message: { id: true, role: true } })),
    isNew: view.isNew(new Seen(7)),
    isPartial: view.isPartial,
    hasId: view.hasId,
    isOneStep: view.isOneStep,
    head: view.head.slice(0, 200),
    whole: view.whole(),
    inside: view.inside === null ? null : answers(view.inside),
  };
}

function pickedOf({ subtype, version, message }: JsonObject): unknown {
  return [subtype, version, isObject(message) ? [message.id, message.role] : message];
}

function contentAnswers(content: Content): unknown {
  return Array.isArray(content) ? content.map(blockAnswers) : content;
}

function blockAnswers(block: BlockView | string | null): unknown {
  if (typeof block === 'string' || block === null) return block;
  const keys = Object.keys(blockKeys) as (keyof typeof blockKeys)[];
  const seen = new Seen(7);
  return {
    ...Object.fromEntries(keys.map((key) => [key, block[key]])),
    type: block.type,
    name: block.name,
    lines: block.lines(),
    begins: ['', 'T', 'Error', 'Command running in background'].map((words) => block.begins(words)),
    text: block.text,
    contentType: block.contentType,
    input: block.input(),
    content: block.content(),
    head: block.head().slice(0, 200),
    contentBytes: block.contentBytes(),
    isNew: [block.isNewCall(seen), block.isNewCall(seen), block.isNewReturn(seen), block.isNewReturn(seen)],
    whole: block.whole(),
  };
}

/** Compares both views of each line that can be viewed through the index. Returns how many were. */
function compare(bytes: Buffer): number {
  let viewed = 0;
  const index = openIndex({
    shape: recordShape,
    seed: 7,
    line(entry) {
      if (!view.look(entry)) return;
      viewed++;
      const text = index.lineText(entry);
      const parsed = parseJson(text);
      const [viewedAnswers, parsedAnswers] = [answers(view), answers(new ParsedRecord(isObject(parsed) ? parsed : {}))];
      // Thousands of times: expect takes ten times as long.
      if (!isDeepStrictEqual(viewedAnswers, parsedAnswers)) expect(viewedAnswers, text).toEqual(parsedAnswers);
    },
    tooLong() {},
  });
  const view = new IndexedRecord(index);
  index.begin();
  index.write(bytes);
  index.end();
  expect(viewed).toBeLessThanOrEqual(index.lines);
  return viewed;
}

describe('a view of the index answers like one of the parsed record', () => {
  testEach([...sessions, ...families, ...homes], (input) => {
    for (const { bytes } of input.parts) compare(bytes);
  });

  const ways = Object.entries({ ...rewrites, ...twists }).map(([way, write], turn) => ({ way, write, turn }));
  test.each(ways)('$way', ({ write, turn }) => {
    for (const [seed, input] of shareOf('view: changed', sessions, turn).entries())
      compare(joined(write(linesOf(bytesOf(input)), new Random(seed))));
  });

  const step = '{"input_tokens":1,"cache_creation":{"ephemeral_5m_input_tokens":2},"type":"message"}';
  test.each([
    [`[${step}]`, true],
    [`[ ${step} ]`, true],
    ['[{"type":"message","model":"claude-opus-4-6"}]', true],
    ['[{"t\\u0079pe":"message"}]', true],
    [`[${step},${step}]`, false],
    [`[{"a":1}, {"type":"message"}]`, false],
    [`[{"a":1},{"type":"message"}]`, false],
    [`["x",{"type":"message"}]`, false],
    ['[{"a":{"type":"message"}}]', false],
    ['[{"type":"compaction"}]', false],
    ['[{"type":"message","type":"compaction"}]', false],
    ['[{"a":"\\"type\\":\\"message\\"}]"}]', false],
    ['[]', false],
    ['5', false],
    ['null', false],
  ])('steps of a message: %s', (iterations, isOneStep) => {
    const line = `{"type":"assistant","message":{"id":"m","usage":{"input_tokens":1,"iterations":${iterations}}}}\n`;
    expect(compare(Buffer.from(line))).toBe(1);
    expect(new ParsedRecord(JSON.parse(line)).isOneStep).toBe(isOneStep);
  });

  test('most records can be viewed', () => {
    const all = sessions.map((input) => compare(bytesOf(input)));
    expect(all.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1000);
    expect(compare(Buffer.from(ndjson([{ type: 'user', uuid: 'u' }])))).toBe(1);
  });
});
