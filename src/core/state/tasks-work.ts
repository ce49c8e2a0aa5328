// Work that runs beside the conversation: agents, shells, monitors, workflows. Foreground work is kept too, as it may be sent to the background.
import type { Event } from '../event/event.js';
import { isAgentWork } from './agents.js';
import type { Table } from './table.js';
import { keyOf, type Place } from './tasks-place.js';
import { earlier, type Said, say } from './tasks-said.js';
import { isOlder } from './time.js';

export interface WorkEntry extends Place {
  readonly id: string;
  /** The work is an agent. */
  readonly isAgent: boolean;
  /** The id is a task id, not that of a spawning call. */
  readonly hasTaskId: boolean;
  readonly type: string | null;
  readonly subject: string | null;
  /** Id of the agent that started it, as told first. */
  readonly starter: { readonly agent: string; readonly time: string | null } | null;
  /** null where nobody said. */
  readonly background: boolean | null;
  readonly ambient: boolean;
  /** When it was launched; of an agent also when its own records begin, which not every order of files tells. */
  readonly launched: string | null;
  readonly seen: string | null;
  readonly status: Said<string> | null;
  readonly run: string | null;
  readonly duration: Said<number | null> | null;
}

export interface WorkState {
  readonly work: Table<WorkEntry>;
  readonly runs: Table<true>;
}

type Started = Event & { event: 'agent:started' };
type Progressed = Event & { event: 'agent:progressed' };
type Finished = Event & { event: 'agent:finished' };

export function workStarted<S extends WorkState>(state: S, event: Started): S {
  const id = event.task_id ?? event.agent;
  if (id === null || event.turn_only) return state;
  const known = state.work.get(keyOf(event.session_id, id));
  const isAgent = startsAgent(event);
  const isNewRun = event.run_id !== null && !state.runs.has(keyOf(event.session_id, id, event.run_id));
  const entry = known ?? blank(event, id, isAgent);
  const reopens = event.resumed === true || (isNewRun && entry.run !== null);
  const status = entry.status === null || reopens ? say(entry.status, 'in_progress', event) : entry.status;
  const reopened = reopens && status.value === 'in_progress' && entry.status?.value !== 'in_progress';
  return keep(state, known, event, {
    ...entry,
    isAgent,
    hasTaskId: entry.hasTaskId || event.task_id !== null,
    type: entry.type ?? event.task_type,
    subject: entry.subject ?? event.description,
    starter: starterOf(entry, isAgent ? event.parent : event.agent, event.time),
    background: either(entry.background, event.background),
    ambient: entry.ambient || event.ambient,
    launched: event.task_id === null ? entry.launched : earlier(entry.launched, event.time),
    seen: earlier(entry.seen, event.time),
    status,
    run: isNewRun ? event.run_id : entry.run,
    duration: reopened && entry.duration !== null ? say(entry.duration, null, event) : entry.duration,
  });
}

export function workProgressed<S extends WorkState>(state: S, event: Progressed): S {
  const [known, entry] = entryOf(state, event);
  if (entry === null) return state;
  const told = event.status === null || isStale(state, entry, event) ? null : runningOr(event.status);
  return keep(state, known, event, {
    ...entry,
    type: entry.type ?? event.task_type,
    background: either(entry.background, event.background),
    status: told === null ? entry.status : say(entry.status, told, event),
  });
}

export function workFinished<S extends WorkState>(state: S, event: Finished): S {
  const [known, entry] = entryOf(state, event);
  if (entry === null) return state;
  const ends = !isStale(state, entry, event);
  const { duration_ms } = event;
  return keep(state, known, event, {
    ...entry,
    type: entry.type ?? event.task_type,
    status: ends ? say(entry.status, event.status ?? 'completed', event) : entry.status,
    duration: ends && duration_ms !== null ? say(entry.duration, duration_ms, event) : entry.duration,
  });
}

/** An agent is its own; other work belongs to whoever started it. */
export function startsAgent({ task_type, task_id, agent, parent }: Started): boolean {
  if (task_type !== null) return isAgentWork(task_type);
  return task_id === null || agent === task_id || (parent !== null && parent !== agent);
}

/** Who resumes an agent did not start it. */
function starterOf({ starter }: WorkEntry, agent: string | null, time: string | null): WorkEntry['starter'] {
  if (agent === null) return starter;
  return starter === null || isOlder(time, starter.time) ? { agent, time } : starter;
}

/** The work an event is about, also when its start is not in the input. */
function entryOf(
  { work }: WorkState,
  event: Progressed | Finished,
): [known: WorkEntry | undefined, entry: WorkEntry | null] {
  const id = event.task_id ?? event.agent;
  if (id === null) return [undefined, null];
  const known = work.get(keyOf(event.session_id, id));
  if (known !== undefined) return [known, known];
  // Up to 2.1.140 a teammate's frames have a task id of their own.
  const isTeammate = event.agent !== id && (event.agent?.includes('@') ?? false) && event.task_type === null;
  if (isTeammate) return [undefined, null];
  return [
    undefined,
    blank(event, id, event.agent === id || (event.task_type !== null && isAgentWork(event.task_type))),
  ];
}

function blank(event: Started | Progressed | Finished, id: string, isAgent: boolean): WorkEntry {
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

/** News of a run that has been followed by another. */
function isStale({ runs }: WorkState, { id, run }: WorkEntry, { run_id, session_id }: Progressed | Finished): boolean {
  return run_id !== null && run !== null && run_id !== run && runs.has(keyOf(session_id, id, run_id));
}

function keep<S extends WorkState>(
  state: S,
  known: WorkEntry | undefined,
  event: Started | Progressed | Finished,
  entry: WorkEntry,
): S {
  const run = event.run_id === null ? null : keyOf(event.session_id, entry.id, event.run_id);
  const runs = run === null ? state.runs : state.runs.set(run, true);
  const next = { ...entry, run: entry.run ?? event.run_id };
  const work =
    known !== undefined && isSame(known, next) ? state.work : state.work.set(keyOf(next.session_id, next.id), next);
  return work === state.work && runs === state.runs ? state : { ...state, work, runs };
}

function isSame(a: WorkEntry, b: WorkEntry): boolean {
  return (
    a.isAgent === b.isAgent &&
    a.hasTaskId === b.hasTaskId &&
    a.type === b.type &&
    a.subject === b.subject &&
    a.starter === b.starter &&
    a.background === b.background &&
    a.ambient === b.ambient &&
    a.launched === b.launched &&
    a.seen === b.seen &&
    a.status === b.status &&
    a.run === b.run &&
    a.duration === b.duration
  );
}

/** Once in the background is enough. */
function either(a: boolean | null, b: boolean | null): boolean | null {
  return a === true || b === true ? true : (a ?? b);
}

function runningOr(status: string): string {
  return status === 'running' || status === 'pending' ? 'in_progress' : status;
}
