import { type AgentsState, entryKey, resolveAgent, scopeOf } from '../../core/state/agents.js';
import { keyOf, type Place } from '../../core/state/keys.js';
import { compare, earliest, getOrCreate, groupBy, latest } from '../../core/state/order.js';
import { type Dependencies, dependenciesOf, inCycles } from './dependencies.js';
import { earlier, mergeSaid, sinceOf, type TaskEvent, type TasksState, type WorkEntry } from './fold.js';
import type { TaskRow } from './row.js';

export type { TaskRow } from './row.js';

/** Every task known, deleted ones too; `all` adds the program's own background work. */
export function taskRows(tasks: TasksState, agents: AgentsState, { all = false }: { all?: boolean } = {}): TaskRow[] {
  const boardOf = boardsOf(tasks);
  return [...listedTasks(tasks, agents, boardOf), ...backgroundTasks(tasks, agents, boardOf, all)].sort(compareTasks);
}

// Rows of tasks that stand in a list: the board of a team, or the todos of an agent.

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
    const listed = getOrCreate(tasks, keyOf(kind, whose, task.id), () => ({
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
  return tasks.map((task) => listedRow(task, dependencies, agents, isFree));
}

function listedRow(
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

// Rows of background tasks: agents, shells, monitors and workflows that run beside the conversation.

export function backgroundTasks(
  { work }: TasksState,
  agents: AgentsState,
  boardOf: (place: Place) => Board,
  all: boolean,
): TaskRow[] {
  const whose = (entry: WorkEntry) =>
    entry.isAgent ? entryKey(agents, scopeOf(entry), entry.id) : keyOf(entry.session_id, entry.id);
  return [...groupBy(work.values(), whose).values()]
    .map((entries) => entries.reduce(merge))
    .filter((entry) => isInBackground(entry, agents) && (all || !entry.ambient))
    .map((entry) => backgroundRow(entry, agents, boardOf(entry)));
}

/** An agent known first by the call that spawned it. */
function merge(a: WorkEntry, b: WorkEntry): WorkEntry {
  const [known, other] = a.hasTaskId ? [a, b] : [b, a];
  return {
    ...known,
    type: known.type ?? other.type,
    subject: known.subject ?? other.subject,
    starter: known.starter ?? other.starter,
    background: known.background === true || other.background === true ? true : (known.background ?? other.background),
    ambient: known.ambient || other.ambient,
    launched: earlier(known.launched, other.launched),
    seen: earlier(known.seen, other.seen),
    status: mergeSaid(known.status, other.status),
    duration: mergeSaid(known.duration, other.duration),
  };
}

/** Up to 2.1.140 nobody says that a shell runs in the background: those in the foreground are not told of at all. */
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
    owner: ownerName(agents, entry, entry.starter?.agent ?? null),
    blocked_by: [],
    blocks: [],
    ready: false,
    created_at: started,
    updated_at: latest(started, sinceOf(entry.status)),
    started_at: started,
    completed_at,
    duration_ms: reported ?? durationOf(started, completed_at),
    metadata: null,
  };
}

/** One board: that of a team, or of a session without one. */
export interface Board extends Place {
  readonly key: string;
}

/**
 * Which board a place stands for. A team is its name and the session that leads it; sessions and files that only
 * name a team join the one of that name whose lead is known, and what a session said before it had a team is the team's.
 */
export function boardsOf({ teams, changes, work }: TasksState): (place: Place) => Board {
  const leaders = new Map<string, string[]>();
  const speakers = new Map<string, Set<string>>();
  const own = new Map<string | null, { made: string | null; named: string | null; implicit: string | null }>();
  for (const { session_id, team, created } of teams.values()) {
    const names = own.get(session_id) ?? { made: null, named: null, implicit: null };
    own.set(session_id, names);
    if (team === implicitTeam(session_id)) {
      names.implicit = team;
      continue;
    }
    if (created) names.made ??= team;
    else if (session_id !== null) names.named ??= team;
    if (session_id === null) continue;
    if (created) leaders.set(team, [...(leaders.get(team) ?? []), session_id]);
    speakers.set(team, (speakers.get(team) ?? new Set()).add(session_id));
  }
  const sessions = new Map<string, string>();
  for (const { session_id } of [...teams.values(), ...changes.values(), ...work.values()])
    if (session_id !== null) sessions.set(implicitTeam(session_id), session_id);

  function boardOf({ session_id, team }: Place): Board {
    if (session_id === null && team !== null) {
      const session = sessions.get(team);
      if (session !== undefined) return boardOf({ session_id: session, team: null });
    }
    const names = own.get(session_id);
    const named = team !== null && team !== implicitTeam(session_id) ? team : (names?.made ?? names?.named ?? null);
    if (named === null) return { key: keyOf(session_id), session_id, team: names?.implicit ?? null };
    const leads = leaders.get(named) ?? [];
    const lead = session_id !== null && leads.includes(session_id) ? session_id : only(leads);
    if (lead !== null) return { key: keyOf(lead, named), session_id: lead, team: named };
    return {
      key: keyOf(null, named),
      session_id: leads.length > 0 ? null : only([...(speakers.get(named) ?? [])]),
      team: named,
    };
  }

  const known = new Map<string, Board>();
  return (place) => {
    const key = keyOf(place.session_id, place.team);
    const board = known.get(key) ?? boardOf(place);
    known.set(key, board);
    return board;
  };
}

/** What a session's team is called when nobody named it. */
function implicitTeam(session: string | null): string {
  return `session-${(session ?? '').slice(0, 8)}`;
}

function only<T>(list: readonly T[]): T | null {
  return list.length === 1 ? (list[0] ?? null) : null;
}

/** The name of an agent that is given by its name or by any of its ids. */
export function ownerName(agents: AgentsState, place: Place, owner: string | null): string | null {
  if (owner === null || owner === 'team-lead') return owner;
  const { name } = resolveAgent(agents, place, owner);
  return name === owner ? owner.replace(/^@/, '').replace(/(?<=.)@.*$/s, '') : name;
}

/** By team, then kind, then id. */
export function compareTasks(a: TaskRow, b: TaskRow): number {
  return (
    compare(a.team, b.team) ||
    compare(a.session_id, b.session_id) ||
    kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
    compareIds(a.id, b.id) ||
    compare(a.owner, b.owner)
  );
}

const kinds: readonly string[] = ['board', 'todo', 'background'];

/** Numbers by what they count, before everything else. */
export function compareIds(a: string, b: string): number {
  const left = digits(a);
  const right = digits(b);
  if (left === null || right === null) return Number(left === null) - Number(right === null) || compare(a, b);
  return left.length - right.length || compare(left, right) || compare(a, b);
}

function digits(id: string): string | null {
  return /^\d+$/.test(id) ? id.replace(/^0+(?=\d)/, '') : null;
}
