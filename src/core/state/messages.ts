// Where messages were seen: the calls that send them, and the queues, inboxes and conversations they turn up in.
import type { Event, Message } from '../event/event.js';
import { scopeOf } from './agents.js';
import { digest } from './digest.js';
import { Table } from './table.js';

/** What joining the sightings of one message needs, and no word of what it says: texts stream through. */
export interface MessagesState {
  /** In the order in which they were first seen. */
  readonly sightings: Table<Sighting>;
}

/** The call that sends it, the queue of its recipient, its recipient's conversation, or a file of the team. */
export type Via = 'call' | 'queue' | 'envelope' | 'inbox';

export interface Sighting extends Omit<Message, 'summary' | 'content' | 'error'> {
  readonly key: string;
  readonly via: Via;
  readonly session_id: string | null;
  readonly team: string | null;
  readonly agent: string | null;
  readonly time: string | null;
  readonly line: number | null;
  /** Stands for the content, to compare by. */
  readonly body: string;
}

export type MessageEvent = Event & {
  event: 'tool:called' | 'team:message:sent' | 'team:message:received' | 'team:message:failed';
};

export const noMessages: MessagesState = { sightings: new Table() };

export function reduceMessages(state: MessagesState, event: Event): MessagesState {
  const seen = sightingIn(event);
  return seen === null ? withoutRetracted(state, event) : addSighting(state, seen);
}

/** The same state if the sighting tells nothing new. */
export function addSighting(state: MessagesState, seen: Sighting): MessagesState {
  const known = state.sightings.get(seen.key);
  return known !== undefined && !isNews(known, seen) ? state : { sightings: state.sightings.set(seen.key, seen) };
}

/** A call that was taken back sends nothing. */
export function withoutRetracted(state: MessagesState, event: Event): MessagesState {
  if (event.event !== 'session:changed' || event.subtype !== 'retracted') return state;
  const ids = event['tool_use_ids'];
  if (!Array.isArray(ids)) return state;
  let { sightings } = state;
  for (const id of ids) if (sightings.get(`call ${id}`)?.status === 'open') sightings = sightings.delete(`call ${id}`);
  return sightings === state.sightings ? state : { sightings };
}

/** The message an event shows; null for an event that shows none. */
export function sightingIn(event: Event): Sighting | null {
  const whole = messageIn(event);
  if (whole === null || !isMessageEvent(event)) return null;
  const body = bodyOf(whole.content?.trim() ?? '');
  const via = viaOf(event);
  const key = keyOf(event, whole, via, body);
  // A call without an id cannot be told from its repetition, nor its result found.
  if (key === null) return null;
  // Spelled out, since spreading takes ten times as long.
  return {
    key,
    via,
    session_id: event.session_id,
    team: event.team,
    agent: event.agent,
    time: event.time,
    line: event.line,
    type: whole.type,
    from: whole.from,
    to: whole.to,
    recipients: whole.recipients,
    body,
    request_id: whole.request_id,
    approve: whole.approve,
    status: whole.status,
    error_code: whole.error_code,
    delivered_at: whole.delivered_at,
    tool_use_id: whole.tool_use_id,
  };
}

// A call and its result tell the same message, most often one after the other.
let digested = { text: '', body: digest('') };

function bodyOf(text: string): string {
  if (text !== digested.text) digested = { text, body: digest(text) };
  return digested.body;
}

export function messageIn(event: Event): Message | null {
  return isMessageEvent(event) ? event.message : null;
}

function isMessageEvent(event: Event): event is MessageEvent {
  return event.event === 'tool:called' || event.event.startsWith('team:message:');
}

function viaOf(event: MessageEvent): Via {
  if (event.tool_use_id !== null || event.event === 'team:message:failed' || event.event === 'tool:called')
    return 'call';
  // Files of a team name no session.
  if (event.session_id === null) return 'inbox';
  return event.event === 'team:message:received' ? 'envelope' : 'queue';
}

/** The same sighting again has the same key: entries of inboxes and queues have no id, but a time. */
function keyOf(event: MessageEvent, message: Message, via: Via, body: string): string | null {
  if (event.tool_use_id !== null) return `call ${event.tool_use_id}`;
  if (event.event === 'tool:called') return null;
  const when = event.time ?? (event.session_id === null ? '' : `#${event.seq}`);
  const { type, from, to, request_id } = message;
  return [via, scopeOf(event), type, from, to, request_id, body, when].join(' ');
}

/** A call came back, somebody read what lay in an inbox, or it is said when. */
function isNews(known: Sighting, seen: Sighting): boolean {
  if (known.via === 'call') return known.status === 'open' && seen.status !== 'open';
  return (
    (known.status === 'sent' && seen.status === 'delivered') ||
    (known.delivered_at === null && seen.delivered_at !== null)
  );
}
