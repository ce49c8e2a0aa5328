// Makes the rows of the tasks command from a state.
import { getOrCreate } from '../../core/record/json.js';
import type { AgentsState } from '../../core/tables/agents.js';
import { agentKey, resolveAgent } from '../../core/tables/directory.js';
import {
  commonName,
  compare,
  earliest,
  groupBy,
  keyOf,
  latest,
  type Place,
  plainName,
} from '../../core/tables/order.js';
import {
  isSameValue,
  mergeWork,
  sinceOf,
  type TaskEvent,
  type TasksState,
  type WorkEntry,
} from '../../core/tables/tasks.js';
import { implicitTeam } from '../../core/wire/sessions.js';
import { type TaskRow, taskKinds } from './row.js';

export type { TaskRow } from './row.js';

/** All tasks, including deleted ones. `all` adds Claude Code's own background work. */
export function taskRows(tasks: TasksState, agents: AgentsState, { all = false }: { all?: boolean } = {}): TaskRow[] {
  const boardOf = boardsOf(tasks);
  const listed = listedTasks(tasks.changes.values(), agents, boardOf);
  return [...listed, ...backgroundTasks(tasks, agents, boardOf, all)].sort(compareTasks);
}

/** The tasks on boards alone, without internal ones. */
export function boardRows(tasks: TasksState, agents: AgentsState): TaskRow[] {
  const changes = tasks.changes.values().filter(({ kind }) => kind === 'board');
  return listedTasks(changes, agents, boardsOf(tasks))
    .filter((row) => !isInternal(row))
    .sort(compareTasks);
}

/** The filters for tasks. An empty list filters nothing. */
export interface TaskQuery {
  readonly kind: readonly string[];
  readonly status: readonly string[];
  readonly owner: readonly string[];
  readonly team: string | null;
  readonly session: string | null;
  /** Not finished. */
  readonly open: boolean;
  readonly ready: boolean;
  /** Open, and waiting for another task. */
  readonly blocked: boolean;
  /** Include deleted and internal tasks. */
  readonly all: boolean;
}

/** Needs all rows of the input, because whether a task is blocked depends on others. */
export function taskFilter(query: TaskQuery, rows: readonly TaskRow[]): (row: TaskRow) => boolean {
  const owners = new Set(query.owner.map(commonName));
  const waits = query.blocked ? waitingIn(rows) : null;
  const isAmong = (wanted: readonly string[], value: string | null) =>
    wanted.length === 0 || (value !== null && wanted.includes(value));
  return (row) =>
    isShown(row, query) &&
    isAmong(query.kind, row.kind) &&
    isAmong(query.status, row.status) &&
    (owners.size === 0 || (row.owner !== null && owners.has(commonName(row.owner)))) &&
    (query.team === null || row.team === query.team) &&
    (query.session === null || row.session_id === query.session) &&
    (!query.open || isOpen(row)) &&
    (!query.ready || row.ready) &&
    (waits === null || waits(row));
}

export function isInternal({ metadata }: TaskRow): boolean {
  return metadata !== null && Object.hasOwn(metadata, '_internal') && metadata['_internal'] === true;
}

/** The groups of tasks that wait for each other, or for themselves. Takes linear time. */
export function cyclesAmong(ids: Iterable<string>, blockersOf: (id: string) => readonly string[]): Set<string>[] {
  // Kosaraju's algorithm without recursion: a chain of thousands of tasks would overflow the stack.
  const waiting = new Map<string, string[]>();
  const left: string[] = [];
  const entered = new Set<string>();
  const path: { readonly id: string; readonly blockers: readonly string[]; next: number }[] = [];
  const enter = (id: string) => {
    if (!entered.has(id)) path.push({ id, blockers: blockersOf(id), next: 0 });
    entered.add(id);
  };
  for (const root of ids) {
    enter(root);
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const blocker = step.blockers[step.next++];
      if (blocker !== undefined) {
        getOrCreate(waiting, blocker, () => []).push(step.id);
        enter(blocker);
      } else {
        left.push(step.id);
        path.pop();
      }
    }
  }
  const cycles: Set<string>[] = [];
  const placed = new Set<string>();
  for (const root of left.reverse()) {
    const component = new Set(placed.has(root) ? [] : [root]);
    for (const id of component) {
      placed.add(id);
      for (const other of waiting.get(id) ?? []) if (!placed.has(other)) component.add(other);
    }
    if (component.size > 1 || (component.size === 1 && waiting.get(root)?.includes(root))) cycles.push(component);
  }
  return cycles;
}

/** The board of a team, or of a session without a team. */
export interface Board extends Place {
  readonly key: string;
}

/**
 * Finds the board of a place. A team is its name and the session that leads it. Sessions and files that only name a
 * team join the team of that name whose lead is known. Tasks that a session had before its team belong to the team.
 */
export function boardsOf({ teams, changes, work }: TasksState): BoardOf {
  const named = teams.values().filter(({ session_id, team }) => team !== implicitTeam(session_id));
  const made = named.filter(({ created }) => created);
  const inSessions = named.filter(({ session_id }) => session_id !== null);
  const leaders = groupBy(
    inSessions.filter(({ created }) => created),
    ({ team }) => team,
  );
  const speakers = groupBy(inSessions, ({ team }) => team);
  const own = new Map<string | null, string>();
  for (const { session_id, team } of [...made, ...inSessions]) if (!own.has(session_id)) own.set(session_id, team);
  let sessions: ReadonlyMap<string, string> | null = null;
  function findBoard({ session_id, team }: Place): Board {
    sessions ??= session_id === null ? implicitTeams([teams, changes, work]) : null;
    const session = session_id === null ? sessions?.get(team ?? '') : undefined;
    if (session !== undefined) return findBoard({ session_id: session, team: null });
    const implicit = implicitTeam(session_id);
    const name = team !== null && team !== implicit ? team : own.get(session_id);
    if (name === undefined)
      return { key: keyOf(session_id), session_id, team: teams.has(keyOf(session_id, implicit)) ? implicit : null };
    const here = session_id === null ? undefined : teams.get(keyOf(session_id, name));
    const lead = here?.created ? here : only(leaders.get(name) ?? []);
    if (lead !== undefined) return { key: keyOf(lead.session_id, name), session_id: lead.session_id, team: name };
    const speaker = leaders.has(name) ? undefined : only(speakers.get(name) ?? []);
    return { key: keyOf(null, name), session_id: speaker?.session_id ?? null, team: name };
  }

  const known = new Map<string, Board>();
  return (place) => getOrCreate(known, keyOf(place.session_id, place.team), () => findBoard(place));
}

/** The session behind the name of each implicit team. */
function implicitTeams(tables: readonly Iterable<readonly [string, Place]>[]): ReadonlyMap<string, string> {
  const sessions = new Map<string, string>();
  for (const table of tables)
    for (const [, { session_id }] of table) if (session_id !== null) sessions.set(implicitTeam(session_id), session_id);
  return sessions;
}

/** The name of an agent given by its name or any of its ids. */
export function ownerName(agents: AgentsState, place: Place, owner: string | null): string | null {
  if (owner === null || owner === 'team-lead') return owner;
  const { name } = resolveAgent(agents, place, owner);
  return name === owner ? plainName(owner) : name;
}

/** Numbers come first, in numeric order. */
export function compareIds(a: string, b: string): number {
  const left = digits(a);
  const right = digits(b);
  if (left === null || right === null) return Number(left === null) - Number(right === null) || compare(a, b);
  return left.length - right.length || compare(left, right) || compare(a, b);
}

/** Deleted and internal tasks are shown only on request. */
export function isShown(row: TaskRow, { all, status }: Pick<TaskQuery, 'all' | 'status'>): boolean {
  if (all) return true;
  return row.status === 'deleted' ? status.includes('deleted') : !isInternal(row);
}

function isOpen({ status }: TaskRow): boolean {
  return status === null || !ends.has(status);
}
const ends: ReadonlySet<string> = new Set(['completed', 'deleted', 'failed', 'stopped']);

/** A pending task waits unless it is ready. A task in progress waits while a blocker is neither completed nor deleted. */
function waitingIn(rows: readonly TaskRow[]): (row: TaskRow) => boolean {
  const isTaskDone = ({ status }: TaskRow) => status === 'completed' || status === 'deleted';
  const keyOfTask = ({ team, session_id }: TaskRow, id: string) => keyOf(team, session_id, id);
  const board = rows.filter(({ kind }) => kind === 'board');
  const done = new Set(board.filter(isTaskDone).map((row) => keyOfTask(row, row.id)));
  return (row) =>
    row.kind === 'board' &&
    isOpen(row) &&
    !row.ready &&
    (row.status === 'pending' || row.blocked_by.some((id) => !done.has(keyOfTask(row, id))));
}

/** A task on the board of a team, or a todo of an agent. */
interface ListedTask {
  readonly board: Board;
  readonly kind: 'board' | 'todo';
  readonly session_id: string | null;
  readonly list: string | null;
  readonly id: string;
  readonly fields: { [name in (typeof textFields)[number]]?: Held<string> };
  readonly metadata: Map<string, Held<unknown>>;
  created: string | null;
  /** When it was first in progress. */
  started: string | null;
  /** For a todo: the call that wrote it last. */
  write: string | null;
}

const textFields = ['subject', 'description', 'active_form', 'status', 'owner'] as const;

/** A value, and since when it holds. */
interface Held<V> {
  readonly value: V;
  readonly since: string | null;
}

function listedTasks(changes: readonly TaskEvent[], agents: AgentsState, boardOf: BoardOf): TaskRow[] {
  const tasks = new Map<string, ListedTask>();
  /** The last call that wrote each todo list. Each call writes the whole list. */
  const writes = new Map<string, string | null>();
  for (const event of changes) {
    const { kind, list, session_id, task } = event;
    const board = boardOf(event);
    const whose = kind === 'board' ? board.key : listKey(agents, event);
    const listed = getOrCreate(tasks, keyOf(kind, whose, task.id), () => ({
      ...{ board, kind, session_id, list, id: task.id },
      ...{ fields: {}, metadata: new Map(), created: null, started: null, write: null },
    }));
    applyChange(listed, event);
    if (kind === 'todo') writes.set(whose, event.tool_use_id);
  }
  for (const task of tasks.values()) {
    if (task.kind !== 'todo') continue;
    const last = writes.get(listKey(agents, { ...task, team: task.board.team }));
    if (last !== task.write) task.fields.status = { value: 'deleted', since: null };
  }
  const byBoard = groupBy(
    changes.filter(({ kind }) => kind === 'board'),
    (event) => boardOf(event).key,
  );
  // Todos do not block anything, so all of them can share one list.
  const lists = groupBy([...tasks.values()], ({ kind, board }) => (kind === 'board' ? board.key : ''));
  return [...lists].flatMap(([key, list]) => listRows(list, dependenciesOf(byBoard.get(key) ?? []), agents));
}

function listKey(agents: AgentsState, task: Place & { list: string | null }): string {
  return keyOf(task.session_id, agentKey(agents, task, task.list ?? 'main'));
}

/** Later values replace earlier ones. A todo is a position in a list: with another subject it is another todo. */
function applyChange(listed: ListedTask, event: TaskEvent): void {
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
    if (value === null || (name === 'status' && status !== undefined && isUndatedCreation(event))) continue;
    listed.fields[name] = heldValue(listed.fields[name], value, time);
  }
  for (const [name, value] of Object.entries(task.metadata ?? {}))
    listed.metadata.set(name, heldValue(listed.metadata.get(name), value, time));
  listed.write = event.tool_use_id;
}

function heldValue<V>(known: Held<V> | undefined, value: V, time: string | null): Held<V> {
  if (known === undefined || !isSameValue(known.value, value)) return { value, since: time };
  return known.since === null && time !== null ? { value, since: time } : known;
}

/** A hook reports the creation without a time, so every known status is newer. */
function isUndatedCreation({ event, time, tool_use_id, task, on_disk }: TaskEvent): boolean {
  const undated = event === 'team:task:created' && time === null && tool_use_id === null && on_disk !== true;
  return undated && task.status === 'pending';
}

function listRows(tasks: readonly ListedTask[], dependencies: Dependencies, agents: AgentsState): TaskRow[] {
  const status = new Map(tasks.map(({ id, fields }) => [id, fields.status?.value ?? null]));
  const isGone = (id: string) => status.get(id) === 'deleted';
  const present = (id: string) => dependencies.blockersOf(id).filter((blocker) => !isGone(blocker));
  const cycles = cyclesAmong(status.keys(), (id) => (isGone(id) ? [] : present(id)));
  const cyclic = new Set(cycles.flatMap((cycle) => [...cycle]));
  const isFree = (id: string) => !cyclic.has(id) && present(id).every((blocker) => status.get(blocker) === 'completed');
  return tasks.map((task) => listedRow(task, dependencies, agents, isFree));
}

function listedRow(
  task: ListedTask,
  dependencies: Dependencies,
  agents: AgentsState,
  isFree: (id: string) => boolean,
): TaskRow {
  const { kind, id, board, list, fields, metadata, created, started } = task;
  const [place, owner] =
    kind === 'todo' ? [{ session_id: task.session_id, team: board.team }, list] : [board, fields.owner?.value || null];
  const status = fields.status?.value ?? null;
  const completed_at = status === 'completed' ? (fields.status?.since ?? null) : null;
  return {
    kind,
    team: place.team,
    session_id: place.session_id,
    id,
    subject: fields.subject?.value ?? null,
    description: fields.description?.value ?? null,
    active_form: fields.active_form?.value ?? null,
    status,
    owner: ownerName(agents, place, owner),
    blocked_by: dependencies.blockersOf(id),
    blocks: dependencies.blockedBy(id),
    ready: status === 'pending' && isFree(id),
    created_at: created,
    updated_at: changedAt(task, dependencies.changedAt(id)),
    started_at: started,
    completed_at,
    duration_ms: msBetween(started, completed_at),
    metadata: metadata.size === 0 ? null : valuesIn(metadata),
  };
}

function changedAt({ created, fields, metadata }: ListedTask, dependencies: string | null): string | null {
  const held: (Held<unknown> | undefined)[] = [...Object.values(fields), ...metadata.values()];
  return [created, dependencies, ...held.map((one) => one?.since ?? null)].reduce(latest, null);
}

function msBetween(from: string | null, to: string | null): number | null {
  return from === null || to === null || to < from ? null : Date.parse(to) - Date.parse(from);
}

function valuesIn(metadata: ListedTask['metadata']): Record<string, unknown> {
  const known = [...metadata].filter(([, { value }]) => value !== null);
  return Object.fromEntries(known.map(([name, { value }]) => [name, value]));
}

/** What blocks what on one board. */
interface Dependencies {
  blockersOf(id: string): string[];
  blockedBy(id: string): string[];
  /** When an event of this task last added a dependency. */
  changedAt(id: string): string | null;
}

function dependenciesOf(changes: readonly TaskEvent[]): Dependencies {
  const blockers = new Map<string, Set<string>>();
  const blocked = new Map<string, Set<string>>();
  /** Which task's events named each dependency, and when first. */
  const told = new Map<string, { readonly by: string; readonly time: string | null }>();
  for (const { task, time } of changes) {
    const addBlocker = (blocker: string, other: string) => {
      getOrCreate(blockers, other, () => new Set()).add(blocker);
      getOrCreate(blocked, blocker, () => new Set()).add(other);
      const key = keyOf(task.id, blocker, other);
      told.set(key, { by: task.id, time: earliest(told.get(key)?.time ?? null, time) });
    };
    for (const blocker of task.blocked_by ?? []) addBlocker(blocker, task.id);
    for (const other of task.blocks ?? []) addBlocker(task.id, other);
  }
  const changed = new Map<string, string | null>();
  for (const { by, time } of told.values()) changed.set(by, latest(changed.get(by) ?? null, time));
  return {
    blockersOf: (id) => [...(blockers.get(id) ?? [])].sort(compareIds),
    blockedBy: (id) => [...(blocked.get(id) ?? [])].sort(compareIds),
    changedAt: (id) => changed.get(id) ?? null,
  };
}

function backgroundTasks({ work }: TasksState, agents: AgentsState, boardOf: BoardOf, all: boolean): TaskRow[] {
  const whose = (entry: WorkEntry) =>
    entry.isAgent ? agentKey(agents, entry, entry.id) : keyOf(entry.session_id, entry.id);
  return [...groupBy(work.values(), whose).values()]
    .map((entries) => entries.reduce(mergeWork))
    .filter((entry) => isInBackground(entry, agents) && (all || !entry.ambient))
    .map((entry) => backgroundRow(entry, agents, boardOf(entry)));
}

/** Up to 2.1.140 no record says that a shell runs in the background, and foreground shells have no records. */
function isInBackground(entry: WorkEntry, agents: AgentsState): boolean {
  if (!entry.isAgent) return entry.background !== false;
  const isTeammate = /teammate/.test(entry.type ?? '') || resolveAgent(agents, entry, entry.id).kind === 'teammate';
  return entry.background === true && !isTeammate;
}

function backgroundRow(entry: WorkEntry, agents: AgentsState, { team }: Board): TaskRow {
  const status = entry.status?.value ?? null;
  const started = entry.launched ?? entry.seen;
  const isOver = status !== null && status !== 'in_progress';
  const completed_at = isOver ? sinceOf(entry.status) : null;
  const reported = isOver ? (entry.duration?.value ?? null) : null;
  return {
    kind: 'background',
    team,
    session_id: entry.session_id,
    id: entry.id,
    subject: entry.subject,
    description: null,
    active_form: null,
    status,
    // Unless something names it, the lead started an agent.
    owner: ownerName(agents, entry, entry.starter?.agent ?? (entry.isAgent && entry.subject !== null ? 'main' : null)),
    blocked_by: [],
    blocks: [],
    ready: false,
    created_at: started,
    updated_at: latest(started, sinceOf(entry.status)),
    started_at: started,
    completed_at,
    duration_ms: reported ?? msBetween(started, completed_at),
    metadata: null,
  };
}

type BoardOf = (place: Place) => Board;

function only<T>(list: readonly T[]): T | undefined {
  return list.length === 1 ? list[0] : undefined;
}

function compareTasks(a: TaskRow, b: TaskRow): number {
  return (
    compare(a.team, b.team) ||
    compare(a.session_id, b.session_id) ||
    taskKinds.indexOf(a.kind) - taskKinds.indexOf(b.kind) ||
    compareIds(a.id, b.id) ||
    compare(a.owner, b.owner)
  );
}

function digits(id: string): string | null {
  if (!/^\d+$/.test(id)) return null;
  return id.startsWith('0') ? id.replace(/^0+(?=\d)/, '') : id;
}
