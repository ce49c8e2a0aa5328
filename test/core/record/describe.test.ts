import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeEvent } from '../../../src/core/event/event.js';
import { eventSchema, zodOf } from '../../../src/core/event/schema.js';
import { usageMessageRow } from '../../../src/core/event/usage-row.js';
import {
  exactly,
  type Field,
  fits,
  flag,
  json,
  listOf,
  loose,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  orNull,
  readAs,
  text,
} from '../../../src/core/record/describe.js';
import { readText } from '../../laws/reading.js';

const values: readonly unknown[] = [
  undefined,
  null,
  '',
  'a',
  'b',
  0,
  1,
  -1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  true,
  [],
  ['a'],
  ['a', null],
  {},
  { a: 'a' },
  { a: 1 },
  { a: null, more: 1 },
];

const fields: readonly [string, Field][] = [
  ['text', text],
  ['number', number],
  ['flag', flag],
  ['json', json],
  ['exactly', exactly('a')],
  ['oneOf', oneOf(['a', 'b'])],
  ['listOf', listOf(text)],
  ['mapOf', mapOf(text)],
  ['object', object({ a: text })],
  ['object with an optional field', object({ a: optional(text) })],
  ['object with a fallback', object({ a: optional(orNull(text), null) })],
  ['loose', loose({ a: orNull(number) })],
  ['orNull', orNull(listOf(flag))],
];

test.each(fields)('%s holds what zod says it holds', (_name, field) => {
  const schema = zodOf(field);
  expect(values.filter((value) => fits(field, value))).toEqual(
    values.filter((value) => schema.safeParse(value).success),
  );
});

describe('what is read back', () => {
  const sessions = readdirSync('fixtures/sessions').filter((file) => file.endsWith('.ndjson'));
  const events = sessions.flatMap((file) => readText(readFileSync(`fixtures/sessions/${file}`, 'utf8')).events);
  const one = new Map(events.map((event) => [event.event, event]));

  test.each([...one])('a damaged %s is judged as zod judges it', (name, event) => {
    const damaged = [
      event,
      ...Object.keys(event).flatMap((key) => values.map((value) => ({ ...event, [key]: value }))),
    ];
    const wrong = damaged.filter(
      (each) => fits(describeEvent(name), each) !== eventSchema(name).safeParse(each).success,
    );
    expect(wrong).toEqual([]);
    expect(damaged.some((each) => !fits(describeEvent(name), each))).toBe(true);
  });

  test('a usage row gets the same fallbacks as from zod, in the same order', () => {
    const row = { ...bareRow, extra: { kept: true } };
    expect(JSON.stringify(readAs(usageMessageRow, row))).toBe(JSON.stringify(zodOf(usageMessageRow).parse(row)));
    expect(readAs(usageMessageRow, { ...row, messages: 'one' })).toBeNull();
  });
});

/** As the first version wrote them: without the fields that were added since. */
const bareRow = {
  ...Object.fromEntries(Object.entries(usageMessageRow.fields).map(([name]): [string, unknown] => [name, null])),
  ...{ cct: 1, messages: 1, input_tokens: 1, output_tokens: 1, cache_write_5m_tokens: 0, cache_write_1h_tokens: 0 },
  ...{ cache_read_tokens: 0, total_tokens: 2, web_search_requests: 0, unpriced_tokens: 0 },
  ...{ in_transcript: undefined, also_in: undefined, iteration: undefined, iteration_type: undefined },
  ...{ cache_read_share: undefined, context_tokens: undefined, context_window: undefined, compactions: undefined },
  ...{ project: undefined, branch: undefined, version: undefined, cache_break: undefined, session: undefined },
  ...{ stop_reason: undefined, stop_sequence: undefined, web_fetch_requests: undefined },
  ...{ program: undefined, said_usd: undefined },
};
