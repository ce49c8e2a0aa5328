import { describe, expect, test } from 'vitest';
import { isOfAgents } from '../../../src/core/tables/agents.js';
import { reduce, reduceAll, reducerOf, type State } from '../../../src/core/tables/reduce.js';
import { homes, sessions, specimens } from '../../laws/inputs.js';
import { testEach } from '../../laws/law.js';
import { readAll } from '../../laws/reading.js';
import { rows } from '../../run.js';

const followAgents = reducerOf({});

describe('agents follow from the events about agents', () => {
  testEach([...sessions, ...specimens, ...homes], ({ parts }) => {
    const { events } = readAll(parts);
    const few = reduceAll(events, followAgents);
    const all = reduceAll(events, reduce);
    expect(tablesOf(few)).toEqual(tablesOf(all));
    // No fact is kept that no agent needs.
    expect(few.facts.values().filter(({ event }) => !isOfAgents(event))).toEqual([]);
  });
});

// The name that a turn has as its type does not stand in for the type, whatever is known first.
test('the type of a teammate may become known after that of its turns', async () => {
  const events = await rows(['normalize', 'fixtures/files/turn-without-head-2.1.140']);
  const start = events.find(({ event, name }) => event === 'agent:started' && name === 'carer');
  const early = events.map((event) => {
    const { agent_type: own, member } = event;
    const bare = { ...event, ...(own === 'general-purpose' && { agent_type: null }) };
    return member === undefined ? bare : { ...bare, member: { ...Object(member), agent_type: null } };
  });
  const late = { ...start, time: '2027-01-01T00:00:00.000Z', tool_use_id: 'toolu_late', task_id: null };
  const members = await rows(
    ['teams', '--members'],
    [...early, late].map((event) => `${JSON.stringify(event)}\n`).join(''),
  );
  expect(members.map(({ name, agent_type }) => [name, agent_type])).toContainEqual(['carer', 'general-purpose']);
});

function tablesOf({ agents }: State) {
  return Object.entries(agents).map(([name, table]) => [name, table.entries()]);
}
