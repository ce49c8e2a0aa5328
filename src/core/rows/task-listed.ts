// Rows of tasks that stand in a list: the board of a team, or the todos of an agent.
import { type AgentsState, entryKey, scopeOf } from '../state/agents.js';
import type { TaskEntry, TasksState } from '../state/tasks.js';
import { keyOf, type Place } from '../state/tasks-place.js';
import { earlier, mergeSaid, type Said, sinceOf } from '../state/tasks-said.js';
import { latest } from '../state/time.js';
import { groupBy } from './pick.js';
import type { TaskRow } from './task.js';
import type { Board } from './task-boards.js';
import { type Dependencies, dependenciesOf, inCycles } from './task-dependencies.js';
import { ownerName } from './task-owner.js';

export function listedTasks(state: TasksState, agents: AgentsState, boardOf: (place: Place) => Board): TaskRow[] {
  const metadata = groupBy(state.metadata.values(), ({ task }) => task);
  const tasks = new Map<string, ListedTask>();
  for (const [key, entry] of state.tasks) {
    const { kind, session_id, id, list } = entry;
    const board = boardOf(entry);
    const whose = kind === 'board' ? board.key : keyOf(session_id, entryKey(agents, scopeOf(entry), list ?? 'main'));
    const at = keyOf(kind, whose, id);
    const known = tasks.get(at);
    const facts = new Map((metadata.get(key) ?? []).map(({ name, said }) => [name, said]));
    tasks.set(at, known === undefined ? { board, entry, metadata: facts } : merge(known, entry, facts));
  }
  const dependencies = groupBy(state.dependencies.values(), (entry) => boardOf(entry).key);
  const byList = groupBy([...tasks.values()], ({ entry, board }) => (entry.kind === 'board' ? board.key : ''));
  return [...byList].flatMap(([key, list]) => rowsOf(list, dependenciesOf(dependencies.get(key) ?? []), agents));
}

interface ListedTask {
  readonly board: Board;
  readonly entry: TaskEntry;
  readonly metadata: Map<string, Said<unknown>>;
}

function merge({ board, entry, metadata }: ListedTask, other: TaskEntry, facts: ListedTask['metadata']): ListedTask {
  for (const [name, said] of facts) metadata.set(name, mergeSaid(metadata.get(name) ?? null, said) ?? said);
  const subject = mergeSaid(entry.subject, other.subject);
  // Two todos that took the same place one after the other have times of their own.
  const isOther = entry.kind === 'todo' && entry.subject?.value !== other.subject?.value;
  const winner = subject?.value === other.subject?.value ? other : entry;
  return {
    board,
    entry: {
      ...entry,
      subject,
      description: mergeSaid(entry.description, other.description),
      active_form: mergeSaid(entry.active_form, other.active_form),
      status: mergeSaid(entry.status, other.status),
      owner: mergeSaid(entry.owner, other.owner),
      created: isOther ? winner.created : earlier(entry.created, other.created),
      started: isOther ? winner.started : earlier(entry.started, other.started),
    },
    metadata,
  };
}

function rowsOf(tasks: readonly ListedTask[], dependencies: Dependencies, agents: AgentsState): TaskRow[] {
  const status = new Map(tasks.map(({ entry }) => [entry.id, entry.status?.value ?? null]));
  const isGone = (id: string) => status.get(id) === 'deleted';
  const present = (id: string) => dependencies.blockersOf(id).filter((blocker) => !isGone(blocker));
  const cyclic = inCycles(status.keys(), (id) => (isGone(id) ? [] : present(id)));
  const isFree = (id: string) => !cyclic.has(id) && present(id).every((blocker) => status.get(blocker) === 'completed');
  return tasks.map((task) => rowOf(task, dependencies, agents, isFree));
}

function rowOf(
  { entry, board, metadata }: ListedTask,
  dependencies: Dependencies,
  agents: AgentsState,
  isFree: (id: string) => boolean,
): TaskRow {
  const { kind, id } = entry;
  const isTodo = kind === 'todo';
  const status = entry.status?.value ?? null;
  const completed_at = status === 'completed' ? sinceOf(entry.status) : null;
  return {
    kind,
    team: board.team,
    session_id: isTodo ? entry.session_id : board.session_id,
    id,
    subject: entry.subject?.value ?? null,
    description: entry.description?.value ?? null,
    active_form: entry.active_form?.value ?? null,
    status,
    owner: isTodo ? ownerName(agents, entry, entry.list) : ownerName(agents, board, entry.owner?.value || null),
    blocked_by: isTodo ? [] : dependencies.blockersOf(id),
    blocks: isTodo ? [] : dependencies.blockedBy(id),
    ready: status === 'pending' && (isTodo || isFree(id)),
    created_at: entry.created,
    updated_at: changedAt(entry, metadata, isTodo ? null : dependencies.changedAt(id)),
    started_at: entry.started,
    completed_at,
    duration_ms: durationOf(entry.started, completed_at),
    metadata: metadata.size === 0 ? null : kept(metadata),
  };
}

function changedAt(entry: TaskEntry, metadata: ListedTask['metadata'], dependencies: string | null): string | null {
  const fields = [entry.subject, entry.description, entry.active_form, entry.status, entry.owner, ...metadata.values()];
  return [entry.created, dependencies, ...fields.map(sinceOf)].reduce(latest, null);
}

export function durationOf(from: string | null, to: string | null): number | null {
  return from === null || to === null || to < from ? null : Date.parse(to) - Date.parse(from);
}

function kept(metadata: ListedTask['metadata']): Record<string, unknown> {
  return Object.fromEntries(
    [...metadata].filter(([, { value }]) => value !== null).map(([name, { value }]) => [name, value]),
  );
}
