// The fields of a task row.
import {
  type Described,
  flag,
  json,
  listOf,
  mapOf,
  maybeText,
  maybeTime,
  means,
  namesOf,
  number,
  object,
  oneOf,
  orNull,
  text,
  type ValueOf,
} from '../../core/record/describe.js';

export const taskKinds = ['board', 'todo', 'background'] as const;
/** The last two are for background tasks only. */
export const taskStatuses = ['pending', 'in_progress', 'completed', 'deleted', 'failed', 'stopped'] as const;

export const taskRow = object({
  kind: oneOf(taskKinds),
  team: maybeText,
  session_id: means(maybeText, 'session of the lead of its team, if it is known'),
  id: means(text, 'id of the task; for a todo, its place in the list of its owner'),
  subject: maybeText,
  description: maybeText,
  active_form: maybeText,
  status: means(maybeText, 'pending, in_progress, completed or deleted; for a background task also failed or stopped'),
  owner: means(maybeText, 'agent that owns the task; for a background task, the agent that started it'),
  blocked_by: listOf(text),
  blocks: listOf(text),
  ready: means(flag, 'whether it is pending and all tasks that block it are completed'),
  created_at: maybeTime,
  updated_at: maybeTime,
  started_at: means(maybeTime, 'when it was first in progress'),
  completed_at: means(maybeTime, 'when it was completed; for a background task, when it ended'),
  duration_ms: orNull(number),
  metadata: orNull(mapOf(json)),
});
export type TaskRow = ValueOf<typeof taskRow>;
export const taskFields = namesOf(taskRow);

export const describedTask: Described = { title: 'task', means: 'one row of cct tasks', shapes: [taskRow] };
