import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { taskRow } from '../../src/commands/tasks/row.js';
import { teamRow } from '../../src/commands/teams/row.js';
import { describeEvent } from '../../src/core/event/event.js';
import { zodOf } from '../../src/core/event/schema.js';
import { type Event, eventSchema, initialState, reduce, type State, selectTasks, selectTeams } from '../../src/lib.js';
import { isTurn } from '../effort.js';
import { isObject, type JsonObject, parseJson } from '../json.js';
import { ndjson, streams } from '../streams.js';
import { check } from './check.js';
import { everything, familiesOf } from './families.js';
import { testEach } from './law.js';
import { readAll, readText, written } from './reading.js';

const envelope = ['cct', 'seq', 'event', 'time', 'session_id', 'team', 'agent', 'line', 'source'];
/** Events that carry the fields of their record as they came. */
const open =
  /^(?:session:(?:compacted|reset|retried|limited|changed)|control:(?:requested|responded|cancelled)|hook:fired|unknown)$/;

describe('every event is as its schema says, and every row, too', () => {
  // An event has the same keys in every fixture.
  const keys = new Map<string, string>();
  testEach(everything, ({ parts }, turn) => {
    for (const given of [parts, [...parts, ...parts]].filter((_, way) => isTurn(turn, 2, way))) {
      const { events } = readAll(given);
      for (const event of events) expectGood(event, keys, given.length > 1);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expectGoodRows(events.reduce(reduce, initialState));
    }
  });

  test('of many kinds', () => {
    expect(keys.size).toBeGreaterThan(30);
  });

  test('in any stream', () => {
    const keys = new Map<string, string>();
    check(
      fc.property(streams(), (records) => {
        for (const event of readText(ndjson(records)).events) expectGood(event, keys, false);
      }),
      'shape: any stream',
    );
    expect(keys.size).toBeGreaterThan(20);
  });
});

describe('whatever stands in a field', () => {
  const odd = fc.oneof(
    fc.constantFrom(null, true, false, 0, -1, 1e300, 1.5, '', 'text', '__proto__', [], [null], {}, { type: {} }),
    fc.constantFrom([[]], [{ type: 7 }], { id: [], name: {}, content: 0 }, '\ud800', '1e9', 'a@b@c'),
    fc.jsonValue(),
  );
  const changes = fc.array(fc.tuple(fc.nat(), odd), { minLength: 1, maxLength: 5 });

  testEach(
    familiesOf(({ parts }) => readAll(parts).records.length > 0),
    ({ parts }) => {
      const whole = readAll(parts).records;
      check(
        fc.property(changes, (changed) => {
          const text = ndjson(
            whole.map((record) => changed.reduce<unknown>((value, [at, put]) => replaced(value, at, put), record)),
          );
          const { events } = readText(text);
          for (const event of events) expectGood(event, new Map(), false);
          const once = written(events);
          expect(written(readText(once).events)).toBe(once);
        }),
        'shape: anything',
      );
    },
  );
});

function expectGoodRows(state: State): void {
  for (const [schema, rows] of [
    [teamRow, selectTeams(state, { ended: true })],
    [taskRow, selectTasks(state, { all: true })],
  ] as const) {
    // An optional field is there only where somebody said it.
    const fields: Readonly<Record<string, { readonly kind: string }>> = schema.fields;
    const needed = (names: readonly string[]) => names.filter((name) => fields[name]?.kind !== 'optional').join();
    expect(rows.filter((row) => needed(Object.keys(row)) !== needed(Object.keys(fields)))).toEqual([]);
    expect(rows.filter((row) => !zodOf<unknown>(schema).safeParse(row).success)).toEqual([]);
  }
}

function expectGood(event: Event, keys: Map<string, string>, several: boolean): void {
  const parsed = eventSchema(event.event).safeParse(event);
  if (!parsed.success) expect({ event, issues: parsed.error.issues }).toBe('as its schema says');
  const names = Object.keys(event);
  const head = several ? envelope : envelope.slice(0, -1);
  if (names.slice(0, head.length).join() !== head.join()) expect(names).toEqual(head);
  if (open.test(event.event)) return;
  // A field that is described as optional is there only where the record says it.
  const { fields = {} } = describeEvent(event.event);
  const own = names
    .slice(head.length)
    .filter((name) => fields[name]?.kind !== 'optional')
    .join();
  const known = keys.get(event.event) ?? own;
  keys.set(event.event, known);
  if (own !== known) expect({ event: event.event, own }).toEqual({ event: event.event, own: known });
}

/** The value with one of its leaves or branches, counted through it, replaced. */
function replaced(value: unknown, at: number, put: unknown): unknown {
  const paths = pathsIn(value);
  const path = paths[at % paths.length] ?? [];
  const copy = parseJson(JSON.stringify(value));
  let inner: unknown = copy;
  for (const key of path.slice(0, -1))
    inner = isObject(inner) || Array.isArray(inner) ? (inner as JsonObject)[key] : inner;
  const last = path.at(-1);
  if (last === undefined || typeof inner !== 'object' || inner === null) return copy;
  Object.defineProperty(inner, last, { value: put, enumerable: true, writable: true, configurable: true });
  return copy;
}

function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, item]) => pathsIn(item, [...path, key]));
  return path.length === 0 ? inner : [path, ...inner];
}
