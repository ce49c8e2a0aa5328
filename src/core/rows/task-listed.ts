// Rows of tasks that stand in a list: the board of a team, or the todos of an agent.
import { type AgentsState, entryKey, scopeOf } from '../state/agents.js';
import type { TaskEvent, TasksState } from '../state/tasks.js';
import { keyOf, type Place } from '../state/tasks-place.js';
import { earliest, latest } from '../state/time.js';
import { once } from './once.js';
import { groupBy } from './pick.js';
import type { TaskRow } from './task.js';
import type { Board } from './task-boards.js';
import { type Dependencies, dependenciesOf, inCycles } from './task-dependencies.js';
import { ownerName } from './task-owner.js';

/** A value, and since when it holds. */
interface Said<V> {
  readonly value: V;
  readonly since: string | null;
}

interface ListedTask {
  readonly board: Board;
  readonly kind: 'board' | 'todo';
  readonly session_id: string | null;
  readonly list: string | null;
  readonly id: string;
  readonly fields: Partial<Record<'subject' | 'description' | 'active_form' | 'status' | 'owner', Said<string>>>;
  readonly metadata: Map<string, Said<unknown>>;
  created: string | null;
  /** When it was first in progress. */
  started: string | null;
  /** The call that wrote it last, of a todo. */
  write: string | null;
}

const textFields = ['subject', 'description', 'active_form', 'status', 'owner'] as const;

export function listedTasks(state: TasksState, agents: AgentsState, boardOf: (place: Place) => Board): TaskRow[] {
  const tasks = new Map<string, ListedTask>();
  /** The call that wrote each todo list last: it wrote the whole list. */
  const writes = new Map<string, string | null>();
  const changes = state.changes.values();
  for (const event of changes) {
    const { kind, list, session_id, task } = event;
    const board = boardOf(event);
    const whose = kind === 'board' ? board.key : listKey(agents, event);
    const listed = once(tasks, keyOf(kind, whose, task.id), () => ({
      ...{ board, kind, session_id, list, id: task.id },
      ...{ fields: {}, metadata: new Map(), created: null, started: null, write: null },
    }));
    apply(listed, event);
    if (kind === 'todo') writes.set(whose, event.tool_use_id);
  }
  for (const task of tasks.values()) {
    const last = task.kind === 'todo' ? writes.get(listKey(agents, { ...task, team: task.board.team })) : task.write;
    if (last !== task.write) task.fields.status = { value: 'deleted', since: null };
  }
  const dependencies = groupBy(
    changes.filter(({ kind }) => kind === 'board'),
    (event) => boardOf(event).key,
  );
  const byList = groupBy([...tasks.values()], ({ kind, board }) => (kind === 'board' ? board.key : ''));
  return [...byList].flatMap(([key, list]) => rowsOf(list, dependenciesOf(dependencies.get(key) ?? []), agents));
}

function listKey(agents: AgentsState, task: Place & { list: string | null }): string {
  return keyOf(task.session_id, entryKey(agents, scopeOf(task), task.list ?? 'main'));
}

/** What is said later holds. A todo is its place in a list: with another subject it is another todo. */
function apply(listed: ListedTask, event: TaskEvent): void {
  const { task, time } = event;
  const { subject, status } = listed.fields;
  if (listed.kind === 'todo' && task.subject !== null && subject !== undefined && subject.value !== task.subject) {
    listed.created = time;
    listed.started = null;
  }
  if (event.event === 'team:task:created') listed.created = earliest(listed.created, time);
  if (task.status === 'in_progress') listed.started = earliest(listed.started, time);
  for (const name of textFields) {
    const value = task[name];
    if (value === null || (name === 'status' && isLeast(status, event))) continue;
    listed.fields[name] = said(listed.fields[name], value, time);
  }
  for (const [name, value] of Object.entries(task.metadata ?? {}))
    listed.metadata.set(name, said(listed.metadata.get(name), value, time));
  listed.write = event.tool_use_id;
}

function said<V>(known: Said<V> | undefined, value: V, time: string | null): Said<V> {
  if (known === undefined || !isSame(known.value, value)) return { value, since: time };
  return known.since === null && time !== null ? { value, since: time } : known;
}

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  return typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b);
}

/** A hook that says, without a time, that the task is there: nothing that is known of it came before. */
function isLeast(status: Said<string> | undefined, { event, time, tool_use_id, task, on_disk }: TaskEvent): boolean {
  const undated = event === 'team:task:created' && time === null && tool_use_id === null && on_disk !== true;
  return undated && status !== undefined && task.status === 'pending';
}

function rowsOf(tasks: readonly ListedTask[], dependencies: Dependencies, agents: AgentsState): TaskRow[] {
  const status = new Map(tasks.map(({ id, fields }) => [id, fields.status?.value ?? null]));
  const isGone = (id: string) => status.get(id) === 'deleted';
  const present = (id: string) => dependencies.blockersOf(id).filter((blocker) => !isGone(blocker));
  const cyclic = inCycles(status.keys(), (id) => (isGone(id) ? [] : present(id)));
  const isFree = (id: string) => !cyclic.has(id) && present(id).every((blocker) => status.get(blocker) === 'completed');
  return tasks.map((task) => rowOf(task, dependencies, agents, isFree));
}

function rowOf(
  task: ListedTask,
  dependencies: Dependencies,
  agents: AgentsState,
  isFree: (id: string) => boolean,
): TaskRow {
  const { kind, id, board, session_id, list, fields, metadata, created, started } = task;
  const isTodo = kind === 'todo';
  const status = fields.status?.value ?? null;
  const completed_at = status === 'completed' ? (fields.status?.since ?? null) : null;
  return {
    kind,
    team: board.team,
    session_id: isTodo ? session_id : board.session_id,
    id,
    subject: fields.subject?.value ?? null,
    description: fields.description?.value ?? null,
    active_form: fields.active_form?.value ?? null,
    status,
    owner: isTodo
      ? ownerName(agents, { session_id, team: board.team }, list)
      : ownerName(agents, board, fields.owner?.value || null),
    blocked_by: isTodo ? [] : dependencies.blockersOf(id),
    blocks: isTodo ? [] : dependencies.blockedBy(id),
    ready: status === 'pending' && (isTodo || isFree(id)),
    created_at: created,
    updated_at: changedAt(task, isTodo ? null : dependencies.changedAt(id)),
    started_at: started,
    completed_at,
    duration_ms: durationOf(started, completed_at),
    metadata: metadata.size === 0 ? null : kept(metadata),
  };
}

function changedAt({ created, fields, metadata }: ListedTask, dependencies: string | null): string | null {
  const all: (Said<unknown> | undefined)[] = [...Object.values(fields), ...metadata.values()];
  return [created, dependencies, ...all.map((one) => one?.since ?? null)].reduce(latest, null);
}

export function durationOf(from: string | null, to: string | null): number | null {
  return from === null || to === null || to < from ? null : Date.parse(to) - Date.parse(from);
}

function kept(metadata: ListedTask['metadata']): Record<string, unknown> {
  return Object.fromEntries(
    [...metadata].filter(([, { value }]) => value !== null).map(([name, { value }]) => [name, value]),
  );
}
