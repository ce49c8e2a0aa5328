import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Event } from '../../src/lib.js';
import { isObject, type JsonObject, parseJson } from '../json.js';
import { ndjson, streams } from '../streams.js';
import { check } from './check.js';
import { familiesOf } from './families.js';
import { homes, type Input, sessions } from './inputs.js';
import { testEach } from './law.js';
import { type Part, readAll } from './reading.js';

/** Records nobody has heard of, with everything in them that could tempt a reader; `like` is the record they stand before. */
const strangers: readonly ((like: JsonObject) => unknown)[] = [
  () => ({ type: 'mystery' }),
  () => ({ type: 'mystery', session_id: 'elsewhere', uuid: 'mystery-1', timestamp: '2031-01-01T00:00:00Z' }),
  (like) => ({ ...like, type: 'mystery' }),
  (like) => ({ ...like, type: 'system', subtype: 'mystery' }),
  () => ({ type: 'system', subtype: 'mystery', task_id: '1', status: 'completed', parent_tool_use_id: 'toolu_0_1' }),
  () => ({ type: 'mystery', sessionId: 'elsewhere', isSidechain: true, agentId: 'stranger', cwd: '/', version: '9' }),
  () => ({ type: 'mystery', teamName: 'strangers', agentName: 'stranger', sessionId: 'elsewhere', parentUuid: null }),
  () => ({ hello: 'world' }),
  () => ({ type: 7, session_id: 8, message: { content: [{ type: 'tool_use', id: 'x', name: 'TeamCreate' }] } }),
  () => ({ type: '__proto__', __proto__: null, constructor: { name: 'x' } }),
  () => ({ cct: 1, event: 'mystery', seq: 1e9, session_id: 'elsewhere' }),
  () => ({ cct: 2, event: 'team:created', name: 'strangers' }),
];

const stranger = fc.record({ which: fc.constantFrom(...strangers), at: fc.nat() });

describe('unknown records change nothing', () => {
  const isMeant = ({ parts }: Input) => parts.some(hasLines);
  const inputs = [...[...sessions, ...homes].filter(isMeant), ...familiesOf(isMeant)];

  testEach(inputs, ({ parts }) => {
    const before = known(parts);
    const lines = parts.reduce((sum, { bytes }) => sum + bytes.toString().split('\n').length, 0);
    check(
      fc.property(fc.array(stranger, { minLength: 1, maxLength: Math.max(4, lines >> 1), size: 'max' }), (guests) => {
        expect(known(parts.map((part) => (hasLines(part) ? invite(part, guests) : part)))).toEqual(before);
      }),
      'unknowns: fixtures',
    );
  });

  test('any stream', () => {
    check(
      fc.property(streams(), fc.array(stranger, { minLength: 1, maxLength: 6 }), (records, guests) => {
        const part = { path: null, bytes: Buffer.from(ndjson(records)) };
        expect(known([invite(part, guests)])).toEqual(known([part]));
      }),
      'unknowns: any stream',
    );
  });

  test('any strange record', () => {
    const part = sessions.find(({ name }) => name.includes('team-2.1.140'))?.parts[0];
    if (part === undefined) throw new Error('no such session');
    const before = known([part]);
    const strange = fc.dictionary(fc.string(), fc.jsonValue()).map((fields) => ({ ...fields, type: 'mystery' }));
    check(
      fc.property(strange, fc.nat(), (record, at) => {
        expect(known([invite(part, [{ which: () => record, at }])])).toEqual(before);
      }),
      'unknowns: any record',
    );
  });
});

/** Every line is a record by itself. */
function hasLines({ bytes }: Part): boolean {
  const lines = bytes.toString().trimEnd().split('\n');
  return lines.every((line) => isObject(parseJson(line)));
}

function invite({ path, bytes }: Part, guests: readonly { which: (typeof strangers)[number]; at: number }[]): Part {
  const lines = bytes.toString().trimEnd().split('\n');
  for (const { which, at } of guests) {
    const place = at % (lines.length + 1);
    lines.splice(place, 0, JSON.stringify(which(typed(parseJson(lines[place] ?? '{}')))));
  }
  return { path, bytes: Buffer.from(lines.map((line) => `${line}\n`).join('')) };
}

/** Without the keys that would make it a hook, an inbox entry or an event of ours whatever its type is. */
function typed(value: unknown): JsonObject {
  const { cct: _cct, hook_event_name: _hook, from: _from, ...like } = isObject(value) ? value : {};
  return like;
}

function known(parts: readonly Part[]): unknown[] {
  return readAll(parts)
    .events.filter(({ event }) => event !== 'unknown')
    .map(bare);
}

function bare({ seq: _seq, line: _line, ...event }: Event): unknown {
  return event;
}
