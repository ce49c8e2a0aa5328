// Parses text, bytes or records into events.

import { type Event, type EventMap, envelopeNames, type Own } from '../core/event/event.js';
import { startsAgent } from '../core/event/work.js';
import { isObject, type JsonObject } from '../core/record/json.js';
import { defaultMaxLineBytes, TextLines } from '../core/record/line.js';
import type { FactEvent } from '../core/tables/facts.js';
import type { PendingCall } from '../core/tables/reading.js';
import type { State } from '../core/tables/reduce.js';
import { createTeam, finishAgent, isTaskStep, startAgent, startWork } from '../core/wire/agents.js';
import {
  type Context,
  createContext,
  labelledKey,
  type Memory,
  memoryOf,
  type Origin,
  sessionOf,
  turnsOf,
} from '../core/wire/context.js';
import type { NormalizerOptions } from '../core/wire/normalize.js';
import { createReader } from '../core/wire/reader.js';
import { calledKey, returnedKey } from '../core/wire/seen.js';
import { canonical, implicitTeam, nameOf, placeOf, type Session } from '../core/wire/sessions.js';
import { emitTask, noteWork } from '../core/wire/tools/task.js';
import { ParsedRecord } from '../core/wire/view.js';
import { checkOptions, is, refuse } from './arguments.js';

export interface ParserOptions extends Pick<NormalizerOptions, 'raw' | 'stamp'> {
  /** Continues after the events of this state. Records that come again may produce their events again. */
  state?: State;
  /** Reports protocol drift and similar, which is not an error. */
  onWarning?(text: string): void;
  /** A longer line is skipped without being held in memory; 256 MiB by default. */
  maxLineBytes?: number;
}

export const parserOptions = {
  state: is.state,
  onWarning: is.function,
  maxLineBytes: is.amount,
  raw: is.flag,
  stamp: is.function,
};

/** Text or UTF-8 in pieces of any size, a record, or a list of records. */
export type ParserInput = string | Uint8Array | object;

export interface Parser {
  /** Returns the events that this input completes. Damaged lines produce events too: input:skipped. */
  push(input: ParserInput): Event[];
  /** The input has ended; returns the events that were held back. */
  end(): Event[];
  /** The previous file has ended and another one begins, which is the `source` of its events. */
  begin(path: string): Event[];
}

/** Makes the same events as `cct normalize`. It never throws, whatever the input. */
export function createParser(given: ParserOptions = {}): Parser {
  checkOptions('createParser', given, parserOptions);
  const { maxLineBytes = defaultMaxLineBytes, ...options } = given;
  const parser = createLineParser(options);
  const lines = new TextLines(parser, maxLineBytes);
  let decoder = new TextDecoder();

  function end(): Event[] {
    lines.push(decoder.decode());
    decoder = new TextDecoder();
    lines.end();
    parser.end();
    return parser.take();
  }

  return {
    push(input) {
      if (typeof input === 'string') lines.push(input);
      else if (isBytes(input)) lines.push(decoder.decode(input, { stream: true }));
      else for (const record of Array.isArray(input) ? input : [input]) if (isObject(record)) parser.record(record);
      return parser.take();
    },
    end,
    begin(path) {
      if (typeof path !== 'string') refuse('begin: the path has to be a text', path);
      const events = end();
      parser.begin(path);
      return events;
    },
  };
}

export type LineParser = ReturnType<typeof createLineParser>;

/** A parser for callers that cut lines themselves. Lines are numbered as they come. */
export function createLineParser({ onWarning, state, ...options }: Omit<ParserOptions, 'maxLineBytes'> = {}) {
  let events: Event[] = [];
  let number = 0;
  let source: string | null = null;
  const reader = createReader({
    ...options,
    // Events that are read back keep the source they have.
    emit: (event) => events.push(source === null ? event : { ...event, source: event.source ?? source }),
    warn: (text) => onWarning?.(text),
    ...(state === undefined ? {} : { memory: memoryOfState(state) }),
  });
  return {
    line: (text: string) => reader.line(text, ++number),
    tooLong: (bytes: number) => reader.tooLong(++number, bytes),
    record: (record: JsonObject) => reader.record(new ParsedRecord(record), ++number),
    end() {
      reader.end();
      number = 0;
    },
    begin(path: string) {
      const place = placeOf(path);
      source = place.source;
      reader.begin(place);
    },
    /** The events since the last call. */
    take(): Event[] {
      const taken = events;
      events = [];
      return taken;
    },
  };
}

/** Not instanceof: the bytes may come from another window. */
function isBytes(input: object): input is Uint8Array {
  return ArrayBuffer.isView(input);
}

/** What a parser needs to continue from a state. Applies all facts of the state again, without emitting events. */
function memoryOfState(state: State): Memory {
  const context = createContext({
    emit() {},
    tell() {},
    wants: () => true,
    isWanted: () => true,
    content: 'all',
    detail: 'all',
    warn() {},
  });
  const { reading, clocks, calls } = state;
  const facts = state.facts.values().map(({ event }) => event);
  // Each file is read separately, but turns are counted and calls return across files.
  const isNeeded = (event: FactEvent) => (event.source ?? '') === clocks.source || event.event === 'turn:started';
  const steps: { seq: number; apply: () => void }[] = [
    ...facts.filter(isNeeded).map((event) => ({ seq: event.seq, apply: () => applyFact(context, event) })),
    ...reading.calls.entries().map(([id, call]) => ({ seq: call.seq, apply: () => reopen(context, id, call) })),
  ];
  for (const { apply } of steps.sort((a, b) => a.seq - b.seq)) apply();
  for (const { id, session_id, from } of reading.requests.values())
    sessionOf(context, session_id).requests.set(id, from);
  for (const [id, { source, opened, spoke, stopped, reported }] of reading.rows.entries())
    if (source === clocks.source)
      Object.assign(sessionOf(context, id || null), {
        opened,
        spoke,
        stopped,
        reported: reported && reportFields(reported),
      });
  for (const { id, called, returned } of calls.known()) {
    if (called) context.seen.add(calledKey(id));
    if (returned) context.seen.add(returnedKey(id));
  }
  for (const { session_id, files } of state.usage.sessions.values())
    if ((files.get(clocks.source)?.log ?? null) !== null) context.seen.add(labelledKey(session_id));
  return { ...memoryOf(context), seq: reading.seq, current: reading.session_id };
}

/** The fields of a report without its envelope. */
function reportFields(event: EventMap['usage:reported']): Own<'usage:reported'> {
  const { total_cost_usd, model_usage } = event;
  const others = Object.entries(event).filter(([name]) => !envelopeNames.includes(name));
  return { ...Object.fromEntries(others), total_cost_usd, model_usage };
}

/** Brings the context into the state it had after the event. */
function applyFact(context: Context, event: FactEvent): void {
  if (event.event === 'turn:started') return applyTurn(context, event);
  // Team files do not name a session and belong to none.
  if (event.session_id === null && isOfFiles(context, event)) return;
  const at = originOf(context, event);
  const { session } = at;
  if (event.team !== null && event.team !== session.team) {
    session.team = event.team;
    session.implicit = session.id !== null && event.team === implicitTeam(session.id);
  }
  switch (event.event) {
    case 'session:started':
      return applySession(session, event);
    case 'agent:started':
      return applyAgent(context, at, event);
    case 'agent:finished':
      return applyEnd(context, at, event);
    case 'team:created':
      if (event.protocol !== 'files') createTeam(context, at, event);
      return;
    case 'team:member:joined':
      return applyMember(session, event);
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
      return event.kind === 'todo' ? applyTodo(session, event) : applyTask(context, at, event);
  }
}

function isOfFiles(context: Context, event: FactEvent): boolean {
  if (event.team === null) return false;
  const isMade = event.event === 'team:created' && event.protocol !== 'files';
  return !isMade && sessionOf(context, null).team !== event.team;
}

function originOf(
  context: Context,
  { session_id, agent, time, line }: Pick<Event, 'session_id' | 'agent' | 'time' | 'line'>,
): Origin {
  const session = sessionOf(context, session_id);
  return { session, agent: agent ?? session.lead, time, line: line ?? 0, record: noRecord, transcript: false };
}

const noRecord = new ParsedRecord({});

function reopen(context: Context, id: string, { session_id, agent, time, tool, input, copied }: PendingCall): void {
  const { record: _record, ...origin } = originOf(context, { session_id, agent, time, line: null });
  const at = { ...origin, uuid: null };
  const asked = isObject(input) ? input : {};
  const call = { id, tool: tool ?? '', input: asked, at, calledAt: time, seen: false, copied, ofState: true };
  // An agent that claims its next task is not idle after the last one.
  if (isTaskStep(call.tool, call.input)) at.session.completed.delete(nameOf(at.session, at.agent));
  context.calls.set(id, call);
}

function applySession(session: Session, event: EventMap['session:started']): void {
  const { model, cwd, claude_code_version, permission_mode, tools, agents, mcp_servers } = event;
  const { program, api_key_source, slash_commands, git_branch, transcript } = event;
  session.started = {
    ...{ program, model, cwd, claude_code_version, permission_mode, tools, agents, mcp_servers },
    ...{ api_key_source, slash_commands, git_branch, transcript },
  };
  session.streamed ||= !transcript;
}

function applyTurn(context: Context, { session_id, turn, turn_id, transcript }: EventMap['turn:started']): void {
  const { inits, prompts } = turnsOf(context, session_id);
  const [turns, kind] = transcript === true ? [prompts, 'prompt'] : [inits, 'init'];
  turns.set(turn_id ?? `${kind} ${turn}`, turn);
  if (turn_id != null) context.seen.add(transcript === true ? `prompt ${turn_id}` : turn_id);
}

function applyAgent(context: Context, at: Origin, event: EventMap['agent:started']): void {
  if (!startsAgent(event)) return startWork(context, at, event);
  startAgent(context, at, { ...event, id: at.agent });
  if (event.turn_only) context.memory.turnIds.add(at.agent);
  const call = context.calls.get(event.tool_use_id ?? '');
  if (call !== undefined) call.seen = true;
  // The agent is known only from a row that is not its prompt.
  const isRow = event.prompt === null && event.tool_use_id === null && event.agent_type === null && event.name === null;
  if (isRow && event.time !== null) context.memory.firstRows.set(at.agent, event.time);
}

function applyEnd(context: Context, at: Origin, { agent, task_id, status }: EventMap['agent:finished']): void {
  const { agents, work } = at.session;
  if (task_id !== null && work.has(task_id)) return;
  const id = canonical(at.session, task_id ?? agent ?? '');
  finishAgent(context, at, agents.has(id) ? id : (agent ?? ''), { status });
}

function applyMember(
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

type TaskFact = FactEvent & { event: `team:task:${string}` };

function applyTask(context: Context, at: Origin, event: TaskFact): void {
  emitTask(context, at, event.event, event.task, event.tool_use_id);
  if (event.tool_use_id === null || event.event === 'team:task:created') return;
  at.session.completed.delete(nameOf(at.session, at.agent));
  noteWork(context, at, event.task);
}

/** A list is written from its beginning and then cut to length. */
function applyTodo({ todos }: Session, { list, task: { id, status } }: TaskFact): void {
  const known = todos.get(list ?? '') ?? 0;
  const place = Number(id);
  todos.set(list ?? '', status === 'deleted' ? Math.min(known, place - 1) : Math.max(known, place));
}
