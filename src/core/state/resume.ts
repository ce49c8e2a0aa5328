// What a parser has to remember to go on from a state. It follows from the facts the state is made of: each is heard again, silently.
import { createTeam, finishAgent, startAgent, startWork } from '../event/agents.js';
import { CorrelationBuffer } from '../event/correlation.js';
import { type At, type Desk, turnsOf } from '../event/desk.js';
import type { Event, EventMap } from '../event/event.js';
import { isTaskStep } from '../event/members.js';
import { type Memory, memoryOf } from '../event/memory.js';
import { newSource } from '../event/normalize.js';
import { canonical, createSession, nameOf, type Session } from '../event/session.js';
import { emitTask, noteWork } from '../event/tools/task.js';
import { isObject } from '../record/json.js';
import { nowhere } from '../record/place.js';
import type { FactEvent } from './facts.js';
import type { OpenCall } from './reading.js';
import type { State } from './reduce.js';
import { startsAgent } from './tasks-work.js';

export function memoryOfState(state: State): Memory {
  const sessions = new Map<string | null, Session>();
  const desk = silentDesk(sessions);
  const { reading, clocks, work } = state;
  const facts = state.facts.values().map(({ event }) => event);
  // A file is worked out by itself; turns are counted and calls come back over all files.
  const isHeard = (event: FactEvent) => (event.source ?? '') === clocks.source || event.event === 'turn:started';
  const told: { seq: number; hear: () => void }[] = [
    ...facts.filter(isHeard).map((event) => ({ seq: event.seq, hear: () => hear(desk, event) })),
    ...reading.calls.entries().map(([id, call]) => ({ seq: call.seq, hear: () => reopen(desk, id, call) })),
  ];
  for (const { hear } of told.sort((a, b) => a.seq - b.seq)) hear();
  for (const { id, session_id, from } of reading.requests.values()) desk.session(session_id).requests.set(id, from);
  for (const [id, { owner, returned }] of work.calls.entries()) {
    if (owner !== null) desk.seen.add(`call ${id}`);
    if (returned) desk.seen.add(`result ${id}`);
  }
  return memoryOf(desk, sessions, reading.seq, reading.session_id);
}

/** Remembers what it is told, and says nothing. */
function silentDesk(sessions: Map<string | null, Session>): Desk {
  return {
    emit() {},
    wants: () => true,
    warn() {},
    session(id) {
      const session = sessions.get(id) ?? createSession(id);
      sessions.set(id, session);
      return session;
    },
    within: (at) => at,
    calls: new CorrelationBuffer(),
    turns: new Map(),
    turnIds: new Set(),
    turnRows: new Map(),
    turnParents: new Map(),
    ...newSource(),
    place: nowhere,
  };
}

/** Afterwards the desk is as it was when the event was told. */
function hear(desk: Desk, event: FactEvent): void {
  if (event.event === 'turn:started') return turnHeard(desk, event);
  // Files of a team name no session, and are nobody's.
  if (event.session_id === null && isOfFiles(desk, event)) return;
  const at = placeOf(desk, event);
  const { session } = at;
  if (event.team !== null && event.team !== session.team) {
    session.team = event.team;
    session.implicit = event.team === `session-${session.id?.slice(0, 8)}`;
  }
  switch (event.event) {
    case 'session:started':
      return sessionHeard(session, event);
    case 'agent:started':
      return agentHeard(desk, at, event);
    case 'agent:finished':
      return endHeard(desk, at, event);
    case 'team:created':
      if (event.protocol !== 'files') createTeam(desk, at, event);
      return;
    case 'team:member:joined':
      return memberHeard(session, event);
    case 'team:member:idle':
      session.completed.delete(event.member.name ?? '');
      session.idle.add(event.member.name ?? '');
      return;
    case 'team:member:active':
      session.idle.delete(event.member.name ?? '');
      return;
    case 'team:task:created':
    case 'team:task:claimed':
    case 'team:task:updated':
    case 'team:task:completed':
    case 'team:task:deleted':
      return event.kind === 'todo' ? todoHeard(session, event) : taskHeard(desk, at, event);
  }
}

function isOfFiles(desk: Desk, event: FactEvent): boolean {
  if (event.team === null) return false;
  const isMade = event.event === 'team:created' && event.protocol !== 'files';
  return !isMade && desk.session(null).team !== event.team;
}

function placeOf(
  desk: Desk,
  { session_id, agent, time, line }: Pick<Event, 'session_id' | 'agent' | 'time' | 'line'>,
): At {
  const session = desk.session(session_id);
  return { session, agent: agent ?? session.lead, time, line: line ?? 0, record: {}, transcript: false };
}

function reopen(desk: Desk, id: string, { session_id, agent, time, tool, input }: OpenCall): void {
  const at = placeOf(desk, { session_id, agent, time, line: null });
  const asked = isObject(input) ? input : {};
  const call = { id, tool: tool ?? '', input: asked, at, calledAt: time, seen: false, ofState: true };
  // Whoever claims the next task is not idle after the last one.
  if (isTaskStep(call.tool, call.input)) at.session.completed.delete(nameOf(at.session, at.agent));
  desk.calls.open(id, call);
}

function sessionHeard(session: Session, event: EventMap['session:started']): void {
  const { model, cwd, claude_code_version, permission_mode, tools, agents, mcp_servers } = event;
  const { api_key_source, slash_commands, git_branch, transcript } = event;
  session.started = {
    ...{ model, cwd, claude_code_version, permission_mode, tools, agents, mcp_servers },
    ...{ api_key_source, slash_commands, git_branch, transcript },
  };
  session.streamed ||= !transcript;
}

function turnHeard(desk: Desk, { session_id, turn, turn_id, transcript }: EventMap['turn:started']): void {
  const { inits, prompts } = turnsOf(desk, session_id);
  const [turns, kind] = transcript === true ? [prompts, 'prompt'] : [inits, 'init'];
  turns.set(turn_id ?? `${kind} ${turn}`, turn);
  if (turn_id != null) desk.seen.add(transcript === true ? `prompt ${turn_id}` : turn_id);
}

function agentHeard(desk: Desk, at: At, event: EventMap['agent:started']): void {
  if (!startsAgent(event)) return startWork(desk, at, event);
  startAgent(desk, at, { ...event, id: at.agent });
  if (event.turn_only) desk.turnIds.add(at.agent);
  const call = desk.calls.get(event.tool_use_id ?? '');
  if (call !== undefined) call.seen = true;
  // Known only by a row that was not its prompt.
  const isRow = event.prompt === null && event.tool_use_id === null && event.agent_type === null && event.name === null;
  if (isRow && event.time !== null) desk.firstRows.set(at.agent, event.time);
}

function endHeard(desk: Desk, at: At, { agent, task_id, status }: EventMap['agent:finished']): void {
  const { agents, work } = at.session;
  if (task_id !== null && work.has(task_id)) return;
  const id = canonical(at.session, task_id ?? agent ?? '');
  finishAgent(desk, at, agents.has(id) ? id : (agent ?? ''), { status });
}

function memberHeard(
  session: Session,
  { member: { agent_id, agent_type, kind } }: EventMap['team:member:joined'],
): void {
  if (agent_id === null || kind === null) return;
  if (kind === 'lead') {
    session.lead = agent_id;
    session.leadType = agent_type ?? session.leadType;
  }
  const agent = session.agents.get(agent_id);
  if (agent === undefined) return;
  agent.kind = kind;
  agent.joined = true;
}

type TaskEvent = FactEvent & { event: `team:task:${string}` };

function taskHeard(desk: Desk, at: At, event: TaskEvent): void {
  emitTask(desk, at, event.event, event.task, event.tool_use_id);
  if (event.tool_use_id === null || event.event === 'team:task:created') return;
  at.session.completed.delete(nameOf(at.session, at.agent));
  noteWork(desk, at, event.task);
}

/** A list is set from its beginning, and then cut. */
function todoHeard({ todos }: Session, { list, task: { id, status } }: TaskEvent): void {
  const known = todos.get(list ?? '') ?? 0;
  const place = Number(id);
  todos.set(list ?? '', status === 'deleted' ? Math.min(known, place - 1) : Math.max(known, place));
}
