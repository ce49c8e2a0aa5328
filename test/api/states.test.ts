import { describe, expect, test } from 'vitest';
import {
  agentNames,
  copyState,
  createParser,
  initialState,
  loadState,
  reduce,
  type State,
  saveState,
  selectTasks,
  selectTeams,
  selectUsage,
  teamStateOf,
} from '../../src/lib.js';
import { eventsOf, eventsOfHome, homes, sessions } from '../lib/read-fixture.js';

const inputs = [
  ...sessions.map((name) => ({ name, events: () => eventsOf(name) })),
  ...homes.map((name) => ({ name, events: () => eventsOfHome(name) })),
];

function answers(state: State): unknown {
  const rows = {
    names: agentNames(state),
    teams: selectTeams(state, { ended: true }),
    tasks: selectTasks(state, { all: true }),
    usage: selectUsage(state, { by: ['session', 'agent', 'model'] }),
    messages: selectUsage(state, { by: ['message'] }),
  };
  // How often the story was rebuilt is nothing that anybody is told.
  const { rebuilt: _, ...slices } = saveState(state).slices;
  return { ...rows, slices };
}

const nothing = answers(initialState);

describe('a copy of a state stays as it is, and goes on by itself', () => {
  test.each(inputs)('$name', ({ events }) => {
    const all = events();
    const [first, rest] = [all.slice(0, all.length / 2), all.slice(all.length / 2)];
    const half = first.reduce(reduce, initialState);
    const [kept, other] = [copyState(half), copyState(half)];
    const before = answers(copyState(half));
    const whole = answers(rest.reduce(reduce, half));
    expect(answers(kept)).toEqual(before);
    expect(answers(rest.reduce(reduce, other))).toEqual(whole);
    expect(answers(kept)).toEqual(before);
    expect(answers(initialState)).toEqual(nothing);
  });
});

describe('a state that was used up is refused', () => {
  const [event, next] = eventsOf('team-2.1.39.ndjson');
  if (event === undefined || next === undefined) throw new Error('the session has no events');
  const old = reduce(initialState, event);
  const now = reduce(old, next);
  const askers: Record<string, (state: State) => unknown> = {
    reduce: (state) => reduce(state, next),
    copyState,
    selectTeams,
    selectTasks,
    selectUsage,
    agentNames,
    saveState,
    teamStateOf: (state) => teamStateOf(state, null),
    createParser: (state) => createParser({ state }),
  };

  test.each(Object.entries(askers))('%s', (name, ask) => {
    expect(() => ask(old)).toThrow(
      new TypeError(
        `${name}: reduce went on from this state and changed it; use what reduce returned, or keep a copy with copyState`,
      ),
    );
    expect(() => ask(copyState(now))).not.toThrow();
  });

  test('but a state that only came from it is not', () => {
    const copy = copyState(now);
    const loaded = loadState(saveState(now));
    reduce(now, next);
    expect(() => reduce(copy, next)).not.toThrow();
    expect(() => reduce(loaded, next)).not.toThrow();
  });
});

test('many runs may begin with the initial state at the same time', () => {
  const events = eventsOf('team-2.1.39.ndjson');
  let [one, other] = [initialState, initialState];
  for (const event of events) {
    one = reduce(one, event);
    other = reduce(other, event);
  }
  expect(answers(one)).toEqual(answers(other));
  expect(answers(initialState)).toEqual(nothing);
});
