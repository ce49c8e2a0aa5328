// Keeps what is known about each session: its results, its agents, what its files say, and when it was compacted.
import type { Event, EventMap } from '../../core/event/event.js';
import type { CacheBreak, Ending, ModelUsage, Reported } from '../../core/event/usage-row.js';
import { earliest } from '../../core/state/order.js';
import { PersistentMap } from '../../core/state/persistent-map.js';
import { fileAfter, type Moment, noFile, type RunLabels, type SessionFile } from '../../core/state/session-files.js';
import type { UsageState } from './fold.js';
import { othersOf, type Who } from './message-use.js';

export interface Compaction extends Moment {
  /** The time of the nearest record before it, if it has none itself. */
  readonly near: string | null;
  readonly session_id: string | null;
  readonly team: string | null;
  readonly agent: string | null;
  /** The other sessions that repeat it, ordered by id. */
  readonly others: readonly string[];
  /** How many compactions it stands for: a row that is read back may report several. */
  readonly count: number;
}

export interface SaidContext {
  readonly compactions: number;
  readonly cache_break: CacheBreak | null;
}

export interface RunOfFile extends RunLabels {
  readonly source: string;
  /** The session it is known to be. The session after a reset belongs to the same run. */
  readonly session: string | null;
}

export interface SessionUse {
  readonly session_id: string | null;
  readonly team: string | null;
  /** The number of its current turn. */
  readonly turn: number | null;
  /** How many turns have begun. */
  readonly begun: number;
  /** The conversation was cleared since the last result, which also resets Claude Code's counters. */
  readonly reset: boolean;
  readonly results: PersistentMap<ResultUse>;
  /** Agents that were started, by the id they had then, with their identity if a row read back has it. */
  readonly agents: PersistentMap<Who | null>;
  /** What each file says about it, by source. */
  readonly files: PersistentMap<SessionFile>;
}

/** A report of Claude Code about its session: a result of its stream, or a cost-state row of its transcript. */
export interface ResultUse {
  readonly key: string;
  readonly id: string | null;
  /** Whether it is a cost-state row. */
  readonly state: boolean;
  readonly place: number;
  /** The turn that contains it. Claude Code may hold it back until a later turn. */
  readonly turn: number | null;
  /** Its figures, without those of the models. */
  readonly said: Omit<Reported, 'model_usage' | 'since_last_result' | keyof Ending | keyof OfSession> & Ending;
  /** By Claude Code's spelling of the model. */
  readonly models: ReadonlyMap<string, ResultModel>;
}

/** What the row of a result says about its session or its model, which is kept elsewhere. */
type OfSession = Pick<
  Reported,
  'context_window' | 'max_output_tokens' | 'started_at' | 'ended_at' | 'ci' | 'labels' | 'copied'
>;

export interface ResultModel {
  readonly window: number | null;
  /** How many tokens an answer may have. */
  readonly most: number | null;
  readonly total: ModelUsage | null;
  /** null if Claude Code does not say what is new since its last result. */
  readonly since: ModelUsage | null;
}

export function sessionKey(id: string | null): string {
  return id ?? '';
}

export type SessionAndTeam = Pick<SessionUse, 'session_id' | 'team'>;

/** The state with one session changed. */
export function inSession(
  state: UsageState,
  { session_id, team }: SessionAndTeam,
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
  files: new PersistentMap(),
};

export function inFile(
  state: UsageState,
  event: EventMap['session:started' | 'turn:started' | 'session:ended' | 'session:changed' | 'usage:reported'],
  near: string | null,
): UsageState {
  const { source = '' } = event;
  const next = ofFile(state, event, source, (file) => fileAfter(file, event, momentOf(state, event, near)));
  return event.event === 'turn:started' && event.transcript !== true ? labelled(next, event, source) : next;
}

export function ofFile(
  state: UsageState,
  from: SessionAndTeam,
  source: string,
  change: (file: SessionFile) => SessionFile,
): UsageState {
  return inSession(state, from, (session) => {
    const known = session.files.get(source);
    const file = change(known ?? noFile);
    return file === known ? session : { ...session, files: session.files.set(source, file) };
  });
}

/** The next session that begins in the file of a run is that run. Events that are read back may name no file. */
function labelled(state: UsageState, from: SessionAndTeam, source: string): UsageState {
  const { run } = state;
  if (run === null || (source !== '' && run.source !== source) || run.session !== null) return state;
  const next = ofFile(state, from, source, (file) => ({ ...file, ci: run.ci, labels: run.labels }));
  return { ...next, run: { ...run, session: sessionKey(from.session_id) } };
}

/** After a reset the run continues under another session id. */
export function awaitSession(state: UsageState, { session_id }: EventMap['session:reset']): UsageState {
  const { run } = state;
  return run === null || run.session !== sessionKey(session_id) ? state : { ...state, run: { ...run, session: null } };
}

/** If several sessions come from one source, they share one clock, and the time of the record before says nothing. */
function momentOf({ next }: UsageState, { time, source }: Event, near: string | null): Moment {
  return { time: time ?? (source === undefined ? null : near), place: next };
}

/** A copy of a compaction has the same id, else the same content. homes.ts finds the session it belongs to. */
export function compacted(state: UsageState, event: EventMap['session:compacted'], near: string | null): UsageState {
  const { session_id, team, agent } = event;
  const key = event.compaction_id ?? JSON.stringify({ ...event, seq: 0, line: 0, source: '' });
  const { time: at, place } = momentOf(state, event, near);
  const said: Compaction = { session_id, team, agent, count: 1, time: event.time, near: at, place, others: [] };
  const known = state.compactions.get(key) ?? said;
  const owner = sessionKey(session_id) < sessionKey(known.session_id) ? said : known;
  const others = othersOf(sessionKey(owner.session_id), [known.session_id, session_id, ...known.others], known.others);
  const time = earliest(event.time, known.time);
  if (known !== said && owner === known && others === known.others && time === known.time) return state;
  const next = inSession(state, event, (session) => session);
  return { ...next, compactions: state.compactions.set(key, { ...owner, others, time }) };
}
