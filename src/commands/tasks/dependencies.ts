import { earliest, latest } from '../../core/state/order.js';
import type { TaskEvent } from './fold.js';
import { compareIds } from './rows.js';

/** What blocks what on one board. */
export interface Dependencies {
  blockersOf(id: string): string[];
  blockedBy(id: string): string[];
  /** When the last of those was added that events of this task told of. */
  changedAt(id: string): string | null;
}

export function dependenciesOf(changes: readonly TaskEvent[]): Dependencies {
  const blockers = new Map<string, Set<string>>();
  const blocked = new Map<string, Set<string>>();
  /** When each was first told, by what was told and by whose event. */
  const told = new Map<string, { readonly by: string; readonly time: string | null }>();
  for (const { task, time } of changes) {
    for (const [blocker, other] of pairsOf(task)) {
      add(blockers, other, blocker);
      add(blocked, blocker, other);
      const key = JSON.stringify([task.id, blocker, other]);
      told.set(key, { by: task.id, time: earliest(told.get(key)?.time ?? null, time) });
    }
  }
  const changed = new Map<string, string | null>();
  for (const { by, time } of told.values()) changed.set(by, latest(changed.get(by) ?? null, time));
  return {
    blockersOf: (id) => sorted(blockers.get(id)),
    blockedBy: (id) => sorted(blocked.get(id)),
    changedAt: (id) => changed.get(id) ?? null,
  };
}

function* pairsOf({ id, blocked_by, blocks }: TaskEvent['task']): Generator<[blocker: string, blocked: string]> {
  for (const blocker of blocked_by ?? []) yield [blocker, id];
  for (const blocked of blocks ?? []) yield [id, blocked];
}

/** The tasks that wait for themselves, directly or through others. */
export function inCycles(ids: Iterable<string>, blockersOf: (id: string) => readonly string[]): Set<string> {
  // Tarjan's strongly connected components, with a path of our own: a chain of thousands of tasks would overflow the stack.
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const cyclic = new Set<string>();
  const path: Step[] = [];

  function enter(id: string): void {
    order.set(id, order.size);
    low.set(id, order.size - 1);
    open.push(id);
    isOpen.add(id);
    path.push({ id, blockers: blockersOf(id), next: 0 });
  }

  function leave({ id, blockers }: Step): void {
    const lowest = low.get(id) ?? 0;
    const above = path.at(-1);
    if (above !== undefined) low.set(above.id, Math.min(low.get(above.id) ?? 0, lowest));
    if (lowest !== order.get(id)) return;
    const component = open.splice(open.lastIndexOf(id));
    for (const member of component) {
      isOpen.delete(member);
      if (component.length > 1 || blockers.includes(id)) cyclic.add(member);
    }
  }

  for (const root of ids) {
    if (!order.has(root)) enter(root);
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const blocker = step.blockers[step.next++];
      if (blocker === undefined) {
        path.pop();
        leave(step);
      } else if (!order.has(blocker)) enter(blocker);
      else if (isOpen.has(blocker)) low.set(step.id, Math.min(low.get(step.id) ?? 0, order.get(blocker) ?? 0));
    }
  }
  return cyclic;
}

interface Step {
  readonly id: string;
  readonly blockers: readonly string[];
  next: number;
}

function add(map: Map<string, Set<string>>, id: string, other: string): void {
  const known = map.get(id);
  if (known === undefined) map.set(id, new Set([other]));
  else known.add(other);
}

function sorted(ids: ReadonlySet<string> | undefined): string[] {
  return [...(ids ?? [])].sort(compareIds);
}
