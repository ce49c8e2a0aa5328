import { describe, expect, test } from 'vitest';
import { joinMessages } from '../../../src/commands/messages/join.js';
import { loadSlices, saveSlices } from '../../../src/core/tables/save.js';
import { stateVersion } from '../../../src/core/tables/saved-state.js';
import { Table } from '../../../src/core/tables/table.js';
import {
  type Event,
  initialState,
  loadState,
  reduce,
  type State,
  StateError,
  savedStateSchema,
  saveState,
  selectTasks,
  selectTeams,
  selectUsage,
} from '../../../src/lib.js';
import { eventsOf, eventsOfHome, homes, sessions } from '../../lib/read-fixture.js';

function rowsOf(state: State): unknown {
  return {
    teams: selectTeams(state, { ended: true }),
    tasks: selectTasks(state, { all: true }),
    usage: selectUsage(state, { by: ['session', 'agent', 'model'] }),
    messages: joinMessages(state.messages, state.agents),
  };
}

/** Through JSON text, as a file would. */
function saved<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

describe('a state that was saved half way gives the same rows', () => {
  const inputs: [string, Event[]][] = [
    ...sessions.map((name): [string, Event[]] => [name, eventsOf(name)]),
    ...homes.map((name): [string, Event[]] => [name, eventsOfHome(name)]),
  ];

  test.each(inputs)('%s', (_, events) => {
    const half = events.slice(0, events.length / 2).reduce(reduce, initialState);
    const restored = loadState(saved(saveState(half)));
    expect(saveState(restored)).toEqual(saveState(half));
    const rest = events.slice(events.length / 2);
    expect(rowsOf(rest.reduce(reduce, restored))).toEqual(rowsOf(rest.reduce(reduce, half)));
  });
});

test('what is kept is kept exactly', () => {
  const odd = JSON.parse('{"__proto__":{"a":1},"$table":[],"10":1,"2":[null,true,"\\u0000",1.5]}');
  const state = {
    table: new Table([
      ['10', odd],
      ['2', { nested: new Table([['__proto__', 1n << 70n]]) }],
    ]),
    map: new Map<unknown, unknown>([[null, new Set([1, 'x'])]]),
    absent: { here: 1, gone: undefined },
    numbers: [Infinity, -Infinity, -0.5, 2 ** 53],
  };
  const restored = loadSlices(saved(saveSlices(state)), { ...state, absent: { here: 0 } });
  expect(restored.table.entries()).toEqual(state.table.entries());
  expect(restored.map).toEqual(state.map);
  expect(restored.absent).toEqual({ here: 1 });
  expect(restored.numbers).toEqual(state.numbers);
  expect(Object.hasOwn(restored.table.get('10') ?? {}, '__proto__')).toBe(true);
});

describe('a state that cannot be continued is refused with its reason', () => {
  const good = saved(saveState(eventsOf('team-2.1.39.ndjson').reduce(reduce, initialState)));

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'this is not a state of cct'],
    ['null', null, 'this is not a state of cct'],
    ['no JSON', '{"cct_state":', 'this is not a state of cct'],
    ['another file', { name: 'cct', version: '1.0.0' }, 'this is not a state of cct'],
    ['a row', { cct: 1, message_id: 'x' }, 'this is not a state of cct'],
    ['a list', [good], 'this is not a state of cct'],
    [
      'a newer one',
      { ...good, cct_state: 99 },
      `the state was saved by a newer cct (version 99, this one reads ${stateVersion})`,
    ],
    [
      'an older one',
      { cct_state: 1, digest: 'x', slices: {} },
      `the state was saved by an older cct (version 1, this one reads ${stateVersion}); remove it and read the whole input again to make a new one`,
    ],
    ['one cut short', { cct_state: stateVersion, digest: 'x' }, 'the state is damaged'],
    ['one without a slice', { ...good, slices: { ...good.slices, tasks: undefined } }, 'the state is damaged'],
    ['one that was edited', { ...good, slices: { ...good.slices, tasks: 5 } }, 'the state is damaged'],
    ['one of other slices', saveSlices({ agents: new Table() }), 'the state was saved by a different build of cct'],
    [
      'one of slices of another kind',
      saveSlices({ ...initialState, tasks: new Table() }),
      'the state was saved by a different build of cct',
    ],
  ])('%s', (_, value, reason) => {
    expect(() => loadState(value)).toThrow(new StateError(reason));
  });

  test('while the order of keys, and text instead of a value, do not matter', () => {
    const turned = Object.fromEntries(Object.entries(good.slices).toReversed());
    expect(saveState(loadState({ ...good, slices: turned }))).toEqual(good);
    expect(saveState(loadState(JSON.stringify(good)))).toEqual(good);
    expect(savedStateSchema.safeParse(good).success).toBe(true);
  });
});

test('a slice that holds what JSON cannot is a mistake', () => {
  for (const wrong of [new Date(0), () => {}, Number.NaN, Symbol('x')])
    expect(() => saveSlices({ slice: { wrong } })).toThrow(TypeError);
});

test('what is nested without end is cut', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 20_000; level++) deep = [deep];
  const restored = loadSlices(saved(saveSlices({ slice: { deep } })), { slice: { deep: [] } });
  expect(JSON.stringify(restored)).toContain('[nested too deep]');
});
