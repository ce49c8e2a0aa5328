import { expect, test } from 'vitest';
import { createNormalizer } from '../../../src/core/event/normalize.js';
import type { JsonObject } from '../../../src/core/record/json.js';
import { createSessionStates } from '../../../src/core/rows/session-states.js';
import { initialState, reduceRows, type State, settle } from '../../../src/core/state/reduce.js';

const init = (session: string): JsonObject => ({ type: 'system', subtype: 'init', session_id: session, model: 'm' });

const says = (session: string, content: JsonObject): JsonObject => ({
  type: 'assistant',
  session_id: session,
  message: { id: `msg_${session}`, role: 'assistant', content: [content] },
});

/** A team that the session itself makes. */
const makes = (session: string, team: string): JsonObject[] => {
  const id = `toolu_${session}`;
  const content = [{ type: 'tool_result', tool_use_id: id, content: 'made' }];
  return [
    says(session, { type: 'tool_use', id, name: 'TeamCreate', input: { team_name: team } }),
    {
      type: 'user',
      session_id: session,
      message: { role: 'user', content },
      tool_use_result: { team_name: team, team_file_path: `/t/${team}`, lead_agent_id: `team-lead@${team}` },
    },
  ];
};

const mentions = (session: string, team: string): JsonObject => ({
  type: 'user',
  sessionId: session,
  uuid: `row-${session}`,
  teamName: team,
  message: { role: 'user', content: 'Hello' },
});

const noSession: JsonObject = { name: 'crew', leadAgentId: 'team-lead@crew', members: [], createdAt: 1 };

test.each([
  ['sessions without teams', [init('a'), init('b')], 2],
  ['teams of different names', [...makes('a', 'crew'), ...makes('b', 'band')], 2],
  ['two that each made a team of one name', [...makes('a', 'crew'), ...makes('b', 'crew')], 2],
  ['one that speaks of the team of another', [...makes('a', 'crew'), mentions('b', 'crew')], null],
  ['one that makes a team another spoke of', [mentions('b', 'crew'), ...makes('a', 'crew')], null],
  ['a file of a team', [...makes('a', 'crew'), noSession], null],
] as const)('%s', (_name, records, apart) => {
  const { sessions, state } = follow(records);
  expect(sessions.changed(state)).toEqual(apart === null ? [settle(state)] : expect.objectContaining({ length: apart }));
});

test('only those that changed, or were named', () => {
  const { sessions, state, more } = follow([init('a'), init('b')]);
  sessions.changed(state);
  more(makes('b', 'crew'));
  const [changed, ...others] = sessions.changed(state);
  expect([changed?.teams.teams.size, others]).toEqual([1, []]);
  sessions.touch('a');
  expect(sessions.changed(state)).toHaveLength(1);
});

test('what was there before the first event is not told apart', () => {
  const { state } = follow([init('a')]);
  const sessions = createSessionStates(reduceRows, { messages: true });
  expect(sessions.changed(state)).toEqual([state]);
});

function follow(records: readonly JsonObject[]) {
  const sessions = createSessionStates(reduceRows, { messages: true });
  let state: State = initialState;
  const normalizer = createNormalizer({
    emit(event) {
      const before = state;
      state = reduceRows(state, event);
      sessions.note({ event, before, after: state });
    },
  });
  let line = 0;
  const more = (list: readonly JsonObject[]) => {
    for (const record of list) normalizer.record(record, ++line, null);
  };
  more(records);
  return { sessions, state, more };
}
