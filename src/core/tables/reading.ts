// Keeps where reading stopped: what a parser needs to continue and no other slice knows.
import type { Event, EventMap } from '../event/event.js';
import { textsOf } from '../record/json.js';
import { type Calls, is } from './calls/calls.js';
import { isLeadId, keyOf } from './order.js';
import { Table } from './table.js';

export interface ReadingState {
  /** Number of the last event. */
  seq: number;
  /** The session of records that do not name one. */
  session_id: string | null;
  /** Calls without a result, by id. Their effect depends on both input and result. */
  readonly calls: Table<PendingCall>;
  /** Who asked for a shutdown or a plan approval. The answer may not name a recipient. */
  readonly requests: Table<PendingRequest>;
  /** What the transcript of each session said about its messages, by session. */
  readonly rows: Table<RowsRead>;
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

export type PendingCall = Pick<
  EventMap['tool:called'],
  'seq' | 'session_id' | 'agent' | 'time' | 'tool' | 'input' | 'copied'
>;

interface PendingRequest {
  readonly id: string;
  readonly session_id: string | null;
  readonly from: string;
}

export function newReading(): ReadingState {
  return { seq: 0, session_id: null, calls: new Table(), requests: new Table(), rows: new Table() };
}

/** `made` knows which calls have returned, so a copy of a call does not open it again. */
export function noteReading(state: ReadingState, event: Event, made: Calls): void {
  noteCalls(state.calls, event, made);
  const request = requestIn(event);
  if (request !== null && request.request_id !== null && request.from !== null) {
    const { request_id: id, from } = request;
    state.requests.set(keyOf(event.session_id, id), { id, session_id: event.session_id, from });
  }
  noteRows(state.rows, event);
  state.seq = Math.max(state.seq, event.seq);
  // Records of an unknown kind do not change the session of the records after them.
  if (event.event !== 'unknown') state.session_id = event.session_id;
}

function noteCalls(calls: ReadingState['calls'], event: Event, made: Calls): void {
  if (event.event === 'tool:called') {
    const { tool_use_id: id, seq, session_id, agent, time, tool, input, copied } = event;
    if (id !== null && !calls.has(id) && (made.endOf(id) & is.returned) === 0)
      calls.set(id, { seq, session_id, agent, time, tool, input, copied });
  } else if (event.event === 'tool:returned') calls.delete(event.tool_use_id ?? '');
  else if (event.event === 'session:changed') for (const id of textsOf(event.tool_use_ids) ?? []) calls.delete(id);
}

function noteRows(rows: ReadingState['rows'], event: Event): void {
  const { session_id, source = '', time } = event;
  const key = session_id ?? '';
  const found = rows.get(key);
  const known = found?.source === source ? found : { ...noRows, source };
  const change = (next: Partial<RowsRead>) => rows.set(key, { ...known, ...next });
  switch (event.event) {
    case 'session:changed':
      if (known.opened === null && known.spoke === null && time !== null) change({ opened: time });
      return;
    case 'usage:recorded':
      if (event.transcript && event.copied !== true && isLeadId(event.agent))
        change(time === null || time < (known.spoke ?? '') ? {} : { spoke: time, stopped: event.stop_reason ?? null });
      return;
    case 'usage:reported':
      return change({ reported: event });
    case 'turn:started':
      if (known.reported !== null || known.stopped !== null) change({ reported: null, stopped: null });
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
