// Keeps what events say about tasks. rows.ts joins sessions, teams and the ids of an agent.

import type { Event } from '../event/event.js';
import { isAgentWork, startsAgent } from '../event/work.js';
import { earliest, hasSameFields, isOlder, keyOf, latest, type Place } from './order.js';
import { Table } from './table.js';

export interface TasksState {
  /** Every change of a board or a todo list. The last one is used. */
  readonly changes: Table<TaskEvent>;
  readonly work: Table<WorkEntry>;
  /** The known runs of each piece of work, so that the end of an earlier run does not end a later one. */
  readonly runs: Table<true>;
  /** Teams that sessions mention. */
  readonly teams: Table<TeamEntry>;
}

export type TaskEvent = Event & { event: `team:task:${string}` };

export function newTasks(): TasksState {
  return { changes: new Table(), work: new Table(), runs: new Table(), teams: new Table() };
}

/** Whether noteTasks looks at such an event. */
export function isOfTasks({ event }: Event): boolean {
  return taskEvents.has(event);
}

const taskEvents: ReadonlySet<Event['event']> = new Set([
  'team:created',
  'team:task:created',
  'team:task:claimed',
  'team:task:updated',
  'team:task:completed',
  'team:task:deleted',
  'agent:started',
  'agent:progressed',
  'agent:finished',
  'session:changed',
] as const);

export function noteTasks(state: TasksState, event: Event): void {
  switch (event.event) {
    case 'team:created':
      return noteTeam(state, event.session_id, event.name, event.protocol !== 'implicit');
    case 'team:task:created':
    case 'team:task:claimed':
    case 'team:task:updated':
    case 'team:task:completed':
    case 'team:task:deleted':
      noteTeam(state, event.session_id, event.team, false);
      return state.changes.put(String(state.changes.size), event);
    case 'agent:started':
      noteTeam(state, event.session_id, event.team, false);
      return workStarted(state, event);
    case 'agent:progressed':
      return workProgressed(state, event);
    case 'agent:finished':
      return workFinished(state, event);
    case 'session:changed':
      return workInterrupted(state, event);
  }
}

/** An agent, shell, monitor or workflow. Foreground work is kept too, because it may be sent to the background. */
export interface WorkEntry extends Place {
  readonly id: string;
  readonly isAgent: boolean;
  /** Whether the id is a task id. If not, it is the id of a spawning call. */
  readonly hasTaskId: boolean;
  readonly type: string | null;
  readonly subject: string | null;
  /** The agent that started it, from the earliest event. */
  readonly starter: { readonly agent: string; readonly time: string | null } | null;
  /** null if no event says so. */
  readonly background: boolean | null;
  readonly ambient: boolean;
  /** The earliest start with a task id. `seen` includes an agent's own records, which not every order of files shows. */
  readonly launched: string | null;
  readonly seen: string | null;
  readonly status: Said<string> | null;
  readonly run: string | null;
  readonly duration: Said<number | null> | null;
}

/** Merges the two entries of an agent that was first known by its spawning call. */
export function mergeWork(a: WorkEntry, b: WorkEntry): WorkEntry {
  const [known, other] = a.hasTaskId ? [a, b] : [b, a];
  return {
    ...known,
    type: known.type ?? other.type,
    subject: known.subject ?? other.subject,
    starter: known.starter ?? other.starter,
    background: either(known.background, other.background),
    ambient: known.ambient || other.ambient,
    launched: earliest(known.launched, other.launched),
    seen: earliest(known.seen, other.seen),
    status: mergeSaid(known.status, other.status),
    duration: mergeSaid(known.duration, other.duration),
  };
}

/** The latest value of a field. All times are times of events; null for an event without a time. */
export interface Said<V> {
  readonly value: V;
  /** When this value was first and last reported. */
  readonly first: string | null;
  readonly last: string | null;
  /** When another value was last reported. */
  readonly before: string | null;
  /** The number of the event that reported it last, to compare values without a time. */
  readonly seq: number;
}

/** The latest value by time wins; an older event changes nothing. A value without a time counts as the latest. */
export function heard<V>(known: Said<V> | null, value: V, when: When): Said<V> {
  const { time, seq } = when;
  if (known === null) return { value, first: time, last: time, before: null, seq };
  if (isSameValue(known.value, value)) return repeated(known, when);
  if (time === null) return { value, first: null, last: known.last, before: known.last, seq };
  if (known.last === null || time >= known.last) return { value, first: time, last: time, before: known.last, seq };
  const before = latest(known.before, time);
  return before === known.before ? known : { ...known, before };
}

export function sinceOf(said: Said<unknown> | null): string | null {
  if (said === null || said.first === null) return null;
  return said.before === null || said.first > said.before ? said.first : said.last;
}

/** Merges what two entries say about one field. */
export function mergeSaid<V>(a: Said<V> | null, b: Said<V> | null): Said<V> | null {
  if (a === null || b === null) return a ?? b;
  const last = latest(a.last, b.last);
  const before = latest(a.before, b.before);
  if (isSameValue(a.value, b.value))
    return { value: a.value, first: earliest(a.first, b.first), last, before, seq: Math.max(a.seq, b.seq) };
  const [winner, loser] = isLater(b, a) ? [b, a] : [a, b];
  return { ...winner, last, before: latest(before, loser.last) };
}

export function isSameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  return typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b);
}

interface TeamEntry extends Place {
  readonly team: string;
  /** Whether this session created it. */
  readonly created: boolean;
}

function noteTeam({ teams }: TasksState, session_id: string | null, team: string | null, created: boolean): void {
  if (team === null) return;
  const key = keyOf(session_id, team);
  const known = teams.get(key);
  if (known === undefined || (created && !known.created)) teams.put(key, { session_id, team, created });
}

type Started = Event & { event: 'agent:started' };
type Progressed = Event & { event: 'agent:progressed' };
type Finished = Event & { event: 'agent:finished' };

function workStarted(state: TasksState, event: Started): void {
  const id = event.task_id ?? event.agent;
  if (id === null || event.turn_only) return;
  const isAgent = startsAgent(event);
  const isNewRun = event.run_id !== null && !state.runs.has(keyOf(event.session_id, id, event.run_id));
  const entry = state.work.get(keyOf(event.session_id, id)) ?? newEntry(event, id, isAgent);
  const reopens = event.resumed === true || (isNewRun && entry.run !== null);
  const status = entry.status === null || reopens ? heard(entry.status, 'in_progress', event) : entry.status;
  const reopened = reopens && status.value === 'in_progress' && entry.status?.value !== 'in_progress';
  saveEntry(state, event, {
    ...entry,
    isAgent,
    hasTaskId: entry.hasTaskId || event.task_id !== null,
    type: entry.type ?? event.task_type,
    subject: entry.subject ?? event.description,
    starter: starterOf(entry, isAgent ? event.parent : event.agent, event.time),
    background: either(entry.background, event.background),
    ambient: entry.ambient || event.ambient,
    launched: event.task_id === null ? entry.launched : earliest(entry.launched, event.time),
    seen: earliest(entry.seen, event.time),
    status,
    run: isNewRun ? event.run_id : entry.run,
    duration: reopened && entry.duration !== null ? heard(entry.duration, null, event) : entry.duration,
  });
}

function workProgressed(state: TasksState, event: Progressed): void {
  const entry = workEntryOf(state, event);
  if (entry === null) return;
  const told = event.status === null || isStale(state, entry, event) ? null : taskStatusOf(event.status);
  saveEntry(state, event, {
    ...entry,
    type: entry.type ?? event.task_type,
    background: either(entry.background, event.background),
    status: told === null ? entry.status : heard(entry.status, told, event),
  });
}

function workFinished(state: TasksState, event: Finished): void {
  const entry = workEntryOf(state, event);
  if (entry === null) return;
  const isOver = (entry.status?.value ?? 'in_progress') !== 'in_progress';
  // A file that only says that the agent has ended does not know how.
  const isVague = event.on_disk === true && event.status === null && isOver;
  const ends = !isVague && !isStale(state, entry, event);
  // An agent that failed may still return what it had so far, as if it had completed.
  const hasFailed = entry.isAgent && entry.status?.value === 'failed';
  const isDone = (event.status ?? 'completed') === 'completed';
  const { duration_ms, seq } = event;
  // What only says better how it ended, without a time, does not take its end from it.
  const when = { time: event.time ?? (isOver ? sinceOf(entry.status) : null), seq };
  saveEntry(state, event, {
    ...entry,
    type: entry.type ?? event.task_type,
    status: ends && !(hasFailed && isDone) ? heard(entry.status, event.status ?? 'completed', when) : entry.status,
    duration: ends && duration_ms !== null ? heard(entry.duration, duration_ms, event) : entry.duration,
  });
}

/** An agent that was interrupted says so itself. Its transcript has no other end. */
function workInterrupted(state: TasksState, event: Event & { event: 'session:changed' }): void {
  const key = keyOf(event.session_id, event.agent ?? '');
  const entry = state.work.get(key);
  if (event.subtype !== 'interrupted' || entry?.status?.value !== 'in_progress') return;
  state.work.set(key, { ...entry, status: heard(entry.status, 'stopped', event) });
}

/** The earliest starter is used: an agent that resumes another did not start it. */
function starterOf({ starter }: WorkEntry, agent: string | null, time: string | null): WorkEntry['starter'] {
  if (agent === null) return starter;
  return starter === null || isOlder(time, starter.time) ? { agent, time } : starter;
}

/** The work an event is about, even if its start is not in the input. */
function workEntryOf({ work }: TasksState, event: Progressed | Finished): WorkEntry | null {
  const { agent, task_type } = event;
  const id = event.task_id ?? agent;
  if (id === null) return null;
  const known = work.get(keyOf(event.session_id, id));
  if (known !== undefined) return known;
  // Up to 2.1.140 the frames of a teammate have a task id of their own.
  const isTeammate = agent !== id && (agent?.includes('@') ?? false) && task_type === null;
  const isAgent = agent === id || (task_type !== null && isAgentWork(task_type));
  return isTeammate ? null : newEntry(event, id, isAgent);
}

function newEntry(event: Started | Progressed | Finished, id: string, isAgent: boolean): WorkEntry {
  return {
    session_id: event.session_id,
    team: event.team,
    id,
    isAgent,
    hasTaskId: event.task_id !== null,
    type: event.task_type,
    subject: null,
    starter: null,
    background: null,
    ambient: false,
    launched: null,
    seen: null,
    status: null,
    run: null,
    duration: null,
  };
}

/** Whether the event belongs to a run that was followed by another run. */
function isStale({ runs }: TasksState, { id, run }: WorkEntry, { run_id, session_id }: Progressed | Finished): boolean {
  return run_id !== null && run !== null && run_id !== run && runs.has(keyOf(session_id, id, run_id));
}

function saveEntry(state: TasksState, event: Started | Progressed | Finished, entry: WorkEntry): void {
  const key = keyOf(entry.session_id, entry.id);
  const known = state.work.get(key);
  const next = entry.run === null && event.run_id !== null ? { ...entry, run: event.run_id } : entry;
  if (known === undefined || !hasSameFields(known, next)) state.work.put(key, next);
  if (event.run_id !== null) state.runs.set(keyOf(event.session_id, entry.id, event.run_id), true);
}

/** true if either is true. */
function either(a: boolean | null, b: boolean | null): boolean | null {
  return a === true || b === true ? true : (a ?? b);
}

function taskStatusOf(status: string): string {
  return status === 'running' || status === 'pending' ? 'in_progress' : status;
}

interface When {
  readonly time: string | null;
  readonly seq: number;
}

function repeated<V>(known: Said<V>, { time, seq }: When): Said<V> {
  const holds = time !== null && (known.before === null || time > known.before);
  const first = holds ? earliest(known.first, time) : known.first;
  const last = latest(known.last, time);
  const newest = Math.max(known.seq, seq);
  if (first === known.first && last === known.last && newest === known.seq) return known;
  return { ...known, first, last, seq: newest };
}

function isLater(b: Said<unknown>, a: Said<unknown>): boolean {
  const dated = a.first !== null && b.first !== null && a.last !== null && b.last !== null;
  return dated && a.last !== b.last ? b.last > a.last : b.seq > a.seq;
}
