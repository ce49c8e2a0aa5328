// The compiler checks this file (npm run check): a line below @ts-expect-error that compiles is an error.
import { expect, expectTypeOf, test } from 'vitest';
import {
  type CallGroupRow,
  type CallRow,
  initialState,
  selectAccounts,
  selectCalls,
  selectFindings,
  selectMessages,
  selectSessions,
  selectSpans,
  selectTasks,
  selectTeams,
  selectUsage,
  type UsageKey,
  type UsageMessageRow,
  type UsageRow,
} from '../../src/lib.js';
import { eventsOf } from '../lib/read-fixture.js';

const events = eventsOf('one-shot.ndjson');

test('the rows of usage name their fields', () => {
  for (const row of selectUsage(initialState, { by: ['agent'] })) {
    expectTypeOf(row).toEqualTypeOf<UsageRow>();
    expectTypeOf(row.name).toEqualTypeOf<string | null | undefined>();
    expectTypeOf(row.total_tokens).toEqualTypeOf<number>();
    // @ts-expect-error it is cost_usd
    row.cost_us;
  }
  for (const row of selectUsage(initialState, { by: ['message', 'day'] })) {
    expectTypeOf(row).toEqualTypeOf<UsageMessageRow>();
    expectTypeOf(row.name).toEqualTypeOf<string | null>();
    expectTypeOf(row.day).toEqualTypeOf<string | null | undefined>();
    // @ts-expect-error it is message_id
    row.messageId;
  }
  const by: UsageKey[] = ['model'];
  for (const row of selectUsage(initialState, { by })) expectTypeOf(row).toEqualTypeOf<UsageRow | UsageMessageRow>();
  // @ts-expect-error there is no such key
  expect(() => selectUsage(initialState, { by: ['models'] })).toThrow(TypeError);
  // @ts-expect-error rows are not changed
  for (const row of selectUsage(initialState)) row.total_tokens = 1;
});

test('the rows of calls too', () => {
  for (const row of selectCalls(events, { by: ['tool', 'agent'] })) {
    expectTypeOf(row).toEqualTypeOf<CallGroupRow>();
    expectTypeOf(row.server).toEqualTypeOf<string | null | undefined>();
    // @ts-expect-error it is ms_p95
    row.p95;
  }
  for (const row of selectCalls(events, { by: ['call'] })) {
    expectTypeOf(row).toEqualTypeOf<CallRow>();
    // @ts-expect-error only groups have it
    row.ms_p95;
  }
  // @ts-expect-error there is no such key
  expect(() => selectCalls(events, { by: ['tools'] })).toThrow(TypeError);
});

test('and all others', () => {
  // @ts-expect-error it is members
  for (const row of selectTeams(initialState)) row.member;
  // @ts-expect-error it is blocked_by
  for (const row of selectTasks(initialState)) row.blockedBy;
  // @ts-expect-error it is from
  for (const row of selectMessages(events)) row.sender;
  // @ts-expect-error it is title
  for (const row of selectSessions(events)) row.tilte;
  // @ts-expect-error it is rule
  for (const row of selectFindings(events)) row.rules;
  // @ts-expect-error it is duration_ms
  for (const row of selectSpans(events)) row.duration;
  // @ts-expect-error it is active_ms
  for (const row of selectAccounts(events)) row.active;
  // @ts-expect-error there is no such subject
  expect(() => selectFindings(events, { of: ['team'] })).toThrow(TypeError);
});
