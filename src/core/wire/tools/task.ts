import type { TaskChange } from '../../event/event.js';
import { idOf, listOf, objectOf, textOf, textsOf, timeOf } from '../../record/fields.js';
import type { JsonObject } from '../../record/json.js';
import type { BoardTask, Call, Context, Origin } from '../context.js';
import { changed } from '../members.js';
import { agentNamed, nameOf } from '../sessions.js';
import { read, type TaskWire, taskWire } from '../shapes.js';
import type { ToolResult } from './tool-result.js';

export function taskCreated(context: Context, call: Call, outcome: ToolResult): void {
  const change = readCreated(call.input, outcome);
  if (change !== null) emitTask(context, dated(call.at, outcome), 'team:task:created', change, call.id);
}

export function taskUpdated(context: Context, call: Call, outcome: ToolResult): void {
  const change = readUpdated(call.input, outcome);
  if (change === null) return;
  emitTask(context, dated(call.at, outcome), eventOf(change.status), change, call.id);
  noteWork(context, call.at, change);
}

/** A snapshot of the board: only what it adds to the known is an event. It never removes a task or a dependency. */
export function taskListed(context: Context, call: Call, outcome: ToolResult): void {
  for (const task of readListed(outcome)) snapshot(context, call, task);
}

export function taskRead(context: Context, call: Call, outcome: ToolResult): void {
  const task = readShown(outcome);
  if (task !== null) snapshot(context, call, task);
}

/** TodoWrite replaces the whole list of its agent; a todo's id is its place. */
export function todosWritten(context: Context, call: Call, outcome: ToolResult): void {
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
    context.emit(call.at, place < known ? eventOf(task.status) : 'team:task:created', { ...own, task });
  }
  for (let place = todos.length; place < known; place++) {
    context.emit(call.at, 'team:task:deleted', {
      ...own,
      task: { id: String(place + 1), ...noChange, status: 'deleted' },
    });
  }
}

/** Emits a change of the board and remembers it, so that later snapshots are compared with it. */
export function emitTask(
  context: Context,
  at: Origin,
  event: 'team:task:created' | 'team:task:claimed' | 'team:task:updated' | 'team:task:completed' | 'team:task:deleted',
  task: TaskChange,
  call: string | null,
  onDisk = false,
): void {
  const known = boardTask(context, at, task.id);
  known.subject = task.subject ?? known.subject;
  known.description = task.description ?? known.description;
  known.status = task.status ?? known.status;
  known.owner = task.owner ?? known.owner;
  for (const id of task.blocked_by ?? []) known.blockedBy.add(id);
  for (const id of task.blocks ?? []) known.blocks.add(id);
  context.emit(at, event, {
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

function snapshot(context: Context, call: Call, said: TaskChange): void {
  const { id } = said;
  const known = boardTask(context, call.at, id);
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
  emitTask(context, call.at, eventOf(news.status), news, call.id);
}

/** A completed task may leave its owner idle, a claimed one shows it at work. */
export function noteWork(context: Context, at: Origin, change: TaskChange): void {
  const { session } = at;
  const owner = change.owner ?? boardTask(context, at, change.id).owner ?? nameOf(session, at.agent);
  const member = agentNamed(session, owner);
  if (member === null) return;
  if (change.status === 'completed') session.completed.set(owner, change.id);
  else if (change.status === 'in_progress' && session.idle.has(owner))
    changed(context, at, 'team:member:active', owner, null);
}

function boardTask(context: Context, at: Origin, id: string): BoardTask {
  // A team has one board; without one, the session has.
  const { team, implicit, id: session } = at.session;
  const key = team !== null && !implicit ? `team ${team}` : `session ${session}`;
  const board = context.boards.get(key) ?? new Map<string, BoardTask>();
  context.boards.set(key, board);
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

function dated(at: Origin, outcome: ToolResult): Origin {
  return at.time === null ? { ...at, time: timeIn(outcome) } : at;
}

function differs(said: string | null, known: string | null): string | null {
  return said === known ? null : said;
}

function added(said: string[] | null, known: Set<string>): string[] | null {
  const news = (said ?? []).filter((id) => !known.has(id));
  return news.length === 0 ? null : news;
}

// What the calls of the task board and their results say of tasks; what it means for the board is decided elsewhere.

/** A TaskCreate that came back; null when it failed, or nobody can tell which task it made. */
export function readCreated(input: JsonObject, outcome: ToolResult): TaskChange | null {
  const made = read(taskWire, outcome.data?.task ?? outcome.data);
  const id = taskId(made) ?? /^Task #(\S+) created/.exec(outcome.text)?.[1] ?? null;
  if (!outcome.success || id === null) return null;
  const change = merge(taskChange(id, read(taskWire, input)), taskChange(id, made));
  return { ...change, status: change.status ?? 'pending' };
}

/** A TaskUpdate that came back: what was asked for, and what the result says became of it. */
export function readUpdated(input: JsonObject, outcome: ToolResult): TaskChange | null {
  const asked = read(taskWire, input);
  const told = read(taskWire, outcome.data);
  const id = taskId(told) ?? taskId(asked) ?? /^Updated task #(\S+)/.exec(outcome.text)?.[1] ?? null;
  if (!outcome.success || id === null) return null;
  const change = merge(taskChange(id, asked), taskChange(id, told));
  return { ...change, status: textOf(objectOf(outcome.data?.statusChange)?.to) ?? change.status };
}

/** The tasks a TaskList shows. Its lists of blockers hold only the open ones. */
export function readListed(outcome: ToolResult): TaskChange[] {
  if (!outcome.success) return [];
  const tasks = listOf(outcome.data?.tasks) ?? (outcome.data === null ? tasksInText(outcome.text) : []);
  return tasks.map(shown).filter((task) => task !== null);
}

/** The task a TaskGet shows. */
export function readShown(outcome: ToolResult): TaskChange | null {
  return outcome.success && outcome.data !== null ? shown(outcome.data.task ?? outcome.data) : null;
}

/** Results of documented shape carry the time themselves. */
export function timeIn(outcome: ToolResult): string | null {
  const told = read(taskWire, outcome.data?.task ?? outcome.data);
  return timeOf(told.updated_at) ?? timeOf(told.created_at);
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

function shown(value: unknown): TaskChange | null {
  const task = read(taskWire, value);
  const id = taskId(task);
  return id === null ? null : taskChange(id, task);
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

/** `#3 [pending] Review the report (writer) [blocked by #1, #2]`, one line a task: all that subagents' results have. */
export function tasksInText(text: string): JsonObject[] {
  return text.split('\n').flatMap((line) => {
    const found = taskLine.exec(line.trim());
    if (found === null) return [];
    const [, id, status, subject, owner, blockers] = found;
    const blockedBy =
      blockers === undefined ? [] : blockers.split(',').map((blocker) => blocker.trim().replace(/^#/, ''));
    return [{ id, status, subject, ...(owner === undefined ? {} : { owner }), blockedBy }];
  });
}
const taskLine = /^#(\S+) \[(\w+)\] (.*?)(?: \(([^()]+)\))?(?: \[blocked by ([^[\]]*)\])?$/;
