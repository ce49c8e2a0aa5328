// What was done to the tasks of a board, each act by itself: their state keeps only what is true in the end.
import type { Event } from '../event/event.js';
import { excess, limits } from './audit-limits.js';
import { type Spot, spotKey, spotOf } from './audit-spot.js';
import type { Table } from './table.js';
import { keyOf } from './tasks-place.js';

export interface TaskAct extends Spot {
  readonly id: string;
  readonly tool_use_id: string | null;
  readonly created: boolean;
  readonly status: string | null;
  /** '' when it was released. */
  readonly owner: string | null;
  readonly blocked_by: readonly string[];
  readonly blocks: readonly string[];
  /** Characters, where there are too many. */
  readonly subject: number | null;
  readonly description: number | null;
}

export type TaskActs = Table<TaskAct>;

export function reduceTaskActs(acts: TaskActs, event: Event, at: string | null): TaskActs {
  if (!isTaskEvent(event) || event.kind !== 'board') return acts;
  const { task, tool_use_id, session_id, team } = event;
  const { id, status, owner } = task;
  const key = keyOf(session_id, team, id, tool_use_id ?? keyOf(event.event, spotKey(event), status, owner));
  if (acts.has(key)) return acts;
  return acts.set(key, {
    ...spotOf(event, at),
    id,
    tool_use_id,
    created: event.event === 'team:task:created',
    status,
    owner,
    blocked_by: task.blocked_by ?? [],
    blocks: task.blocks ?? [],
    subject: excess(task.subject, limits.taskSubject),
    description: excess(task.description, limits.taskDescription),
  });
}

function isTaskEvent(event: Event): event is Event & { event: `team:task:${string}` } {
  return event.event.startsWith('team:task:');
}
