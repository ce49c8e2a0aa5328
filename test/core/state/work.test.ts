import { expect, test } from 'vitest';
import type { Event } from '../../../src/core/event/event.js';
import { noWork, reduceWork } from '../../../src/core/state/work.js';
import { stepsOf } from '../../steps.js';

// A map that is set in an older version is copied, so every agent would take as long as all agents before it.
test('what an agent costs does not depend on how many there are', () => {
  const few = stepsOf(() => prompt(250));
  expect(stepsOf(() => prompt(1000)) / few).toBeLessThan(6);
});

function prompt(agents: number): void {
  let state = noWork;
  for (let seq = 1; seq <= agents; seq++) state = reduceWork(state, promptOf(seq));
  expect(state.agents.size).toBe(agents);
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
