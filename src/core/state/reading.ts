// Where reading stopped: what a parser needs to go on and no other slice knows.
import type { Event } from '../event/event.js';
import { keyOf } from './keys.js';
import { PersistentMap } from './persistent-map.js';
import type { WorkState } from './work.js';

export interface ReadingState {
  /** Number of the last event. */
  readonly seq: number;
  /** The session that records without one belong to. */
  readonly session_id: string | null;
  /** Calls without a result, by id: what they did follows from their input and the result. */
  readonly calls: PersistentMap<OpenCall>;
  /** Who asked for a shutdown or the approval of a plan: an answer may name nobody. */
  readonly requests: PersistentMap<Request>;
}

export interface OpenCall {
  readonly seq: number;
  readonly session_id: string | null;
  readonly agent: string | null;
  readonly time: string | null;
  readonly tool: string | null;
  readonly input: unknown;
}

export interface Request {
  readonly id: string;
  readonly session_id: string | null;
  readonly from: string;
}

export const noReading: ReadingState = {
  seq: 0,
  session_id: null,
  calls: new PersistentMap(),
  requests: new PersistentMap(),
};

/** `work` knows which calls have returned, so that a copy of a call does not open it again. */
export function reduceReading(state: ReadingState, event: Event, work: WorkState): ReadingState {
  const calls = callsAfter(state.calls, event, work);
  const requests = requestsAfter(state.requests, event);
  const seq = Math.max(state.seq, event.seq);
  // Records of an unknown kind do not say whose records come next.
  const session_id = event.event === 'unknown' ? state.session_id : event.session_id;
  const isSame = calls === state.calls && requests === state.requests;
  return isSame && seq === state.seq && session_id === state.session_id ? state : { seq, session_id, calls, requests };
}

function callsAfter(calls: PersistentMap<OpenCall>, event: Event, work: WorkState): PersistentMap<OpenCall> {
  switch (event.event) {
    case 'tool:called': {
      const { tool_use_id: id, seq, session_id, agent, time, tool, input } = event;
      if (id === null || calls.has(id) || work.calls.get(id)?.returned) return calls;
      return calls.set(id, { seq, session_id, agent, time, tool, input });
    }
    case 'tool:returned':
      return event.tool_use_id === null ? calls : calls.delete(event.tool_use_id);
    case 'session:changed':
      return Array.isArray(event.tool_use_ids) ? event.tool_use_ids.reduce(without, calls) : calls;
    default:
      return calls;
  }
}

function without(calls: PersistentMap<OpenCall>, id: unknown): PersistentMap<OpenCall> {
  return typeof id === 'string' ? calls.delete(id) : calls;
}

function requestsAfter(requests: PersistentMap<Request>, event: Event): PersistentMap<Request> {
  const said = requestIn(event);
  if (said === null || said.request_id === null || said.from === null) return requests;
  const { request_id: id, from } = said;
  return requests.set(keyOf(event.session_id, id), { id, session_id: event.session_id, from });
}

function requestIn(event: Event): { request_id: string | null; from: string | null } | null {
  switch (event.event) {
    case 'team:shutdown:requested':
    case 'team:plan:requested':
      return event;
    case 'team:message:received':
      return event.message.type === 'shutdown_request' ? event.message : null;
    default:
      return null;
  }
}
