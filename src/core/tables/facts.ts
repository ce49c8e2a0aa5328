// Turns events into facts, and joins and orders them. The state consists of facts, and rows come from them alone.
import type { Event } from '../event/event.js';
import { isOfRun } from '../event/names.js';
import type { HashTable, KeyPart } from './hash-table.js';
import { digest, earliest } from './order.js';

/**
 * One thing that happened: an event without its long texts. Facts with the same key describe the same thing, seen in
 * several records. Joining them gives the same fact in any order and any number of times.
 */
export interface Fact {
  readonly event: FactEvent;
  /** The time of the nearest record before it in its source. It orders a record without a time. */
  readonly near: string | null;
}

export type FactEvent = Extract<
  Event,
  {
    event:
      | 'session:started'
      | 'turn:started'
      | 'session:ended'
      | 'session:changed'
      | 'usage:reported'
      | 'run:stopped'
      | 'hook:fired'
      | `agent:${string}`
      | `team:${string}`;
  }
>;

/** The fact of an event; null for calls, messages and usage, which have their own tables. */
export function factOf(event: Event, near: string | null): Fact | null {
  const slim = slimmed(event);
  return slim === null ? null : { event: slim, near };
}

/** Where a fact is among all. `isLast`: where the last announcement of its session is, see `isMove`. */
export function placeOf(facts: HashTable<Fact>, fact: Fact, isLast = false): number {
  const keyOf = isLast ? keyOfLast : keyOfFact;
  return facts.placeOf(keyOf(fact), keyOf);
}

function keyOfFact({ event }: Fact): KeyPart[] {
  return factKey(event);
}

function keyOfLast({ event }: Fact): KeyPart[] {
  return ['last', ...factKey(event)];
}

/** Joins two facts about the same thing. The earlier time is used, and each empty field is filled from the other fact. */
export function joinFacts(a: Fact, b: Fact): Fact {
  if (a === b) return a;
  const [first, second] = isFirst(a, b) ? [a, b] : [b, a];
  const time = earliest(a.event.time, b.event.time);
  const near = first.near === null ? second.near : first.near;
  const fields: Record<string, unknown> = { ...first.event };
  for (const [name, value] of Object.entries(second.event)) if (fields[name] == null) fields[name] = value;
  // Two events of one name have the same fields.
  return { event: { ...(fields as unknown as FactEvent), time }, near };
}

/** Whether `known` already contains everything in `other`. */
export function isKnownFact(known: Fact, other: Fact): boolean {
  const { event } = known;
  if (event === other.event) return true;
  // The first copy in the input is used, whenever it is read.
  if (event.source !== other.event.source && isFirst(other, known)) return false;
  if (other.event.time !== null && (event.time === null || other.event.time < event.time)) return false;
  const fields: Readonly<Record<string, unknown>> = { ...event };
  return Object.entries(other.event).every(([name, value]) => value == null || fields[name] != null);
}

/** Sorts facts by time, then what happened before files on disk, then by session and place. */
export interface Order {
  readonly time: string;
  readonly rank: number;
  readonly session: string;
  readonly source: string;
  readonly seq: number;
}

/** `firstOf` gives the first time in a source. It is used for the records before that time. */
export function orderOf({ event, near }: Fact, firstOf: (source: string) => string | null): Order {
  const source = event.source ?? '';
  const rank = restRank(event);
  const own = isOfRun(event.event) ? null : event.time;
  const time = rank > 0 && own === null ? afterAllTimes : (own ?? near ?? firstOf(source) ?? '');
  return { time, rank, session: event.session_id ?? '', source, seq: event.seq };
}

export function compareOrder(a: Order, b: Order): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.session !== b.session) return a.session < b.session ? -1 : 1;
  if (a.source !== b.source) return a.source < b.source ? -1 : 1;
  return a.seq - b.seq;
}

/** Compares by place in the input, which two copies never share. So the answer does not depend on the order of reading. */
function isFirst({ event: a }: Fact, { event: b }: Fact): boolean {
  if (a.source !== b.source) return (a.source ?? '') < (b.source ?? '');
  return a.seq <= b.seq;
}

/** Sorts after every time. */
const afterAllTimes = '\uffff';

/**
 * Ranks what was left on disk; 0 for what happened. Of two files of one task, the one with the further status is later.
 */
function restRank(event: FactEvent): number {
  if (event.event === 'team:created' && event.protocol === 'files') return 1;
  if (event.event === 'team:member:joined' && event.member.active !== null) return 1;
  if (event.event === 'agent:finished' && event.on_disk === true) return 1;
  return isTaskEvent(event) && event.on_disk === true ? 2 + furtherOn.indexOf(event.task.status ?? '') : 0;
}

function isTaskEvent(event: FactEvent): event is FactEvent & { event: `team:task:${string}` } {
  return event.event.startsWith('team:task:');
}

const furtherOn = ['pending', 'in_progress', 'completed', 'deleted'];

function slimmed(event: Event): FactEvent | null {
  switch (event.event) {
    // First, because most events are calls and talk, which have tables of their own.
    case 'tool:called':
    case 'tool:returned':
    case 'usage:recorded':
    case 'text:produced':
      return null;
    case 'session:started':
      return { ...event, tools: null, agents: null, mcp_servers: null, slash_commands: null };
    case 'session:ended':
      return {
        ...event,
        ...{ usage: null, model_usage: null, model_usage_since_last_result: null },
        ...{ result: null, structured_output: null, errors: null, permission_denials: null, origin: null },
        ...(event.subagent_stats !== undefined && { subagent_stats: null }),
      };
    case 'turn:started':
    case 'run:stopped':
      return event;
    case 'hook:fired': {
      if (event.hook !== 'SessionEnd') return null;
      const { cct, seq, time, session_id, team, agent, line, source, hook } = event;
      const slim = { cct, seq, event: event.event, time, session_id, team, agent, line, hook };
      return source === undefined ? slim : { ...slim, source };
    }
    // It shows that a transcript went so far. Its own time is that of the last message, before a turn without messages.
    case 'usage:reported': {
      const { cct, seq, session_id, team, agent, line, source, stop_reason } = event;
      const slim = { cct, seq, event: event.event, time: null, session_id, team, agent, line };
      const bare = { ...slim, total_cost_usd: null, model_usage: null, stop_reason };
      return source === undefined ? bare : { ...bare, source };
    }
    case 'session:changed':
      return endsTurns.has(event.subtype) ? event : null;
    case 'agent:started':
      return { ...event, prompt: event.prompt?.trim() ? digest(event.prompt.trim()) : null };
    case 'agent:progressed':
      return event.status === null && event.background === null ? null : { ...event, result: null };
    case 'agent:finished':
      return { ...event, result: null };
    case 'team:message:sent':
    case 'team:message:failed':
      // Messages have their own state. This one is kept only for its sender's name, which may show whose turn it is.
      if (event.tool_use_id === null || event.agent === null || isCertain(event.agent)) return null;
      return { ...event, message: { ...event.message, content: null, summary: null, error: null } };
    case 'team:message:received':
    case 'team:shutdown:requested':
    case 'team:plan:requested':
    case 'team:plan:resolved':
      return null;
    case 'team:shutdown:response':
      return { ...event, reason: null };
    case 'team:created':
    case 'team:deleted':
    case 'team:cleanup_failed':
    case 'team:member:joined':
    case 'team:member:active':
    case 'team:member:idle':
    case 'team:member:shutting_down':
    case 'team:member:shutdown':
    case 'team:task:created':
    case 'team:task:claimed':
    case 'team:task:updated':
    case 'team:task:completed':
    case 'team:task:deleted':
      return event;
    default:
      return null;
  }
}

/** Changes that show how a turn ended. */
const endsTurns: ReadonlySet<unknown> = new Set(['interrupted', 'api_error', 'max_turns_reached']);

/** Whether the id is certainly not a turn of another agent. */
function isCertain(agent: string): boolean {
  return agent === 'main' || agent.includes('@');
}

/** What identifies a fact: copies of it have the same. */
export function factKey(event: FactEvent): KeyPart[] {
  const parts = [event.event, event.session_id, ...detailOf(event)];
  const id = 'tool_use_id' in event ? event.tool_use_id : null;
  if (typeof id === 'string') parts.push(id);
  else if (isMove(event)) parts.push(event.source ?? '');
  else if (!isNamed(event)) parts.push(event.time ?? `${event.source ?? ''} ${event.seq}`);
  return parts;
}

/** Whether a transcript says where its session is, which it does again and again: the first and the last are kept. */
export function isMove(event: FactEvent): boolean {
  return event.event === 'session:started' && event.transcript;
}

/** Whether its own fields are enough to identify it. */
function isNamed(event: FactEvent): boolean {
  if (event.event === 'session:ended') return event.result_id !== null;
  if ('run_id' in event) return event.run_id !== null;
  return event.event === 'turn:started';
}

function detailOf(event: FactEvent): KeyPart[] {
  switch (event.event) {
    case 'session:started':
      return event.transcript ? [event.transcript, event.model] : [event.transcript, event.model, event.cwd];
    case 'turn:started':
      return [event.turn_id ?? event.turn, event.transcript ?? false];
    case 'session:changed':
      return [event.agent, event.subtype];
    case 'session:ended':
      return [event.result_id];
    case 'agent:started':
      return [event.agent, event.task_id, event.run_id, event.continues, event.resumed, event.turn_only, event.model];
    case 'agent:progressed':
      return [event.agent, event.task_id, event.run_id, event.status, event.background];
    case 'agent:finished':
      return [event.agent, event.task_id, event.run_id, event.status];
    case 'team:created':
      return [event.name, event.protocol];
    case 'team:deleted':
    case 'team:cleanup_failed':
      return [event.name];
    case 'team:member:joined':
    case 'team:member:active':
    case 'team:member:idle':
    case 'team:member:shutting_down':
    case 'team:member:shutdown':
      return [event.member.agent_id, event.member.name, event.member.kind, event.member.active];
    case 'team:task:created':
    case 'team:task:claimed':
    case 'team:task:updated':
    case 'team:task:completed':
    case 'team:task:deleted':
      return [event.kind, event.list, event.team, event.task.id, event.task.status];
    case 'team:message:sent':
    case 'team:message:failed':
      return [event.agent, event.message.from];
    case 'team:shutdown:response':
      return [event.request_id, event.from, event.approved];
    default:
      return [];
  }
}
