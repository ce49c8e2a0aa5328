// Every instant of an agent belongs to one account, and the critical path never passes the same instant twice.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accountRows } from '../../../src/commands/trace/fold.js';
import { busyTimes } from '../../../src/core/spans/accounts.js';
import type { Trace } from '../../../src/core/spans/model.js';
import { isTurn } from '../../effort.js';
import { check } from '../../laws/check.js';
import { bytesOf, homes, sessions } from '../../laws/inputs.js';
import { type Part, readAll } from '../../laws/reading.js';
import { ndjson, streams } from '../../streams.js';
import { tracesIn } from './traces-in.js';

test('who still worked when an agent went on is not what it had waited for', () => {
  const parts = homes.find(({ name }) => name === 'files/nested-2.1.326')?.parts ?? [];
  const accounts = tracesIn(readAll(parts).events).flatMap(accountRows);
  const critical = Object.fromEntries(accounts.map(({ name, critical_ms }) => [name, critical_ms]));
  expect(critical['Count bytes']).toBe(0);
  expect(critical['planner-1']).toBeGreaterThan(2000);
});

describe('accounts add up', () => {
  const inputs = [...sessions, ...homes].map((input, turn) => ({ name: input.name, input, turn }));
  test.each(inputs)('$name', ({ input, turn }) => {
    for (const trace of tracesIn(readAll(input.parts).events)) expectWhole(trace);
    const bytes = bytesOf(input);
    for (const part of [0.3, 0.6, 0.9].filter((_, at) => isTurn(turn, 3, at))) {
      const cut = bytes.subarray(0, Math.floor(bytes.length * part));
      for (const trace of tracesIn(readAll([{ path: null, bytes: cut }]).events)) expectWhole(trace);
    }
  });

  test('any stream, with times and without', () => {
    check(
      fc.property(streams(), fc.array(fc.nat(5000), { minLength: 1, maxLength: 40 }), (records, steps) => {
        let at = Date.parse('2026-11-16T09:00:00Z');
        const timed = records.map((record, index) => {
          at += steps[index % steps.length] ?? 0;
          return { ...record, timestamp: new Date(at).toISOString() };
        });
        for (const list of [records, timed])
          for (const trace of tracesIn(readAll([asPart(list)]).events)) expectWhole(trace);
      }),
      30,
      400,
    );
  });
});

function asPart(records: readonly unknown[]): Part {
  return { path: null, bytes: Buffer.from(ndjson(records)) };
}

function expectWhole(trace: Trace): void {
  const { root, actors, accounts } = trace;
  for (const { actor, pieces } of accounts) {
    let at = actor.span.start;
    for (const { start, end } of pieces) {
      expect({ start, isLonger: end > start }).toEqual({ start: at, isLonger: true });
      at = end;
    }
    expect(at).toBe(actor.span.end);
  }
  let critical = 0;
  for (const account of accounts) {
    const { span } = account.actor;
    expect(Object.values(account.ms).reduce((sum, ms) => sum + ms, 0)).toBe(span.end - span.start);
    expect(account.critical).toBeGreaterThanOrEqual(0);
    expect(account.critical).toBeLessThanOrEqual(span.end - span.start);
    critical += account.critical;
  }
  for (const row of accountRows(trace)) {
    const { active_ms, tool_ms, wait_agent_ms, wait_person_ms, idle_ms, wall_ms, critical_ms, records } = row;
    const isSeen = row.turns + row.calls > 0;
    if (isSeen && trace.toScale)
      expect((active_ms ?? 0) + (tool_ms ?? 0) + (wait_agent_ms ?? 0) + (wait_person_ms ?? 0) + (idle_ms ?? 0)).toBe(
        wall_ms,
      );
    else expect([active_ms, tool_ms, wait_agent_ms, wait_person_ms, idle_ms]).toEqual([null, null, null, null, null]);
    if (!trace.toScale) expect([wall_ms, critical_ms]).toEqual([null, null]);
    if (isSeen) expect(wall_ms === null).toBe(records !== null);
  }
  // Every instant at which anybody worked is on the path once. What it leaves out, nobody waited for.
  expect(critical).toBeLessThanOrEqual(root.end - root.start);
  expect(critical).toBeGreaterThanOrEqual(workedTime(trace));
  for (const { span, turns, chats, calls, waits } of actors) {
    expect(span.start).toBeGreaterThanOrEqual(root.start);
    for (const one of [span, ...turns, ...chats, ...calls, ...waits]) {
      expect(one.end).toBeGreaterThanOrEqual(one.start);
      expect(one.end).toBeLessThanOrEqual(root.end);
    }
  }
}

/** For how long at least one agent worked. */
function workedTime({ actors }: Trace): number {
  let worked = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const { start, end } of actors.flatMap(busyTimes).sort((a, b) => a.start - b.start)) {
    worked += Math.max(0, end - Math.max(start, reached));
    reached = Math.max(reached, end);
  }
  return worked;
}
