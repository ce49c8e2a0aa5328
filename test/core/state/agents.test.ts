import { describe, expect } from 'vitest';
import { initialState, reduce, reducerOf, type State } from '../../../src/commands/reduce.js';
import { isOfAgents } from '../../../src/core/state/agents.js';
import { homes, sessions, specimens } from '../../laws/inputs.js';
import { testEach } from '../../laws/law.js';
import { readAll } from '../../laws/reading.js';

const followAgents = reducerOf({});

describe('agents follow from the events about agents', () => {
  testEach([...sessions, ...specimens, ...homes], ({ parts }) => {
    const { events } = readAll(parts);
    const few = followAgents.settle(events.reduce<State>(followAgents, initialState));
    const all = reduce.settle(events.reduce<State>(reduce, initialState));
    expect(tablesOf(few)).toEqual(tablesOf(all));
    // No fact is kept that no agent needs.
    expect(few.facts.values().filter(({ event }) => !isOfAgents(event))).toEqual([]);
  });
});

function tablesOf({ agents }: State) {
  return Object.entries(agents).map(([name, table]) => [name, table.entries()]);
}
