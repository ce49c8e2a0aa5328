// Keeps usage as it was reported, one entry per API message and result. rows.ts adds it up.
import type { Event, EventMap } from '../../core/event/event.js';
import type { Ending, MessageRow, ModelUsage, Reported, ReportedUsage, Tokens } from '../../core/event/usage-row.js';
import { isAgentWork } from '../../core/state/agents.js';
import { earliest, keyOf, latest } from '../../core/state/order.js';
import { toldEnding } from '../../core/state/outcome.js';
import { PersistentMap } from '../../core/state/persistent-map.js';
import { fileAfterRow } from '../../core/state/session-files.js';
import { endingOf, endingShownBy } from '../../core/wire/outcome.js';
import {
  isLead,
  type MessageUse,
  mergeUse,
  noTokens,
  type Origin,
  originKey,
  sameOrigin,
  unnamed,
  type Who,
  wholeNumber,
} from './message-use.js';
import {
  awaitSession,
  type Compaction,
  compacted,
  inFile,
  inSession,
  ofFile,
  type ResultModel,
  type ResultUse,
  type RunOfFile,
  type SaidContext,
  type SessionAndTeam,
  type SessionUse,
  sessionKey,
} from './session-use.js';

export { type Compaction, type ResultModel, type ResultUse, type SessionUse, sessionKey } from './session-use.js';

export interface UsageState {
  /** By id. */
  readonly messages: PersistentMap<MessageUse>;
  readonly sessions: PersistentMap<SessionUse>;
  /** What many messages share, kept once to save memory. */
  readonly origins: PersistentMap<Origin>;
  /** The message of each final usage that came without a message id, by the id of its record. */
  readonly ends: PersistentMap<string>;
  /** Pairs of sessions that share a message, by their keys. */
  readonly shared: PersistentMap<readonly [string, string]>;
  readonly compactions: PersistentMap<Compaction>;
  /** What rows that are read back say about the context of a message, by its key. */
  readonly contexts: PersistentMap<SaidContext>;
  /** The run that `cct run` started, until a session shows whose run it is. */
  readonly run: RunOfFile | null;
  /** The place of the next message or result. */
  readonly next: number;
}

export const noUsage: UsageState = {
  messages: new PersistentMap(),
  sessions: new PersistentMap(),
  origins: new PersistentMap(),
  ends: new PersistentMap(),
  shared: new PersistentMap(),
  compactions: new PersistentMap(),
  contexts: new PersistentMap(),
  run: null,
  next: 0,
};

/** Without session:changed, which reports interruptions: it is passed on whenever its record is parsed. */
export const usageEvents = [
  'usage:*',
  'session:started',
  'session:ended',
  'session:reset',
  'session:compacted',
  'session:labelled',
  'turn:started',
  'run:started',
  'agent:started',
  'team:member:joined',
] as const;

/** `near` is the time of the nearest record before it in its file. */
export function reduceUsage(state: UsageState, event: Event, near: string | null = null): UsageState {
  switch (event.event) {
    case 'usage:recorded':
      return recorded(state, event);
    case 'usage:merged':
      return merged(state, event);
    case 'usage:reported':
      return reportedBy(inFile(state, event, near), event, resultOfState(event));
    case 'session:started':
      return inFile(state, event, near);
    case 'session:changed':
      return endingShownBy(event) === null ? state : inFile(state, event, near);
    case 'session:ended': {
      const session = state.sessions.get(sessionKey(event.session_id));
      return reportedBy(inFile(state, event, near), event, resultOf(event, session?.reset ?? false));
    }
    case 'session:compacted':
      return compacted(state, event, near);
    case 'session:labelled': {
      const { ci, labels, source = '' } = event;
      return ofFile(state, event, source, (file) => (file.log === null ? { ...file, log: { ci, labels } } : file));
    }
    case 'run:started': {
      const { ci, labels, source = '' } = event;
      return { ...state, run: { ci, labels, source, session: null } };
    }
    case 'turn:started':
      return inSession(inFile(state, event, near), event, (session) => {
        const { turn } = event;
        if (session.turn === turn) return session;
        // Numbers start again if a stream is read after its transcript.
        const begun = turn < (session.turn ?? 0) ? turn : Math.max(session.begun, turn);
        return { ...session, turn, begun };
      });
    case 'session:reset':
      return inSession(awaitSession(state, event), event, (session) =>
        session.reset ? session : { ...session, reset: true },
      );
    case 'agent:started':
      return isAgentWork(event.task_type) && !event.turn_only ? started(state, event, event.agent) : state;
    case 'team:member:joined':
      return event.member.kind === 'teammate' ? started(state, event, event.member.agent_id) : state;
    default:
      return state;
  }
}

/** The key of a message. A message without an id is identified by its place in its file and its content. */
export function messageKey(event: EventMap['usage:recorded'] | EventMap['usage:merged']): string {
  const said = event.event === 'usage:recorded' ? event : event.row;
  if (said.message_id !== null)
    return said.iteration === null ? said.message_id : `${said.message_id} ${said.iteration}`;
  const { input_tokens, output_tokens, cache_write_5m_tokens, cache_read_tokens } = said;
  const counts = [input_tokens, output_tokens, cache_write_5m_tokens, cache_read_tokens].join(' ');
  return `${unnamed}${event.source ?? ''} ${event.line} ${event.session_id} ${said.agent} ${said.model} ${counts}`;
}

function recorded(state: UsageState, event: EventMap['usage:recorded']): UsageState {
  const { message_id, source = '' } = event;
  if (event.copied) return ofFile(state, event, source, (file) => ({ ...file, copied: message_id ?? file.copied }));
  const { session_id, team, agent, model, speed, inference_geo, iteration_type: iteration } = event;
  const origin: Origin = { session_id, team, agent, model, speed, inference_geo, iteration, who: null };
  const turn = state.sessions.get(sessionKey(session_id))?.turn ?? null;
  const { transcript: row, final } = event;
  return used(state, messageKey(event), origin, event, { turn, stream: !row, row, final, others: noOthers });
}

function merged(state: UsageState, event: EventMap['usage:merged']): UsageState {
  const { row, source = '' } = event;
  const { session_id, team, agent, model, speed, inference_geo, iteration_type: iteration, reported } = row;
  const isMessage = row.messages > 0 || row.message_id !== null;
  const told = withContext(
    ofFile(state, row, source, (file) => fileAfterRow(file, row)),
    event,
    isMessage,
  );
  if (reported !== null) return reportedBy(told, row, resultOfRow(row, reported));
  const who: Who = { agent, name: row.name, agent_type: row.agent_type, kind: row.kind, team };
  if (!isMessage) return started(told, row, agent, who);
  const origin: Origin = { session_id, team, agent, model, speed, inference_geo, iteration, who };
  const stream = row.transcript !== true;
  return used(told, messageKey(event), origin, row, {
    turn: row.turn,
    stream,
    row: row.in_transcript ?? !stream,
    final: row.final === true,
    others: row.also_in.length === 0 ? noOthers : row.also_in.toSorted(),
  });
}

type TimedTokens = Tokens &
  Pick<EventMap['usage:recorded'], 'stop_reason' | 'stop_sequence' | 'web_fetch_requests'> & {
    readonly time: string | null;
  };
type Sighting = Pick<MessageUse, 'turn' | 'stream' | 'row' | 'final' | 'others'>;
const noOthers: readonly string[] = [];

function used(state: UsageState, id: string, origin: Origin, said: TimedTokens, seen: Sighting): UsageState {
  if (seen.final && seen.stream && origin.model === null && !id.startsWith(unnamed)) {
    const begun = beginningOf(state, id, origin);
    if (begun !== undefined) {
      const next = state.ends.has(id) ? state : { ...state, ends: state.ends.set(id, begun.key) };
      return place(next, begun.key, begun.origin, said, seen);
    }
  }
  return place(state, id, origin, said, seen);
}

// Written out field by field: this runs for every message, and spreads take three times as long.
function place(state: UsageState, key: string, origin: Origin, said: TimedTokens, seen: Sighting): UsageState {
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
    input_tokens: wholeNumber(said.input_tokens),
    output_tokens: wholeNumber(said.output_tokens),
    cache_write_5m_tokens: wholeNumber(said.cache_write_5m_tokens),
    cache_write_1h_tokens: wholeNumber(said.cache_write_1h_tokens),
    cache_read_tokens: wholeNumber(said.cache_read_tokens),
    web_search_requests: wholeNumber(said.web_search_requests),
    stop_reason: said.stop_reason ?? null,
    stop_sequence: said.stop_sequence ?? null,
    web_fetch_requests: wholeNumber(said.web_fetch_requests ?? 0),
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
    compactions: state.compactions,
    contexts: state.contexts,
    run: state.run,
    next: message.place === state.next ? state.next + 1 : state.next,
  };
}

/** Pairs the session of a message with each session that repeats it. */
function withPairs(shared: UsageState['shared'], { origin, others }: MessageUse): UsageState['shared'] {
  const home = sessionKey(origin.session_id);
  return others.reduce((pairs, other) => {
    const [a, b] = home < other ? [home, other] : [other, home];
    const key = keyOf(a, b);
    return pairs.has(key) ? pairs : pairs.set(key, [a, b]);
  }, shared);
}

/** Most messages have the origin of the message before, so that one is compared first, without a key. */
function sharedOrigin(state: UsageState, origin: Origin): Origin {
  const last = state.messages.findLast(() => true)?.origin;
  if (last !== undefined && sameOrigin(last, origin)) return last;
  return state.origins.get(originKey(origin)) ?? origin;
}

/**
 * The input may begin in the middle of a streamed message. Its final usage then comes without id or model, and belongs
 * to the last message of the agent, if that has no final usage yet.
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

function started(state: UsageState, from: SessionAndTeam, agent: string | null, who: Who | null = null): UsageState {
  if (agent === null) return state;
  return inSession(state, from, (session) => {
    const known = session.agents.get(agent);
    const isKnown = known !== undefined && (known !== null || who === null);
    return isKnown ? session : { ...session, agents: session.agents.set(agent, who) };
  });
}

/** A result without its place. If it has no turn of its own, it takes that of its session. */
type NewResult = Omit<ResultUse, 'place' | 'turn'> & { readonly turn?: number | null };

function reportedBy(state: UsageState, from: SessionAndTeam, said: NewResult): UsageState {
  const next = inSession(state, from, (session) => {
    const known = session.results.get(said.key);
    if (known !== undefined) {
      const merged = mergeResult(known, said);
      return merged === known ? session : { ...session, results: session.results.set(said.key, merged) };
    }
    const turn = said.turn === undefined ? session.turn : said.turn;
    const result: ResultUse = { ...said, turn, place: state.next };
    return { ...session, reset: said.state && session.reset, results: session.results.set(said.key, result) };
  });
  return next === state ? state : { ...next, next: state.next + 1 };
}

function resultOf(event: EventMap['session:ended'], after_reset: boolean): NewResult {
  const { result_id: id, model_usage, model_usage_since_last_result: since } = event;
  const said = saidIn(event, after_reset, endingOf(event));
  const names = new Set([...Object.keys(model_usage ?? {}), ...Object.keys(since ?? {})]);
  const models = [...names].map((name): [string, ResultModel] => [
    name,
    {
      window: (ownOf(model_usage, name) ?? ownOf(since, name))?.context_window ?? null,
      most: (ownOf(model_usage, name) ?? ownOf(since, name))?.max_output_tokens ?? null,
      total: figuresOf(ownOf(model_usage, name)),
      since: since === null ? null : (figuresOf(ownOf(since, name)) ?? nothingUsed),
    },
  ]);
  return { key: resultKey(event.session_id, id, said), id, state: false, said, models: new Map(models) };
}

function resultOfState({ session_id, time, total_cost_usd, model_usage }: EventMap['usage:reported']): NewResult {
  const models = Object.entries(model_usage ?? {}).map(([name, total]): [string, ResultModel] => [
    name,
    { window: null, most: null, total: figuresOf(total), since: null },
  ]);
  const said = { ...nothingSaid, time, total_cost_usd };
  return { key: stateKey(session_id, said), id: null, state: true, said, models: new Map(models), turn: null };
}

/** A row holds one model of a result. The other models are in rows of their own. */
function resultOfRow(row: MessageRow, reported: Reported): NewResult {
  const { model_usage: total, since_last_result: since, context_window: window = null } = reported;
  const { max_output_tokens: most = null } = reported;
  const said = saidIn(reported, reported.after_reset, toldEnding(reported));
  const models = new Map(row.model === null ? [] : [[row.model, { window, most, total, since }]]);
  const state = row.transcript === true;
  const key = state ? stateKey(row.session_id, said) : resultKey(row.session_id, row.result_id, said);
  return { key, id: row.result_id, state, said, models, turn: row.turn };
}

type Said = ResultUse['said'];

function saidIn(from: Omit<Said, 'after_reset' | keyof Ending>, after_reset: boolean, ending: Ending): Said {
  const { time, subtype, is_error, duration_ms, duration_api_ms, num_turns, result_index } = from;
  const turn = { time, subtype, is_error, duration_ms, duration_api_ms, num_turns, result_index };
  return { ...turn, after_reset, total_cost_usd: from.total_cost_usd, usage: from.usage, ...ending };
}

/** Merges two copies in any order. Returns `known` itself if the other has nothing new. */
function mergeResult(known: ResultUse, said: NewResult): ResultUse {
  const larger = [...said.models].filter(([name, model]) => sizeOf(model) > sizeOf(known.models.get(name)));
  // A cost-state row is told again with the time of a later message that it includes.
  const time = (known.state ? latest : earliest)(known.said.time, said.said.time);
  if (larger.length === 0 && time === known.said.time) return known;
  return { ...known, said: { ...known.said, time }, models: new Map([...known.models, ...larger]) };
}

/** -1 for a missing model. */
function sizeOf(model: ResultModel | undefined): number {
  const usage = model?.total ?? model?.since;
  if (model === undefined || usage == null) return model === undefined ? -1 : 0;
  return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_5m_tokens;
}

/** A result without a uuid is identified by its figures. */
function resultKey(session: string | null, id: string | null, said: Said): string {
  const { result_index, num_turns, duration_ms, duration_api_ms, total_cost_usd } = said;
  return id ?? [session, result_index, num_turns, duration_ms, duration_api_ms, total_cost_usd].join(' ');
}

/** Costs only grow, so the cost identifies a row of a session. */
function stateKey(session: string | null, { total_cost_usd }: Said): string {
  return `cost-state ${session} ${total_cost_usd}`;
}

function ownOf(models: Readonly<Record<string, ReportedUsage>> | null, name: string): ReportedUsage | null {
  return models !== null && Object.hasOwn(models, name) ? (models[name] ?? null) : null;
}

function figuresOf(usage: ReportedUsage | null): ModelUsage | null {
  if (usage === null) return null;
  const { context_window: _window, max_output_tokens: _most, ...figures } = usage;
  return figures;
}

const nothingUsed: ModelUsage = { ...noTokens(), cost_usd: 0, canonical_model: null, cost_basis: null };

export const nothingSaid: Said = {
  time: null,
  subtype: null,
  is_error: null,
  duration_ms: null,
  duration_api_ms: null,
  num_turns: null,
  result_index: null,
  after_reset: false,
  total_cost_usd: null,
  usage: null,
  ...toldEnding(null),
};

/** What a row says about the context before its message. The row of a result or session may report compactions too. */
function withContext(state: UsageState, event: EventMap['usage:merged'], isMessage: boolean): UsageState {
  const { session_id, team, agent, time, result_id, model, compactions, cache_break } = event.row;
  if (compactions <= 0 && cache_break === null) return state;
  const count = wholeNumber(compactions);
  if (isMessage)
    return { ...state, contexts: state.contexts.set(messageKey(event), { compactions: count, cache_break }) };
  const key = keyOf('row', session_id, result_id, model, time);
  return {
    ...state,
    compactions: state.compactions.set(key, {
      session_id,
      team,
      agent,
      count,
      time,
      near: null,
      place: state.next,
      others: [],
    }),
  };
}
