// Findings about messages: what became of them, and of the requests among them.

import type { Event, EventMap, Message } from '../../core/event/event.js';
import { resolveAgent, scopeOf } from '../../core/state/agents.js';
import { digest, keyOf, type Place } from '../../core/state/keys.js';
import { groupBy, latest } from '../../core/state/order.js';
import { PersistentMap } from '../../core/state/persistent-map.js';
import { callFindings, said, tooFast } from '../audit/calls.js';
import { type Facts, isBefore, type Spot, spotKey, spotOf } from '../audit/fold.js';
import { excess, limits, type RuleName } from '../audit/row.js';
import { type FindingRow, finding, findingAt, type HomeOf, isLead, plainName, type Roster } from '../audit/rows.js';
import type { Step } from '../teams/audit.js';
import { messageIn, type Sighting, sightingIn } from './fold.js';
import type { JoinedMessage } from './join.js';
import type { MessageRow } from './rows.js';

export function messageFindings(
  facts: Facts,
  homeOf: HomeOf,
  messages: readonly AuditedMessage[],
  roster: Roster,
): FindingRow[] {
  const deliveryOf = deliveries(facts, homeOf);
  return [
    ...callFindings(facts, 'messages'),
    ...messages.flatMap((message) => fate(message, roster, deliveryOf(message))),
    ...requestFindings(facts, homeOf),
    ...messages.flatMap((message) => longTexts(facts, message)),
    ...broadcastRates(facts, homeOf),
  ];
}

/** What became of a message that the program took. */
function fate(message: AuditedMessage, roster: Roster, delivery: Delivery): FindingRow[] {
  const { row, call } = message;
  if (row.status === 'failed' || row.status === 'open') return [];
  const place = call ?? message.seen.find(({ session_id }) => session_id !== null) ?? message.seen[0] ?? row;
  if (row.to !== null && row.status === 'sent' && roster.isComplete(place) && !roster.knows(place, row.to)) {
    const detail = `no agent in the team is called ${row.to}${call === null ? '' : ', but the call succeeded'}`;
    return [about('unknown_recipient', row, { agent: row.from, detail })];
  }
  return [
    ...delivery.missed.map(({ who, why }) =>
      about('undelivered', row, { agent: who, detail: `${row.type} from ${row.from} to ${who} ${why}` }),
    ),
    ...delivery.repeated.map(({ who, times }) =>
      about('delivered_twice', row, {
        agent: who,
        detail: `${row.type} from ${row.from} to ${who} arrived ${times} times`,
      }),
    ),
  ];
}

function about(rule: RuleName, row: MessageRow, own: Pick<FindingRow, 'agent' | 'detail'>): FindingRow {
  return findingAt(rule, row, { tool_use_id: row.tool_use_id, ...own });
}

/** However often it was seen. */
function longTexts({ audit }: Facts, { call, seen, row }: AuditedMessage): FindingRow[] {
  const sightings: readonly Sighting[] = call === null ? seen : [call, ...seen];
  const long = sightings.map(({ key }) => audit.messages.long.get(key)).find((found) => found !== undefined);
  const agent = row.from;
  const { content = null, summary = null } = long ?? {};
  return [
    ...(content === null ? [] : [about('long_message', row, { agent, detail: said(content, limits.messageContent) })]),
    ...(summary === null ? [] : [about('long_summary', row, { agent, detail: said(summary, limits.messageSummary) })]),
  ];
}

function broadcastRates({ agents, audit }: Facts, homeOf: HomeOf): FindingRow[] {
  const sent = audit.calls.values().filter(({ type, outcome }) => type === 'broadcast' && outcome === 'ok');
  return [...groupBy(sent, homeOf).values()]
    .flatMap((group) => tooFast(group, limits.broadcastRate))
    .map(({ at, detail }) => finding(agents, 'broadcast_rate', at, { tool_use_id: at.id, detail }));
}

// Whether a message arrived, as far as anybody can see.

/** A message as its row shows it, and as it was seen. */
export interface AuditedMessage extends JoinedMessage {
  readonly row: MessageRow;
}

export interface Delivery {
  /** Who did not get it, and how that can be told. */
  readonly missed: readonly { readonly who: string; readonly why: string }[];
  readonly repeated: readonly { readonly who: string; readonly times: number }[];
}

export function deliveries({ agents, audit }: Facts, homeOf: HomeOf): (message: AuditedMessage) => Delivery {
  const { arrivals, listeners, prompts } = audit.messages;
  const nameOf = (place: Place, who: string) => {
    const found = resolveAgent(agents, place, who);
    return isLead(who) || found.kind === 'lead' ? 'main' : plainName(found.name);
  };
  const heard = groupBy(
    listeners.values().filter(({ hears }) => hears),
    (one) => keyOf(homeOf(one), nameOf(one, one.agent ?? 'main')),
  );

  return (message) => {
    const { call, seen, row } = message;
    const sent = call ?? seen[0];
    const place = sent ?? row;
    const bySight = groupBy(seen, (sighting) => nameOf(sighting, sighting.to ?? ''));
    const names = [...new Set(row.recipients.map((who) => nameOf(place, who)))];
    const isPrompt = [call, ...seen].some((sighting) => sighting !== null && prompts.has(sighting.body));
    const missed = names.flatMap((name) => {
      const later = (heard.get(keyOf(homeOf(place), name)) ?? []).filter((one) => sent && goesOn(one, sent));
      const why = reason(bySight.get(name) ?? [], later, row.type);
      return why === null || isPrompt || message.arrived ? [] : [{ who: shown(row, name), why }];
    });
    const repeated = [...bySight].flatMap(([name, sightings]) => {
      const times = new Set(sightings.flatMap(({ key }) => arrivals.get(key) ?? [])).size;
      return times > 1 ? [{ who: shown(row, name), times }] : [];
    });
    return { missed, repeated };
  };
}

/**
 * How it can be told that a message did not arrive; null where it did, or nobody can tell. `later` are conversations of its
 * recipient that went on after it was sent: what was sent after the end of one may still have come.
 */
function reason(sightings: readonly Sighting[], later: readonly Listener[], type: string): string | null {
  if (sightings.some(({ via, status }) => via === 'envelope' && status === 'delivered')) return null;
  // The program acts upon an answer by itself: it need not be read, nor show in a conversation.
  if (type.endsWith('_response')) return null;
  if (sightings.some(({ status }) => status === 'delivered'))
    return type === 'message' && later.some(({ transcript }) => transcript)
      ? 'was marked as read, but is not in its conversation'
      : null;
  if (sightings.length > 0) return 'has not been read';
  return later.length > 0 ? 'is not in its conversation' : null;
}

/** By time or, where that does not tell, by place in one file. */
function goesOn({ lastTime, lastLine, source }: Listener, sent: Sighting): boolean {
  if (sent.time !== null && lastTime !== null && lastTime !== sent.time) return lastTime > sent.time;
  return (source ?? '') === sent.source && lastLine > (sent.line ?? 0);
}

/** The lead is called what the message calls it. */
function shown({ to, recipients }: MessageRow, name: string): string {
  return name === 'main' ? ([to, ...recipients].find((who) => who !== null && isLead(who)) ?? name) : name;
}

// Requests to shut down or to approve a plan, and whether anybody answered.

export function requestFindings({ agents, audit }: Facts, homeOf: HomeOf): FindingRow[] {
  const { requests, answers } = audit.messages;
  const nameAt = (spot: Pick<Spot, 'session_id' | 'team'>, who: string) =>
    keyOf(homeOf(spot), isLead(who) ? 'main' : plainName(resolveAgent(agents, spot, who).name));
  const byAgent = groupBy(answers.values(), (answer) => keyOf(answer.kind, nameAt(answer, answer.from ?? 'main')));
  const ends = groupBy(
    audit.members.steps.values().filter(({ to }) => to === 'gone'),
    (step: Step) => nameAt(step, step.agent ?? 'main'),
  );
  const deleted = groupBy(audit.members.deleted.values(), (spot) => homeOf({ ...spot, team: spot.name }));

  function isAnswered(request: Request): boolean {
    if (request.id !== null && answers.has(request.id)) return true;
    // Some results do not say which id the request was given.
    const same = byAgent.get(keyOf(request.kind, nameAt(request, request.to ?? 'main'))) ?? [];
    return request.id === null && same.some((answer) => isBefore(request, answer));
  }

  /** Nobody waits any more: the agent that was to leave is gone, or the one that wanted to know, or the whole team. */
  function isOver(request: Request): boolean {
    const who = request.kind === 'shutdown' ? request.to : request.from;
    const ended = [...(ends.get(nameAt(request, who ?? 'main')) ?? []), ...(deleted.get(homeOf(request)) ?? [])];
    return ended.some((end) => isBefore(request, end));
  }

  return requests
    .values()
    .filter((request) => !isAnswered(request) && !isOver(request))
    .map((request) => {
      const what = request.kind === 'shutdown' ? 'the request to shut down' : 'the request to approve a plan';
      const which = request.id === null ? '' : ` (${request.id})`;
      return finding(agents, 'unanswered_request', request, {
        agent: request.to === null ? null : resolveAgent(agents, request, request.to).name,
        tool_use_id: request.tool_use_id,
        detail: `${what} has no answer${which}`,
      });
    });
}

// What joins of messages do not keep: repeated arrivals, whose arrivals can be seen at all, requests and their answers.

export interface MessagesLog {
  /** Key of a sighting → when it reached a conversation, each time once. */
  readonly arrivals: PersistentMap<readonly string[]>;
  /** Conversations, by agent and file. */
  readonly listeners: PersistentMap<Listener>;
  /** Digests of prompts: a message may arrive as one. */
  readonly prompts: PersistentMap<true>;
  /** Key of a sighting → characters, where there are too many. */
  readonly long: PersistentMap<{ readonly content: number | null; readonly summary: number | null }>;
  readonly requests: PersistentMap<Request>;
  readonly answers: PersistentMap<Answer>;
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
  arrivals: new PersistentMap(),
  listeners: new PersistentMap(),
  prompts: new PersistentMap(),
  long: new PersistentMap(),
  requests: new PersistentMap(),
  answers: new PersistentMap(),
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
