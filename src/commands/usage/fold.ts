// What was used, as it was said: one entry per API message and per result. What it comes to is worked out in core/rows.
import type { Event, EventMap } from '../../core/event/event.js';
import type { Tokens } from '../../core/event/usage-row.js';
import { isAgentWork } from '../../core/state/agents.js';
import { keyOf } from '../../core/state/keys.js';
import { PersistentMap } from '../../core/state/persistent-map.js';
import {
  isLead,
  isRepeat,
  type MessageUse,
  mergeUse,
  noOthers,
  type Origin,
  unnamed,
  type Who,
} from './message-use.js';
import { mergeResult, type ResultNews, type ResultUse, resultOf, resultOfRow, resultOfState } from './result-use.js';

export interface UsageState {
  /** By id. */
  readonly messages: PersistentMap<MessageUse>;
  readonly sessions: PersistentMap<SessionUse>;
  /** What messages have in common, kept once: a message then takes few bytes. */
  readonly origins: PersistentMap<Origin>;
  /** Ends of messages, by the id of their record, that found the message they belong to. */
  readonly ends: PersistentMap<string>;
  /** Pairs of sessions that have a message in common, by their keys. */
  readonly shared: PersistentMap<readonly [string, string]>;
  /** Place of the next message or result. */
  readonly next: number;
}

export interface SessionUse {
  readonly session_id: string | null;
  readonly team: string | null;
  /** The turn it is in, by number. */
  readonly turn: number | null;
  /** Turns that began. */
  readonly begun: number;
  /** The conversation was cleared since the last result, and with it what the program counts. */
  readonly reset: boolean;
  readonly results: PersistentMap<ResultUse>;
  /** Agents that were started, by the id they had then; with who they are, where a row read back says so. */
  readonly agents: PersistentMap<Who | null>;
}

export const noUsage: UsageState = {
  messages: new PersistentMap(),
  sessions: new PersistentMap(),
  origins: new PersistentMap(),
  ends: new PersistentMap(),
  shared: new PersistentMap(),
  next: 0,
};

/** The events that change it. */
export const usageEvents = [
  'usage:*',
  'session:ended',
  'session:reset',
  'turn:started',
  'agent:started',
  'team:member:joined',
] as const;

export function reduceUsage(state: UsageState, event: Event): UsageState {
  switch (event.event) {
    case 'usage:recorded':
      return recorded(state, event);
    case 'usage:merged':
      return merged(state, event);
    case 'usage:reported':
      return reportedBy(state, event, resultOfState(event));
    case 'session:ended':
      return ended(state, event);
    case 'turn:started':
      return inSession(state, event, (session) => {
        const { turn } = event;
        if (session.turn === turn) return session;
        // Numbers that begin again are those of a stream that is read after its transcript.
        const begun = turn < (session.turn ?? 0) ? turn : Math.max(session.begun, turn);
        return { ...session, turn, begun };
      });
    case 'session:reset':
      return inSession(state, event, (session) => (session.reset ? session : { ...session, reset: true }));
    case 'agent:started':
      return isAgentWork(event.task_type) && !event.turn_only ? started(state, event, event.agent) : state;
    case 'team:member:joined':
      return event.member.kind === 'teammate' ? started(state, event, event.member.agent_id) : state;
    default:
      return state;
  }
}

export function sessionKey(id: string | null): string {
  return id ?? '';
}

/** How a message is kept. One that nobody gave an id is known by its place in its file and by what it says. */
export function messageKey(event: EventMap['usage:recorded'] | EventMap['usage:merged']): string {
  const said = event.event === 'usage:recorded' ? event : event.row;
  if (said.message_id !== null)
    return said.iteration === null ? said.message_id : `${said.message_id} ${said.iteration}`;
  const { input_tokens, output_tokens, cache_write_5m_tokens, cache_read_tokens } = said;
  const counts = [input_tokens, output_tokens, cache_write_5m_tokens, cache_read_tokens].join(' ');
  return `${unnamed}${event.source ?? ''} ${event.line} ${event.session_id} ${said.agent} ${said.model} ${counts}`;
}
function recorded(state: UsageState, event: EventMap['usage:recorded']): UsageState {
  const key = messageKey(event);
  const known = state.messages.get(key);
  if (known !== undefined && isRepeat(known, event)) return state;
  const { session_id, team, agent, model, speed, inference_geo, iteration_type: iteration } = event;
  const origin: Origin = { session_id, team, agent, model, speed, inference_geo, iteration, who: null };
  const turn = state.sessions.get(sessionKey(session_id))?.turn ?? null;
  const { transcript: row, final } = event;
  return used(state, key, origin, event, { turn, stream: !row, row, final, others: noOthers });
}

function merged(state: UsageState, event: EventMap['usage:merged']): UsageState {
  const { row } = event;
  const { session_id, team, agent, model, speed, inference_geo, iteration_type: iteration, reported } = row;
  if (reported !== null) return reportedBy(state, row, resultOfRow(row, reported));
  const who: Who = { agent, name: row.name, agent_type: row.agent_type, kind: row.kind, team };
  if (row.messages === 0 && row.message_id === null) return started(state, row, agent, who);
  const origin: Origin = { session_id, team, agent, model, speed, inference_geo, iteration, who };
  const stream = row.transcript !== true;
  return used(state, messageKey(event), origin, row, {
    turn: row.turn,
    stream,
    row: row.in_transcript ?? !stream,
    final: row.final === true,
    others: row.also_in.length === 0 ? noOthers : row.also_in.toSorted(),
  });
}

type Said = Tokens & { readonly time: string | null };
type Seen = Pick<MessageUse, 'turn' | 'stream' | 'row' | 'final' | 'others'>;

function used(state: UsageState, id: string, origin: Origin, said: Said, seen: Seen): UsageState {
  if (seen.final && seen.stream && origin.model === null && !id.startsWith(unnamed)) {
    const begun = beginningOf(state, id, origin);
    if (begun !== undefined) {
      const ends = state.ends.has(id) ? state.ends : state.ends.set(id, begun.key);
      return place(ends === state.ends ? state : { ...state, ends }, begun.key, begun.origin, said, seen);
    }
  }
  return place(state, id, origin, said, seen);
}

// Written out field by field: with spreads this takes three times as long, and it runs for every message.
function place(state: UsageState, key: string, origin: Origin, said: Said, seen: Seen): UsageState {
  const known = state.messages.get(key);
  const own = known !== undefined && sameOrigin(known.origin, origin) ? known.origin : sharedOrigin(state, origin);
  const fresh: MessageUse = {
    key,
    origin: own,
    time: said.time,
    turn: seen.turn,
    stream: seen.stream,
    row: seen.row,
    final: seen.final,
    place: state.next,
    others: seen.others,
    input_tokens: count(said.input_tokens),
    output_tokens: count(said.output_tokens),
    cache_write_5m_tokens: count(said.cache_write_5m_tokens),
    cache_write_1h_tokens: count(said.cache_write_1h_tokens),
    cache_read_tokens: count(said.cache_read_tokens),
    web_search_requests: count(said.web_search_requests),
  };
  const message = known === undefined ? fresh : mergeUse(known, fresh);
  if (message === known) return state;
  const isShared = message.origin === own || message.origin === known?.origin;
  const shared = isShared ? message.origin : sharedOrigin(state, message.origin);
  return {
    messages: state.messages.set(key, shared === message.origin ? message : { ...message, origin: shared }),
    sessions: state.sessions,
    origins: isShared && shared !== origin ? state.origins : state.origins.set(originKey(shared), shared),
    ends: state.ends,
    shared: message.others.length === 0 ? state.shared : withPairs(state.shared, message),
    next: message.place === state.next ? state.next + 1 : state.next,
  };
}

/** The session it belongs to, with each that repeats it. */
function withPairs(shared: UsageState['shared'], { origin, others }: MessageUse): UsageState['shared'] {
  const home = sessionKey(origin.session_id);
  return others.reduce((pairs, other) => {
    const [a, b] = home < other ? [home, other] : [other, home];
    const key = keyOf(a, b);
    return pairs.has(key) ? pairs : pairs.set(key, [a, b]);
  }, shared);
}

/** Most messages are of the same origin as the one before: told without making a key of it. */
function sharedOrigin(state: UsageState, origin: Origin): Origin {
  const last = state.messages.findLast(any)?.origin;
  if (last !== undefined && sameOrigin(last, origin)) return last;
  return state.origins.get(originKey(origin)) ?? origin;
}
const any = () => true;

/**
 * The input may be cut in the middle of a message that streams: what comes after the cut is its final usage, without id or
 * model. It belongs to the last message of its agent, if that has no final usage yet.
 */
function beginningOf(
  { messages, ends }: UsageState,
  id: string,
  { session_id, agent, who }: Origin,
): MessageUse | undefined {
  const found = ends.get(id);
  if (found !== undefined) return messages.get(found);
  const isOwn = ({ origin, stream }: MessageUse) =>
    stream &&
    origin.session_id === session_id &&
    (origin.agent === agent || (isLead(origin) && isLead({ agent, who })));
  const last = messages.findLast(isOwn);
  return last === undefined || last.final || last.origin.model === null ? undefined : last;
}

function started(state: UsageState, at: At, agent: string | null, who: Who | null = null): UsageState {
  if (agent === null) return state;
  return inSession(state, at, (session) => {
    const known = session.agents.get(agent);
    const isKnown = known !== undefined && (known !== null || who === null);
    return isKnown ? session : { ...session, agents: session.agents.set(agent, who) };
  });
}

function ended(state: UsageState, event: EventMap['session:ended']): UsageState {
  const session = state.sessions.get(sessionKey(event.session_id));
  return reportedBy(state, event, resultOf(event, session?.reset ?? false));
}

function reportedBy(state: UsageState, at: At, news: ResultNews): UsageState {
  const next = inSession(state, at, (session) => {
    const known = session.results.get(news.key);
    if (known !== undefined) {
      const merged = mergeResult(known, news);
      return merged === known ? session : { ...session, results: session.results.set(news.key, merged) };
    }
    const turn = news.turn === undefined ? session.turn : news.turn;
    const result: ResultUse = { ...news, turn, place: state.next };
    return { ...session, reset: news.state && session.reset, results: session.results.set(news.key, result) };
  });
  return next === state ? state : { ...next, next: state.next + 1 };
}

type At = Pick<Event, 'session_id' | 'team'>;

function inSession(
  state: UsageState,
  { session_id, team }: At,
  change: (session: SessionUse) => SessionUse,
): UsageState {
  const key = sessionKey(session_id);
  const known = state.sessions.get(key);
  const session = known ?? { ...newSession, session_id, team };
  const next = change(session.team === null && team !== null ? { ...session, team } : session);
  return next === known ? state : { ...state, sessions: state.sessions.set(key, next) };
}

const newSession: SessionUse = {
  session_id: null,
  team: null,
  turn: null,
  begun: 0,
  reset: false,
  results: new PersistentMap(),
  agents: new PersistentMap(),
};

/** Events and rows read back may say anything; what is added up is whole and finite. */
function count(said: number): number {
  return said > 0 ? Math.min(Math.round(said), Number.MAX_SAFE_INTEGER) : 0;
}

export function sameOrigin(a: Origin, b: Origin): boolean {
  return (
    a === b ||
    (a.who === b.who &&
      a.session_id === b.session_id &&
      a.team === b.team &&
      a.agent === b.agent &&
      a.model === b.model &&
      a.speed === b.speed &&
      a.inference_geo === b.inference_geo &&
      a.iteration === b.iteration)
  );
}

export function originKey({ session_id, team, agent, model, speed, inference_geo, iteration, who }: Origin): string {
  if (who === null) return keyOf(session_id, team, agent, model, speed, inference_geo, iteration);
  return keyOf(session_id, team, agent, model, speed, inference_geo, iteration, who.name, who.agent_type, who.kind);
}
