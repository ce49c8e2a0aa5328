// Handles the calls of the task board and of TodoWrite, and reads tasks from their results and from files.
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
import { changed, idle } from '../agents.js';
import { atTime, type BoardTask, type Call, type Context, type Origin } from '../context.js';
import { filledOf, type Read, read, spelled } from '../read.js';
import { agentNamed, nameOf } from '../sessions.js';
import type { ToolResult } from './tool-result.js';

export function taskCreated(context: Context, call: Call, outcome: ToolResult): void {
  const change = readCreated(call.input, outcome);
  if (change !== null) emitTask(context, atItsTime(call.at, outcome), 'team:task:created', change, call.id);
}

export function taskUpdated(context: Context, call: Call, outcome: ToolResult): void {
  const change = readUpdated(call.input, outcome);
  if (change === null) return;
  emitTask(context, atItsTime(call.at, outcome), eventOf(change.status), change, call.id);
  noteWork(context, call.at, change);
}

/** Handles a snapshot of the board. Only what is new in it produces an event. It never removes a task or a dependency. */
export function taskListed(context: Context, call: Call, outcome: ToolResult): void {
  for (const task of readListed(outcome)) snapshot(context, call, task);
}

export function taskRead(context: Context, call: Call, outcome: ToolResult): void {
  const task = readShown(outcome);
  if (task === null) return;
  const { created_at, updated_at } = read(taskTimes, outcome.data?.task ?? outcome.data);
  // Results of the documented shape say when the task was created and changed.
  if (created_at !== null)
    emitTask(context, atTime(call.at, created_at), 'team:task:created', { ...noChange, id: task.id }, call.id);
  snapshot(context, updated_at === null ? call : { ...call, at: atTime(call.at, updated_at) }, task);
}

/** TodoWrite replaces the agent's whole list. The id of a todo is its position. */
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

/** Emits a change of the board and remembers it, so that later snapshots can be compared with it. */
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

/** The owner of a completed task may be idle. The owner of a claimed task is active. */
export function noteWork(context: Context, at: Origin, change: TaskChange): void {
  const { session } = at;
  const owner = change.owner ?? boardTask(context, at, change.id).owner ?? nameOf(session, at.agent);
  const member = agentNamed(session, owner);
  if (member === null) return;
  if (change.status === 'completed') {
    const isOwn = owner === nameOf(session, at.agent);
    // The lead may complete the task of a teammate whose own calls are not in the input.
    if (isOwn || member.kind !== 'teammate' || isBusy(context, at, owner)) session.completed.set(owner, change.id);
    else idle(context, at, owner, { completed: change.id });
  }
  if (change.status === 'in_progress' && session.idle.has(owner))
    changed(context, at, 'team:member:active', owner, null);
}

/** An update names the dependencies it adds, a snapshot all of them. */
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
type TaskFields = Read<typeof taskShape>;

export const taskTimes = { created_at: timeOf, updated_at: timeOf };

export const noChange: Read<typeof changeShape> = read(changeShape, null);

/** The id of a task may be a number. */
export function taskIdOf(value: unknown): string | null {
  return filledOf(value) ?? idOf(countOf(value));
}

/** Reads a task of a file or a snapshot. */
export function readTask(value: unknown): TaskChange | null {
  const task = read(taskShape, value);
  return task.id === null ? null : { ...task, id: task.id };
}

/** The task of a TaskCreate that returned; null if it failed or its id is unknown. */
function readCreated(input: JsonObject, outcome: ToolResult): TaskChange | null {
  const made = read(taskShape, outcome.data?.task ?? outcome.data);
  const id = made.id ?? /^Task #(\S+) created/.exec(outcome.text)?.[1] ?? null;
  if (!outcome.success || id === null) return null;
  const change = mergeFields(id, read(taskShape, input), made);
  return { ...change, status: change.status ?? 'pending' };
}

/** The change made by a TaskUpdate that returned, from its input and its result. */
function readUpdated(input: JsonObject, outcome: ToolResult): TaskChange | null {
  const asked = read(taskShape, input);
  const made = read(taskShape, outcome.data);
  const id = made.id ?? asked.id ?? /^Updated task #(\S+)/.exec(outcome.text)?.[1] ?? null;
  if (!outcome.success || id === null) return null;
  const change = mergeFields(id, asked, made);
  return { ...change, status: textOf(objectOf(outcome.data?.statusChange)?.to) ?? change.status };
}

/** The tasks of a TaskList. It lists only the blockers that are still open. */
function readListed(outcome: ToolResult): TaskChange[] {
  if (!outcome.success) return [];
  const tasks = listOf(outcome.data?.tasks) ?? (outcome.data === null ? tasksInText(outcome.text) : []);
  return tasks.map(readTask).filter((task) => task !== null);
}

/** The task of a TaskGet. */
function readShown(outcome: ToolResult): TaskChange | null {
  return outcome.success && outcome.data !== null ? readTask(outcome.data.task ?? outcome.data) : null;
}

/** Reads lines such as `#3 [pending] Review the report (writer) [blocked by #1, #2]`: all that subagents' results have. */
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

function snapshot(context: Context, call: Call, task: TaskChange): void {
  const { id } = task;
  const known = boardTask(context, call.at, id);
  const unknownTask = known.status === null && known.subject === null;
  const news: TaskChange = {
    id,
    ...noChange,
    subject: differs(task.subject, known.subject),
    description: differs(task.description, known.description),
    status: differs(task.status, known.status),
    owner: differs(task.owner, known.owner),
    blocked_by: added(task.blocked_by, known.blockedBy),
    blocks: added(task.blocks, known.blocks),
    metadata: task.metadata,
    active_form: task.active_form,
  };
  if (!unknownTask && Object.entries(news).every(([key, change]) => key === 'id' || change === null)) return;
  // A snapshot shows that a task exists, not that it was just created.
  emitTask(context, call.at, eventOf(news.status), news, call.id);
}

/** Whether a member has a task in progress. */
function isBusy(context: Context, at: Origin, owner: string): boolean {
  return [...boardOf(context, at).values()].some((task) => task.owner === owner && task.status === 'in_progress');
}

function boardTask(context: Context, at: Origin, id: string): BoardTask {
  const nothing = { subject: null, description: null, status: null, owner: null };
  return getOrCreate(boardOf(context, at), id, () => ({ ...nothing, blockedBy: new Set(), blocks: new Set() }));
}

function boardOf(context: Context, at: Origin): Map<string, BoardTask> {
  // A team has one board; a session without a team has its own.
  const { team, implicit, id: session } = at.session;
  const key = team !== null && !implicit ? `team ${team}` : `session ${session}`;
  return getOrCreate(context.memory.boards, key, () => new Map<string, BoardTask>());
}

/** Results of the documented shape contain the time. */
function atItsTime(at: Origin, { data }: ToolResult): Origin {
  if (at.time !== null) return at;
  const { updated_at, created_at } = read(taskTimes, data?.task ?? data);
  return atTime(at, updated_at ?? created_at);
}

function differs(value: string | null, known: string | null): string | null {
  return value === known ? null : value;
}

function added(ids: string[] | null, known: Set<string>): string[] | null {
  const news = (ids ?? []).filter((id) => !known.has(id));
  return news.length === 0 ? null : news;
}

/** Fields of the result override those of the input. */
function mergeFields(id: string, asked: TaskFields, made: TaskFields): TaskChange {
  const known = Object.entries(made).filter(([, value]) => value !== null);
  return { ...asked, ...Object.fromEntries(known), id };
}
