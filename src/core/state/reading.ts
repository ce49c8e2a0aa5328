// Keeps where reading stopped: what a parser needs to continue and no other slice knows.
import type { Event, EventMap } from '../event/event.js';
import { isLeadId, keyOf } from './order.js';
import { PersistentMap } from './persistent-map.js';
import type { WorkState } from './work.js';

export interface ReadingState {
  /** Number of the last event. */
  readonly seq: number;
  /** The session of records that do not name one. */
  readonly session_id: string | null;
  /** Calls without a result, by id. Their effect depends on both input and result. */
  readonly calls: PersistentMap<PendingCall>;
  /** Who asked for a shutdown or a plan approval. The answer may not name a recipient. */
  readonly requests: PersistentMap<PendingRequest>;
  /** What the transcript of each session said about its messages, by session. */
  readonly rows: PersistentMap<RowsRead>;
}

export interface RowsRead {
  readonly source: string;
  /** The time of its first event. A message that is older was copied into the file. */
  readonly opened: string | null;
  /** The time of its last message. */
  readonly spoke: string | null;
  /** Why that message stopped; null if a prompt came after it. */
  readonly stopped: string | null;
  /** The cost-state row since its last prompt. */
  readonly reported: EventMap['usage:reported'] | null;
}

export type PendingCall = Pick<EventMap['tool:called'], 'seq' | 'session_id' | 'agent' | 'time' | 'tool' | 'input'>;

interface PendingRequest {
  readonly id: string;
  readonly session_id: string | null;
  readonly from: string;
}

export const noReading: ReadingState = {
  seq: 0,
  session_id: null,
  calls: new PersistentMap(),
  requests: new PersistentMap(),
  rows: new PersistentMap(),
};

/** `work` knows which calls have returned, so a copy of a call does not open it again. */
export function reduceReading(state: ReadingState, event: Event, work: WorkState): ReadingState {
  const calls = callsAfter(state.calls, event, work);
  const requests = requestsAfter(state.requests, event);
  const rows = rowsAfter(state.rows, event);
  const seq = Math.max(state.seq, event.seq);
  // Records of an unknown kind do not change the session of the records after them.
  const session_id = event.event === 'unknown' ? state.session_id : event.session_id;
  const isSame = calls === state.calls && requests === state.requests && rows === state.rows;
  if (isSame && seq === state.seq && session_id === state.session_id) return state;
  return { seq, session_id, calls, requests, rows };
}

function callsAfter(calls: PersistentMap<PendingCall>, event: Event, work: WorkState): PersistentMap<PendingCall> {
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

function without(calls: PersistentMap<PendingCall>, id: unknown): PersistentMap<PendingCall> {
  return typeof id === 'string' ? calls.delete(id) : calls;
}

function requestsAfter(requests: PersistentMap<PendingRequest>, event: Event): PersistentMap<PendingRequest> {
  const request = requestIn(event);
  if (request === null || request.request_id === null || request.from === null) return requests;
  const { request_id: id, from } = request;
  return requests.set(keyOf(event.session_id, id), { id, session_id: event.session_id, from });
}

function rowsAfter(rows: ReadingState['rows'], event: Event): ReadingState['rows'] {
  const { session_id, source = '', time } = event;
  const key = session_id ?? '';
  const found = rows.get(key);
  const known = found?.source === source ? found : { ...noRows, source };
  const change = (next: Partial<RowsRead>) => rows.set(key, { ...known, ...next });
  switch (event.event) {
    case 'session:changed':
      return known.opened === null && known.spoke === null && time !== null ? change({ opened: time }) : rows;
    case 'usage:recorded':
      return event.transcript && event.copied !== true && isLeadId(event.agent)
        ? change(time === null || time < (known.spoke ?? '') ? {} : { spoke: time, stopped: event.stop_reason ?? null })
        : rows;
    case 'usage:reported':
      return change({ reported: event });
    case 'turn:started':
      return known.reported === null && known.stopped === null ? rows : change({ reported: null, stopped: null });
    default:
      return rows;
  }
}

const noRows: RowsRead = { source: '', opened: null, spoke: null, stopped: null, reported: null };

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
