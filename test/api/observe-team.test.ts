import { describe, expect, test } from 'vitest';
import {
  createParser,
  initialState,
  type ObserverOptions,
  observeTeam,
  reduce,
  selectTeams,
  type TeamEvent,
  teamStateOf,
} from '../../src/lib.js';
import { filesOf, homes, sessions, textOf } from '../lib/read-fixture.js';

async function observed(source: Iterable<string | object>, options: ObserverOptions = {}) {
  const observer = observeTeam(source, options);
  const events: TeamEvent[] = [];
  for await (const event of observer.teamEvents) events.push(event);
  return { events, teamName: observer.teamName };
}

/** Each event in a few words. */
function told({ events }: { events: TeamEvent[] }): string[] {
  return events.map((event) => {
    if ('member' in event) return `${event.type} ${event.member.name}`;
    if ('task' in event) return `${event.type} ${event.task.id} ${event.task.owner ?? '-'}`;
    if (event.type === 'idle') return `idle ${event.from} ${event.completedTaskId ?? '-'}`;
    const to = 'to' in event ? event.to : '*';
    if (event.type === 'message') return `message ${event.from} ${to}: ${event.content}`;
    return `${event.type} ${event.from} ${event.type === 'shutdown_response' ? event.approved : to} ${event.requestId}`;
  });
}

test('an explicit team of 2.1.39', async () => {
  const team = await observed([textOf('team-2.1.39.ndjson')]);
  expect(team.teamName).toBe('report-crew');
  expect(told(team)).toEqual([
    'task_created 1 -',
    'task_created 2 -',
    'task_created 3 -',
    'task_updated 3 -',
    'member_joined researcher',
    'member_joined writer',
    'message team-lead researcher: Please also note the line count of each file.',
    'message team-lead nobody: Are you there?',
    'message team-lead *: Reminder: keep the report under one page.',
    'task_claimed 1 researcher',
    'task_claimed 2 writer',
    'task_completed 1 researcher',
    'task_completed 2 writer',
    'shutdown_request team-lead researcher shutdown-1794785679169@researcher',
    'shutdown_request team-lead writer shutdown-1794785679174@writer',
    'member_left researcher',
    'member_left writer',
  ]);
});

test('no team is called a team in 2.1.325: agents that run, finish and are resumed', async () => {
  const team = await observed([textOf('team-2.1.325.ndjson')]);
  expect(team.teamName).toBe('session-97a98319');
  expect(told(team).filter((event) => !event.startsWith('task_'))).toEqual([
    'member_joined researcher',
    'member_joined writer',
    'message main researcher: Please also note the line count of each file.',
    'message researcher main: DONE researcher: task 1 is finished.',
    'message researcher writer: Hello from researcher.',
    'message writer main: DONE writer: task 2 is finished.',
    'member_idle researcher',
    'member_active researcher',
    'message writer researcher: Hello from writer.',
    'member_idle researcher',
    'shutdown_request main researcher shutdown-1794785782055@researcher',
    'shutdown_request main writer shutdown-1794785782080@writer',
    'member_idle writer',
  ]);
});

test('the Teammate tool: plans, idleness and shutdown', async () => {
  const team = await observed([textOf('teammate-tool.ndjson')]);
  expect(team.teamName).toBe('gap-hunt');
  expect(told(team).slice(3)).toEqual([
    'message team-lead reader: Please start with src.',
    'message team-lead *: Ten minutes left.',
    'plan_approval_request planner team-lead plan-1@planner',
    'plan_approval_response team-lead planner plan-1@planner',
    'plan_approval_request planner team-lead plan-2@planner',
    'plan_approval_response team-lead planner plan-2@planner',
    'message reader team-lead: Found two gaps.',
    'idle reader 1',
    'member_idle reader',
    'shutdown_request team-lead reader shutdown-1769000000000@reader',
    'shutdown_request team-lead planner shutdown-1769000000001@planner',
    'shutdown_response reader true shutdown-1769000000000@reader',
    'member_left reader',
    'shutdown_response planner true shutdown-1769000000001@planner',
    'member_left planner',
  ]);
});

describe('a message is told once, though its sender, its recipient and a queue all show it', () => {
  const transcripts = (home: string) =>
    filesOf(home)
      .filter(({ path }) => path.endsWith('.jsonl'))
      .map(({ text }) => text);

  test.each([
    ['team-2.1.140', ['team-lead researcher', 'team-lead nobody', 'researcher team-lead', 'writer team-lead']],
    ['team-2.1.325', ['team-lead researcher', 'writer team-lead', 'researcher team-lead']],
  ])('%s', async (home, expected) => {
    const pairs = (events: TeamEvent[]) =>
      events.flatMap((event) => (event.type === 'message' ? `${event.from} ${event.to}` : []));
    expect(pairs((await observed(transcripts(home))).events)).toEqual(expected);
    // The other way round a recipient may not be known by name yet; it is one message all the same.
    expect(
      (await observed(transcripts(home).toReversed())).events.filter(({ type }) => type === 'message').length,
    ).toBe(expected.length);
  });

  test.each(homes)('%s: requests, members and tasks too', async (home) => {
    const { events } = await observed(transcripts(home));
    const keys = events.flatMap((event) =>
      'requestId' in event
        ? `${event.type} ${event.requestId}`
        : event.type === 'member_joined'
          ? `joined ${event.member.agentId}`
          : event.type === 'task_created'
            ? // A branch numbers its tasks from 1 again.
              `created ${event.task.id} ${event.task.subject}`
            : [],
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  const inSession = { session_id: 's1' };
  const call = (id: string, input: object) => [
    { type: 'assistant', ...inSession, message: { content: [{ type: 'tool_use', id, name: 'SendMessage', input }] } },
    {
      type: 'user',
      ...inSession,
      message: { content: [{ type: 'tool_result', tool_use_id: id, content: '{"success":true}' }] },
    },
  ];
  const arrival = (from: string, text: string) => ({
    type: 'user',
    ...inSession,
    parent_tool_use_id: null,
    message: { content: `<teammate-message teammate_id="${from}">\n${text}\n</teammate-message>` },
  });

  test('but what is sent twice is two messages', async () => {
    const send = { type: 'message', recipient: 'writer', content: 'go on' };
    expect((await observed([...call('a', send), ...call('b', send)])).events.length).toBe(2);
  });

  test('and what arrives twice is two messages', async () => {
    expect((await observed([arrival('writer', 'done'), arrival('writer', 'done')])).events.length).toBe(2);
  });

  test('each arrival of a sent message is that message', async () => {
    const send = { type: 'message', recipient: 'main', content: 'done' };
    const own = call('a', send).map((record) => ({ ...record, agent_id: 'main' }));
    expect((await observed([...own, arrival('main', 'done')])).events.length).toBe(1);
  });
});

test('the same stream twice tells nothing twice', async () => {
  for (const session of sessions) {
    const once = await observed([textOf(session)]);
    const twice = await observed([textOf(session), '\n', textOf(session)]);
    // Records without a uuid cannot be told from new ones.
    if (session !== 'seed-000-swarm.ndjson') expect(told(twice), session).toEqual(told(once));
  }
});

test.each(sessions)('%s: what was told last of each member and task is what teamStateOf says', async (session) => {
  const { events } = await observed([textOf(session)]);
  const told = new Map(
    events.flatMap((event) => ('member' in event ? [[event.member.agentId, event.member.status]] : [])),
  );
  // A fork numbers its tasks from 1 again.
  const nameOf = ({ id, subject }: { id: string; subject: string }) => `${id} ${subject}`;
  const tasks = new Map(events.flatMap((event) => ('task' in event ? [[nameOf(event.task), event.task]] : [])));
  const parser = createParser();
  const state = [...parser.push(textOf(session)), ...parser.end()].reduce(reduce, initialState);
  const living = selectTeams(state).filter(({ status }) => status !== 'cleaned_up');
  const known = living.flatMap(({ session_id }) => teamStateOf(state, session_id)?.members ?? []);
  expect(known.map(({ agentId }) => [agentId, told.get(agentId)])).toEqual(
    known.map(({ agentId, status }) => [agentId, status]),
  );
  // A task also blocks those that said later that they wait for it.
  const onBoards = living.flatMap(({ session_id }) => teamStateOf(state, session_id)?.tasks ?? []);
  expect(onBoards.map(({ id, blocks: _, ...task }) => expect.objectContaining({ id, ...task }))).toEqual(
    onBoards.map((task) => tasks.get(nameOf(task))),
  );
});

test('a task is told as the rows have it: its owner by name', async () => {
  const call = (id: string, name: string, input: object, content: string) => [
    { type: 'assistant', session_id: 's', message: { content: [{ type: 'tool_use', id, name, input }] } },
    { type: 'user', session_id: 's', message: { content: [{ type: 'tool_result', tool_use_id: id, content }] } },
  ];
  const { events } = await observed([
    ...call('a', 'TeamCreate', { team_name: 'crew' }, '{"team_name":"crew"}'),
    ...call('b', 'Task', { team_name: 'crew', name: 'writer' }, 'Spawned successfully.\nagent_id: writer@crew'),
    ...call('c', 'TaskCreate', { subject: 'Write' }, 'Task #1 created successfully: Write'),
    ...call('d', 'TaskUpdate', { taskId: '1', owner: 'writer@crew' }, 'Updated task #1 owner'),
  ]);
  expect(events.at(-1)).toMatchObject({ type: 'task_updated', task: { id: '1', owner: 'writer' } });
});

test('it reads as it is asked, and what it tells is known at once', async () => {
  const records = textOf('team-2.1.39.ndjson').trim().split('\n');
  let read = 0;
  const observer = observeTeam(
    (function* () {
      for (const record of records) {
        read++;
        yield `${record}\n`;
      }
    })(),
  );
  expect(observer.teamName).toBe('');
  const events = observer.teamEvents[Symbol.asyncIterator]();
  expect((await events.next()).value).toMatchObject({ type: 'task_created', task: { id: '1' } });
  expect(observer.teamName).toBe('report-crew');
  expect(read).toBeLessThan(12);
  await events.return?.();
});

describe('a signal ends it', () => {
  test('while the source is silent', async () => {
    const stop = new AbortController();
    const silent = (async function* () {
      yield textOf('teammate-tool.ndjson');
      await new Promise(() => {});
    })();
    const seen: string[] = [];
    for await (const event of observeTeam(silent, { signal: stop.signal }).teamEvents) {
      seen.push(event.type);
      if (event.type === 'idle') setTimeout(() => stop.abort(), 5);
    }
    expect(seen.at(-1)).toBe('member_left');
  });

  test('between two events of one piece', async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const event of observeTeam([textOf('teammate-tool.ndjson')], { signal: stop.signal }).teamEvents) {
      seen.push(event.type);
      stop.abort();
    }
    expect(seen).toEqual(['task_created']);
  });

  test('before it began', async () => {
    expect((await observed([textOf('teammate-tool.ndjson')], { signal: AbortSignal.abort() })).events).toEqual([]);
  });
});

test('an error of the source is passed on', async () => {
  const broken = (async function* () {
    yield '{"type":"user"}\n';
    throw new Error('gone');
  })();
  const observer = observeTeam(broken, { signal: new AbortController().signal });
  await expect(observer.teamEvents[Symbol.asyncIterator]().next()).rejects.toThrow('gone');
});

describe('goes on from a state: what was told before is not told again', () => {
  test.each(sessions)('%s', async (session) => {
    const lines = textOf(session).split(/(?<=\n)/);
    const whole = await observed(lines);
    for (const at of [0, 0.2, 0.4, 0.6, 0.8, 1].map((part) => Math.floor(part * lines.length))) {
      const parser = createParser();
      const state = lines
        .slice(0, at)
        .flatMap((line) => parser.push(line))
        .reduce(reduce, initialState);
      const first = await observed(lines.slice(0, at));
      const next = await observed(lines.slice(at), { state });
      expect([...told(first), ...told(next)], `stopped at ${at}`).toEqual(told(whole));
      expect(next.teamName).toBe(whole.teamName);
    }
  });
});
