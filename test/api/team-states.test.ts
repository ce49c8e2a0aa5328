import { describe, expect, test } from 'vitest';
import {
  noTeamStates,
  recognizeTeamToolUses,
  reduceTeamState,
  reduceTeamStates,
  type TeamState,
  TeamToolCorrelationBuffer,
  teamStateOf,
} from '../../src/lib.js';
import { isObject, parseJson } from '../json.js';
import { eventsOf, textOf } from '../lib/read-fixture.js';

/** As a consumer of the pieces does it: records, recognizer, buffer, reducer. All states on the way. */
function statesOfRecords(session: string): (TeamState | undefined)[] {
  const buffer = new TeamToolCorrelationBuffer();
  let state: TeamState | undefined;
  const states: (TeamState | undefined)[] = [];
  for (const line of textOf(session).split('\n')) {
    const record = parseJson(line);
    for (const use of recognizeTeamToolUses(record)) buffer.onToolUse(use);
    for (const block of blocksOf(record)) {
      const id = block.tool_use_id;
      const pair = typeof id === 'string' ? buffer.onToolResult({ ...block, tool_use_id: id }) : undefined;
      if (pair === undefined) continue;
      const next = reduceTeamState(state, pair);
      if (next !== state) states.push(next);
      state = next;
    }
  }
  return states;
}

function blocksOf(record: unknown): Record<string, unknown>[] {
  const message = isObject(record) && isObject(record.message) ? record.message : {};
  const blocks = Array.isArray(message.content) ? message.content : [];
  const result = isObject(record) ? { tool_use_result: record.tool_use_result } : {};
  return blocks.filter(isObject).map((block) => ({ ...block, ...result }));
}

function statesOfEvents(session: string, id: string): (TeamState | undefined)[] {
  let slice = noTeamStates;
  const states: (TeamState | undefined)[] = [];
  for (const event of eventsOf(session)) {
    const next = reduceTeamStates(slice, event);
    if (next.teams !== slice.teams) states.push(teamStateOf(next, id));
    slice = next;
  }
  return states;
}

describe('the slice goes through the states of reduceTeamState', () => {
  test.each([
    ['team-2.1.39.ndjson', '314aac79-5f04-44e3-99f3-66f4f5a982a7', 10],
    ['team-2.1.140.ndjson', '7b678677-a59d-447f-b357-c04038b33045', 9],
    ['replay-2.1.140.ndjson', '9caa5d14-16f0-4db8-8d00-cb10baf7d5a8', 9],
    ['teammate-tool.ndjson', 'd8595274-d24c-46ea-a1ca-5f503589ac8b', 5],
    ['team-2.1.325.ndjson', '97a98319-1525-44dc-8375-d3f3422179bd', 5],
  ])('%s', (session, id, changes) => {
    const states = statesOfEvents(session, id);
    expect(states).toEqual(statesOfRecords(session));
    expect(states.length).toBe(changes);
  });
});

test('a real team, from its making to its end', () => {
  const states = statesOfEvents('team-2.1.39.ndjson', '314aac79-5f04-44e3-99f3-66f4f5a982a7');
  expect(states.at(0)).toEqual({ name: 'report-crew', role: 'lead', members: [], tasks: [] });
  expect(states.at(-1)).toBeUndefined();
  expect(states.at(-2)).toEqual({
    name: 'report-crew',
    role: 'lead',
    members: [
      {
        name: 'researcher',
        agentId: 'researcher@report-crew',
        agentType: 'general-purpose',
        status: 'active',
        model: 'sonnet',
        color: 'blue',
      },
      {
        name: 'writer',
        agentId: 'writer@report-crew',
        agentType: 'general-purpose',
        status: 'active',
        model: 'haiku',
        color: 'green',
      },
    ],
    tasks: [
      {
        id: '1',
        subject: 'Survey the sources',
        description: 'List every file in src and note what it exports.',
        activeForm: 'Surveying the sources',
        status: 'completed',
        owner: 'researcher',
        blockedBy: [],
        blocks: [],
      },
      {
        id: '2',
        subject: 'Write the summary',
        description: 'Write SUMMARY.md from the survey.',
        activeForm: 'Writing the summary',
        status: 'completed',
        owner: 'writer',
        blockedBy: [],
        blocks: [],
      },
      {
        id: '3',
        subject: 'Review the report',
        description: 'Check SUMMARY.md for accuracy.',
        status: 'pending',
        blockedBy: ['1', '2'],
        blocks: [],
      },
    ],
  });
});

test('the same events again change nothing, also after the team was deleted', () => {
  const events = eventsOf('team-2.1.39.ndjson');
  const once = events.reduce(reduceTeamStates, noTeamStates);
  expect(events.reduce(reduceTeamStates, once)).toBe(once);
});

test('sessions stay apart', () => {
  const events = [...eventsOf('team-2.1.140.ndjson'), ...eventsOf('teammate-tool.ndjson')];
  const half = events.slice(0, -30).reduce(reduceTeamStates, noTeamStates);
  expect(half.teams.entries().map(([, team]) => team.name)).toEqual(['gap-hunt']);
  expect(teamStateOf(half, 'nobody')).toBeUndefined();
});

test('thousands of tasks are a matter of reading', () => {
  const at = { cct: 1, seq: 0, time: null, session_id: 's', team: null, agent: 'main', line: 1 } as const;
  const run = (count: number) => {
    let slice = noTeamStates;
    const pair = (id: string, tool: string, input: object, result: object) => {
      slice = reduceTeamStates(slice, {
        ...at,
        event: 'tool:called',
        tool,
        tool_use_id: id,
        message_id: null,
        input,
        message: null,
      });
      slice = reduceTeamStates(slice, {
        ...at,
        event: 'tool:returned',
        tool,
        tool_use_id: id,
        is_error: false,
        success: true,
        result,
      });
    };
    pair('team', 'TeamCreate', { team_name: 'crew' }, { team_name: 'crew' });
    for (let id = 1; id <= count; id++) {
      pair(`c${id}`, 'TaskCreate', { subject: 'Work' }, { task: { id: `${id}` } });
      pair(`u${id}`, 'TaskUpdate', { taskId: `${id}`, status: 'completed' }, { success: true, taskId: `${id}` });
    }
    expect(teamStateOf(slice, 's')?.tasks.length).toBe(count);
  };
  // Quadratic would not end within the time a test has.
  run(20_000);
});
