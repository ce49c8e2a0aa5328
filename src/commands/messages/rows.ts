// Makes the rows of the messages command, at the end or while a stream is being read.
import type { Event, Message } from '../../core/event/event.js';
import { getOrCreate } from '../../core/record/json.js';
import { type AgentsState, newAgents, noteAgents, scopeOf } from '../../core/tables/agents.js';
import { agentNamed, type ResolvedAgent, resolveAgent, teamOf } from '../../core/tables/directory.js';
import { commonName, compare, type Place } from '../../core/tables/order.js';
import { newState, reducerOf, type State } from '../../core/tables/reduce.js';
import {
  furthest,
  isLost,
  type MessagesState,
  messageIn,
  newMessages,
  noteMessages,
  type Sighting,
  sightingIn,
} from '../../core/tables/sends.js';
import { versionOf } from '../../core/tables/table.js';
import { agentBehind, isTeamLead, type JoinedMessage, joinMessages, leadSessionOf, sharedName } from './join.js';
import type { MessageRow } from './row.js';

/** The types of all versions of Claude Code. Other types are kept as they are. */
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

/** A message with its row and its sightings. */
export interface SettledMessage extends JoinedMessage {
  readonly row: MessageRow;
}

/** The messages of the whole input, without texts, because no state keeps them. */
export function settledMessages(messages: MessagesState, agents: AgentsState): SettledMessage[] {
  return joinMessages(messages, agents).map((message) => ({
    ...message,
    row: settledRow(message, () => noText, agents),
  }));
}

/** The sender and recipients of a message, by keys that all names and ids of an agent share. */
export function partiesOf({ call, seen }: JoinedMessage, agents: AgentsState): { from: string | null; to: string[] } {
  const told = call ?? seen[0];
  if (told === undefined) return { from: null, to: [] };
  const reached = call === null ? seen.flatMap(({ to }) => to ?? []) : call.recipients;
  return {
    from: senderKey(agents, told),
    to: [...new Set(reached.map((who) => partyKey(agents, told, who)))],
  };
}

/** The keys under which messages of an agent may be counted. If its id is unknown, they are counted by name. */
export function partyKeys({ kind, agent, name }: ResolvedAgent): string[] {
  return kind === 'lead' ? ['lead'] : [`id ${agent}`, `name ${name}`];
}

/** The filters for messages. An empty list filters nothing. */
export interface MessageQuery {
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** Sent by or to one of these. */
  readonly with: readonly string[];
  readonly type: readonly string[];
  readonly team: string | null;
  readonly failed: boolean;
}

export function messageFilter(query: MessageQuery): (row: MessageRow) => boolean {
  const from = isOneOf(query.from);
  const to = isOneOf(query.to);
  const either = isOneOf(query.with);
  return (row) => {
    const sender = row.from === null ? [] : [row.from];
    const receivers = receiversOf(row);
    return (
      from(sender) &&
      to(receivers) &&
      either([...sender, ...receivers]) &&
      (query.type.length === 0 || query.type.includes(row.type)) &&
      (query.team === null || row.team === query.team) &&
      (!query.failed || isLost(row))
    );
  };
}

export function receiversOf({ to, recipients }: MessageRow): readonly string[] {
  return to === null ? recipients : [to, ...recipients];
}

/** The texts of a message, which no state keeps. */
export type MessageText = Pick<Message, 'summary' | 'content' | 'error'>;

/**
 * Makes a row for each message as soon as no later event can change its sender. Settled: makes all rows at the end,
 * ordered by time, with everything the input says.
 */
export class Timeline {
  readonly agents: AgentsState = newAgents();
  readonly messages: MessagesState;
  /** The texts of messages that have no row yet. */
  readonly texts = new Map<string, MessageText>();
  /** Returned calls of agents whose name is unknown, by agent. */
  readonly waiting = new Map<string, Sighting[]>();
  /** The state of the whole input if settled, else null. */
  readonly #whole: State | null;

  constructor({ settled = false } = {}) {
    this.#whole = settled ? newState() : null;
    this.messages = this.#whole?.messages ?? newMessages();
  }

  get known(): AgentsState {
    return this.#whole === null ? this.agents : this.#whole.agents;
  }

  /** The rows that are due after an event. */
  follow(event: Event): MessageRow[] {
    const { agents, messages } = this;
    const shown = sightingIn(event);
    const known = messages.sightings.get(shown?.key ?? '');
    const [ofAgents, ofMessages] = [versionOf(agents), versionOf(messages)];
    if (this.#whole !== null) followMessages(this.#whole, event);
    else {
      noteAgents(agents, event);
      noteMessages(messages, event);
    }
    const seen = versionOf(messages) === ofMessages ? null : shown;
    if (seen !== null) {
      const { summary, content, error } = messageIn(event) ?? noText;
      this.texts.set(seen.key, { summary, content, error });
    }
    if (this.#whole !== null || (versionOf(agents) === ofAgents && seen === null)) return [];
    // A copy of the call in another file does not make a second row.
    if (seen?.via === 'call' && seen.status !== 'open' && (known?.status ?? 'open') === 'open')
      getOrCreate(this.waiting, agentKey(seen, seen.agent), () => []).push(seen);
    return [...idsIn(event)].flatMap((id) => this.#due(agentKey(event, id)));
  }

  /** The remaining rows at the end of the input. */
  end(): MessageRow[] {
    const agents = this.#whole === null ? this.agents : followMessages.settle(this.#whole).agents;
    const messageTextOf = ({ key }: Sighting) => this.texts.get(key) ?? noText;
    if (this.#whole !== null)
      return orderedByTime(joinMessages(this.messages, agents).map((one) => settledRow(one, messageTextOf, agents)));
    const late = new Set([...this.waiting.values()].flat().map(({ key }) => key));
    const sightings = this.messages.sightings.values();
    // Where nothing arrived, nothing is joined, and most calls have their rows.
    const joined = sightings.every(({ via }) => via === 'call')
      ? sightings
          .filter(({ key, status }) => late.has(key) || status === 'open')
          .sort((a, b) => a.seq - b.seq)
          .map((call) => ({ call, seen: [], arrived: false }))
      : joinMessages(this.messages, agents, { asRead: true });
    const rows = (test: (call: Sighting) => boolean) =>
      joined.flatMap(({ call }) => (call !== null && test(call) ? [sentRow(call, messageTextOf(call), agents)] : []));
    return [
      ...rows(({ key }) => late.has(key)),
      ...rows(({ status }) => status === 'open'),
      ...joined.filter(({ call }) => call === null).map((message) => receivedRow(message, messageTextOf, agents)),
    ];
  }

  /** The rows of an agent whose name may be known now. */
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

/** By time. A row without a time stays after the row before it. */
export function orderedByTime(rows: readonly MessageRow[]): MessageRow[] {
  let time = '';
  const timed = rows.map((row) => {
    time = row.time ?? time;
    return { row, time };
  });
  return timed.sort((a, b) => compare(a.time, b.time)).map(({ row }) => row);
}

/** A message when it is first seen, sent or received, for live views that do not wait for the end. */
export interface SeenMessage {
  readonly sighting: Sighting;
  readonly text: MessageText;
}

/** Takes every event before and after it changes the tables. */
export class MessageNews {
  readonly #once = new MessageDeduplicator();
  #shown: Sighting | null = null;

  before(event: Event, { sightings }: MessagesState): void {
    const shown = event.event.startsWith('team:message:') ? sightingIn(event) : null;
    const isRepeated = (sightings.get(shown?.key ?? '')?.status ?? 'open') !== 'open';
    this.#shown = isRepeated ? null : shown;
  }

  /** The message of the event, if no earlier event showed it. */
  after(event: Event, agents: AgentsState): SeenMessage | null {
    const sighting = this.#shown;
    if (sighting === null || !this.#once.isNews(sighting, agents)) return null;
    return { sighting, text: messageIn(event) ?? noText };
  }
}

/** The row, with the names known so far. */
export function seenRow({ sighting, text }: SeenMessage, agents: AgentsState): MessageRow {
  if (sighting.via === 'call') return sentRow(sighting, text, agents);
  return receivedRow({ seen: [sighting], arrived: false }, () => text, agents);
}

/**
 * Decides whether a sighting shows a new message. Each channel shows each message once. So of similar sightings, only
 * those beyond the highest count of any channel are new.
 */
export class MessageDeduplicator {
  readonly #alike = new Map<string, Alike>();

  isNews(sighting: Sighting, agents: AgentsState): boolean {
    const { type, from, agent, body, to, via, approve } = sighting;
    const isBroadcast = type === 'broadcast';
    // A broadcast reaches everybody as a message.
    const key = [isBroadcast ? 'message' : type, sharedName(agents, sighting, from ?? agent), approve, body].join(' ');
    const alike = getOrCreate(this.#alike, key, () => new Alike());
    const recipient = isBroadcast ? everybody : sharedName(agents, sighting, to);
    const channel = `${via} ${recipient}`;
    const seen = (alike.channels.get(channel) ?? 0) + 1;
    alike.channels.set(channel, seen);
    if (!isBroadcast && via !== 'call' && to === agent && resolveAgent(agents, sighting, to).kind === null)
      return isNewsForUnnamed(alike, seen);
    const broadcasts = isBroadcast ? 0 : (alike.shown.get(everybody) ?? 0);
    const shown = alike.shown.get(recipient) ?? 0;
    if (seen <= shown + broadcasts) return false;
    const arrived =
      isBroadcast && sighting.recipients.some((who) => alike.shown.has(sharedName(agents, sighting, who)));
    alike.shown.set(recipient, shown + 1);
    if (alike.nameless === 0) return !arrived;
    alike.nameless = isBroadcast ? 0 : alike.nameless - 1;
    return false;
  }
}

/** Prefers the id, because agents may share a name. In hooks every call has the lead's id, so the name is used. */
function senderKey(agents: AgentsState, told: Sighting): string | null {
  const own = told.via === 'call' && told.agent !== null ? partyKey(agents, told, told.agent) : null;
  if (own?.startsWith('id ')) return own;
  return told.from === null ? own : partyKey(agents, told, told.from);
}

function partyKey(agents: AgentsState, scope: Sighting, who: string): string {
  if (isTeamLead(who)) return 'lead';
  const name = who.split('@')[0] ?? who;
  const known = agentBehind(agents, scope, who);
  const agent = known.kind === null ? agentNamed(agents, scope, name) : known;
  if (agent === null) return `name ${name}`;
  return agent.kind === 'lead' ? 'lead' : `id ${agent.agent}`;
}

function isOneOf(wanted: readonly string[]): (names: readonly string[]) => boolean {
  const known = new Set(wanted.map(commonName));
  return (names) => known.size === 0 || names.some((name) => known.has(commonName(name)));
}

const noText: MessageText = { summary: null, content: null, error: null };

type TextOf = (sighting: Sighting) => MessageText;

/** The row of a message after the whole input. */
function settledRow(message: JoinedMessage, messageTextOf: TextOf, agents: AgentsState): MessageRow {
  const { call, seen, arrived } = message;
  if (call === null) return receivedRow(message, messageTextOf, agents);
  const row = sentRow(call, messageTextOf(call), agents);
  return isLost(call) ? row : { ...row, ...arrival(seen, arrived ? 'delivered' : call.status) };
}

/** The row of a call, when it returns, or at the end if it never did. */
function sentRow(call: Sighting, text: MessageText, agents: AgentsState): MessageRow {
  const recipients = call.recipients.map(agentNamer(call, agents));
  return messageRowOf(call, text, agents, { from: senderOf(call, agents).name, to: call.to, recipients });
}

/** The row of a message known only from its arrival. */
function receivedRow(
  { seen, arrived }: Omit<JoinedMessage, 'call'>,
  messageTextOf: TextOf,
  agents: AgentsState,
): MessageRow {
  const texts = seen.map(messageTextOf);
  // A team file says when the message was written, a session says whose it is.
  const told = seen.find(({ via }) => via === 'inbox') ?? earliestOf(seen);
  const place = seen.find(({ session_id }) => session_id !== null) ?? told;
  const name = agentNamer(place, agents);
  const to = seen.find((one) => one.to !== null)?.to ?? null;
  const words = {
    summary: texts.find(({ summary }) => summary !== null)?.summary ?? null,
    content: texts.find(({ content }) => content !== null)?.content ?? null,
    error: null,
  };
  const recipients = to === null ? [] : [name(to)];
  return {
    ...messageRowOf(told, words, agents, {
      from: told.from === null ? null : name(told.from),
      to: recipients[0] ?? null,
      recipients,
    }),
    session_id: place.session_id ?? leadSessionOf(agents, teamOf(agents, place)),
    team: teamOf(agents, place) ?? teamOf(agents, told),
    ...arrival(seen, arrived ? 'delivered' : 'sent'),
  };
}

interface Sender {
  readonly name: string | null;
  /** False while the agent has only an id, or a type that a name may replace. */
  readonly isKnown: boolean;
  readonly isLead: boolean;
}

function senderOf(call: Sighting, agents: AgentsState): Sender {
  const { from, agent } = call;
  const who = resolveAgent(agents, call, agent);
  if (who.kind === 'lead')
    return { name: from === null || from === 'main' ? who.name : from, isKnown: true, isLead: true };
  // Up to 2.1.140 the meta file of a teammate's turn has its name as the type.
  const type = who.isTurn ? null : who.agent_type;
  const said = from !== null && from !== agent && from !== type;
  return { name: said ? from : who.name, isKnown: said || who.isNamed, isLead: false };
}

function messageRowOf(
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

/** Turns ids into names. The lead keeps the name the message uses. */
function agentNamer(scope: Sighting, agents: AgentsState): (who: string) => string {
  return (who) => {
    if (who === 'team-lead') return who;
    const { name } = agentBehind(agents, scope, who);
    return name === who ? (who.split('@')[0] ?? who) : name;
  };
}

function earliestOf(seen: readonly Sighting[]): Sighting {
  return seen.reduce((a, b) => (b.time !== null && (a.time === null || b.time < a.time) ? b : a));
}

/** An unread entry and a place in a queue are not deliveries. */
function arrival(
  seen: readonly Sighting[],
  otherwise: Sighting['status'],
): Pick<MessageRow, 'status' | 'delivered_at'> {
  const arrived = seen.filter(({ status }) => status === 'delivered');
  const times = arrived.flatMap(({ delivered_at }) => delivered_at ?? []).sort();
  return { status: furthest(seen, otherwise), delivered_at: times[0] ?? null };
}

const followMessages = reducerOf({ messages: true });

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

/** An agent that is not the lead has a team, whose name may come in a later file. */
function isReady(call: Sighting, agents: AgentsState): boolean {
  const { isKnown, isLead } = senderOf(call, agents);
  return isKnown && (isLead || call.session_id === null || teamOf(agents, call) !== null);
}

class Alike {
  /** How often each channel showed it, per recipient. */
  readonly channels = new Map<string, number>();
  /** How many messages these are, per recipient. */
  readonly shown = new Map<string, number>();
  /** Messages shown before the name of their recipient was known. */
  nameless = 0;
}

const everybody = '*';

/** If a recipient's name is unknown, only the id of its turn is known, so any similar message may be the same one. */
function isNewsForUnnamed(alike: Alike, seen: number): boolean {
  const known = [...alike.shown.values()].reduce((sum, count) => sum + count, alike.nameless);
  if (seen <= known) return false;
  alike.nameless++;
  return true;
}
