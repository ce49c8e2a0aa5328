// Messages as they happen: a row for each, written as soon as nothing that is still to come can change who sent it.
import type { Event } from '../event/event.js';
import { type AgentsState, noAgents, reduceAgents, scopeOf } from '../state/agents.js';
import {
  addOther,
  addSighting,
  type MessagesState,
  messageIn,
  noMessages,
  type Sighting,
  sightingIn,
} from '../state/messages.js';
import { type JoinedMessage, joinMessages, teamOf } from '../state/messages-join.js';
import { initialState, reducerOf, type State, settle } from '../state/reduce.js';
import { Table } from '../state/table.js';
import { type MessageRow, type MessageText, noText, receivedRow, senderOf, sentRow, settledRow } from './message.js';

export interface Timeline {
  /** What the whole input comes to, where nothing is written before its end; null where rows are written as they come. */
  readonly whole: State | null;
  readonly agents: AgentsState;
  readonly messages: MessagesState;
  /** What is said in messages that are not written yet. */
  readonly texts: Table<MessageText>;
  /** Calls that came back from an agent nobody has named so far, by agent. */
  readonly waiting: Table<Waiting>;
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
    texts: new Table(),
    waiting: new Table(),
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
