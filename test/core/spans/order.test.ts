// Law 7 for spans: files in any order, once, twice or as copies, give the same spans. Ids are the same in every export.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accountRows, spanRows } from '../../../src/commands/trace/fold.js';
import { spanId, traceId } from '../../../src/core/spans/model.js';
import { check } from '../../laws/check.js';
import { homes, type Input, isInOrder, sessions } from '../../laws/inputs.js';
import { type Part, readAll } from '../../laws/reading.js';
import { tracesIn } from './traces-in.js';

/** Runs of which both the stream and what it left on disk are there. */
const both: Input[] = [
  ['team-2.1.325', 'team-main-2.1.325'],
  ['team-2.1.140', 'team-2.1.140'],
  ['team-2.1.39', 'team-2.1.39'],
  ['stop-agents-int-2.1.325', 'stop-agents-int-2.1.325'],
].map(([session, home]) => {
  const stream = found(sessions, `sessions/${session}.ndjson`).parts.map((part) => ({ ...part, path: 'run.ndjson' }));
  return { name: `${home} with its stream`, parts: [...stream, ...found(homes, `files/${home}`).parts] };
});

function found(inputs: readonly Input[], name: string): Input {
  const input = inputs.find((one) => one.name === name);
  if (input === undefined) throw new Error(`there is no fixture ${name}`);
  return input;
}

function rowsOf(parts: readonly Part[]) {
  const traces = tracesIn(readAll(parts).events);
  return { spans: traces.flatMap(spanRows), accounts: traces.flatMap(accountRows) };
}

describe('files in any order', () => {
  test.each([...homes, ...both].filter((home) => home.parts.length > 1 && !isInOrder(home)))('$name', ({ parts }) => {
    const plain = rowsOf(parts);
    const orders = fc.record({
      order: fc.shuffledSubarray([...parts], { minLength: parts.length }),
      elsewhere: fc.subarray([...parts]),
      first: fc.boolean(),
    });
    check(
      fc.property(orders, ({ order, elsewhere, first }) => {
        const copies = elsewhere.map((part) => ({ ...part, path: `zz/${part.path}` }));
        expect(rowsOf(first ? [...copies, ...order] : [...order, ...copies])).toEqual(plain);
      }),
      4,
      15,
    );
  });
});

test('ids are unique, also of many names that are nearly the same', () => {
  const ids = new Set<string>();
  for (let at = 0; at < 200_000; at++) ids.add(spanId('session', 'call', `toolu_${at}`));
  expect(ids.size).toBe(200_000);
  expect(traceId('a')).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set([spanId('a', 'b'), spanId('ab', ''), spanId('a b'), spanId(null, 'a')]).size).toBe(4);
});
