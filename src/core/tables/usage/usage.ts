// Keeps usage as it was reported, one entry per API message and result. rows.ts adds it up.

import type { Event, EventMap } from '../../event/event.js';
import type { Ending, MessageRow, ModelUsage, Reported, ReportedUsage, Tokens } from '../../event/usage-row.js';
import { isAgentWork } from '../../event/work.js';
import { endingOf, endingShownBy } from '../../wire/outcome.js';
import { HashTable } from '../hash-table.js';
import { earliest, keyOf, latest } from '../order.js';
import { toldEnding } from '../outcome.js';
import { copySlice, Table } from '../table.js';
import { fileAfterRow } from './files.js';
import {
  isFrom,
  isKnownUse,
  type MessageUse,
  mergeUse,
  noTokens,
  type Origin,
  originKey,
  sameOrigin,
  speakerKey,
  unnamed,
  type Who,
  wholeNumber,
} from './messages.js';
import {
  awaitSession,
  type Compaction,
  changeFile,
  copySessions,
  countPlace,
  nextPlace,
  noteCompaction,
  noteInFile,
  noteTurn,
  type ResultModel,
  type ResultUse,
  type RunOfFile,
  type SaidContext,
  type SessionAndTeam,
  type SessionUse,
  type SourceCount,
  sessionKey,
  sessionOf,
} from './sessions.js';

export { type Compaction, type ResultModel, type ResultUse, type SessionUse, sessionKey } from './sessions.js';

export interface UsageState {
  /** By id. */
  readonly messages: Table<MessageUse>;
  readonly sessions: Table<SessionUse>;
  /** What many messages share, kept once to save memory. */
  readonly origins: HashTable<Origin>;
  /** The message of each final usage that came without a message id, by the id of its record. */
  readonly ends: Table<string>;
  /** The last message that each agent began in a stream. */
  readonly spoken: Table<string>;
  /** Pairs of sessions that share a message, by their keys. */
  readonly shared: Table<readonly [string, string]>;
  readonly compactions: Table<Compaction>;
  /** What rows that are read back say about the context of a message, by its key. */
  readonly contexts: Table<SaidContext>;
  /** The run that `cct run` started, until a session shows whose run it is. */
  run: RunOfFile | null;
  /** The sources, and how many messages and results each has so far. They give each its place. */
  readonly sources: Table<SourceCount>;
  /** The origins of the last messages. Most messages have one of them. */
  recent: readonly Origin[];
}

export function newUsage(): UsageState {
  return {
    messages: new Table(),
    sessions: new Table(),
    origins: new HashTable(),
    ends: new Table(),
    spoken: new Table(),
    shared: new Table(),
    compactions: new Table(),
    contexts: new Table(),
    sources: new Table(),
    run: null,
    recent: [],
  };
}

export function copyUsage(state: UsageState): UsageState {
  return { ...copySlice(state), sessions: copySessions(state.sessions) };
}

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
  'run:stopped',
  'agent:started',
  'team:member:joined',
] as const;

/** `near` is the time of the nearest record before it in its file. */
export function noteUsage(state: UsageState, event: Event, near: string | null): void {
  switch (event.event) {
    case 'usage:recorded':
      return recorded(state, event);
    case 'usage:merged':
      return merged(state, event);
    case 'usage:reported':
      noteInFile(state, event, near);
      return noteResult(state, event, event.source ?? '', resultOfState(event));
    case 'session:started':
    case 'run:stopped':
      return noteInFile(state, event, near);
    case 'session:changed':
      if (endingShownBy(event) !== null) noteInFile(state, event, near);
      return;
    case 'session:ended': {
      const { reset = false } = state.sessions.get(sessionKey(event.session_id)) ?? {};
      noteInFile(state, event, near);
      return noteResult(state, event, event.source ?? '', resultOf(event, reset));
    }
    case 'session:compacted':
      return noteCompaction(state, event, near);
    case 'session:labelled': {
      const { ci, labels, source = '' } = event;
      return changeFile(state, event, source, (file) => (file.log === null ? { ...file, log: { ci, labels } } : file));
    }
    case 'run:started': {
      const { ci, pull_request, source = '' } = event;
      const labels = pull_request === null ? event.labels : { pull_request, ...event.labels };
      state.run = { ci, labels, source, session: null };
      return;
    }
    case 'turn:started':
      noteInFile(state, event, near);
      return noteTurn(sessionOf(state, event), event);
    case 'session:reset':
      awaitSession(state, event);
      sessionOf(state, event).reset = true;
      return;
    case 'agent:started':
      if (isAgentWork(event.task_type) && !event.turn_only) noteAgent(state, event, event.agent);
      return;
    case 'team:member:joined':
      if (event.member.kind === 'teammate') noteAgent(state, event, event.member.agent_id);
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

function recorded(state: UsageState, event: EventMap['usage:recorded']): void {
  const { message_id, source = '', session_id, transcript: row, final, cost_usd } = event;
  if (event.copied) return changeFile(state, event, source, (file) => ({ ...file, copied: message_id ?? file.copied }));
  const key = messageKey(event);
  const known = state.messages.get(key);
  if (known !== undefined && isKnownUse(known, event)) return;
  const turn = state.sessions.get(sessionKey(session_id))?.turn ?? null;
  const seen = { turn, stream: !row, row, final, others: noOthers, said_usd: cost_usd ?? null };
  used(state, key, known, recentOrigin(state, event), source, event, seen);
}

/** One of the origins of the last messages, if it is one of them. */
function recentOrigin({ recent }: UsageState, event: EventMap['usage:recorded']): Origin {
  for (const one of recent) if (isFrom(one, event)) return one;
  const { session_id, team, agent, model, speed, inference_geo, iteration_type: iteration } = event;
  return { session_id, team, agent, model, speed, inference_geo, iteration, who: null };
}

function merged(state: UsageState, event: EventMap['usage:merged']): void {
  const { row, source = '' } = event;
  const { session_id, team, agent, model, speed, inference_geo, iteration_type: iteration, reported } = row;
  const isMessage = row.messages > 0 || row.message_id !== null;
  changeFile(state, row, source, (file) => fileAfterRow(file, row));
  noteContext(state, event, isMessage);
  if (reported !== null) return noteResult(state, row, source, resultOfRow(row, reported));
  const who: Who = { agent, name: row.name, agent_type: row.agent_type, kind: row.kind, team };
  if (!isMessage) return noteAgent(state, row, agent, who);
  const origin: Origin = { session_id, team, agent, model, speed, inference_geo, iteration, who };
  const stream = row.transcript !== true;
  const key = messageKey(event);
  used(state, key, state.messages.get(key), origin, source, row, {
    turn: row.turn,
    stream,
    row: row.in_transcript ?? !stream,
    final: row.final === true,
    others: row.also_in.length === 0 ? noOthers : row.also_in.toSorted(),
    said_usd: row.said_usd ?? null,
  });
}

type TimedTokens = Tokens &
  Pick<EventMap['usage:recorded'], 'stop_reason' | 'stop_sequence' | 'web_fetch_requests'> & {
    readonly time: string | null;
  };
type Sighting = Pick<MessageUse, 'turn' | 'stream' | 'row' | 'final' | 'others' | 'said_usd'>;
const noOthers: readonly string[] = [];

/** `told` and `from`: what is known by this id, and where the record says it comes from. */
function used(
  state: UsageState,
  id: string,
  told: MessageUse | undefined,
  from: Origin,
  source: string,
  said: TimedTokens,
  seen: Sighting,
): void {
  const isEnd = seen.final && seen.stream && from.model === null && !id.startsWith(unnamed);
  const begun = isEnd ? begunMessage(state, id, from) : undefined;
  if (begun !== undefined && !state.ends.has(id)) state.ends.set(id, begun.key);
  const known = begun ?? told;
  const key = begun?.key ?? id;
  const origin = begun?.origin ?? from;
  const own = known !== undefined && sameOrigin(known.origin, origin) ? known.origin : sharedOrigin(state, origin);
  // Written out field by field: this runs for every message, and spreads take three times as long.
  const fresh: MessageUse = {
    key,
    origin: own,
    time: said.time,
    turn: seen.turn,
    stream: seen.stream,
    row: seen.row,
    final: seen.final,
    place: nextPlace(state, source),
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
    said_usd: seen.said_usd,
  };
  const message = known === undefined ? fresh : mergeUse(known, fresh);
  if (message === known) return;
  const isKnown = message.origin === own || message.origin === known?.origin;
  const shared = isKnown ? message.origin : sharedOrigin(state, message.origin);
  state.messages.put(key, shared === message.origin ? message : { ...message, origin: shared });
  if (state.recent[0] !== shared) {
    if ((!isKnown || shared === origin) && !state.recent.includes(shared))
      state.origins.set(originKey(shared), shared, originKey);
    state.recent = [shared, ...state.recent.filter((one) => one !== shared)].slice(0, 4);
  }
  if (message.stream && !known?.stream) state.spoken.put(speakerKey(shared), key);
  if (message.others.length > 0) notePairs(state.shared, message);
  if (message.place === fresh.place) countPlace(state, source);
}

/** Pairs the session of a message with each session that repeats it. */
export function notePairs(shared: UsageState['shared'], { origin, others }: MessageUse): void {
  const home = sessionKey(origin.session_id);
  for (const other of others) {
    const [a, b] = home < other ? [home, other] : [other, home];
    const key = keyOf(a, b);
    if (!shared.has(key)) shared.set(key, [a, b]);
  }
}

function sharedOrigin({ recent, origins }: UsageState, origin: Origin): Origin {
  for (const one of recent) if (sameOrigin(one, origin)) return one;
  return origins.get(originKey(origin), originKey) ?? origin;
}

/**
 * The input may begin in the middle of a streamed message. Its final usage then comes without id or model, and belongs
 * to the last message of the agent, if that has no final usage yet.
 */
function begunMessage({ messages, ends, spoken }: UsageState, id: string, origin: Origin): MessageUse | undefined {
  const found = ends.get(id);
  if (found !== undefined) return messages.get(found);
  const last = messages.get(spoken.get(speakerKey(origin)) ?? '');
  return last === undefined || last.final || last.origin.model === null ? undefined : last;
}

function noteAgent(state: UsageState, from: SessionAndTeam, agent: string | null, who: Who | null = null): void {
  if (agent === null) return;
  const { agents } = sessionOf(state, from);
  const known = agents.get(agent);
  if (known === undefined || (known === null && who !== null)) agents.put(agent, who);
}

/** A result without its place. If it has no turn of its own, it takes that of its session. */
type NewResult = Omit<ResultUse, 'place' | 'turn'> & { readonly turn?: number | null };

function noteResult(state: UsageState, from: SessionAndTeam, source: string, said: NewResult): void {
  const session = sessionOf(state, from);
  const known = session.results.get(said.key);
  if (known !== undefined) return session.results.set(said.key, mergeResult(known, said));
  const turn = said.turn === undefined ? session.turn : said.turn;
  session.results.put(said.key, { ...said, turn, place: nextPlace(state, source) });
  countPlace(state, source);
  session.reset &&= said.state;
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

type Told = ResultUse['said'];

function saidIn(from: Omit<Told, 'after_reset' | keyof Ending>, after_reset: boolean, ending: Ending): Told {
  const { time, subtype, is_error, duration_ms, duration_api_ms, num_turns, result_index } = from;
  const turn = { time, subtype, is_error, duration_ms, duration_api_ms, num_turns, result_index };
  return { ...turn, after_reset, total_cost_usd: from.total_cost_usd, usage: from.usage, ...ending };
}

/** Merges two copies in any order. Returns `known` itself if the other has nothing new. */
export function mergeResult(known: ResultUse, said: NewResult): ResultUse {
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
function resultKey(session: string | null, id: string | null, said: Told): string {
  const { result_index, num_turns, duration_ms, duration_api_ms, total_cost_usd } = said;
  return id ?? [session, result_index, num_turns, duration_ms, duration_api_ms, total_cost_usd].join(' ');
}

/** Costs only grow, so the cost identifies a row of a session. */
function stateKey(session: string | null, { total_cost_usd }: Told): string {
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

export const nothingSaid: Told = {
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
function noteContext(state: UsageState, event: EventMap['usage:merged'], isMessage: boolean): void {
  const { session_id, team, agent, time, result_id, model, compactions, cache_break } = event.row;
  if (compactions <= 0 && cache_break === null) return;
  const count = wholeNumber(compactions);
  if (isMessage) return state.contexts.set(messageKey(event), { compactions: count, cache_break });
  const key = keyOf('row', session_id, result_id, model, time);
  const place = nextPlace(state, event.source ?? '');
  state.compactions.set(key, { session_id, team, agent, count, time, near: null, place, others: [] });
}
