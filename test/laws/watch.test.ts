import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Event } from '../../src/core/event/event.js';
import { createNormalizer } from '../../src/core/event/normalize.js';
import type { JsonObject } from '../../src/core/record/json.js';
import { teamRowsOf } from '../../src/core/rows/team-facts.js';
import { createTeamWatch } from '../../src/core/rows/team-watch.js';
import { fieldsOf, reportUsage, type UsageKey, type UsageRow } from '../../src/core/rows/usage.js';
import { createUsageWatch } from '../../src/core/rows/usage-watch.js';
import { initialState, reduceRows, type State } from '../../src/core/state/reduce.js';
import { cct } from '../run.js';
import { ndjson, streams } from '../streams.js';
import { check, checkLater } from './check.js';
import { homes, sessions } from './inputs.js';
import { readAll } from './reading.js';

const inputs = [...sessions, ...homes].map(({ name, parts }) => ({ name, records: readAll(parts).records }));
const everything = inputs.flatMap(({ records }) => records);

const bys: readonly (readonly UsageKey[])[] = [
  ['total'],
  ['model'],
  ['session'],
  ['session', 'agent'],
  ['team', 'day'],
  ['turn', 'model'],
];
const cuts = fc.array(fc.nat(60), { maxLength: 8 });

describe('what is followed step by step is what a report says', () => {
  test.each(inputs)('$name', ({ records }) => {
    check(
      fc.property(fc.array(fc.nat(records.length), { maxLength: 8 }), (at) => follow(records, at)),
      4,
    );
  });

  test('any stream', () => {
    check(
      fc.property(streams({ sessions: 3, steps: 40 }), cuts, (records, at) => follow(records, at)),
      150,
    );
  });

  test('everything there is, one after the other', () => {
    follow(
      everything,
      Array.from({ length: 40 }, (_, at) => Math.round((everything.length * at) / 40)),
    );
  });

  test('a state that was there before', () => {
    check(
      fc.property(streams(), fc.nat(40), cuts, (records, begun, at) => {
        const before = fold(records.slice(0, begun)).state;
        follow(records.slice(begun), at, before);
      }),
      50,
    );
  });
});

describe('the last of each row that --watch wrote is the row without it', () => {
  const commands: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['teams', [], ['team', 'session_id']],
    ['teams', ['--members'], ['team', 'session_id', 'agent_id']],
    ['tasks', ['--all'], ['kind', 'team', 'session_id', 'id', 'owner']],
    ['usage', [], ['model']],
    ['usage', ['--by', 'agent'], ['agent', 'name', 'agent_type']],
    ['usage', ['--by', 'message'], ['session_id', 'message_id', 'result_id', 'agent', 'model']],
  ];
  test.each(commands)('%s %j', async (command, words, keys) => {
    await checkLater(
      fc.asyncProperty(streams({ sessions: 3 }), fc.integer({ min: 1, max: 2000 }), async (records, size) => {
        const text = ndjson(records);
        const watched = linesOf((await cct([command, ...words, '--watch'], pieces(text, size))).stdout);
        const last = new Map(watched.map((line) => [keyOf(line, keys), line]));
        for (const line of linesOf((await cct([command, ...words], text)).stdout))
          expect(last.get(keyOf(line, keys))).toBe(line);
      }),
      20,
    );
  });
});

/** Reads records one by one, and compares at each cut and at the end. */
function follow(records: readonly JsonObject[], cuts: readonly number[], from: State = initialState): void {
  const usage = createUsageWatch({ choices: bys.map((by) => ({ by })) });
  const teams = createTeamWatch();
  const rows = bys.map(() => new Map<string, UsageRow>());
  const rosters = new Map<string, unknown>();
  const compare = (state: State) => {
    for (const [index, { rows: news, gone }] of usage.news(state).entries()) {
      const by = bys[index] ?? [];
      const known = rows[index];
      for (const row of gone) known?.delete(labelsOf(row, by));
      for (const row of news) known?.set(labelsOf(row, by), row);
      const should = reportUsage({ ...state, by }).rows.map((row) => [labelsOf(row, by), row]);
      expect(Object.fromEntries(known ?? [])).toEqual(Object.fromEntries(should));
    }
    for (const row of teams.news(state)) rosters.set(`${row.team} ${row.session_id}`, row);
    for (const row of teamRowsOf(state, { ended: false }))
      expect(rosters.get(`${row.team} ${row.session_id}`)).toEqual(row);
  };
  fold(
    records,
    cuts,
    from,
    (step) => {
      usage.note(step);
      teams.note(step);
    },
    compare,
  );
}

function fold(
  records: readonly JsonObject[],
  cuts: readonly number[] = [],
  from: State = initialState,
  note: (step: { event: Event; before: State; after: State }) => void = () => {},
  atCut: (state: State) => void = () => {},
): { state: State } {
  let state = from;
  const normalizer = createNormalizer({
    emit(event) {
      const before = state;
      state = reduceRows(state, event);
      note({ event, before, after: state });
    },
  });
  for (const [at, record] of records.entries()) {
    if (cuts.includes(at)) atCut(state);
    normalizer.record(record, at + 1, null);
  }
  atCut(state);
  return { state };
}

function labelsOf(row: Readonly<Record<string, unknown>>, by: readonly UsageKey[]): string {
  return JSON.stringify(fieldsOf(by).map((field) => row[field]));
}

function keyOf(line: string, keys: readonly string[]): string {
  const row = JSON.parse(line);
  return JSON.stringify(keys.map((key) => row[key]));
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function* pieces(text: string, size: number): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
