import { describe, expect, test } from 'vitest';
import { agentNames } from '../../../src/core/rows/agent-names.js';
import { noAgents, reduceAgents } from '../../../src/core/state/agents.js';
import { noTeamStates, reduceTeamStates, teamStateOf } from '../../../src/core/state/team-states.js';
import { noTeams, reduceTeams } from '../../../src/core/state/teams.js';
import { eventsOf } from '../../lib/read-fixture.js';

function namesAfter(session: string, until: number): string[] {
  let state = { agents: noAgents, teams: noTeams };
  for (const event of eventsOf(session).slice(0, until))
    state = { agents: reduceAgents(state.agents, event), teams: reduceTeams(state.teams, event) };
  return agentNames(state);
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
    let slice = noTeamStates;
    for (const event of eventsOf(session)) {
      slice = reduceTeamStates(slice, event);
      const state = teamStateOf(slice, event.session_id);
      expect(agentNames(state)).toEqual(state?.members.map(({ name }) => name) ?? []);
    }
  });
});
