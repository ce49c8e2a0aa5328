import type { Event, Message } from '../../core/event/event.js';
import {
  type AgentsState,
  agentNamed,
  entryKey,
  leadSession,
  noAgents,
  type ResolvedAgent,
  reduceAgents,
  resolveAgent,
  scopeOf,
} from '../../core/state/agents.js';
import { PersistentMap } from '../../core/state/persistent-map.js';
import { initialState, reducerOf, type State, settle } from '../reduce.js';
import { addOther, addSighting, type MessagesState, messageIn, noMessages, type Sighting, sightingIn } from './fold.js';
import { type JoinedMessage, joinMessages, teamOf } from './join.js';
import type { MessageRow } from './row.js';

/** The types a program of any version gives; others are kept as they are spelled. */
export const messageTypes = [
  'message',
  'broadcast',
  'shutdown_request',
  'shutdown_response',
  'plan_approval_request',
  'plan_approval_response',
  'idle_notification',
  'task_assignment',
] as const;

export type { MessageRow } from './row.js';

/** The words of a message, which no state keeps. */
export type MessageText = Pick<Message, 'summary' | 'content' | 'error'>;

export const noText: MessageText = { summary: null, content: null, error: null };

/** A send as it is known when its call comes back, or never did. */
export function sentRow(call: Sighting, text: MessageText, agents: AgentsState): MessageRow {
  const from = senderOf(call, agents).name;
  return rowOf(call, text, agents, { from, to: call.to, recipients: call.recipients.map(named(call, agents)) });
}

/** A message known only from where it arrived. */
export function receivedRow(
  { seen, arrived }: Omit<JoinedMessage, 'call'>,
  textOf: TextOf,
  agents: AgentsState,
): MessageRow {
  const texts = seen.map(textOf);
  // A file of the team says when it was written, the session it came to belongs to somebody.
  const told = seen.find(({ via }) => via === 'inbox') ?? earliest(seen);
  const place = seen.find(({ session_id }) => session_id !== null) ?? told;
  const name = named(place, agents);
  const from = told.from === null ? null : name(told.from);
  const to = seen.find((one) => one.to !== null)?.to ?? null;
  const words = {
    summary: texts.find(({ summary }) => summary !== null)?.summary ?? null,
    content: texts.find(({ content }) => content !== null)?.content ?? null,
    error: null,
  };
  return {
    ...rowOf(told, words, agents, {
      from,
      to: to === null ? null : name(to),
      recipients: to === null ? [] : [name(to)],
    }),
    session_id: place.session_id ?? leadSession(agents, teamOf(agents, place)),
    team: teamOf(agents, place) ?? teamOf(agents, told),
    ...arrival(seen, arrived ? 'delivered' : 'sent'),
  };
}

/** A message with everything the whole input says of it. */
export function settledRow(message: JoinedMessage, textOf: TextOf, agents: AgentsState): MessageRow {
  const { call, seen, arrived } = message;
  if (call === null) return receivedRow(message, textOf, agents);
  const row = sentRow(call, textOf(call), agents);
  return call.status === 'failed' ? row : { ...row, ...arrival(seen, arrived ? 'delivered' : call.status) };
}

export type TextOf = (sighting: Sighting) => MessageText;

export interface Sender {
  readonly name: string | null;
  /** Until the agent's name is known it goes by an id, or by a type that a name may yet replace. */
  readonly isKnown: boolean;
  readonly isLead: boolean;
}

export function senderOf(call: Sighting, agents: AgentsState): Sender {
  const { from, agent } = call;
  const who = resolveAgent(agents, call, agent);
  if (who.kind === 'lead')
    return { name: from === null || from === 'main' ? who.name : from, isKnown: true, isLead: true };
  const entry = agents.entries.get(entryKey(agents, scopeOf(call), agent ?? ''));
  // Up to 2.1.140 the meta file of a teammate's turn says its name as a type.
  const type = entry?.turnOnly ? null : (entry?.agent_type ?? null);
  const said = from !== null && from !== agent && from !== type;
  return {
    name: said ? from : who.name,
    isKnown: said || (entry?.name ?? entry?.description ?? null) !== null,
    isLead: false,
  };
}

/** The agents a message went between, by keys that all names and ids of an agent share. */
export function partiesOf({ call, seen }: JoinedMessage, agents: AgentsState): { from: string | null; to: string[] } {
  const told = call ?? seen[0];
  if (told === undefined) return { from: null, to: [] };
  const reached = call === null ? seen.flatMap(({ to }) => to ?? []) : call.recipients;
  return {
    from: senderKey(agents, told),
    to: [...new Set(reached.map((who) => partyKey(agents, told, who)))],
  };
}

/** Agents may share a name, but not an id; in hooks every call is the lead's, and only the name tells whose it was. */
function senderKey(agents: AgentsState, told: Sighting): string | null {
  const own = told.via === 'call' && told.agent !== null ? partyKey(agents, told, told.agent) : null;
  if (own?.startsWith('id ')) return own;
  return told.from === null ? own : partyKey(agents, told, told.from);
}

function partyKey(agents: AgentsState, scope: Sighting, who: string): string {
  if (who === 'team-lead' || who.startsWith('team-lead@')) return 'lead';
  const name = who.split('@')[0] ?? who;
  const known = resolveAgent(agents, scope, who);
  const agent = known.kind === null ? agentNamed(agents, scope, name) : known;
  if (agent === null) return `name ${name}`;
  return agent.kind === 'lead' ? 'lead' : `id ${agent.agent}`;
}

/** The keys under which messages of an agent may be counted: those of one nobody could tell apart go by its name. */
export function partyKeys({ kind, agent, name }: ResolvedAgent): string[] {
  return kind === 'lead' ? ['lead'] : [`id ${agent}`, `name ${name}`];
}

function rowOf(
  seen: Sighting,
  { summary, content, error }: MessageText,
  agents: AgentsState,
  { from, to, recipients }: Pick<MessageRow, 'from' | 'to' | 'recipients'>,
): MessageRow {
  return {
    time: seen.time,
    session_id: seen.session_id,
    team: teamOf(agents, seen),
    type: seen.type,
    from,
    to,
    recipients,
    summary,
    content,
    request_id: seen.request_id,
    approve: seen.approve,
    status: seen.status,
    error,
    error_code: seen.error_code,
    delivered_at: seen.delivered_at,
    tool_use_id: seen.tool_use_id,
    line: seen.line,
  };
}

/** Names for ids; the lead keeps the name it is called by. */
function named(scope: Sighting, agents: AgentsState): (who: string) => string {
  return (who) => {
    if (who === 'team-lead') return who;
    const { name } = resolveAgent(agents, scope, who);
    return name === who ? (who.split('@')[0] ?? who) : name;
  };
}

function earliest(seen: readonly Sighting[]): Sighting {
  const first = seen.reduce((a, b) => (b.time !== null && (a.time === null || b.time < a.time) ? b : a));
  return first;
}

/** An entry nobody read and a place in a queue are not yet a delivery. */
function arrival(
  seen: readonly Sighting[],
  otherwise: Sighting['status'],
): Pick<MessageRow, 'status' | 'delivered_at'> {
  const arrived = seen.filter(({ status }) => status === 'delivered');
  const times = arrived.flatMap(({ delivered_at }) => delivered_at ?? []).sort();
  return { status: arrived.length > 0 ? 'delivered' : otherwise, delivered_at: times[0] ?? null };
}

// Messages as they happen: a row for each, written as soon as nothing that is still to come can change who sent it.

export interface Timeline {
  /** What the whole input comes to, where nothing is written before its end; null where rows are written as they come. */
  readonly whole: State | null;
  readonly agents: AgentsState;
  readonly messages: MessagesState;
  /** What is said in messages that are not written yet. */
  readonly texts: PersistentMap<MessageText>;
  /** Calls that came back from an agent nobody has named so far, by agent. */
  readonly waiting: PersistentMap<Waiting>;
}

interface Waiting {
  readonly call: Sighting;
  readonly before: Waiting | null;
}

/** Settled: everything is written at the end, by time, with what the whole input says of it. */
export function startTimeline(settled = false): Timeline {
  return {
    whole: settled ? initialState : null,
    agents: noAgents,
    messages: noMessages,
    texts: new PersistentMap(),
    waiting: new PersistentMap(),
  };
}

/** The timeline after an event, and the rows that are due. */
export function followTimeline(before: Timeline, event: Event): [Timeline, readonly MessageRow[]] {
  if (before.whole !== null) return [{ ...before, ...followWhole(before, before.whole, event) }, []];
  const agents = reduceAgents(before.agents, event);
  const sighting = sightingIn(event);
  const messages = sighting === null ? addOther(before.messages, event) : addSighting(before.messages, sighting);
  if (agents === before.agents && messages === before.messages) return [before, []];
  const seen = messages === before.messages ? null : sighting;
  let timeline: Timeline = { ...before, agents, messages };
  if (seen !== null) timeline = { ...timeline, texts: timeline.texts.set(seen.key, messageIn(event) ?? noText) };
  // A copy of the call in another file says it again.
  const known = before.messages.sightings.get(seen?.key ?? '');
  if (seen?.via === 'call' && seen.status !== 'open' && (known?.status ?? 'open') === 'open')
    timeline = wait(timeline, seen);
  return agents === before.agents && seen === null ? [timeline, []] : due(timeline, event);
}

const followMessages = reducerOf({ messages: true });

function followWhole({ texts }: Timeline, before: State, event: Event): Pick<Timeline, 'whole' | 'messages' | 'texts'> {
  const whole = followMessages(before, event);
  const { messages } = whole;
  const key = messages === before.messages ? undefined : sightingIn(event)?.key;
  return { whole, messages, texts: key === undefined ? texts : texts.set(key, messageIn(event) ?? noText) };
}

/** What is left when the input ends. */
export function endTimeline(timeline: Timeline): MessageRow[] {
  const { texts, messages, waiting } = timeline;
  const agents = timeline.whole === null ? timeline.agents : settle(timeline.whole).agents;
  const textOf = ({ key }: Sighting) => texts.get(key) ?? noText;
  const joined = joinMessages(messages, agents, { asRead: timeline.whole === null });
  if (timeline.whole !== null) return inOrder(joined.map((message) => settledRow(message, textOf, agents)));
  const late = new Set(
    waiting
      .values()
      .flatMap(listed)
      .map(({ key }) => key),
  );
  const rows = (test: (message: JoinedMessage) => boolean) =>
    joined
      .filter(test)
      .map((message) =>
        message.call === null
          ? receivedRow(message, textOf, agents)
          : sentRow(message.call, textOf(message.call), agents),
      );
  return [
    ...rows(({ call }) => call !== null && late.has(call.key)),
    ...rows(({ call }) => call?.status === 'open'),
    ...rows(({ call }) => call === null),
  ];
}

/** By time; a row without one stays behind the row it came after. */
function inOrder(rows: readonly MessageRow[]): MessageRow[] {
  let time = '';
  const timed = rows.map((row) => {
    time = row.time ?? time;
    return { row, time };
  });
  return timed.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)).map(({ row }) => row);
}

function wait(timeline: Timeline, call: Sighting): Timeline {
  const agent = agentKey(call, call.agent);
  return { ...timeline, waiting: timeline.waiting.set(agent, { call, before: timeline.waiting.get(agent) ?? null }) };
}

function agentKey(scope: { session_id: string | null; team: string | null }, agent: string | null): string {
  return `${scopeOf(scope)} ${agent}`;
}

/** Rows of the agents this event speaks of, whose names may be known now. */
function due(timeline: Timeline, event: Event): [Timeline, MessageRow[]] {
  let { waiting, texts } = timeline;
  const rows: MessageRow[] = [];
  for (const id of idsIn(event)) {
    const agent = agentKey(event, id);
    const calls = listed(waiting.get(agent) ?? null);
    if (calls.length === 0) continue;
    waiting = waiting.delete(agent);
    for (const call of calls) {
      if (isReady(call, timeline.agents)) {
        rows.push(sentRow(call, texts.get(call.key) ?? noText, timeline.agents));
        texts = texts.delete(call.key);
      } else waiting = waiting.set(agent, { call, before: waiting.get(agent) ?? null });
    }
  }
  return [rows.length === 0 ? timeline : { ...timeline, waiting, texts }, rows];
}

function listed(last: Waiting | null): Sighting[] {
  const calls: Sighting[] = [];
  for (let at = last; at !== null; at = at.before) calls.push(at.call);
  return calls.reverse();
}

function idsIn(event: Event): Set<string | null> {
  const ids = new Set([event.agent]);
  if (event.event === 'agent:started')
    for (const id of [event.tool_use_id, event.task_id, event.continues]) ids.add(id);
  if (event.event === 'team:member:joined') ids.add(event.member.agent_id);
  return ids;
}

/** An agent that is not the lead is in a team, whose name may stand in a file that is yet to be read. */
function isReady(call: Sighting, agents: AgentsState): boolean {
  const { isKnown, isLead } = senderOf(call, agents);
  return isKnown && (isLead || call.session_id === null || teamOf(agents, call) !== null);
}
