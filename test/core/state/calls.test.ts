import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Calls } from '../../../src/core/state/calls.js';
import type { Event } from '../../../src/lib.js';
import { runs } from '../../effort.js';
import { check } from '../../laws/check.js';

const envelope = { cct: 1, team: null, agent: 'main', line: 1 } as const;

function* events(count: number): Generator<Event> {
  const base = Date.UTC(2026, 0, 1);
  for (let at = 0; at < count; at++) {
    const session_id = `session ${at >>> 10}`;
    const call = { tool: `Tool${at % 17}`, tool_use_id: `toolu_01${at.toString(36).padStart(22, '_')}` };
    const time = new Date(base + 1000 * at).toISOString();
    const own = { ...envelope, session_id, seq: 2 * at, time, ...call } as const;
    yield { ...own, event: 'tool:called', message_id: null, input: { command: 'ls' }, message: null } as const;
    const later = new Date(base + 1000 * at + (at % 500)).toISOString();
    const result = { is_error: false, success: true, result: 'ok' };
    yield { ...own, event: 'tool:returned', time: later, ...result } as const;
  }
}

function callsOf(events: Iterable<Event>, recent?: number): Calls {
  const calls = new Calls(recent === undefined ? {} : { recent });
  for (const event of events) calls.note(event);
  return calls;
}

/** Ten million with `npm run test:all`. */
test('many calls take few bytes each', () => {
  const count = runs(100_000, 10_000_000);
  const calls = callsOf(events(count));
  let known = 0;
  let ms = 0;
  for (const call of calls.all()) {
    known++;
    ms += call.ms ?? 0;
  }
  expect([known, ms]).toEqual([count, (count / 500) * ((499 * 500) / 2)]);
  expect(calls.packedBytes / count).toBeLessThan(18);
}, 600_000);

test('calls that are read again and again take no more', () => {
  const calls = new Calls({ recent: 2000 });
  const bytes: number[] = [];
  const some = [...events(20_000)];
  for (let time = 0; time < 8; time++) {
    for (const event of some) calls.note(event);
    bytes.push(calls.packedBytes);
  }
  expect([...calls.all()]).toHaveLength(20_000);
  expect(Math.max(...bytes)).toBeLessThan(5 * (bytes[0] ?? 0));
});

describe('whatever is said about calls', () => {
  const millis = fc.oneof(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: -1e14, max: 1e14 }));
  const time = fc.option(millis.map((ms) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString()));
  const duration_ms = fc.oneof(fc.nat(1000), fc.constantFrom(-1, 0.4, 1e99, 2 ** 32 - 2));
  const bytes = fc.oneof(fc.nat(100_000), fc.constantFrom(0, 127, 128, 2 ** 31, 2 ** 40));
  const tool_use_id = fc.nat(12).map((number) => `toolu_${number}`);
  const own = {
    tool_use_id,
    time,
    ...{ cct: fc.constant(1 as const), seq: fc.constant(1), line: fc.constant(1), team: fc.constant(null) },
    ...{ session_id: fc.constantFrom('a', 'b', null), agent: fc.constantFrom('main', 'x', null) },
    tool: fc.constantFrom('Bash', 'Read'),
  };
  const called = fc.record({
    ...{ ...own, event: fc.constant('tool:called' as const), input_bytes: bytes },
    ...{ input: fc.constant(null), message_id: fc.constant(null), message: fc.constant(null) },
  });
  const returned = fc.record(
    {
      ...{ ...own, event: fc.constant('tool:returned' as const), success: fc.boolean(), is_error: fc.boolean() },
      ...{ result: fc.constant(null), result_bytes: bytes, denied: fc.boolean(), duration_ms },
    },
    { noNullPrototype: true },
  );
  const fired = fc.record({
    ...{ ...own, event: fc.constant('hook:fired' as const), hook: fc.constant('PostToolUse'), duration_ms },
  });
  const changed = fc.record({
    ...{ ...own, event: fc.constant('session:changed' as const), subtype: fc.constantFrom('x', 'permission_denied') },
    tool_use_ids: fc.array(tool_use_id, { maxLength: 1 }),
  });
  const some = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: called },
      { weight: 4, arbitrary: returned },
      fired,
      changed,
    ) as fc.Arbitrary<Event>,
    { maxLength: 60 },
  );
  const factsOf = (events: Iterable<Event>, recent?: number) =>
    [...callsOf(events, recent).all()].map((call) => JSON.stringify(call)).sort();

  test('packing changes nothing', () => {
    check(
      fc.property(some, fc.nat(5), (events, recent) => {
        expect(factsOf(events, recent)).toEqual(factsOf(events));
      }),
      300,
    );
  });

  test('neither order nor copies matter', () => {
    // Loops depend on the order in a file.
    const withoutLoops = (events: Iterable<Event>, recent: number) =>
      factsOf(events, recent)
        .map((call) => call.replace('"repeated":true', '"repeated":false'))
        .sort();
    const shuffled = some.chain((events) =>
      fc.tuple(fc.constant(events), fc.shuffledSubarray([...events, ...events], { minLength: 2 * events.length })),
    );
    check(
      fc.property(shuffled, fc.nat(20), ([events, copies], recent) => {
        expect(withoutLoops(copies, recent)).toEqual(withoutLoops(events, recent));
      }),
      300,
    );
  });
});
