import type { TaskChange } from '../../event/event.js';
import {
  countOf,
  getOrCreate,
  idOf,
  type JsonObject,
  listOf,
  objectOf,
  textOf,
  textsOf,
  timeOf,
} from '../../record/json.js';
import { changed } from '../agents.js';
import type { BoardTask, Call, Context, Origin } from '../context.js';
import { filledOf, type Read, read, spelled } from '../read.js';
import { agentNamed, nameOf } from '../sessions.js';
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
    const task = { id: String(place + 1), ...noChange, status: 'deleted' };
    context.emit(call.at, 'team:task:deleted', { ...own, task });
  }
}

/** Emits a change of the board and remembers it, so that later snapshots are compared with it. */
export function emitTask(
  context: Context,
  at: Origin,
  event: TaskEvent,
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

type TaskEvent = `team:task:${'created' | 'claimed' | 'updated' | 'completed' | 'deleted'}`;

export function eventOf(status: string | null): TaskEvent {
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
  const board = getOrCreate(context.memory.boards, key, () => new Map<string, BoardTask>());
  const nothing = { subject: null, description: null, status: null, owner: null };
  return getOrCreate(board, id, () => ({ ...nothing, blockedBy: new Set(), blocks: new Set() }));
}

/** Results of documented shape carry the time themselves. */
function dated(at: Origin, { data }: ToolResult): Origin {
  if (at.time !== null) return at;
  const { updated_at, created_at } = read(taskTimes, data?.task ?? data);
  return { ...at, time: updated_at ?? created_at };
}

function differs(said: string | null, known: string | null): string | null {
  return said === known ? null : said;
}

function added(said: string[] | null, known: Set<string>): string[] | null {
  const news = (said ?? []).filter((id) => !known.has(id));
  return news.length === 0 ? null : news;
}

// What the calls of the task board and their results say of tasks; what it means for the board is decided elsewhere.

/** Updates name the dependencies they add, snapshots those there are. */
const changeShape = {
  subject: textOf,
  description: textOf,
  active_form: spelled(textOf, 'activeForm', 'active_form'),
  status: textOf,
  owner: textOf,
  blocked_by: spelled(textsOf, 'addBlockedBy', 'blockedBy'),
  blocks: spelled(textsOf, 'addBlocks', 'blocks'),
  metadata: objectOf,
};
const taskShape = { id: spelled(taskIdOf, 'id', 'taskId', 'task_id'), ...changeShape };
type Said = Read<typeof taskShape>;

export const taskTimes = { created_at: timeOf, updated_at: timeOf };

export const noChange: Read<typeof changeShape> = read(changeShape, null);

/** Numbers of tasks may be written as numbers. */
export function taskIdOf(value: unknown): string | null {
  return filledOf(value) ?? idOf(countOf(value));
}

/** A task as a file or a snapshot shows it. */
export function readTask(value: unknown): TaskChange | null {
  const task = read(taskShape, value);
  return task.id === null ? null : { ...task, id: task.id };
}

/** A TaskCreate that came back; null when it failed, or nobody can tell which task it made. */
export function readCreated(input: JsonObject, outcome: ToolResult): TaskChange | null {
  const made = read(taskShape, outcome.data?.task ?? outcome.data);
  const id = made.id ?? /^Task #(\S+) created/.exec(outcome.text)?.[1] ?? null;
  if (!outcome.success || id === null) return null;
  const change = merge(id, read(taskShape, input), made);
  return { ...change, status: change.status ?? 'pending' };
}

/** A TaskUpdate that came back: what was asked for, and what the result says became of it. */
export function readUpdated(input: JsonObject, outcome: ToolResult): TaskChange | null {
  const asked = read(taskShape, input);
  const told = read(taskShape, outcome.data);
  const id = told.id ?? asked.id ?? /^Updated task #(\S+)/.exec(outcome.text)?.[1] ?? null;
  if (!outcome.success || id === null) return null;
  const change = merge(id, asked, told);
  return { ...change, status: textOf(objectOf(outcome.data?.statusChange)?.to) ?? change.status };
}

/** What the result says wins over what was asked, field by field. */
function merge(id: string, asked: Said, told: Said): TaskChange {
  const said = Object.entries(told).filter(([, value]) => value !== null);
  return { ...asked, ...Object.fromEntries(said), id };
}

/** The tasks a TaskList shows. Its lists of blockers hold only the open ones. */
export function readListed(outcome: ToolResult): TaskChange[] {
  if (!outcome.success) return [];
  const tasks = listOf(outcome.data?.tasks) ?? (outcome.data === null ? tasksInText(outcome.text) : []);
  return tasks.map(readTask).filter((task) => task !== null);
}

/** The task a TaskGet shows. */
export function readShown(outcome: ToolResult): TaskChange | null {
  return outcome.success && outcome.data !== null ? readTask(outcome.data.task ?? outcome.data) : null;
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
