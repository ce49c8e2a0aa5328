// Rebuilds what the reader remembers from events that it told before.
import type { Event, EventMap, Member } from '../../event/event.js';
import { startsAgent } from '../../event/work.js';
import { markOf } from '../../record/hash.js';
import { objectOf, textsOf } from '../../record/json.js';
import { createTeam, finishAgent, isTaskStep, startAgent, startWork } from '../agents.js';
import { type Context, noInput, type Origin, sessionOf, turnsOf } from '../context.js';
import { canonical, implicitTeam, nameOf, type Session } from '../sessions.js';
import { emitTask, noteWork } from '../tools/task.js';
import { ParsedRecord } from '../view.js';
import { noSession, sessionStarted } from './frames.js';

/** Brings the context into the state it had after the event, without telling anything again. */
export function recall(context: Context, event: Event): void {
  const { emit } = context;
  context.emit = () => {};
  remember(context, event);
  context.emit = emit;
}

function remember(context: Context, event: Event): void {
  if (event.event === 'turn:started') return rememberTurn(context, event);
  const { session_id, agent, team, time, line } = event;
  // Team files do not name a session and belong to none.
  if (session_id === null && isOfFiles(context, event)) return;
  const session = sessionOf(context, session_id);
  const at = { session, agent: agent ?? session.lead, time, line: line ?? 0, record: noRecord, transcript: false };
  if (team !== null && team !== session.team) {
    session.team = team;
    session.implicit = session.id !== null && team === implicitTeam(session.id);
  }
  switch (event.event) {
    case 'tool:called':
      return rememberCall(context, at, event);
    case 'tool:returned':
      context.calls.takeNamed(event.tool_use_id);
      return;
    case 'session:changed':
      if (event.subtype === 'retracted')
        for (const id of textsOf(event.tool_use_ids) ?? []) context.calls.takeNamed(id);
      return;
    case 'session:started':
      session.started ??= noSession;
      session.streamed ||= !event.transcript;
      return sessionStarted(context, at, event);
    case 'agent:started':
      return rememberAgent(context, at, event);
    case 'agent:finished':
      return rememberEnd(context, at, event);
    case 'team:created':
      if (event.protocol !== 'files') createTeam(context, at, event);
      return;
    case 'team:member:joined':
      return rememberMember(session, event.member);
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
      return event.kind === 'todo' ? rememberTodo(session, event) : rememberTask(context, at, event);
  }
}

function isOfFiles(context: Context, event: Event): boolean {
  if (event.team === null) return false;
  const isMade = event.event === 'team:created' && event.protocol !== 'files';
  return !isMade && sessionOf(context, null).team !== event.team;
}

const noRecord = new ParsedRecord({});

function rememberCall(context: Context, origin: Origin, event: EventMap['tool:called']): void {
  const { tool_use_id: id, time, copied } = event;
  if (id === null) return;
  const { record: _record, ...at } = { ...origin, said: 0 };
  const [tool, input] = [event.tool ?? '', objectOf(event.input) ?? noInput];
  // An agent that claims its next task is not idle after the last one.
  if (isTaskStep(tool, input)) at.session.completed.delete(nameOf(at.session, at.agent));
  const mark = markOf(id, context.seen.seed);
  context.calls.open({ id, mark, tool, input, at, calledAt: time, seen: false, copied, ofState: true });
}

function rememberTurn(context: Context, { session_id, turn, turn_id, transcript }: EventMap['turn:started']): void {
  const { inits, prompts } = turnsOf(context, session_id);
  const [turns, kind] = transcript === true ? [prompts, 'prompt'] : [inits, 'init'];
  turns.set(turn_id ?? `${kind} ${turn}`, turn);
  if (turn_id != null) context.seen.add(transcript === true ? `prompt ${turn_id}` : turn_id);
}

function rememberAgent(context: Context, at: Origin, event: EventMap['agent:started']): void {
  if (!startsAgent(event)) return startWork(context, at, event);
  startAgent(context, at, { ...event, id: at.agent });
  if (event.turn_only) context.memory.turnIds.add(at.agent);
  const call = context.calls.named(event.tool_use_id);
  if (call !== undefined) call.seen = true;
  // The agent is known only from a row that is not its prompt.
  const isRow = event.prompt === null && event.tool_use_id === null && event.agent_type === null && event.name === null;
  if (isRow && event.time !== null) context.memory.firstRows.set(at.agent, event.time);
}

function rememberEnd(context: Context, at: Origin, { agent, task_id, status }: EventMap['agent:finished']): void {
  const { agents, work } = at.session;
  if (task_id !== null && work.has(task_id)) return;
  const id = canonical(at.session, task_id ?? agent ?? '');
  finishAgent(context, at, agents.has(id) ? id : (agent ?? ''), { status });
}

function rememberMember(session: Session, { agent_id, agent_type, kind }: Member): void {
  if (agent_id === null || kind === null) return;
  if (kind === 'lead') Object.assign(session, { lead: agent_id, leadType: agent_type ?? session.leadType });
  Object.assign(session.agents.get(agent_id) ?? {}, { kind, joined: true });
}

type TaskFact = Event & { event: `team:task:${string}` };

function rememberTask(context: Context, at: Origin, event: TaskFact): void {
  emitTask(context, at, event.event, event.task, event.tool_use_id);
  if (event.tool_use_id === null || event.event === 'team:task:created') return;
  at.session.completed.delete(nameOf(at.session, at.agent));
  noteWork(context, at, event.task);
}

/** A list is written from its beginning and then cut to length. */
function rememberTodo({ todos }: Session, { list, task: { id, status } }: TaskFact): void {
  const known = todos.get(list ?? '') ?? 0;
  const place = Number(id);
  todos.set(list ?? '', status === 'deleted' ? Math.min(known, place - 1) : Math.max(known, place));
}
