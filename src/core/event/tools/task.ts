import { listOf, objectOf, textOf } from '../../record/fields.js';
import type { At, BoardTask, Call, Desk } from '../desk.js';
import type { TaskChange } from '../event.js';
import { changed } from '../members.js';
import type { Outcome } from '../outcome.js';
import { agentNamed, nameOf } from '../session.js';
import { noChange, readCreated, readListed, readShown, readUpdated, timeIn } from './task-reading.js';

export function taskCreated(desk: Desk, call: Call, outcome: Outcome): void {
  const change = readCreated(call.input, outcome);
  if (change !== null) emitTask(desk, dated(call.at, outcome), 'team:task:created', change, call.id);
}

export function taskUpdated(desk: Desk, call: Call, outcome: Outcome): void {
  const change = readUpdated(call.input, outcome);
  if (change === null) return;
  emitTask(desk, dated(call.at, outcome), eventOf(change.status), change, call.id);
  noteWork(desk, call.at, change);
}

/** A snapshot of the board: only what it adds to the known is an event. It never removes a task or a dependency. */
export function taskListed(desk: Desk, call: Call, outcome: Outcome): void {
  for (const task of readListed(outcome)) snapshot(desk, call, task);
}

export function taskRead(desk: Desk, call: Call, outcome: Outcome): void {
  const task = readShown(outcome);
  if (task !== null) snapshot(desk, call, task);
}

/** TodoWrite replaces the whole list of its agent; a todo's id is its place. */
export function todosWritten(desk: Desk, call: Call, outcome: Outcome): void {
  if (!outcome.success) return;
  const { session, agent } = call.at;
  const todos = listOf(outcome.data?.newTodos) ?? listOf(call.input.todos) ?? [];
  const before = listOf(outcome.data?.oldTodos)?.length ?? 0;
  const known = Math.max(session.todos.get(agent) ?? 0, before);
  session.todos.set(agent, todos.length);
  const own = {
    category: 'team_task_update' as const,
    tool_use_id: call.id || null,
    kind: 'todo' as const,
    list: agent,
    on_disk: false,
  };
  for (const [place, item] of todos.entries()) {
    const todo = objectOf(item) ?? {};
    const task = {
      id: String(place + 1),
      ...noChange,
      subject: textOf(todo.content),
      active_form: textOf(todo.activeForm),
      status: textOf(todo.status),
      owner: nameOf(session, agent),
    };
    desk.emit(call.at, place < known ? eventOf(task.status) : 'team:task:created', { ...own, task });
  }
  for (let place = todos.length; place < known; place++) {
    desk.emit(call.at, 'team:task:deleted', {
      ...own,
      task: { id: String(place + 1), ...noChange, status: 'deleted' },
    });
  }
}

/** Emits a change of the board and remembers it, so that later snapshots are compared with it. */
export function emitTask(
  desk: Desk,
  at: At,
  event: 'team:task:created' | 'team:task:claimed' | 'team:task:updated' | 'team:task:completed' | 'team:task:deleted',
  task: TaskChange,
  call: string | null,
  onDisk = false,
): void {
  const known = boardTask(desk, at, task.id);
  known.subject = task.subject ?? known.subject;
  known.description = task.description ?? known.description;
  known.status = task.status ?? known.status;
  known.owner = task.owner ?? known.owner;
  for (const id of task.blocked_by ?? []) known.blockedBy.add(id);
  for (const id of task.blocks ?? []) known.blocks.add(id);
  desk.emit(at, event, {
    category: 'team_task_update',
    tool_use_id: call || null,
    kind: 'board',
    list: null,
    on_disk: onDisk,
    task,
  });
}

export function eventOf(
  status: string | null,
): 'team:task:claimed' | 'team:task:updated' | 'team:task:completed' | 'team:task:deleted' {
  if (status === 'in_progress') return 'team:task:claimed';
  if (status === 'completed') return 'team:task:completed';
  return status === 'deleted' ? 'team:task:deleted' : 'team:task:updated';
}

function snapshot(desk: Desk, call: Call, said: TaskChange): void {
  const { id } = said;
  const known = boardTask(desk, call.at, id);
  const unknownTask = known.status === null && known.subject === null;
  const news: TaskChange = {
    id,
    ...noChange,
    subject: differs(said.subject, known.subject),
    description: differs(said.description, known.description),
    status: differs(said.status, known.status),
    owner: differs(said.owner, known.owner),
    blocked_by: added(said.blocked_by, known.blockedBy),
    blocks: added(said.blocks, known.blocks),
    metadata: said.metadata,
    active_form: said.active_form,
  };
  if (!unknownTask && Object.entries(news).every(([key, change]) => key === 'id' || change === null)) return;
  // It shows that a task is there, not that it was made just now.
  emitTask(desk, call.at, eventOf(news.status), news, call.id);
}

/** A completed task may leave its owner idle, a claimed one shows it at work. */
export function noteWork(desk: Desk, at: At, change: TaskChange): void {
  const { session } = at;
  const owner = change.owner ?? boardTask(desk, at, change.id).owner ?? nameOf(session, at.agent);
  const member = agentNamed(session, owner);
  if (member === null) return;
  if (change.status === 'completed') session.completed.set(owner, change.id);
  else if (change.status === 'in_progress' && session.idle.has(owner))
    changed(desk, at, 'team:member:active', owner, null);
}

function boardTask(desk: Desk, at: At, id: string): BoardTask {
  // A team has one board; without one, the session has.
  const { team, implicit, id: session } = at.session;
  const key = team !== null && !implicit ? `team ${team}` : `session ${session}`;
  const board = desk.boards.get(key) ?? new Map<string, BoardTask>();
  desk.boards.set(key, board);
  const task = board.get(id) ?? {
    subject: null,
    description: null,
    status: null,
    owner: null,
    blockedBy: new Set(),
    blocks: new Set(),
  };
  board.set(id, task);
  return task;
}

function dated(at: At, outcome: Outcome): At {
  return at.time === null ? { ...at, time: timeIn(outcome) } : at;
}

function differs(said: string | null, known: string | null): string | null {
  return said === known ? null : said;
}

function added(said: string[] | null, known: Set<string>): string[] | null {
  const news = (said ?? []).filter((id) => !known.has(id));
  return news.length === 0 ? null : news;
}
