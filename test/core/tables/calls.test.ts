import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CallOptions, Calls } from '../../../src/core/tables/calls/calls.js';
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

function callsOf(events: Iterable<Event>, options: CallOptions = { loops: true, ids: true }): Calls {
  const calls = new Calls(options);
  for (const event of events) calls.note(event, null);
  return calls;
}

/** Ten million with `npm run test:all`. */
test('many calls take few bytes each', () => {
  const count = runs(100_000, 10_000_000);
  const calls = callsOf(events(count), { loops: true });
  let known = 0;
  let ms = 0;
  for (const call of calls.all()) {
    known++;
    ms += call.ms ?? 0;
  }
  expect([known, ms]).toEqual([count, (count / 500) * ((499 * 500) / 2)]);
  expect(calls.bytes / count).toBeLessThan(64);
}, 600_000);

test('calls that are read again and again take no more', () => {
  const some = [...events(20_000)];
  const calls = callsOf(some);
  const { bytes } = calls;
  for (let time = 0; time < 7; time++) for (const event of some) calls.note(event, null);
  expect([...calls.all()]).toHaveLength(20_000);
  expect(calls.bytes).toBe(bytes);
});

const byText = (a: { text: string }, b: { text: string }) => (a.text < b.text ? -1 : 1);

describe('whatever is said about calls', () => {
  const millis = fc.oneof(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: -1e14, max: 1e14 }));
  const time = fc.option(millis.map((ms) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString()));
  const duration_ms = fc.oneof(fc.nat(1000), fc.constantFrom(-1, 0.4, 1e99, 2 ** 32 - 2));
  const bytes = fc.oneof(fc.nat(100_000), fc.constantFrom(0, 127, 128, 2 ** 31, 2 ** 40));
  const tool_use_id = fc.nat(12).map((number) => `toolu_${number}`);
  const own = {
    tool_use_id,
    time,
    ...{
      cct: fc.constant(1 as const),
      seq: fc.constant(1),
      line: fc.constantFrom(1, 2, null),
      team: fc.constantFrom('t', null),
    },
    ...{ session_id: fc.constantFrom('a', 'b', null), agent: fc.constantFrom('main', 'x', null) },
    tool: fc.constantFrom('Bash', 'Read', null),
    server: fc.constantFrom('one', null),
  };
  const called = fc.record({
    ...{ ...own, event: fc.constant('tool:called' as const), input_bytes: bytes },
    ...{
      input: fc.constantFrom('a', 'b', null),
      message_id: fc.constantFrom('m1', 'm2', null),
      message: fc.constant(null),
    },
  });
  const returned = fc.record(
    {
      ...{ ...own, event: fc.constant('tool:returned' as const), success: fc.boolean(), is_error: fc.boolean() },
      ...{
        result: fc.constant(null),
        result_bytes: bytes,
        denied: fc.boolean(),
        duration_ms,
        error: fc.constantFrom('x', 'y'),
      },
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
  const options = { ids: true, details: (input: unknown) => (typeof input === 'string' ? input : null) };
  const tableOf = (events: Iterable<Event>) => callsOf(events, options);
  const sorted = (values: Iterable<object>) =>
    [...values].map((value) => ({ value, text: inspect(value, { sorted: true, depth: null }) })).sort(byText);
  const factsOf = (calls: Calls) => sorted(calls.all());
  // Loops depend on the order in a file.
  const withoutLoops = (calls: Calls) => sorted([...calls.all()].map((call) => ({ ...call, repeated: false })));
  const knownBy = (calls: Calls) => sorted(calls.known());
  const countsOf = (calls: Calls) => sorted([...calls.counts()].filter(([, count]) => count.calls > 0));

  test('neither order nor copies matter', () => {
    const shuffled = some.chain((events) =>
      fc.tuple(fc.constant(events), fc.shuffledSubarray([...events, ...events], { minLength: 2 * events.length })),
    );
    check(
      fc.property(shuffled, ([events, copies]) => {
        const [once, twice] = [tableOf(events), tableOf(copies)];
        expect(factsOf(twice)).toEqual(factsOf(once));
        expect(knownBy(twice)).toEqual(knownBy(once));
      }),
      300,
    );
  });

  test('two tables that are merged are one table of all of it', () => {
    check(
      fc.property(some, some, fc.boolean(), (one, other, again) => {
        const [all, merged] = [tableOf([...one, ...other]), tableOf(one)];
        merged.merge(tableOf(other).pack());
        if (again) merged.merge(tableOf(one).pack());
        expect(factsOf(merged)).toEqual(factsOf(all));
        expect(knownBy(merged)).toEqual(knownBy(all));
        expect(countsOf(merged)).toEqual(countsOf(all));
      }),
      300,
    );
  });

  test('a copy stays as it is, and goes on as the table would', () => {
    check(
      fc.property(some, some, (before, after) => {
        const table = tableOf(before);
        const [copy, kept] = [table.copy(), table.copy()];
        const [facts, known] = [factsOf(table), knownBy(table)];
        for (const event of after) table.note(event, null);
        expect([factsOf(copy), knownBy(copy)]).toEqual([facts, known]);
        for (const event of after) copy.note(event, null);
        expect([factsOf(copy), knownBy(copy)]).toEqual([factsOf(table), knownBy(table)]);
        expect([factsOf(kept), knownBy(kept)]).toEqual([facts, known]);
      }),
      300,
    );
  });

  test('what was saved is loaded, and goes on as the table would', () => {
    const plain = { ids: true, loops: true };
    check(
      fc.property(some, some, (before, after) => {
        const table = callsOf(before, plain);
        const loaded = new Calls({ ids: true });
        loaded.load(structuredClone(table.save()));
        expect([factsOf(loaded), knownBy(loaded)]).toEqual([factsOf(table), knownBy(table)]);
        const [goesOn, whole] = [new Calls(plain), callsOf([...before, ...after], plain)];
        goesOn.load(table.save());
        for (const event of after) goesOn.note(event, null);
        expect(knownBy(goesOn)).toEqual(knownBy(whole));
        expect(withoutLoops(goesOn)).toEqual(withoutLoops(whole));
      }),
      300,
    );
  });
});
