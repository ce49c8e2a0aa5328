// Tasks as events tell of them. What belongs together across sessions, teams and ids of one agent is joined in core/rows.
import type { Event, TaskChange } from '../event/event.js';
import { Table } from './table.js';
import { keyOf, type Place } from './tasks-place.js';
import { earlier, type Said, say, sinceOf } from './tasks-said.js';
import { type WorkEntry, workFinished, workProgressed, workStarted } from './tasks-work.js';
import { isOlder } from './time.js';

export interface TasksState {
  readonly tasks: Table<TaskEntry>;
  readonly metadata: Table<MetadataEntry>;
  readonly dependencies: Table<DependencyEntry>;
  readonly work: Table<WorkEntry>;
  /** Runs known of a piece of work, so that the end of an earlier one does not end a later one. */
  readonly runs: Table<true>;
  /** Teams that sessions speak of. */
  readonly teams: Table<TeamEntry>;
}

export interface TaskEntry extends Place {
  readonly kind: 'board' | 'todo';
  /** Whose list a todo stands in. */
  readonly list: string | null;
  readonly id: string;
  readonly subject: Said<string> | null;
  readonly description: Said<string> | null;
  readonly active_form: Said<string> | null;
  readonly status: Said<string> | null;
  /** '' when it was released. */
  readonly owner: Said<string> | null;
  readonly created: string | null;
  /** When it was first in progress. */
  readonly started: string | null;
}

export interface MetadataEntry {
  /** Key of its task. */
  readonly task: string;
  readonly name: string;
  /** null deletes it. */
  readonly said: Said<unknown>;
}

export interface DependencyEntry extends Place {
  readonly blocker: string;
  readonly blocked: string;
  /** Which of the two the event was about. */
  readonly by: string;
  readonly time: string | null;
}

export interface TeamEntry extends Place {
  readonly team: string;
  /** This session made it. */
  readonly created: boolean;
}

export const noTasks: TasksState = {
  tasks: new Table(),
  metadata: new Table(),
  dependencies: new Table(),
  work: new Table(),
  runs: new Table(),
  teams: new Table(),
};

export function reduceTasks(state: TasksState, event: Event): TasksState {
  switch (event.event) {
    case 'team:created':
      return withTeam(state, event.session_id, event.name, event.protocol !== 'implicit');
    case 'team:task:created':
    case 'team:task:claimed':
    case 'team:task:updated':
    case 'team:task:completed':
    case 'team:task:deleted':
      return taskChanged(withTeamOf(state, event), event);
    case 'agent:started':
      return workStarted(withTeamOf(state, event), event);
    case 'agent:progressed':
      return workProgressed(state, event);
    case 'agent:finished':
      return workFinished(state, event);
    default:
      return state;
  }
}

type TaskEvent = Event & { event: `team:task:${string}` };

function withTeamOf(state: TasksState, { session_id, team }: Event): TasksState {
  return team === null ? state : withTeam(state, session_id, team, false);
}

function withTeam(state: TasksState, session_id: string | null, team: string, created: boolean): TasksState {
  const key = keyOf(session_id, team);
  const known = state.teams.get(key);
  if (known !== undefined && (known.created || !created)) return state;
  return { ...state, teams: state.teams.set(key, { session_id, team, created }) };
}

function taskChanged(state: TasksState, event: TaskEvent): TasksState {
  const key = keyOf(event.kind, event.session_id, event.team, event.list, event.task.id);
  const known = state.tasks.get(key);
  const entry = known ?? blank(event);
  const next = event.kind === 'todo' ? todoChanged(entry, event) : boardTaskChanged(entry, event);
  const tasks = known !== undefined && isSame(known, next) ? state.tasks : state.tasks.set(key, next);
  const metadata = withMetadata(state.metadata, key, event);
  const dependencies = withDependencies(state.dependencies, event);
  if (tasks === state.tasks && metadata === state.metadata && dependencies === state.dependencies) return state;
  return { tasks, metadata, dependencies, work: state.work, runs: state.runs, teams: state.teams };
}

function blank({ kind, session_id, team, list, task: { id } }: TaskEvent): TaskEntry {
  return {
    kind,
    session_id,
    team,
    list,
    id,
    subject: null,
    description: null,
    active_form: null,
    status: null,
    owner: null,
    created: null,
    started: null,
  };
}

function boardTaskChanged(entry: TaskEntry, event: TaskEvent): TaskEntry {
  return changed(entry, event, createdBy(entry, event), startedBy(entry, event));
}

/** A todo is its place in a list: with another subject it is another todo, and an older one is gone. */
function todoChanged(entry: TaskEntry, event: TaskEvent): TaskEntry {
  const { subject } = event.task;
  const next = changed(entry, event, entry.created, entry.started);
  const isOther = subject !== null && entry.subject !== null && entry.subject.value !== subject;
  if (isOther && next.subject?.value === subject) {
    const fresh = { ...next, created: event.time, started: null };
    return { ...fresh, created: createdBy(fresh, event), started: startedBy(fresh, event) };
  }
  if (isOther || isOlder(event.time, sinceOf(next.subject))) return next;
  return { ...next, created: createdBy(next, event), started: startedBy(next, event) };
}

/** Written out field by field: spreads take ten times as long. */
function changed(entry: TaskEntry, event: TaskEvent, created: string | null, started: string | null): TaskEntry {
  const { task } = event;
  return {
    kind: entry.kind,
    session_id: entry.session_id,
    team: entry.team,
    list: entry.list,
    id: entry.id,
    subject: told(entry.subject, task.subject, event),
    description: told(entry.description, task.description, event),
    active_form: told(entry.active_form, task.active_form, event),
    status: isLeast(entry, event) ? entry.status : told(entry.status, task.status, event),
    owner: told(entry.owner, task.owner, event),
    created,
    started,
  };
}

function told(known: Said<string> | null, value: string | null, event: TaskEvent): Said<string> | null {
  return value === null ? known : say(known, value, event);
}

/** A hook or file that says, without a time, that the task is there: nothing that is known of it came before. */
function isLeast({ status }: TaskEntry, event: TaskEvent): boolean {
  const undated = event.event === 'team:task:created' && event.time === null && event.tool_use_id === null;
  return undated && status !== null && event.task.status === 'pending';
}

function createdBy({ created }: TaskEntry, { event, time }: TaskEvent): string | null {
  return event === 'team:task:created' ? earlier(created, time) : created;
}

/** When it was first in progress, as far as this event can tell. */
function startedBy({ started }: TaskEntry, { time, task }: TaskEvent): string | null {
  return task.status === 'in_progress' ? earlier(started, time) : started;
}

function isSame(a: TaskEntry, b: TaskEntry): boolean {
  return (
    a.subject === b.subject &&
    a.description === b.description &&
    a.active_form === b.active_form &&
    a.status === b.status &&
    a.owner === b.owner &&
    a.created === b.created &&
    a.started === b.started
  );
}

function withMetadata(known: Table<MetadataEntry>, task: string, event: TaskEvent): Table<MetadataEntry> {
  let metadata = known;
  for (const [name, value] of Object.entries(event.task.metadata ?? {})) {
    const key = keyOf(task, name);
    const before = metadata.get(key)?.said ?? null;
    const said = say(before, value, event);
    if (said !== before) metadata = metadata.set(key, { task, name, said });
  }
  return metadata;
}

function withDependencies(known: Table<DependencyEntry>, event: TaskEvent): Table<DependencyEntry> {
  let dependencies = known;
  for (const [blocker, blocked] of dependenciesIn(event.task)) {
    const { session_id, team, task, time } = event;
    const key = keyOf(session_id, team, blocker, blocked, task.id);
    const before = dependencies.get(key);
    const since = earlier(before?.time ?? null, time);
    if (before === undefined || before.time !== since)
      dependencies = dependencies.set(key, { session_id, team, blocker, blocked, by: task.id, time: since });
  }
  return dependencies;
}

function* dependenciesIn({ id, blocked_by, blocks }: TaskChange): Generator<[blocker: string, blocked: string]> {
  for (const blocker of blocked_by ?? []) yield [blocker, id];
  for (const blocked of blocks ?? []) yield [id, blocked];
}
