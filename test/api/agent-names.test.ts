import { describe, expect, test } from 'vitest';
import { agentNames, initialState, reduce, teamStateOf } from '../../src/lib.js';
import { eventsOf } from '../lib/read-fixture.js';

function namesAfter(session: string, until: number): string[] {
  return agentNames(eventsOf(session).slice(0, until).reduce(reduce, initialState));
}

test.each([
  ['one-shot.ndjson', Number.POSITIVE_INFINITY, []],
  ['team-2.1.140.ndjson', 20, []],
  ['team-2.1.140.ndjson', -40, ['researcher', 'writer']],
  ['team-2.1.140.ndjson', Number.POSITIVE_INFINITY, []],
  ['team-2.1.325.ndjson', Number.POSITIVE_INFINITY, ['researcher', 'writer']],
])('%s, up to %d', (session, until, names) => {
  expect(namesAfter(session, until)).toEqual(names);
});

describe('of a TeamState, always its members', () => {
  test.each(['team-2.1.39.ndjson', 'teammate-tool.ndjson'])('%s', (session) => {
    let state = initialState;
    for (const event of eventsOf(session)) {
      state = reduce(state, event);
      const team = teamStateOf(state, event.session_id);
      expect(agentNames(team)).toEqual(team?.members.map(({ name }) => name) ?? []);
      expect(agentNames(state)).toEqual(agentNames(team));
    }
  });
});
