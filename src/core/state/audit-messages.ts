// What joins of messages do not keep: repeated arrivals, whose arrivals can be seen at all, requests and their answers.
import type { Event, EventMap, Message } from '../event/event.js';
import { scopeOf } from './agents.js';
import { excess, limits } from './audit-limits.js';
import { type Spot, spotKey, spotOf } from './audit-spot.js';
import { digest } from './digest.js';
import { messageIn, sightingIn } from './messages.js';
import { Table } from './table.js';
import { keyOf } from './tasks-place.js';
import { latest } from './time.js';

export interface MessagesLog {
  /** Key of a sighting → when it reached a conversation, each time once. */
  readonly arrivals: Table<readonly string[]>;
  /** Conversations, by agent and file. */
  readonly listeners: Table<Listener>;
  /** Digests of prompts: a message may arrive as one. */
  readonly prompts: Table<true>;
  /** Key of a sighting → characters, where there are too many. */
  readonly long: Table<{ readonly content: number | null; readonly summary: number | null }>;
  readonly requests: Table<Request>;
  readonly answers: Table<Answer>;
}

/** The conversation of an agent in one file. */
export interface Listener extends Spot {
  /** It shows what arrives: its transcript does always, a stream sometimes. */
  readonly hears: boolean;
  readonly transcript: boolean;
  /** How far it goes. */
  readonly lastTime: string | null;
  readonly lastLine: number;
}

export interface Request extends Spot {
  readonly kind: 'shutdown' | 'plan';
  readonly id: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly tool_use_id: string | null;
}

export interface Answer extends Spot {
  readonly kind: Request['kind'];
  /** Of the request it answers. */
  readonly id: string | null;
  readonly from: string | null;
}

export const noMessagesLog: MessagesLog = {
  arrivals: new Table(),
  listeners: new Table(),
  prompts: new Table(),
  long: new Table(),
  requests: new Table(),
  answers: new Table(),
};

export function reduceMessagesLog(log: MessagesLog, event: Event, at: string | null): MessagesLog {
  const spot = spotOf(event, at);
  switch (event.event) {
    case 'usage:recorded':
      return listened(log, spot, { hears: event.transcript, transcript: event.transcript });
    case 'text:produced':
    case 'tool:returned':
      return listened(log, spot, silent);
    case 'prompt:received':
      return prompted(listened(log, spot, silent), event.text);
    case 'agent:started':
      return prompted(log, event.prompt);
    case 'tool:called': {
      const next = listened(log, spot, silent);
      return event.message === null ? next : answeredBy(measured(next, event), spot, event.message);
    }
    case 'team:message:sent':
    case 'team:message:failed':
      return requestedBy(measured(log, event), event, spot);
    case 'team:message:received':
      return requestedBy(arrived(measured(log, event), event, spot), event, spot);
    case 'team:shutdown:requested':
      return requested(log, spot, { ...event, kind: 'shutdown' });
    case 'team:plan:requested':
      // Elsewhere the message itself says more.
      return event.tool_use_id === null ? log : requested(log, spot, { ...event, kind: 'plan' });
    case 'team:shutdown:response':
      return answered(log, spot, 'shutdown', event);
    case 'team:plan:resolved':
      return answered(log, spot, 'plan', event);
    default:
      return log;
  }
}

/** A conversation goes on, whether it shows what arrives or not. */
const silent = { hears: false, transcript: false };

function arrived(log: MessagesLog, event: EventMap['team:message:received'], spot: Spot): MessagesLog {
  // A file of the team shows what was read, not what came of it.
  if (event.session_id === null || event.tool_use_id !== null) return log;
  const heard = listened(log, spot, { hears: true, transcript: false });
  const key = sightingIn(event)?.key;
  const when = event.message.delivered_at;
  // Without its time, a delivery cannot be told from a copy of it.
  if (key === undefined || when === null) return heard;
  const times = log.arrivals.get(key) ?? [];
  return times.includes(when) ? heard : { ...heard, arrivals: log.arrivals.set(key, [...times, when]) };
}

function listened(
  log: MessagesLog,
  spot: Spot,
  { hears, transcript }: Pick<Listener, 'hears' | 'transcript'>,
): MessagesLog {
  const key = keyOf(scopeOf(spot), spot.agent, spot.source);
  const known = log.listeners.get(key);
  const next = {
    ...(known ?? spot),
    hears: hears || (known?.hears ?? false),
    transcript: transcript || (known?.transcript ?? false),
    lastTime: latest(known?.lastTime ?? null, spot.at),
    lastLine: Math.max(known?.lastLine ?? 0, spot.line ?? 0),
  };
  const isSame =
    known !== undefined &&
    known.hears === next.hears &&
    known.transcript === next.transcript &&
    known.lastTime === next.lastTime &&
    known.lastLine === next.lastLine;
  return isSame ? log : { ...log, listeners: log.listeners.set(key, next) };
}

function prompted(log: MessagesLog, text: string | null): MessagesLog {
  const said = text?.trim() ?? '';
  if (said === '') return log;
  const prompts = log.prompts.set(digest(said), true);
  return prompts === log.prompts ? log : { ...log, prompts };
}

function measured(log: MessagesLog, event: Event): MessagesLog {
  const message = messageIn(event);
  const content = excess(message?.content ?? null, limits.messageContent);
  const summary = excess(message?.summary ?? null, limits.messageSummary);
  if (content === null && summary === null) return log;
  const key = sightingIn(event)?.key;
  return key === undefined || log.long.has(key) ? log : { ...log, long: log.long.set(key, { content, summary }) };
}

/** A request that is known from where it arrived. */
function requestedBy(log: MessagesLog, event: MessageSeen, spot: Spot): MessagesLog {
  const { message, tool_use_id } = event;
  const kind = kinds.get(message.type);
  if (tool_use_id !== null || message.request_id === null || kind === undefined) return log;
  // Whoever read it in a file answered elsewhere, if at all.
  if (event.session_id === null && message.status === 'delivered') return log;
  return requested(log, spot, { ...message, kind });
}
const kinds: ReadonlyMap<string, Request['kind']> = new Map([
  ['shutdown_request', 'shutdown'],
  ['plan_approval_request', 'plan'],
]);

type MessageSeen = EventMap['team:message:sent' | 'team:message:received' | 'team:message:failed'];

function requested(
  log: MessagesLog,
  spot: Spot,
  { request_id: id, kind, from, to, tool_use_id }: Omit<Request, keyof Spot | 'id'> & Pick<Message, 'request_id'>,
): MessagesLog {
  const key = id ?? (tool_use_id === null ? null : `call ${tool_use_id}`);
  if (key === null) return log;
  const known = log.requests.get(key);
  // Whoever sent it says more of it than where it arrived.
  if (known !== undefined && (known.tool_use_id !== null || tool_use_id === null)) return log;
  return { ...log, requests: log.requests.set(key, { ...spot, kind, id, from, to, tool_use_id }) };
}

/** An agent that exits with its approval never sees the result of that call. */
function answeredBy(log: MessagesLog, spot: Spot, message: Message): MessagesLog {
  if (message.type === 'shutdown_response') return answered(log, spot, 'shutdown', message);
  return message.type === 'plan_approval_response' ? answered(log, spot, 'plan', message) : log;
}

function answered(
  log: MessagesLog,
  spot: Spot,
  kind: Request['kind'],
  { request_id: id, from }: Pick<Message, 'request_id' | 'from'>,
): MessagesLog {
  const key = id ?? keyOf(scopeOf(spot), kind, from, spotKey(spot));
  return log.answers.has(key) ? log : { ...log, answers: log.answers.set(key, { ...spot, kind, id, from }) };
}
