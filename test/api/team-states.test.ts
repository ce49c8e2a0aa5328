// The team in seed 003's shapes is the team of the rows. Where the seed's letter asks for something else is listed here.
import { describe, expect, test } from 'vitest';
import {
  createParser,
  initialState,
  isTeamState,
  recognizeTeamToolUses,
  reduce,
  reduceTeamState,
  type State,
  selectTasks,
  selectTeams,
  type TeamState,
  TeamToolCorrelationBuffer,
  teamStateOf,
} from '../../src/lib.js';
import { isObject, parseJson } from '../json.js';
import { eventsOf, eventsOfHome, homes, sessions, textOf } from '../lib/read-fixture.js';

/** As a consumer of the pieces does it: records, recognizer, buffer, reducer. */
function teamInRecords(text: string): TeamState | undefined {
  const buffer = new TeamToolCorrelationBuffer();
  let state: TeamState | undefined;
  for (const line of text.split('\n')) {
    const record = parseJson(line);
    for (const use of recognizeTeamToolUses(record)) buffer.onToolUse(use);
    for (const block of blocksOf(record)) {
      const id = block.tool_use_id;
      const pair = typeof id === 'string' ? buffer.onToolResult({ ...block, tool_use_id: id }) : undefined;
      if (pair !== undefined) state = reduceTeamState(state, pair);
    }
  }
  return state;
}

function blocksOf(record: unknown): Record<string, unknown>[] {
  const message = isObject(record) && isObject(record.message) ? record.message : {};
  const blocks = Array.isArray(message.content) ? message.content : [];
  const result = isObject(record) ? { tool_use_result: record.tool_use_result } : {};
  return blocks.filter(isObject).map((block) => ({ ...block, ...result }));
}

function stateIn(text: string): State {
  const parser = createParser();
  return [...parser.push(text), ...parser.end()].reduce(reduce, initialState);
}

const inputs = [
  ...sessions.map((name) => ({ name, events: () => eventsOf(name) })),
  ...homes.map((name) => ({ name, events: () => eventsOfHome(name) })),
];

describe('the same team, role and members as in the rows', () => {
  test.each(inputs)('$name', ({ events }) => {
    const all = events();
    for (const end of [all.length / 3, (all.length * 2) / 3, all.length]) {
      const state = all.slice(0, end).reduce(reduce, initialState);
      const living = selectTeams(state).filter(({ status }) => status !== 'cleaned_up');
      // A session has one team at a time.
      const rows = living.filter(
        ({ session_id }, at) => living.findIndex((row) => row.session_id === session_id) === at,
      );
      const teams = rows.map(({ session_id }) => teamStateOf(state, session_id));
      expect(teams.every(isTeamState)).toBe(true);
      expect(
        teams.map((team) => ({ ...team, members: team?.members.map(({ name }) => name), tasks: team?.tasks.length })),
      ).toEqual(
        rows.map(({ team, role, members, tasks }) => ({
          name: team,
          role: role ?? 'teammate',
          members: members.filter(({ kind }) => kind !== 'lead').map(({ name }) => name),
          tasks: tasks.pending + tasks.in_progress + tasks.completed,
        })),
      );
    }
  });
});

test('a teammate that works in its own session is in the team of its lead', () => {
  const call = { type: 'tool_use', id: 'a', name: 'TeamCreate', input: { team_name: 'crew' } };
  const made = { type: 'tool_result', tool_use_id: 'a', content: '{"team_name":"crew"}' };
  const own = { type: 'user', sessionId: 'own', teamName: 'crew', agentName: 'writer', uuid: 'u', message: {} };
  const parser = createParser();
  const state = [
    { type: 'assistant', session_id: 'lead', message: { content: [call] } },
    { type: 'user', session_id: 'lead', message: { content: [made] } },
    { ...own, timestamp: '2026-11-17T10:00:00.000Z', message: { role: 'user', content: 'Write' } },
  ]
    .flatMap((record) => parser.push(record))
    .reduce(reduce, initialState);
  expect(teamStateOf(state, 'lead')).toMatchObject({ name: 'crew', role: 'lead' });
  expect(teamStateOf(state, 'own')).toMatchObject({ name: 'crew', role: 'teammate' });
  expect(teamStateOf(state, 'nobody')).toBeUndefined();
});

describe('where the letter of seed 003 asks for something else than the rows say', () => {
  const created = call('a', 'TeamCreate', { team_name: 'crew' }, '{"team_name":"crew"}');
  const spawned = call(
    'b',
    'Task',
    { team_name: 'crew', name: 'writer' },
    'Spawned successfully.\nagent_id: writer@crew\nname: writer\nteam_name: crew\nThe agent is now running.',
  );
  const made = call('c', 'TaskCreate', { subject: 'Write' }, 'Task #1 created successfully: Write');

  test('the lead is no member', () => {
    expect(both(created)).toEqual([[], [], ['team-lead']]);
  });

  test('a team that was deleted is no team', () => {
    const end = call('d', 'TeamDelete', {}, '{"success":true,"team_name":"crew"}');
    const text = created + spawned + end;
    expect([teamInRecords(text), teamStateOf(stateIn(text), 's')]).toEqual([undefined, undefined]);
    expect(selectTeams(stateIn(text)).map(({ team, status }) => [team, status])).toEqual([['crew', 'cleaned_up']]);
  });

  test('a request to shut down changes nothing', () => {
    const input = { type: 'shutdown_request', recipient: 'writer', content: 'done' };
    const result = '{"success":true,"request_id":"shutdown-1@writer","target":"writer"}';
    const text = created + spawned + call('d', 'SendMessage', input, result);
    expect(statuses(text)).toEqual([['active'], ['active'], ['active', 'shutting_down']]);
  });

  test('a deleted task leaves the tasks', () => {
    const text = created + made + call('d', 'TaskUpdate', { taskId: '1', status: 'deleted' }, 'Updated task #1');
    expect([teamInRecords(text)?.tasks, teamStateOf(stateIn(text), 's')?.tasks]).toEqual([[], []]);
    expect(selectTasks(stateIn(text), { all: true }).map(({ id, status }) => [id, status])).toEqual([['1', 'deleted']]);
  });

  test('finished agents are idle, and those that failed or were stopped have left: there are three words', () => {
    const words = sessions.flatMap((name) => {
      const state = eventsOf(name).reduce(reduce, initialState);
      return selectTeams(state).flatMap(({ session_id, members }) =>
        members.flatMap((row) => {
          const team = teamStateOf(state, session_id);
          const member = team?.members.find(({ agentId }) => agentId === row.agent_id);
          return member === undefined ? [] : [`${row.status}: ${member.status}`];
        }),
      );
    });
    expect([...new Set(words)].sort()).toEqual([
      'active: active',
      'failed: shutdown',
      'finished: idle',
      'stopped: shutdown',
    ]);
  });

  describe('reduceTeamState alone, which sees one call at a time', () => {
    test('a session that spawns into a team it did not create is a teammate, not its lead', () => {
      const state = stateIn(spawned);
      expect([teamInRecords(spawned)?.role, teamStateOf(state, 's')?.role]).toEqual(['teammate', 'lead']);
    });

    test('a team is called as the call asks; since 2.1.178 Claude Code calls it after the session', () => {
      const name = 'team-2.1.325.ndjson';
      const state = eventsOf(name).reduce(reduce, initialState);
      const team = teamStateOf(state, eventsOf(name)[0]?.session_id ?? null);
      expect([teamInRecords(textOf(name))?.name, team?.name]).toEqual(['report-crew', 'session-97a98319']);
      expect([teamInRecords(textOf(name))?.role, team?.role]).toEqual(['teammate', 'lead']);
    });

    test('only a call changes the status of a member: nothing says that it is idle', () => {
      const idle =
        '<teammate-message teammate_id="writer">\n{"type":"idle_notification","from":"writer"}\n</teammate-message>';
      const told = JSON.stringify({ type: 'user', session_id: 's', message: { role: 'user', content: idle } });
      expect(statuses(`${created}${spawned}${told}\n`)).toEqual([['active'], ['idle'], ['active', 'idle']]);
    });

    test('an update of a task that nobody created changes nothing', () => {
      const text = created + call('d', 'TaskUpdate', { taskId: '9', status: 'completed' }, 'Updated task #9 status');
      expect(teamInRecords(text)?.tasks).toEqual([]);
      expect(teamStateOf(stateIn(text), 's')?.tasks).toMatchObject([{ id: '9', status: 'completed' }]);
    });

    test('a dependency is added to the task that the call names, and to no other', () => {
      const second = call('d', 'TaskCreate', { subject: 'Review' }, 'Task #2 created successfully: Review');
      const text =
        created + made + second + call('e', 'TaskUpdate', { taskId: '2', addBlockedBy: ['1'] }, 'Updated task #2');
      const blocks = (team: TeamState | undefined) => team?.tasks.map((task) => task.blocks);
      expect([blocks(teamInRecords(text)), blocks(teamStateOf(stateIn(text), 's'))]).toEqual([
        [[], []],
        [['2'], []],
      ]);
    });

    test('before there is a team, its board changes nothing', () => {
      const text = made + created;
      expect(teamInRecords(text)?.tasks).toEqual([]);
      expect(selectTasks(stateIn(text)).map(({ id }) => id)).toEqual(['1']);
    });
  });

  /** The same words from the pieces, from the state, and in the rows. */
  function both(text: string) {
    const state = stateIn(text);
    const names = (team: TeamState | undefined) => team?.members.map(({ name }) => name);
    const rows = selectTeams(state).flatMap(({ members }) => members.map(({ name }) => name));
    return [names(teamInRecords(text)), names(teamStateOf(state, 's')), rows];
  }

  function statuses(text: string) {
    const state = stateIn(text);
    const words = (team: TeamState | undefined) => team?.members.map(({ status }) => status);
    const rows = selectTeams(state).flatMap(({ members }) => members.map(({ status }) => status));
    return [words(teamInRecords(text)), words(teamStateOf(state, 's')), rows];
  }

  function call(id: string, name: string, input: object, result: string): string {
    const use = { type: 'tool_use', id, name, input };
    const block = { type: 'tool_result', tool_use_id: id, content: result };
    return [
      { type: 'assistant', session_id: 's', message: { role: 'assistant', content: [use] } },
      { type: 'user', session_id: 's', message: { role: 'user', content: [block] } },
    ]
      .map((record) => `${JSON.stringify(record)}\n`)
      .join('');
  }
});

test('a real team before and after its end', () => {
  const events = eventsOf('team-2.1.39.ndjson');
  const session = events[0]?.session_id ?? null;
  const cleanup = events.findIndex((event) => event.event === 'team:deleted');
  const before = events.slice(0, cleanup).reduce(reduce, initialState);
  expect(teamStateOf(before, session)).toEqual({
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
        blocks: ['3'],
      },
      {
        id: '2',
        subject: 'Write the summary',
        description: 'Write SUMMARY.md from the survey.',
        activeForm: 'Writing the summary',
        status: 'completed',
        owner: 'writer',
        blockedBy: [],
        blocks: ['3'],
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
  expect(teamStateOf(events.reduce(reduce, initialState), session)).toBeUndefined();
});
