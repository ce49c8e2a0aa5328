import { expect, test } from 'vitest';
import type { Event } from '../../../src/core/event/event.js';
import { Table } from '../../../src/core/tables/table.js';
import { type AgentWork, noteWork } from '../../../src/core/tables/work.js';
import { stepsOf } from '../../steps.js';

test('what an agent costs does not depend on how many there are', () => {
  const few = stepsOf(() => prompt(250));
  expect(stepsOf(() => prompt(1000)) / few).toBeLessThan(6);
});

function prompt(agents: number): void {
  const state = new Table<AgentWork>();
  for (let seq = 1; seq <= agents; seq++) noteWork(state, promptOf(seq));
  expect(state.size).toBe(agents);
}

function promptOf(seq: number): Event {
  return {
    cct: 1,
    seq,
    event: 'prompt:received',
    time: new Date(seq).toISOString(),
    session_id: `s${seq}`,
    team: null,
    agent: 'main',
    line: seq,
    text: 'Count.',
    origin: null,
    synthetic: false,
    attachments: [],
  };
}
