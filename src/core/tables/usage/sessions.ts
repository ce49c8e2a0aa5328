// Keeps what is known about each session: its results, its agents, what its files say, and when it was compacted.
import type { Event, EventMap } from '../../event/event.js';
import type { CacheBreak, Ending, ModelUsage, Reported } from '../../event/usage-row.js';
import { earliest, keyOf } from '../order.js';
import { copySlice, Table } from '../table.js';
import { fileAfter, type Moment, noFile, type RunLabels, type SessionFile } from './files.js';
import { othersOf, type Who } from './messages.js';
import type { UsageState } from './usage.js';

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

/** Changed in place, unlike the entries of other tables: its own tables may be large. */
export interface SessionUse {
  readonly session_id: string | null;
  team: string | null;
  /** The number of its current turn, as it is read. */
  turn: number | null;
  /** The conversation was cleared since the last result, which also resets Claude Code's counters. */
  reset: boolean;
  readonly turns: Table<TurnStart>;
  readonly results: Table<ResultUse>;
  /** Agents that were started, by the id they had then, with their identity if a row read back has it. */
  readonly agents: Table<Who | null>;
  /** What each file says about it, by source. */
  readonly files: Table<SessionFile>;
}

/** When a turn began: with an init of a stream, or a prompt of a transcript. Which turn a message is in is found at the end. */
export interface TurnStart {
  /** Its number, as it was read: the files of a session may be read in any order. */
  readonly turn: number;
  readonly transcript: boolean;
  readonly time: string | null;
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

/** Which program wrote each session, by key; null if all were written by Claude Code. */
export function programsOf(sessions: Table<SessionUse>): ReadonlyMap<string, string> | null {
  const others = sessions.entries().flatMap(([key, { files }]) => {
    const [program] = files.values().flatMap((file) => file.program ?? []);
    return program === undefined ? [] : [[key, program] as const];
  });
  return others.length === 0 ? null : new Map(others);
}

export type SessionAndTeam = Pick<SessionUse, 'session_id' | 'team'>;

/** The session of an event, which is about to change. */
export function sessionOf({ sessions }: UsageState, { session_id, team }: SessionAndTeam): SessionUse {
  const key = sessionKey(session_id);
  let session = sessions.get(key);
  if (session === undefined) {
    const tables = {
      turns: new Table<TurnStart>(),
      results: new Table<ResultUse>(),
      agents: new Table<Who | null>(),
      files: new Table<SessionFile>(),
    };
    session = { session_id, team, turn: null, reset: false, ...tables };
    sessions.put(key, session);
  }
  session.team ??= team;
  sessions.version++;
  return session;
}

/** A copy that stays as it is. */
export function copySessions(sessions: UsageState['sessions']): UsageState['sessions'] {
  return new Table(sessions.entries().map(([key, session]) => [key, copySlice(session)]));
}

export function noteInFile(state: UsageState, event: Parameters<typeof fileAfter>[1], near: string | null): void {
  const { source = '' } = event;
  changeFile(state, event, source, (file) => fileAfter(file, event, momentOf(state, event, near)));
  if (event.event === 'turn:started' && event.transcript !== true) label(state, event, source);
}

export function noteTurn(session: SessionUse, event: EventMap['turn:started']): void {
  const { turn, turn_id, transcript = false, time, source = '' } = event;
  session.turn = turn;
  addTurn(session.turns, keyOf(...(transcript ? ['prompt', turn_id ?? `${turn} ${source}`] : ['init', `${turn}`])), {
    turn,
    transcript,
    time,
  });
}

/** At its earliest time, whichever file says so first. */
export function addTurn(turns: SessionUse['turns'], key: string, said: TurnStart): void {
  const known = turns.get(key);
  const time = earliest(known?.time ?? null, said.time);
  if (known === undefined || time !== known.time) turns.put(key, { ...(known ?? said), time });
}

export function changeFile(
  state: UsageState,
  from: SessionAndTeam,
  source: string,
  change: (file: SessionFile) => SessionFile,
): void {
  const { files } = sessionOf(state, from);
  files.set(source, change(files.get(source) ?? noFile));
}

/** The next session that begins in the file of a run is that run. Events that are read back may name no file. */
function label(state: UsageState, from: SessionAndTeam, source: string): void {
  const { run } = state;
  if (run === null || (source !== '' && run.source !== source) || run.session !== null) return;
  changeFile(state, from, source, (file) => ({ ...file, ci: run.ci, labels: run.labels }));
  state.run = { ...run, session: sessionKey(from.session_id) };
}

/** After a reset the run continues under another session id. */
export function awaitSession(state: UsageState, { session_id }: EventMap['session:reset']): void {
  const { run } = state;
  if (run !== null && run.session === sessionKey(session_id)) state.run = { ...run, session: null };
}

/** If several sessions come from one source, they share one clock, and the time of the record before says nothing. */
function momentOf(state: UsageState, { time, source }: Event, near: string | null): Moment {
  return { time: time ?? (source === undefined ? null : near), place: nextPlace(state, source ?? '') };
}

/** A copy of a compaction has the same id, else the same content. homes.ts finds the session it belongs to. */
export function noteCompaction(state: UsageState, event: EventMap['session:compacted'], near: string | null): void {
  const { session_id, team, agent } = event;
  const key = event.compaction_id ?? JSON.stringify({ ...event, seq: 0, line: 0, source: '' });
  const { time: at, place } = momentOf(state, event, near);
  const said: Compaction = { session_id, team, agent, count: 1, time: event.time, near: at, place, others: [] };
  const known = state.compactions.get(key) ?? said;
  const owner = sessionKey(session_id) < sessionKey(known.session_id) ? said : known;
  const others = othersOf(sessionKey(owner.session_id), [known.session_id, session_id, ...known.others], known.others);
  const time = earliest(event.time, known.time);
  if (known !== said && owner === known && others === known.others && time === known.time) return;
  sessionOf(state, event);
  state.compactions.set(key, { ...owner, others, time });
}

export interface SourceCount {
  /** Its number among the sources. */
  readonly number: number;
  readonly count: number;
}

/** The place of the next message or result of a source: sources in the order they were given, then as they were read. */
export function nextPlace({ sources }: UsageState, source: string): number {
  const { number, count } = sources.get(source) ?? { number: sources.size, count: 0 };
  return number * mostPlaces + count;
}
const mostPlaces = 2 ** 30;

/** Whether both places are in one source, and `a` comes first. */
export function isReadBefore(a: number, b: number): boolean {
  return a < b && Math.floor(a / mostPlaces) === Math.floor(b / mostPlaces);
}

export function countPlace({ sources }: UsageState, source: string): void {
  const { number, count } = sources.get(source) ?? { number: sources.size, count: 0 };
  sources.put(source, { number, count: count + 1 });
}

/** Gives sources their numbers before anything is read, so that several readers agree on them. */
export function numberSources({ sources }: UsageState, names: readonly string[]): void {
  for (const [number, name] of names.entries()) sources.set(name, { number, count: 0 });
}
