import { describe, expect } from 'vitest';
import { isOfAgents } from '../../../src/core/tables/agents.js';
import { reduce, reduceAll, reducerOf, type State } from '../../../src/core/tables/reduce.js';
import { homes, sessions, specimens } from '../../laws/inputs.js';
import { testEach } from '../../laws/law.js';
import { readAll } from '../../laws/reading.js';

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

function tablesOf({ agents }: State) {
  return Object.entries(agents).map(([name, table]) => [name, table.entries()]);
}
