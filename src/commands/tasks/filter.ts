import type { TaskRow } from './rows.js';

/** What may be asked of tasks; an empty list asks nothing. */
export interface TaskQuery {
  readonly kind: readonly string[];
  readonly status: readonly string[];
  readonly owner: readonly string[];
  readonly team: string | null;
  readonly session: string | null;
  /** Not yet at an end. */
  readonly open: boolean;
  readonly ready: boolean;
  /** Open, and waiting for another task. */
  readonly blocked: boolean;
  /** Deleted and internal ones too. */
  readonly all: boolean;
}

/** Among all rows of the input: whether a task is blocked depends on others. */
export function taskFilter(query: TaskQuery, rows: readonly TaskRow[]): (row: TaskRow) => boolean {
  const owners = new Set(query.owner.map(plainName));
  const waits = query.blocked ? waiting(rows) : null;
  return (row) =>
    isShown(row, query) &&
    has(query.kind, row.kind) &&
    has(query.status, row.status) &&
    (owners.size === 0 || (row.owner !== null && owners.has(plainName(row.owner)))) &&
    (query.team === null || row.team === query.team) &&
    (query.session === null || row.session_id === query.session) &&
    (!query.open || isOpen(row)) &&
    (!query.ready || row.ready) &&
    (waits === null || waits(row));
}

export function isOpen({ status }: TaskRow): boolean {
  return status === null || !ends.has(status);
}

const ends: ReadonlySet<string> = new Set(['completed', 'deleted', 'failed', 'stopped']);

export function isInternal({ metadata }: TaskRow): boolean {
  return metadata !== null && Object.hasOwn(metadata, '_internal') && metadata['_internal'] === true;
}

function isShown(row: TaskRow, { all, status }: TaskQuery): boolean {
  if (all) return true;
  return row.status === 'deleted' ? status.includes('deleted') : !isInternal(row);
}

/** A pending task is ready or it waits; one in progress waits while a blocker is neither completed nor gone. */
function waiting(rows: readonly TaskRow[]): (row: TaskRow) => boolean {
  const done = new Set(rows.filter(({ status }) => status === 'completed' || status === 'deleted').map(keyOf));
  return (row) => {
    if (row.kind !== 'board' || !isOpen(row) || row.ready) return false;
    const { team, session_id } = row;
    return (
      row.blocked_by.some((id) => !done.has(keyOf({ kind: 'board', team, session_id, id }))) || row.status === 'pending'
    );
  };
}

function keyOf({ kind, team, session_id, id }: Pick<TaskRow, 'kind' | 'team' | 'session_id' | 'id'>): string {
  return JSON.stringify([kind, team, session_id, id]);
}

function has(wanted: readonly string[], value: string | null): boolean {
  return wanted.length === 0 || (value !== null && wanted.includes(value));
}

/** `@writer` and `writer@crew` are writer; the main conversation and the lead of its team are one. */
function plainName(name: string): string {
  const plain = name.replace(/^@/, '').replace(/(?<=.)@.*$/s, '');
  return plain === 'team-lead' ? 'main' : plain;
}
