import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Event } from '../../src/lib.js';
import type { JsonObject } from '../json.js';
import { ndjson, streams } from '../streams.js';
import { check } from './check.js';
import { everything } from './families.js';
import type { Input } from './inputs.js';
import { testEach } from './law.js';
import { type Part, type Reading, readAll, readText, written } from './reading.js';

describe('normalize | normalize', () => {
  testEach(everything, ({ parts }) => {
    const once = written(readAll(parts).events);
    expect(written(readText(once).events)).toBe(once);
  });

  test('any stream', () => {
    check(
      fc.property(streams(), (records) => {
        const once = written(readText(ndjson(records)).events);
        expect(written(readText(once).events)).toBe(once);
      }),
      'idempotence: normalize',
    );
  });

  test('events among records keep their numbers, and the records count on', () => {
    check(
      fc.property(streams({ sessions: 1 }), fc.nat(40), (records, at) => {
        const { events } = readText(ndjson(records.slice(0, at)));
        const mixed = readText(written(events) + ndjson(records.slice(at))).events;
        expect(mixed.slice(0, events.length)).toEqual(events);
        expect(mixed.map(({ seq }) => seq)).toEqual(mixed.map((_, index) => index + 1));
      }),
      'idempotence: mixed',
    );
  });
});

describe('cat a a', () => {
  testEach(everything, (input) => {
    const [once, twice, again] = readTwice(input);
    expect(twice.slice(0, once.length)).toEqual(once);
    expect(again.filter(repeats)).toEqual([]);
  });

  test('any stream', () => {
    check(
      fc.property(streams(), (records) => {
        const text = ndjson(records);
        expect(readText(text + text).events).toEqual(readText(text).events);
      }),
      'idempotence: twice',
    );
  });

  test('any part of a stream, sent again at any later place', () => {
    check(
      fc.property(streams(), fc.nat(60), fc.nat(60), fc.nat(60), (records, from, length, to) => {
        const part = records.slice(from, from + length);
        const at = Math.max(from + length, to);
        const sentAgain = [...records.slice(0, at), ...part, ...records.slice(at)];
        expect(readText(ndjson(sentAgain)).events.map(bare)).toEqual(readText(ndjson(records)).events.map(bare));
      }),
      'idempotence: part',
    );
  });
});

/** The events of an input; of the input twice, damage left out; and those that come only from the second time. */
function readTwice({ parts }: Input): [once: Event[], twice: Event[], again: Again[]] {
  const whole = parts.map(({ path, bytes }) => ({ path, bytes: Buffer.concat([bytes, Buffer.from('\n')]) }));
  // One file more, so that both readings name the source.
  const first = undamaged(readAll([...whole, nothing]));
  const second = undamaged(readAll([...whole, ...whole, nothing]));
  return [first.map(({ event }) => event), second.map(({ event }) => event), second.slice(first.length)];
}

interface Again {
  readonly event: Event;
  readonly record: JsonObject;
}

const nothing: Part = { path: null, bytes: Buffer.from('\n') };

function undamaged({ events, origins }: Reading): Again[] {
  const pairs = events.map((event, index) => ({ event, record: origins[index] ?? {} }));
  return pairs.filter(({ event }) => event.event !== 'input:skipped');
}

/** A record is known by its uuid; one that has none at least by the call it makes, answers or sends with. */
function repeats({ event, record }: Again): boolean {
  if (record['cct'] === 1) return false;
  if (typeof record['uuid'] === 'string') return true;
  return byCall.has(event.event) && 'tool_use_id' in event && event.tool_use_id !== null;
}

const byCall: ReadonlySet<string> = new Set([
  'tool:called',
  'tool:returned',
  'team:message:sent',
  'team:message:failed',
  'team:created',
  'team:deleted',
  'team:cleanup_failed',
  'team:task:created',
  'team:task:claimed',
  'team:task:updated',
  'team:task:completed',
  'team:task:deleted',
]);

function bare({ seq: _seq, line: _line, ...event }: Event): unknown {
  return event;
}
