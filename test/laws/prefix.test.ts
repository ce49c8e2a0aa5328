import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventSchema } from '../../src/lib.js';
import { seed } from '../effort.js';
import { isObject, type JsonObject } from '../json.js';
import { ndjson, streams } from '../streams.js';
import { check } from './check.js';
import { families } from './families.js';
import { broken, bytesOf, homes, type Input, sessions } from './inputs.js';
import { inputsOf, runsOf } from './laws.js';
import { type Reading, readAll } from './reading.js';

describe('cut anywhere', () => {
  test.each(families)('each of $name', ({ specimens }) => {
    for (const specimen of specimens) cutAt(specimen, endsIn(specimen));
  });

  test.each([...sessions, ...homes, ...broken])('$name', (input) => {
    cutAt(input, endsIn(input));
  });

  test('any stream', () => {
    check(
      fc.property(streams(), fc.nat(), (records, place) => {
        const bytes = Buffer.from(ndjson(records));
        expectGood(readAll([{ path: null, bytes: bytes.subarray(0, place % (bytes.length + 1)) }]));
      }),
      'prefix: any stream',
    );
  });
});

describe('what a prefix says of its whole', () => {
  test.each(sessions)('$name: the same, as far as it goes', (input) => {
    const bytes = bytesOf(input);
    const whole = readAll(input.parts).events;
    const ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a);
    for (const end of inputsOf('prefix: whole', ends)) {
      const part = readAll([{ path: null, bytes: bytes.subarray(0, end) }]).events;
      expect(part).toEqual(whole.slice(0, part.length));
    }
  });
});

const interruption = /"(?:content|text)":"\[Request interrupted by user/;

/** Every byte of a small input, some of a larger one. */
function endsIn(input: Input): readonly number[] {
  const { length } = bytesOf(input);
  if (length < 450) return inputsOf('prefix: small', [...Array(length + 1).keys()]);
  return fc.sample(fc.nat(length), { seed, numRuns: runsOf('prefix: large') });
}

function cutAt(input: Input, ends: readonly number[]): void {
  for (const end of ends)
    expectGood(readAll([{ path: null, bytes: bytesOf(input).subarray(0, end) }]), `${input.name}, cut at ${end}`);
}

function expectGood({ events, records, missing }: Reading, where = 'a stream'): void {
  const bad = events.filter((event) => !eventSchema(event.event).safeParse(event).success);
  expect(bad, where).toEqual([]);
  expect(missing !== null, `${where}: something is missing`).toBe(isUnfinished(records));
}

/**
 * A turn began after the last result of its session, or was interrupted or given up in a stream that begins in the middle
 * of it, or a request was not answered.
 */
function isUnfinished(records: readonly JsonObject[]): boolean {
  const seen = new Set<unknown>();
  const open = new Map<unknown, boolean>();
  const requests = new Set<unknown>();
  const called = new Set<unknown>();
  let session: unknown = null;
  for (const record of records) {
    if (record.cct === 1 || typeof record.type !== 'string') continue;
    session = record.session_id ?? session;
    // Codex gives its records no ids, so the same record again counts as a copy.
    const id = record.uuid ?? (record.type === 'thread.started' ? JSON.stringify(record) : undefined);
    if (id !== undefined && seen.has(id)) continue;
    seen.add(id);
    session = record.thread_id ?? record.sessionID ?? session;
    if ((record.type === 'system' && record.subtype === 'init') || begins.has(record.type)) open.set(session, true);
    if ('sessionID' in record && !open.has(session)) open.set(session, true);
    if (
      record.type === 'user' &&
      !('sessionId' in record) &&
      !open.has(session) &&
      interruption.test(JSON.stringify(record))
    )
      open.set(session, true);
    // The API gave up in the middle of a turn.
    if (record.type === 'assistant' && !('sessionId' in record) && !open.has(session) && isApiError(record))
      open.set(session, true);
    if (record.type === 'result' || isOtherEnd(record)) open.set(session, false);
    const response = isObject(record.response) ? record.response : {};
    for (const id of JSON.stringify(record).match(/(?<="type":"tool_use","id":")[^"]+/g) ?? []) called.add(id);
    const request = isObject(record.request) ? record.request : {};
    // Nobody knows whether a call that began before the input still waits.
    const isKnown = request.subtype !== 'can_use_tool' || called.has(request.tool_use_id);
    if (record.type === 'control_request' && isKnown) requests.add(record.request_id);
    if (record.type === 'control_response') requests.delete(record.request_id ?? response.request_id);
    if (record.type === 'control_cancel_request') requests.delete(record.request_id);
  }
  return requests.size > 0 || [...open.values()].includes(true);
}

function isApiError({ message, error, isApiErrorMessage }: JsonObject): boolean {
  return isObject(message) && message.model === '<synthetic>' && (isApiErrorMessage === true || error !== undefined);
}

/** Codex and Gemini begin with these. */
const begins: ReadonlySet<unknown> = new Set(['thread.started', 'init']);

/** Codex and opencode end with these. */
function isOtherEnd({ type, part, sessionID }: JsonObject): boolean {
  if (type === 'turn.completed' || type === 'turn.failed') return true;
  if (sessionID === undefined) return false;
  return type === 'error' || (type === 'step_finish' && isObject(part) && part.reason !== 'tool-calls');
}
