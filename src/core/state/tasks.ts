// What was said of tasks, in the order of the story. What belongs together across sessions, teams and ids of one agent is joined in core/rows.
import type { Event } from '../event/event.js';
import { Table } from './table.js';
import { keyOf, type Place } from './tasks-place.js';
import { type WorkEntry, workFinished, workProgressed, workStarted } from './tasks-work.js';

export interface TasksState {
  /** Every change of a board or a todo list; the last word counts. */
  readonly changes: Table<TaskEvent>;
  readonly work: Table<WorkEntry>;
  /** Runs known of a piece of work, so that the end of an earlier one does not end a later one. */
  readonly runs: Table<true>;
  /** Teams that sessions speak of. */
  readonly teams: Table<TeamEntry>;
}

export type TaskEvent = Event & { event: `team:task:${string}` };

export interface TeamEntry extends Place {
  readonly team: string;
  /** This session made it. */
  readonly created: boolean;
}

export const noTasks: TasksState = {
  changes: new Table(),
  work: new Table(),
  runs: new Table(),
  teams: new Table(),
};

export function reduceTasks(state: TasksState, event: Event): TasksState {
  switch (event.event) {
    case 'team:created':
      return withTeam(state, event.session_id, event.name, event.protocol !== 'implicit');
    case 'team:task:created':
    case 'team:task:claimed':
    case 'team:task:updated':
    case 'team:task:completed':
    case 'team:task:deleted':
      return withChange(withTeamOf(state, event), event);
    case 'agent:started':
      return workStarted(withTeamOf(state, event), event);
    case 'agent:progressed':
      return workProgressed(state, event);
    case 'agent:finished':
      return workFinished(state, event);
    default:
      return state;
  }
}

function withChange(state: TasksState, event: TaskEvent): TasksState {
  return { ...state, changes: state.changes.set(String(state.changes.size), event) };
}

function withTeamOf(state: TasksState, { session_id, team }: Event): TasksState {
  return team === null ? state : withTeam(state, session_id, team, false);
}

function withTeam(state: TasksState, session_id: string | null, team: string, created: boolean): TasksState {
  const key = keyOf(session_id, team);
  const known = state.teams.get(key);
  if (known !== undefined && (known.created || !created)) return state;
  return { ...state, teams: state.teams.set(key, { session_id, team, created }) };
}
