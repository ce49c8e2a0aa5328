// What the calls of the task board and their results say of tasks; what it means for the board is decided elsewhere.
import { idOf, listOf, objectOf, textOf, textsOf, timeOf } from '../../record/fields.js';
import type { JsonObject } from '../../record/json.js';
import { read, type TaskWire, taskWire } from '../../record/wire.js';
import type { TaskChange } from '../event.js';
import type { Outcome } from '../outcome.js';
import { tasksInText } from './task-text.js';

/** A TaskCreate that came back; null when it failed, or nobody can tell which task it made. */
export function readCreated(input: JsonObject, outcome: Outcome): TaskChange | null {
  const made = read(taskWire, outcome.data?.task ?? outcome.data);
  const id = taskId(made) ?? /^Task #(\S+) created/.exec(outcome.text)?.[1] ?? null;
  if (!outcome.success || id === null) return null;
  const change = merge(taskChange(id, read(taskWire, input)), taskChange(id, made));
  return { ...change, status: change.status ?? 'pending' };
}

/** A TaskUpdate that came back: what was asked for, and what the result says became of it. */
export function readUpdated(input: JsonObject, outcome: Outcome): TaskChange | null {
  const asked = read(taskWire, input);
  const told = read(taskWire, outcome.data);
  const id = taskId(told) ?? taskId(asked) ?? /^Updated task #(\S+)/.exec(outcome.text)?.[1] ?? null;
  if (!outcome.success || id === null) return null;
  const change = merge(taskChange(id, asked), taskChange(id, told));
  return { ...change, status: textOf(objectOf(outcome.data?.statusChange)?.to) ?? change.status };
}

/** The tasks a TaskList shows. Its lists of blockers hold only the open ones. */
export function readListed(outcome: Outcome): TaskChange[] {
  if (!outcome.success) return [];
  const tasks = listOf(outcome.data?.tasks) ?? (outcome.data === null ? tasksInText(outcome.text) : []);
  return tasks.map(shown).filter((task) => task !== null);
}

/** The task a TaskGet shows. */
export function readShown(outcome: Outcome): TaskChange | null {
  return outcome.success && outcome.data !== null ? shown(outcome.data.task ?? outcome.data) : null;
}

/** Results of documented shape carry the time themselves. */
export function timeIn(outcome: Outcome): string | null {
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
