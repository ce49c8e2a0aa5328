import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventSchema } from '../../src/core/event/schema.js';
import { isObject, type JsonObject } from '../../src/core/record/json.js';
import { ndjson, streams } from '../streams.js';
import { check } from './check.js';
import { all, bytesOf, sessions, specimens } from './inputs.js';
import { type Reading, readAll } from './reading.js';

const small = specimens.filter((input) => bytesOf(input).length < 450);
const larger = all.filter((input) => !small.includes(input));

describe('cut at every byte', () => {
  test.each(small)('$name', (input) => {
    const { length } = bytesOf(input);
    for (let end = 0; end <= length; end++)
      expectGood(readAll([{ path: null, bytes: bytesOf(input).subarray(0, end) }]));
  });
});

describe('cut anywhere', () => {
  test.each(larger)('$name', (input) => {
    const bytes = bytesOf(input);
    check(
      fc.property(fc.nat(bytes.length), (end) => {
        expectGood(readAll([{ path: null, bytes: bytes.subarray(0, end) }]));
      }),
      12,
    );
  });

  test('any stream', () => {
    check(
      fc.property(streams(), fc.nat(), (records, place) => {
        const bytes = Buffer.from(ndjson(records));
        expectGood(readAll([{ path: null, bytes: bytes.subarray(0, place % (bytes.length + 1)) }]));
      }),
      200,
    );
  });
});

describe('what a prefix says of its whole', () => {
  test.each(sessions)('$name: the same, as far as it goes', (input) => {
    const bytes = bytesOf(input);
    const whole = readAll(input.parts).events;
    const ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a);
    for (const end of ends.filter((_, index) => index % 5 === 0)) {
      const part = readAll([{ path: null, bytes: bytes.subarray(0, end) }]).events;
      expect(part).toEqual(whole.slice(0, part.length));
    }
  });
});

/** Thousands of times: expect() only where it would fail. */
function expectGood({ events, records, missing }: Reading): void {
  const bad = events.filter((event) => !eventSchema(event.event).safeParse(event).success);
  if (bad.length > 0) expect(bad).toEqual([]);
  if ((missing !== null) !== isUnfinished(records)) expect({ missing, records }).toBe('what the records say');
}

/** A turn began after the last result of its session, or a request was not answered. */
function isUnfinished(records: readonly JsonObject[]): boolean {
  const seen = new Set<unknown>();
  const open = new Map<unknown, boolean>();
  const requests = new Set<unknown>();
  let session: unknown = null;
  for (const record of records) {
    if (record.cct === 1 || typeof record.type !== 'string') continue;
    session = record.session_id ?? session;
    if (record.uuid !== undefined && seen.has(record.uuid)) continue;
    seen.add(record.uuid);
    if (record.type === 'system' && record.subtype === 'init') open.set(session, true);
    if (record.type === 'result') open.set(session, false);
    const response = isObject(record.response) ? record.response : {};
    if (record.type === 'control_request') requests.add(record.request_id);
    if (record.type === 'control_response') requests.delete(record.request_id ?? response.request_id);
    if (record.type === 'control_cancel_request') requests.delete(record.request_id);
  }
  return requests.size > 0 || [...open.values()].includes(true);
}
