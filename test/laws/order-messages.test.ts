// Law 7 for messages --settled and the three audits: files are one input, in any order, given once or twice.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAuditReader, findingsOf } from '../../src/commands/audit/audit.js';
import { auditedSubjects } from '../../src/commands/audit/row.js';
import { messages } from '../../src/commands/messages/command.js';
import { Timeline } from '../../src/commands/messages/rows.js';
import type { Event } from '../../src/core/event/event.js';
import { check } from './check.js';
import { homes, sessions } from './inputs.js';
import { inputsOf } from './laws.js';
import { type Part, readAll } from './reading.js';

/** Homes, and beside them the streams of the same runs. */
const runs = homes.flatMap(({ name, parts }) => {
  const path = `${name.replace('files/', 'sessions/')}.ndjson`;
  const stream = sessions.find((session) => session.name === path)?.parts.map((part) => ({ ...part, path })) ?? [];
  const alone = { name, parts };
  return stream.length === 0 ? [alone] : [alone, { name: `${name} and its stream`, parts: [...parts, ...stream] }];
});

test.each(runs)('$name in any order, the files once, twice or copied', ({ parts }) => {
  const expected = rowsOf(parts);
  const copies = copied(parts);
  const orders = [[...parts].reverse(), [...parts, ...parts], [...parts, ...copies].reverse()];
  for (const order of inputsOf('order-messages: orders', orders)) expect(rowsOf(order)).toEqual(expected);
  const any = fc
    .tuple(fc.subarray([...parts]), fc.subarray(copies))
    .chain(([again, more]) => shuffled([...parts, ...again, ...more]));
  check(
    fc.property(any, (order) => {
      expect(rowsOf(order)).toEqual(expected);
    }),
    'order-messages: any',
  );
});

test.each(sessions)('$name with a copy of it', ({ name, parts }) => {
  const files = parts.map((part) => ({ ...part, path: name }));
  const expected = rowsOf(files);
  expect(rowsOf([...files, ...copied(files)])).toEqual(expected);
  expect(rowsOf([...copied(files), ...files])).toEqual(expected);
});

/** The same files in another folder. */
function copied(parts: readonly Part[]): Part[] {
  return parts.map((part) => ({ ...part, path: `copy/${part.path}` }));
}

function shuffled<T>(all: readonly T[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray([...all], { minLength: all.length });
}

function rowsOf(parts: readonly Part[]): Record<string, object[]> {
  const { events } = readAll(parts);
  const reader = createAuditReader();
  for (const event of events) reader.note(event);
  const facts = reader.facts();
  return {
    'messages --settled': bare(settled(readAll(parts, { interest: messages.interest({ settled: true }) }).events)),
    'audit --of teams': bare(findingsOf(['teams'], facts)),
    'audit --of tasks': bare(findingsOf(['tasks'], facts)),
    'audit --of messages': bare(findingsOf(['messages'], facts)),
    audit: bare(findingsOf(auditedSubjects, facts)),
  };
}

function settled(events: readonly Event[]): object[] {
  const timeline = new Timeline({ settled: true });
  for (const event of events) timeline.follow(event);
  return timeline.end();
}

/** A line is of the file that was read. */
function bare(rows: readonly object[]): object[] {
  return rows.map((row) => ({ ...row, line: null }));
}
