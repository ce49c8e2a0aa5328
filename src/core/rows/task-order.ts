import { compare } from './pick.js';
import type { TaskRow } from './task.js';

/** By team, then kind, then id. */
export function compareTasks(a: TaskRow, b: TaskRow): number {
  return (
    compare(a.team, b.team) ||
    compare(a.session_id, b.session_id) ||
    kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
    compareIds(a.id, b.id) ||
    compare(a.owner, b.owner)
  );
}

const kinds: readonly string[] = ['board', 'todo', 'background'];

/** Numbers by what they count, before everything else. */
export function compareIds(a: string, b: string): number {
  const left = digits(a);
  const right = digits(b);
  if (left === null || right === null) return Number(left === null) - Number(right === null) || compare(a, b);
  return left.length - right.length || compare(left, right) || compare(a, b);
}

function digits(id: string): string | null {
  return /^\d+$/.test(id) ? id.replace(/^0+(?=\d)/, '') : null;
}
