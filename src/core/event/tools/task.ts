import { idOf, listOf, objectOf, textOf, textsOf, timeOf } from '../../record/fields.js';
import { read, type TaskWire, taskWire } from '../../record/wire.js';
import type { At, BoardTask, Call, Desk } from '../desk.js';
import type { TaskChange } from '../event.js';
import { changed } from '../members.js';
import type { Outcome } from '../outcome.js';
import { agentNamed, nameOf } from '../session.js';
import { tasksInText } from './task-text.js';

export function taskCreated(desk: Desk, call: Call, outcome: Outcome): void {
  if (!outcome.success) return;
  const made = read(taskWire, outcome.data?.task ?? outcome.data);
  const asked = read(taskWire, call.input);
  const id = taskId(made) ?? /^Task #(\S+) created/.exec(outcome.text)?.[1] ?? null;
  if (id === null) return;
  const change = merge(taskChange(id, asked), taskChange(id, made));
  emitTask(desk, dated(call.at, made), 'team:task:created', { ...change, status: change.status ?? 'pending' }, call.id);
}

export function taskUpdated(desk: Desk, call: Call, outcome: Outcome): void {
  if (!outcome.success) return;
  const asked = read(taskWire, call.input);
  const told = read(taskWire, outcome.data);
  const id = taskId(told) ?? taskId(asked) ?? /^Updated task #(\S+)/.exec(outcome.text)?.[1] ?? null;
  if (id === null) return;
  const change = merge(taskChange(id, asked), taskChange(id, told));
  const to = textOf(objectOf(outcome.data?.statusChange)?.to);
  if (to !== null) change.status = to;
  emitTask(desk, dated(call.at, told), eventOf(change.status), change, call.id);
  noteWork(desk, call.at, change);
}

/** A snapshot of the board: only what it adds to the known is an event. It never removes a task or a dependency. */
export function taskListed(desk: Desk, call: Call, outcome: Outcome): void {
  if (!outcome.success) return;
  const tasks = listOf(outcome.data?.tasks) ?? (outcome.data === null ? tasksInText(outcome.text) : []);
  for (const task of tasks) snapshot(desk, call, task);
}

export function taskRead(desk: Desk, call: Call, outcome: Outcome): void {
  if (!outcome.success || outcome.data === null) return;
  snapshot(desk, call, outcome.data.task ?? outcome.data);
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
): void {
  const known = boardTask(desk, at, task.id);
  known.subject = task.subject ?? known.subject;
  known.description = task.description ?? known.description;
  known.status = task.status ?? known.status;
  known.owner = task.owner ?? known.owner;
  for (const id of task.blocked_by ?? []) known.blockedBy.add(id);
  for (const id of task.blocks ?? []) known.blocks.add(id);
  desk.emit(at, event, { category: 'team_task_update', tool_use_id: call || null, kind: 'board', list: null, task });
}

export function taskChange(id: string, task: TaskWire): TaskChange {
  return {
    id,
    subject: task.subject ?? null,
    description: task.description ?? null,
    active_form: task.activeForm ?? task.active_form ?? null,
    status: task.status ?? null,
    owner: task.owner ?? null,
    blocked_by: textsOf(task.addBlockedBy ?? task.blockedBy ?? null),
    blocks: textsOf(task.addBlocks ?? task.blocks ?? null),
    metadata: objectOf(task.metadata),
  };
}

export function taskId(task: TaskWire): string | null {
  return idOf(task.id) ?? idOf(task.taskId) ?? idOf(task.task_id);
}

export const noChange: Omit<TaskChange, 'id'> = {
  subject: null,
  description: null,
  active_form: null,
  status: null,
  owner: null,
  blocked_by: null,
  blocks: null,
  metadata: null,
};

export function eventOf(
  status: string | null,
): 'team:task:claimed' | 'team:task:updated' | 'team:task:completed' | 'team:task:deleted' {
  if (status === 'in_progress') return 'team:task:claimed';
  if (status === 'completed') return 'team:task:completed';
  return status === 'deleted' ? 'team:task:deleted' : 'team:task:updated';
}

function snapshot(desk: Desk, call: Call, value: unknown): void {
  const task = read(taskWire, value);
  const id = taskId(task);
  if (id === null) return;
  const said = taskChange(id, task);
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
  emitTask(desk, call.at, unknownTask ? 'team:task:created' : eventOf(news.status), news, call.id);
}

/** A completed task may leave its owner idle, a claimed one shows it at work. */
function noteWork(desk: Desk, at: At, change: TaskChange): void {
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

/** Results of documented shape carry the time themselves. */
function dated(at: At, task: TaskWire): At {
  return at.time === null ? { ...at, time: timeOf(task.updated_at) ?? timeOf(task.created_at) } : at;
}

/** What the result says wins over what was asked, field by field. */
function merge(asked: TaskChange, told: TaskChange): TaskChange {
  return {
    id: told.id,
    subject: told.subject ?? asked.subject,
    description: told.description ?? asked.description,
    active_form: told.active_form ?? asked.active_form,
    status: told.status ?? asked.status,
    owner: told.owner ?? asked.owner,
    blocked_by: told.blocked_by ?? asked.blocked_by,
    blocks: told.blocks ?? asked.blocks,
    metadata: told.metadata ?? asked.metadata,
  };
}

function differs(said: string | null, known: string | null): string | null {
  return said === known ? null : said;
}

function added(said: string[] | null, known: Set<string>): string[] | null {
  const news = (said ?? []).filter((id) => !known.has(id));
  return news.length === 0 ? null : news;
}
