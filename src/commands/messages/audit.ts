// Findings about messages: deliveries, long texts, requests and rates.
import type { Event, EventMap, Message } from '../../core/event/event.js';
import { getOrCreate } from '../../core/record/json.js';
import { scopeOf } from '../../core/tables/agents.js';
import type { Directory } from '../../core/tables/directory.js';
import {
  commonName,
  digest,
  groupBy,
  isLeadName,
  keyOf,
  latest,
  type Place,
  plainName,
} from '../../core/tables/order.js';
import { messageIn, type Sighting, sightingIn } from '../../core/tables/sends.js';
import type { Facts } from '../audit/audit.js';
import { isEarlierSpot, type Spot, spotKey } from '../audit/fold.js';
import { excess, type RuleName, rules } from '../audit/row.js';
import { type FindingRow, finding, findingAt, limitText, type Roster, tooFast } from '../audit/rows.js';
import type { MessageRow, SettledMessage } from './rows.js';

type MessagesLog = ReturnType<typeof newMessagesLog>;

/** What the state of messages does not keep: repeated arrivals, conversations that show arrivals, requests and answers. */
export function newMessagesLog() {
  return {
    /** When a message reached a conversation, by the key of its sighting. */
    arrivals: new Map<string, Set<string>>(),
    /** Conversations, by agent and file. */
    listeners: new Map<string, Listener>(),
    /** Digests of prompts, because a message may arrive as a prompt. */
    prompts: new Set<string>(),
    /** Lengths above the limit in characters, by the key of the sighting. */
    long: new Map<string, { readonly content: number | null; readonly summary: number | null }>(),
    requests: new Map<string, Request>(),
    answers: new Map<string, Answer>(),
  };
}

export function noteMessages(log: MessagesLog, event: Event, spot: Spot): void {
  switch (event.event) {
    case 'usage:recorded':
      return noteListener(log, spot, { hears: event.transcript, transcript: event.transcript });
    case 'text:produced':
    case 'tool:returned':
      return noteListener(log, spot);
    case 'prompt:received':
      noteListener(log, spot);
      return notePrompt(log, event.text);
    case 'agent:started':
      return notePrompt(log, event.prompt);
    case 'tool:called': {
      noteListener(log, spot);
      noteLength(log, event);
      // An agent that approves its shutdown exits before that call returns.
      const kind = answerKinds.get(event.message?.type);
      if (event.message !== null && kind !== undefined) noteAnswer(log, spot, kind, event.message);
      return;
    }
    case 'team:message:sent':
    case 'team:message:failed':
    case 'team:message:received':
      noteLength(log, event);
      if (event.event === 'team:message:received') noteArrival(log, event, spot);
      return noteSeenRequest(log, event, spot);
    case 'team:shutdown:requested':
      return noteRequest(log, spot, 'shutdown', event);
    case 'team:plan:requested':
      // Without a call, the message itself says more.
      if (event.tool_use_id !== null) noteRequest(log, spot, 'plan', event);
      return;
    case 'team:shutdown:response':
      return noteAnswer(log, spot, 'shutdown', event);
    case 'team:plan:resolved':
      return noteAnswer(log, spot, 'plan', event);
  }
}

export function messageFindings(
  facts: Facts,
  directory: Directory,
  messages: readonly SettledMessage[],
  roster: Roster,
): FindingRow[] {
  const deliveryOf = deliveries(facts, directory);
  return [
    ...messages.flatMap((message) => deliveryFindings(message, roster, deliveryOf)),
    ...messages.flatMap((message) => longTexts(facts, message)),
    ...unansweredRequests(facts, directory),
    ...broadcastRates(facts, directory),
  ];
}

/** The conversation of an agent in one file. */
export interface Listener extends Spot {
  /** Whether it shows arriving messages: a transcript always does, a stream sometimes. */
  hears: boolean;
  transcript: boolean;
  /** Its last known record. */
  lastTime: string | null;
  lastLine: number;
}

export interface Answer extends Spot {
  readonly kind: 'shutdown' | 'plan';
  readonly id: string | null;
  readonly from: string | null;
}

export interface Request extends Answer {
  readonly to: string | null;
  readonly tool_use_id: string | null;
}

const requestKinds: ReadonlyMap<string, Request['kind']> = new Map([
  ['shutdown_request', 'shutdown'],
  ['plan_approval_request', 'plan'],
]);
const answerKinds: ReadonlyMap<string | undefined, Answer['kind']> = new Map([
  ['shutdown_response', 'shutdown'],
  ['plan_approval_response', 'plan'],
]);

/** Notes that a conversation continues, whether it shows arriving messages or not. */
function noteListener(log: MessagesLog, spot: Spot, { hears = false, transcript = false } = {}): void {
  const listener = getOrCreate(log.listeners, keyOf(scopeOf(spot), spot.agent, spot.source), () => ({
    ...spot,
    ...{ hears, transcript, lastTime: null, lastLine: 0 },
  }));
  listener.hears ||= hears;
  listener.transcript ||= transcript;
  listener.lastTime = latest(listener.lastTime, spot.at);
  listener.lastLine = Math.max(listener.lastLine, spot.line ?? 0);
}

function notePrompt({ prompts }: MessagesLog, text: string | null): void {
  const said = text?.trim() ?? '';
  if (said !== '') prompts.add(digest(said));
}

function noteLength({ long }: MessagesLog, event: Event): void {
  const message = messageIn(event);
  const content = excess(message?.content ?? null, rules.long_message);
  const summary = excess(message?.summary ?? null, rules.long_summary);
  if (content === null && summary === null) return;
  const key = sightingIn(event)?.key;
  if (key !== undefined) getOrCreate(long, key, () => ({ content, summary }));
}

function noteArrival(log: MessagesLog, event: EventMap['team:message:received'], spot: Spot): void {
  // A team file shows that a message was read, not that it reached a conversation.
  if (event.session_id === null || event.tool_use_id !== null) return;
  noteListener(log, spot, { hears: true });
  const key = sightingIn(event)?.key;
  const when = event.message.delivered_at;
  // Without a time, a delivery looks the same as a copy of its record.
  if (key !== undefined && when !== null) getOrCreate(log.arrivals, key, () => new Set()).add(when);
}

type MessageSeen = EventMap['team:message:sent' | 'team:message:received' | 'team:message:failed'];

/** Notes a request that is known from its arrival. */
function noteSeenRequest(log: MessagesLog, event: MessageSeen, spot: Spot): void {
  const { message, tool_use_id } = event;
  const kind = requestKinds.get(message.type);
  if (tool_use_id !== null || message.request_id === null || kind === undefined) return;
  // An agent that read it in a file answers elsewhere.
  if (event.session_id === null && message.status === 'delivered') return;
  noteRequest(log, spot, kind, message);
}

function noteRequest(
  { requests }: MessagesLog,
  spot: Spot,
  kind: Request['kind'],
  { request_id: id, from, to, tool_use_id }: Pick<Message, 'request_id' | 'from' | 'to' | 'tool_use_id'>,
): void {
  const key = id ?? (tool_use_id === null ? null : `call ${tool_use_id}`);
  if (key === null) return;
  const known = requests.get(key);
  // The call that sent it says more than its arrival.
  if (known !== undefined && (known.tool_use_id !== null || tool_use_id === null)) return;
  requests.set(key, { ...spot, kind, id, from, to, tool_use_id });
}

function noteAnswer(
  { answers }: MessagesLog,
  spot: Spot,
  kind: Answer['kind'],
  { request_id: id, from }: Pick<Message, 'request_id' | 'from'>,
): void {
  const key = id ?? keyOf(scopeOf(spot), kind, from, spotKey(spot));
  getOrCreate(answers, key, () => ({ ...spot, kind, id, from }));
}

/** What says that a message of this status went wrong: the failed or open call, which has a finding, or its delivery. */
const saidBy: Readonly<Record<MessageRow['status'], 'call' | 'delivery'>> = {
  open: 'call',
  failed: 'call',
  sent: 'delivery',
  delivered: 'delivery',
};

/** Checks the delivery of a message that Claude Code accepted. */
function deliveryFindings(
  message: SettledMessage,
  roster: Roster,
  deliveryOf: (message: SettledMessage) => Delivery,
): FindingRow[] {
  const { row, call, seen } = message;
  const { type, from, to, status } = row;
  if (saidBy[status] === 'call') return [];
  const place = call ?? seen.find(({ session_id }) => session_id !== null) ?? seen[0] ?? row;
  if (to !== null && status === 'sent' && roster.isComplete(place) && !roster.knowsAgent(place, to)) {
    const detail = `no agent in the team is called ${to}${call === null ? '' : ', but the call succeeded'}`;
    return [about('unknown_recipient', row, from, detail)];
  }
  const { missed, repeated } = deliveryOf(message);
  return [
    ...missed.map(({ who, why }) => ({
      ...about('undelivered', row, who, `${type} from ${from} to ${who} ${why}`),
      // Nobody has to read that an agent is idle.
      ...(type === 'idle_notification' && { severity: 'note' as const }),
    })),
    ...repeated.map(({ who, times }) =>
      about('delivered_twice', row, who, `${type} from ${from} to ${who} arrived ${times} times`),
    ),
  ];
}

function about(rule: RuleName, row: MessageRow, agent: string | null, detail: string): FindingRow {
  return findingAt(rule, row, { tool_use_id: row.tool_use_id, agent, detail });
}

interface Delivery {
  /** The agents that did not get it, and how the input shows that. */
  readonly missed: readonly { readonly who: string; readonly why: string }[];
  readonly repeated: readonly { readonly who: string; readonly times: number }[];
}

/** Finds out whether a message arrived, as far as the input shows it. */
function deliveries({ audit }: Facts, directory: Directory): (message: SettledMessage) => Delivery {
  const { arrivals, listeners, prompts } = audit.messages;
  const recipientName = (place: Place, who: string) => {
    const found = directory.agent(place, who);
    return isLeadName(who) || found.kind === 'lead' ? 'main' : plainName(found.name);
  };
  const heard = groupBy(
    [...listeners.values()].filter(({ hears }) => hears),
    (one) => keyOf(directory.homeOf(one), recipientName(one, one.agent ?? 'main')),
  );

  return ({ call, seen, row, arrived }) => {
    const sent = call ?? seen[0];
    const place = sent ?? row;
    const bySight = groupBy(seen, (sighting) => recipientName(sighting, sighting.to ?? ''));
    const names = [...new Set(row.recipients.map((who) => recipientName(place, who)))];
    const isPrompt = [call, ...seen].some((sighting) => sighting !== null && prompts.has(sighting.body));
    const missed = names.flatMap((name) => {
      const later = (heard.get(keyOf(directory.homeOf(place), name)) ?? []).filter(
        (one) => sent && continuesAfter(one, sent),
      );
      const why = undeliveredReason(bySight.get(name) ?? [], later, row.type);
      return why === null || isPrompt || arrived ? [] : [{ who: shownRecipient(row, name), why }];
    });
    const repeated = [...bySight].flatMap(([name, sightings]) => {
      const times = new Set(sightings.flatMap(({ key }) => [...(arrivals.get(key) ?? [])])).size;
      return times > 1 ? [{ who: shownRecipient(row, name), times }] : [];
    });
    return { missed, repeated };
  };
}

/**
 * How the input shows that a message did not arrive; null if it arrived or the input does not show it. `later` are the
 * recipient's conversations that continue after it was sent: after their end it may have arrived unseen.
 */
function undeliveredReason(sightings: readonly Sighting[], later: readonly Listener[], type: string): string | null {
  if (sightings.some(({ via, status }) => via === 'envelope' && status === 'delivered')) return null;
  // Claude Code handles an answer itself, so the answer need not be read or appear in a conversation.
  if (type.endsWith('_response')) return null;
  if (sightings.some(({ status }) => status === 'delivered'))
    return type === 'message' && later.some(({ transcript }) => transcript)
      ? 'was marked as read, but is not in its conversation'
      : null;
  if (sightings.length > 0) return 'has not been read';
  return later.length > 0 ? 'is not in its conversation' : null;
}

/** Whether a conversation continues after a message was sent: by time, else by line in the same file. */
function continuesAfter({ lastTime, lastLine, source }: Listener, sent: Sighting): boolean {
  if (sent.time !== null && lastTime !== null && lastTime !== sent.time) return lastTime > sent.time;
  return (source ?? '') === sent.source && lastLine > (sent.line ?? 0);
}

/** The name of a recipient. For the lead, the name the message uses. */
function shownRecipient({ to, recipients }: MessageRow, name: string): string {
  return name === 'main' ? ([to, ...recipients].find((who) => who !== null && isLeadName(who)) ?? name) : name;
}

/** One finding per long text, however often it was seen. */
function longTexts({ audit }: Facts, { call, seen, row }: SettledMessage): FindingRow[] {
  const sightings: readonly Sighting[] = call === null ? seen : [call, ...seen];
  const long = sightings.map(({ key }) => audit.messages.long.get(key)).find((found) => found !== undefined);
  const { content = null, summary = null } = long ?? {};
  return [
    ...(content === null ? [] : [about('long_message', row, row.from, limitText(content, rules.long_message))]),
    ...(summary === null ? [] : [about('long_summary', row, row.from, limitText(summary, rules.long_summary))]),
  ];
}

/** Requests to shut down or to approve a plan that have no answer. */
function unansweredRequests({ agents, audit }: Facts, directory: Directory): FindingRow[] {
  const { requests, answers } = audit.messages;
  const nameAt = (place: Place, who: string | null) => {
    const name = commonName(who ?? 'main');
    return keyOf(directory.homeOf(place), name === 'main' ? name : plainName(directory.agent(place, who).name));
  };
  const byAgent = groupBy(answers.values(), (answer) => keyOf(answer.kind, nameAt(answer, answer.from)));
  const ends = groupBy(
    [...audit.members.steps.values()].filter(({ to }) => to === 'gone'),
    (step) => nameAt(step, step.agent),
  );
  const deleted = groupBy(audit.members.deleted.values(), (spot) => directory.homeOf({ ...spot, team: spot.name }));

  function isAnswered(request: Request): boolean {
    if (request.id !== null) return answers.has(request.id);
    // Some results do not give the id of the request.
    const same = byAgent.get(keyOf(request.kind, nameAt(request, request.to))) ?? [];
    return same.some((answer) => isEarlierSpot(request, answer));
  }

  /** Whether nobody waits any more: the agent that should leave, the one that asked, or the whole team is gone. */
  function isOver(request: Request): boolean {
    const who = request.kind === 'shutdown' ? request.to : request.from;
    const ended = [...(ends.get(nameAt(request, who)) ?? []), ...(deleted.get(directory.homeOf(request)) ?? [])];
    return ended.some((end) => isEarlierSpot(request, end));
  }

  const open = [...requests.values()].filter((request) => !isAnswered(request) && !isOver(request));
  return open.map((request) => {
    const { kind, id, to, tool_use_id } = request;
    const what = kind === 'shutdown' ? 'the request to shut down' : 'the request to approve a plan';
    return finding(agents, 'unanswered_request', request, {
      agent: to === null ? null : directory.agent(request, to).name,
      tool_use_id,
      detail: `${what} has no answer${id === null ? '' : ` (${id})`}`,
    });
  });
}

function broadcastRates({ agents, audit }: Facts, directory: Directory): FindingRow[] {
  const sent = [...audit.calls.values()].filter(({ type, outcome }) => type === 'broadcast' && outcome === 'ok');
  return [...groupBy(sent, (call) => directory.homeOf(call)).values()]
    .flatMap((group) => tooFast(group, rules.broadcast_rate))
    .map(({ at, detail }) => finding(agents, 'broadcast_rate', at, { tool_use_id: at.id, detail }));
}
