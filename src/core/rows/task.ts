import type { AgentsState } from '../state/agents.js';
import type { TasksState } from '../state/tasks.js';
import { boardsOf } from './task-boards.js';
import { listedTasks } from './task-listed.js';
import { compareTasks } from './task-order.js';
import type { TaskRow } from './task-schema.js';
import { backgroundTasks } from './task-work.js';

export const taskKinds = ['board', 'todo', 'background'] as const;
/** The last two are for background tasks only. */
export const taskStatuses = ['pending', 'in_progress', 'completed', 'deleted', 'failed', 'stopped'] as const;

export type { TaskRow } from './task-schema.js';

/** In the order of the schema, which is not made just to print a row. */
export const taskFields = [
  'kind',
  'team',
  'session_id',
  'id',
  'subject',
  'description',
  'active_form',
  'status',
  'owner',
  'blocked_by',
  'blocks',
  'ready',
  'created_at',
  'updated_at',
  'started_at',
  'completed_at',
  'duration_ms',
  'metadata',
] as const satisfies readonly (keyof TaskRow)[];

/** Every task known, deleted ones too; `all` adds the program's own background work. */
export function taskRows(tasks: TasksState, agents: AgentsState, { all = false }: { all?: boolean } = {}): TaskRow[] {
  const boardOf = boardsOf(tasks);
  return [...listedTasks(tasks, agents, boardOf), ...backgroundTasks(tasks, agents, boardOf, all)].sort(compareTasks);
}
