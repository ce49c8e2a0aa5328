import type { Event, Message } from '../../core/event/event.js';
import { type AgentsState, noAgents, reduceAgents, scopeOf } from '../../core/state/agents.js';
import { agentNamed, leadSession, type ResolvedAgent, resolveAgent, teamOf } from '../../core/state/directory.js';
import { commonName, compare, getOrCreate, type Place } from '../../core/state/order.js';
import { initialState, reducerOf, type State, settle } from '../reduce.js';
import { type MessagesState, messageIn, noMessages, reduceMessages, type Sighting, sightingIn } from './fold.js';
import { isTeamLead, type JoinedMessage, joinMessages, nameOf } from './join.js';
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

/** A message as its row shows it, and as it was seen. */
export interface SettledMessage extends JoinedMessage {
  readonly row: MessageRow;
}

/** Messages with everything the whole input says of them, but for their words, which no state keeps. */
export function settledMessages(messages: MessagesState, agents: AgentsState): SettledMessage[] {
  const textOf = () => noText;
  return joinMessages(messages, agents).map((message) => ({ ...message, row: settledRow(message, textOf, agents) }));
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

/** The keys under which messages of an agent may be counted: those of one nobody could tell apart go by its name. */
export function partyKeys({ kind, agent, name }: ResolvedAgent): string[] {
  return kind === 'lead' ? ['lead'] : [`id ${agent}`, `name ${name}`];
}

/** Agents may share a name, but not an id; in hooks every call is the lead's, and only the name tells whose it was. */
function senderKey(agents: AgentsState, told: Sighting): string | null {
  const own = told.via === 'call' && told.agent !== null ? partyKey(agents, told, told.agent) : null;
  if (own?.startsWith('id ')) return own;
  return told.from === null ? own : partyKey(agents, told, told.from);
}

function partyKey(agents: AgentsState, scope: Sighting, who: string): string {
  if (isTeamLead(who)) return 'lead';
  const name = who.split('@')[0] ?? who;
  const known = resolveAgent(agents, scope, who);
  const agent = known.kind === null ? agentNamed(agents, scope, name) : known;
  if (agent === null) return `name ${name}`;
  return agent.kind === 'lead' ? 'lead' : `id ${agent.agent}`;
}

/** What may be asked of messages; an empty list asks nothing. */
export interface MessageQuery {
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** Sent or received by. */
  readonly with: readonly string[];
  readonly type: readonly string[];
  readonly team: string | null;
  readonly session: string | null;
  readonly failed: boolean;
}

export function messageFilter(query: MessageQuery): (row: MessageRow) => boolean {
  const from = oneOf(query.from);
  const to = oneOf(query.to);
  const either = oneOf(query.with);
  return (row) => {
    const sender = row.from === null ? [] : [row.from];
    const receivers = row.to === null ? row.recipients : [row.to, ...row.recipients];
    return (
      from(sender) &&
      to(receivers) &&
      either([...sender, ...receivers]) &&
      (query.type.length === 0 || query.type.includes(row.type)) &&
      (query.team === null || row.team === query.team) &&
      (query.session === null || row.session_id === query.session) &&
      (!query.failed || row.status === 'failed')
    );
  };
}

function oneOf(wanted: readonly string[]): (names: readonly string[]) => boolean {
  const known = new Set(wanted.map(commonName));
  return (names) => known.size === 0 || names.some((name) => known.has(commonName(name)));
}

/** The words of a message, which no state keeps. */
export type MessageText = Pick<Message, 'summary' | 'content' | 'error'>;

const noText: MessageText = { summary: null, content: null, error: null };

type TextOf = (sighting: Sighting) => MessageText;

/** A message with everything the whole input says of it. */
function settledRow(message: JoinedMessage, textOf: TextOf, agents: AgentsState): MessageRow {
  const { call, seen, arrived } = message;
  if (call === null) return receivedRow(message, textOf, agents);
  const row = sentRow(call, textOf(call), agents);
  return call.status === 'failed' ? row : { ...row, ...arrival(seen, arrived ? 'delivered' : call.status) };
}

/** A send as it is known when its call comes back, or never did. */
function sentRow(call: Sighting, text: MessageText, agents: AgentsState): MessageRow {
  const from = senderOf(call, agents).name;
  return rowOf(call, text, agents, { from, to: call.to, recipients: call.recipients.map(named(call, agents)) });
}

/** A message known only from where it arrived. */
function receivedRow({ seen, arrived }: Omit<JoinedMessage, 'call'>, textOf: TextOf, agents: AgentsState): MessageRow {
  const texts = seen.map(textOf);
  // A file of the team says when it was written, the session it came to belongs to somebody.
  const told = seen.find(({ via }) => via === 'inbox') ?? earliestOf(seen);
  const place = seen.find(({ session_id }) => session_id !== null) ?? told;
  const name = named(place, agents);
  const to = seen.find((one) => one.to !== null)?.to ?? null;
  const words = {
    summary: texts.find(({ summary }) => summary !== null)?.summary ?? null,
    content: texts.find(({ content }) => content !== null)?.content ?? null,
    error: null,
  };
  const recipients = to === null ? [] : [name(to)];
  return {
    ...rowOf(told, words, agents, {
      from: told.from === null ? null : name(told.from),
      to: recipients[0] ?? null,
      recipients,
    }),
    session_id: place.session_id ?? leadSession(agents, teamOf(agents, place)),
    team: teamOf(agents, place) ?? teamOf(agents, told),
    ...arrival(seen, arrived ? 'delivered' : 'sent'),
  };
}

interface Sender {
  readonly name: string | null;
  /** Until the agent's name is known it goes by an id, or by a type that a name may yet replace. */
  readonly isKnown: boolean;
  readonly isLead: boolean;
}

function senderOf(call: Sighting, agents: AgentsState): Sender {
  const { from, agent } = call;
  const who = resolveAgent(agents, call, agent);
  if (who.kind === 'lead')
    return { name: from === null || from === 'main' ? who.name : from, isKnown: true, isLead: true };
  // Up to 2.1.140 the meta file of a teammate's turn says its name as a type.
  const type = who.isTurn ? null : who.agent_type;
  const said = from !== null && from !== agent && from !== type;
  return {
    name: said ? from : who.name,
    isKnown: said || who.isNamed,
    isLead: false,
  };
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

function earliestOf(seen: readonly Sighting[]): Sighting {
  return seen.reduce((a, b) => (b.time !== null && (a.time === null || b.time < a.time) ? b : a));
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

/**
 * Messages as they happen: a row for each, written as soon as nothing that is still to come can change who sent it.
 * Settled: everything is written at the end, by time, with what the whole input says of it.
 */
export class Timeline {
  agents: AgentsState = noAgents;
  messages: MessagesState = noMessages;
  /** What is said in messages that are not written yet. */
  readonly texts = new Map<string, MessageText>();
  /** Calls that came back from an agent nobody has named so far, by agent. */
  readonly waiting = new Map<string, Sighting[]>();
  /** What the whole input comes to, where nothing is written before its end; null where rows are written as they come. */
  #whole: State | null;

  constructor({ settled = false } = {}) {
    this.#whole = settled ? initialState : null;
  }

  /** The rows that are due after an event. */
  follow(event: Event): MessageRow[] {
    const { agents, messages } = this;
    if (this.#whole !== null) {
      this.#whole = followMessages(this.#whole, event);
      this.messages = this.#whole.messages;
    } else {
      this.agents = reduceAgents(agents, event);
      this.messages = reduceMessages(messages, event);
    }
    const seen = this.messages === messages ? null : sightingIn(event);
    if (seen !== null) this.texts.set(seen.key, messageIn(event) ?? noText);
    if (this.#whole !== null || (this.agents === agents && seen === null)) return [];
    // A copy of the call in another file says it again.
    const known = messages.sightings.get(seen?.key ?? '');
    if (seen?.via === 'call' && seen.status !== 'open' && (known?.status ?? 'open') === 'open')
      getOrCreate(this.waiting, agentKey(seen, seen.agent), () => []).push(seen);
    return [...idsIn(event)].flatMap((id) => this.#due(agentKey(event, id)));
  }

  /** What is left when the input ends. */
  end(): MessageRow[] {
    const agents = this.#whole === null ? this.agents : settle(this.#whole).agents;
    const textOf = ({ key }: Sighting) => this.texts.get(key) ?? noText;
    const joined = joinMessages(this.messages, agents, { asRead: this.#whole === null });
    if (this.#whole !== null) return inOrder(joined.map((message) => settledRow(message, textOf, agents)));
    const late = new Set([...this.waiting.values()].flat().map(({ key }) => key));
    const rows = (test: (call: Sighting) => boolean) =>
      joined.flatMap(({ call }) => (call !== null && test(call) ? [sentRow(call, textOf(call), agents)] : []));
    return [
      ...rows(({ key }) => late.has(key)),
      ...rows(({ status }) => status === 'open'),
      ...joined.filter(({ call }) => call === null).map((message) => receivedRow(message, textOf, agents)),
    ];
  }

  /** Rows of an agent whose name may be known now. */
  #due(agent: string): MessageRow[] {
    const calls = this.waiting.get(agent) ?? [];
    const ready = calls.filter((call) => isReady(call, this.agents));
    if (ready.length === 0) return [];
    const others = calls.filter((call) => !isReady(call, this.agents));
    if (others.length === 0) this.waiting.delete(agent);
    else this.waiting.set(agent, others);
    return ready.map((call) => {
      const row = sentRow(call, this.texts.get(call.key) ?? noText, this.agents);
      this.texts.delete(call.key);
      return row;
    });
  }
}

const followMessages = reducerOf({ messages: true });

/** By time; a row without one stays behind the row it came after. */
function inOrder(rows: readonly MessageRow[]): MessageRow[] {
  let time = '';
  const timed = rows.map((row) => {
    time = row.time ?? time;
    return { row, time };
  });
  return timed.sort((a, b) => compare(a.time, b.time)).map(({ row }) => row);
}

function agentKey(place: Place, agent: string | null): string {
  return `${scopeOf(place)} ${agent}`;
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

// Messages as they are first seen, sent or received: for people who watch, and do not wait for what the end will tell.

export interface Seen {
  readonly sighting: Sighting;
  readonly text: MessageText;
}

/** An event, and what it did to the state. */
export interface Noted {
  readonly event: Event;
  readonly before: Pick<State, 'messages'>;
  readonly after: Pick<State, 'agents'>;
}

/** To be told every event; the message it shows, if nothing before it showed that. */
export function createMessageNews(): (step: Noted) => Seen | null {
  const once = new MessageOnce();
  return ({ event, before, after }) => {
    const sighting = event.event.startsWith('team:message:') ? sightingIn(event) : null;
    if (sighting === null) return null;
    const known = before.messages.sightings.get(sighting.key);
    const isRepeated = known !== undefined && known.status !== 'open';
    if (isRepeated || !once.isNews(sighting, after.agents)) return null;
    return { sighting, text: messageIn(event) ?? noText };
  };
}

/** With the names known now. */
export function seenRow({ sighting, text }: Seen, agents: AgentsState): MessageRow {
  if (sighting.via === 'call') return sentRow(sighting, text, agents);
  return receivedRow({ seen: [sighting], arrived: false }, () => text, agents);
}

/**
 * Tells, as they come, whether a sighting shows a message that was not shown yet. Each way to see messages shows each
 * of them once: of sightings that are alike, only those beyond the longest count so far are news.
 */
export class MessageOnce {
  readonly #alike = new Map<string, Alike>();

  isNews(sighting: Sighting, agents: AgentsState): boolean {
    const { type, from, agent, body, to, via, approve } = sighting;
    const isBroadcast = type === 'broadcast';
    // A broadcast reaches everybody as a message.
    const key = [isBroadcast ? 'message' : type, nameOf(agents, sighting, from ?? agent), approve, body].join(' ');
    const alike = getOrCreate(this.#alike, key, () => ({ ways: new Map(), shown: new Map(), nameless: 0 }));
    const recipient = isBroadcast ? everybody : nameOf(agents, sighting, to);
    const way = `${via} ${recipient}`;
    const seen = (alike.ways.get(way) ?? 0) + 1;
    alike.ways.set(way, seen);
    if (!isBroadcast && via !== 'call' && to === agent && resolveAgent(agents, sighting, to).kind === null)
      return isNewsForNobody(alike, seen);
    const broadcasts = isBroadcast ? 0 : (alike.shown.get(everybody) ?? 0);
    const shown = alike.shown.get(recipient) ?? 0;
    if (seen <= shown + broadcasts) return false;
    const arrived = isBroadcast && sighting.recipients.some((who) => alike.shown.has(nameOf(agents, sighting, who)));
    alike.shown.set(recipient, shown + 1);
    if (alike.nameless === 0) return !arrived;
    alike.nameless = isBroadcast ? 0 : alike.nameless - 1;
    return false;
  }
}

interface Alike {
  /** How often it was seen on each way, for each recipient. */
  readonly ways: Map<string, number>;
  /** How many messages that are for each recipient. */
  readonly shown: Map<string, number>;
  /** Messages that were shown when nobody knew yet whose turn it was that got them. */
  nameless: number;
}

const everybody = '*';

/** Until its name is known, a recipient goes by the id of its turn: any message that is alike may be the one. */
function isNewsForNobody(alike: Alike, seen: number): boolean {
  const known = [...alike.shown.values()].reduce((sum, count) => sum + count, alike.nameless);
  if (seen <= known) return false;
  alike.nameless++;
  return true;
}
