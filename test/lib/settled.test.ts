// What is read last may have happened first. Then a state has to be settled before it is asked.
import { expect, test } from 'vitest';
import { settle } from '../../src/core/tables/reduce.js';
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
} from '../../src/lib.js';
import { eventsOf } from './read-fixture.js';

const events = eventsOf('team-2.1.325.ndjson');
const late = events.filter(({ time }) => time !== null).toReversed();
const stale = [...late, ...events].reduce(reduce, initialState);

test.each<[string, (state: State) => unknown]>([
  ['agentNames', agentNames],
  ['selectTeams', selectTeams],
  ['selectTasks', selectTasks],
  ['selectUsage', (state) => selectUsage(state, { by: ['agent'] })],
  ['saveState and loadState', (state) => selectTeams(loadState(JSON.stringify(saveState(state))))],
  ['createParser', (state) => createParser({ state }).push({ type: 'keep', session_id: events[0]?.session_id })],
])('%s says the same of a state that has to be settled', (_, ask) => {
  // Whoever asks a state settles it.
  expect(stale.isStale).toBe(true);
  expect(ask(copyState(stale))).toEqual(ask(settle(copyState(stale))));
});
