import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Memory } from '../../src/core/wire/context.js';
import { createNormalizer } from '../../src/core/wire/normalize.js';
import { ParsedRecord } from '../../src/core/wire/view.js';
import type { Event } from '../../src/lib.js';
import type { JsonObject } from '../json.js';
import { streams } from '../streams.js';
import { check } from './check.js';
import { homes, sessions } from './inputs.js';
import { readAll } from './reading.js';

const inputs = [...sessions, ...homes].map(({ name, parts }) => ({ name, records: readAll(parts).records }));

describe('a stream in pieces, each read by a program that remembers the last, is the stream', () => {
  test.each(inputs)('$name', ({ records }) => {
    check(
      fc.property(fc.array(fc.nat(records.length), { maxLength: 3 }), (cuts) => {
        expect(read(records, cuts)).toEqual(read(records, []));
      }),
      'pieces: cuts',
    );
  });

  test('any stream', () => {
    check(
      fc.property(streams(), fc.array(fc.nat(60), { minLength: 1, maxLength: 4 }), (records, cuts) => {
        expect(read(records, cuts)).toEqual(read(records, []));
      }),
      'pieces: any stream',
    );
  });

  test('any stream, whose pieces overlap', () => {
    check(
      fc.property(streams(), fc.nat(60), fc.nat(20), (records, at, overlap) => {
        const again = [...records.slice(0, at), ...records.slice(Math.max(0, at - overlap))];
        const events = read(again, [at]);
        expect(events.map(bare)).toEqual(read(records, []).map(bare));
      }),
      'pieces: overlap',
    );
  });
});

function read(records: readonly JsonObject[], cuts: readonly number[]): Event[] {
  const events: Event[] = [];
  const ends = [...cuts.filter((cut) => cut < records.length).sort((a, b) => a - b), records.length];
  let memory: Memory | undefined;
  let from = 0;
  for (const end of ends) {
    const normalizer = createNormalizer({ emit: (event) => events.push(event), ...(memory && { memory }) });
    for (; from < end; from++) normalizer.record(new ParsedRecord(records[from] ?? {}), from + 1, null);
    // Plain values, so that they can be written down.
    memory = structuredClone(normalizer.memory());
  }
  return events;
}

function bare({ seq: _seq, line: _line, ...event }: Event): unknown {
  return event;
}
