// Keeps where messages were seen: the calls that send them, and the queues, inboxes and conversations they reach.
import type { Event, Message } from '../event/event.js';
import { textsOf } from '../record/json.js';
import { scopeOf } from './agents.js';
import { digest, earliest } from './order.js';
import { Table } from './table.js';

/** What is needed to join the sightings of a message. It keeps no texts. */
export interface MessagesState {
  /** In the order in which they were first seen. */
  readonly sightings: Table<Sighting>;
  /** Calls that were retracted, by id. */
  readonly retracted: Table<true>;
  /** Calls that started an agent, or resumed it with a message, by id. */
  readonly starts: Table<true>;
}

export interface Sighting extends Omit<Message, 'summary' | 'content' | 'error'> {
  readonly key: string;
  readonly via: Via;
  readonly session_id: string | null;
  readonly team: string | null;
  readonly agent: string | null;
  readonly time: string | null;
  readonly line: number | null;
  readonly source: string;
  readonly seq: number;
  /** When its call was made; null if unknown. */
  readonly called: string | null;
  /** Its number among equal messages of one record, from 1. */
  readonly nth: number;
  /** A digest of the content, for comparison. */
  readonly body: string;
}

export function newMessages(): MessagesState {
  return { sightings: new Table(), retracted: new Table(), starts: new Table() };
}

export function noteMessages(state: MessagesState, event: Event): void {
  switch (event.event) {
    case 'tool:called':
    case 'team:message:sent':
    case 'team:message:received':
    case 'team:message:failed': {
      const seen = sightingIn(event);
      return seen === null ? undefined : noteSighting(state, seen);
    }
    case 'agent:started':
      if (event.tool_use_id !== null) state.starts.set(event.tool_use_id, true);
      return;
    case 'session:changed':
      if (event.subtype === 'retracted') for (const id of textsOf(event.tool_use_ids) ?? []) retract(state, id);
  }
}

/** The message an event shows; null if it shows none. */
export function sightingIn(event: Event): Sighting | null {
  const whole = messageIn(event);
  if (whole === null || !isMessageEvent(event)) return null;
  const body = bodyOf(whole.content?.trim() ?? '');
  const via = viaOf(event);
  const key = sendKey(event, whole, via, body);
  // A call without an id looks the same as its copies, and its result cannot be found.
  if (key === null) return null;
  // Field by field, because a spread takes ten times as long.
  return {
    key,
    via,
    session_id: event.session_id,
    team: event.team,
    agent: event.agent,
    time: event.time,
    line: event.line,
    source: event.source ?? '',
    seq: event.seq,
    called: event.event === 'tool:called' ? event.time : null,
    nth: nthOf(event),
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

export function messageIn(event: Event): Message | null {
  return isMessageEvent(event) ? event.message : null;
}

/** Where it was seen: in the call that sends it, the recipient's queue, the recipient's conversation, or a team file. */
type Via = 'call' | 'queue' | 'envelope' | 'inbox';

type MessageEvent = Event & {
  event: 'tool:called' | 'team:message:sent' | 'team:message:received' | 'team:message:failed';
};

export function noteSighting({ sightings, retracted }: MessagesState, seen: Sighting): void {
  if (seen.status === 'open' && retracted.has(seen.tool_use_id ?? '')) return;
  const known = sightings.get(seen.key);
  sightings.set(seen.key, known === undefined ? seen : joinSightings(known, seen));
}

/** A retracted call sends nothing. */
export function retract({ sightings, retracted }: MessagesState, id: string): void {
  retracted.set(id, true);
  if (sightings.get(`call ${id}`)?.status === 'open') sightings.delete(`call ${id}`);
}

// Keeps the last digest: a call and its result show the same message, usually one after the other.
let digested = { text: '', body: digest('') };

function bodyOf(text: string): string {
  if (text !== digested.text) digested = { text, body: digest(text) };
  return digested.body;
}

function isMessageEvent(event: Event): event is MessageEvent {
  return event.event === 'tool:called' || event.event.startsWith('team:message:');
}

function viaOf(event: MessageEvent): Via {
  if (event.tool_use_id !== null || event.event === 'team:message:failed' || event.event === 'tool:called')
    return 'call';
  // Team files do not name a session.
  if (event.session_id === null) return 'inbox';
  return event.event === 'team:message:received' ? 'envelope' : 'queue';
}

/** Copies of a sighting have the same key. Entries of inboxes and queues have no id, but have a time or the same line. */
function sendKey(event: MessageEvent, message: Message, via: Via, body: string): string | null {
  if (event.tool_use_id !== null) return `call ${event.tool_use_id}`;
  if (event.event === 'tool:called') return null;
  const when = event.time ?? (event.session_id === null ? '' : `#${event.line ?? event.seq}`);
  const { type, from, to, request_id, approve } = message;
  return [via, scopeOf(event), type, from, to, request_id, approve, body, when, nthOf(event)].join(' ');
}

function nthOf(event: MessageEvent): number {
  return 'nth' in event ? (event.nth ?? 1) : 1;
}

/**
 * Joins two records or copies of one sighting. The more advanced status is used, then the order of session and source,
 * so that the reading order does not matter. Returns `a` itself if `b` adds nothing new.
 */
function joinSightings(a: Sighting, b: Sighting): Sighting {
  const [main, other] = isAhead(b, a) ? [b, a] : [a, b];
  // The call says when it was made, its result when the message was sent.
  const time = stepOf(main) === stepOf(other) ? earliest(main.time, other.time) : main.time;
  const delivered_at = earliest(main.delivered_at, other.delivered_at);
  const called = earliest(main.called, other.called);
  const request_id = main.request_id ?? other.request_id;
  const isSame =
    time === main.time &&
    delivered_at === main.delivered_at &&
    called === main.called &&
    request_id === main.request_id;
  return isSame ? main : { ...main, time, delivered_at, called, request_id };
}

function isAhead(a: Sighting, b: Sighting): boolean {
  if (stepOf(a) !== stepOf(b)) return stepOf(a) > stepOf(b);
  if (a.session_id !== b.session_id) return (a.session_id ?? '') < (b.session_id ?? '');
  return a.source === b.source ? false : a.source < b.source;
}

function stepOf({ status }: Pick<Sighting, 'status'>): number {
  return statuses[status].step;
}

/** What a status means. Everybody asks here, so the compiler asks a new status. */
const statuses: Readonly<
  Record<Sighting['status'], { step: number; fate: 'unknown' | 'under way' | 'arrived' | 'lost' }>
> = {
  // The call never returned.
  open: { step: 0, fate: 'unknown' },
  sent: { step: 1, fate: 'under way' },
  failed: { step: 1, fate: 'lost' },
  delivered: { step: 2, fate: 'arrived' },
};

/** Whether it will not arrive. */
export function isLost({ status }: Pick<Sighting, 'status'>): boolean {
  return statuses[status].fate === 'lost';
}

/** The status of a message after all its sightings; `otherwise` if none of them shows that it arrived or was lost. */
export function furthest(seen: readonly Pick<Sighting, 'status'>[], otherwise: Sighting['status']): Sighting['status'] {
  const over = seen.filter(({ status }) => ['arrived', 'lost'].includes(statuses[status].fate));
  return over.reduce((a, b) => (stepOf(b) > stepOf(a) ? b : a), over[0] ?? { status: otherwise }).status;
}

/** Whether it is on its way or has arrived. */
export function isSent({ status }: Pick<Sighting, 'status'>): boolean {
  const { fate } = statuses[status];
  return fate === 'under way' || fate === 'arrived';
}
