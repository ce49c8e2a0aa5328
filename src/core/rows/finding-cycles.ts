import type { Facts } from '../state/audit-facts.js';
import { keyOf } from '../state/tasks-place.js';
import type { FindingRow } from './finding.js';
import { type BoardAct, taskFinding } from './finding-task.js';
import { compare, groupBy } from './pick.js';
import { type TaskRow, taskRows } from './task.js';
import { inCycles } from './task-dependencies.js';
import { compareIds } from './task-order.js';

/** One finding for each knot of tasks that wait for each other, at the act that tied it. */
export function cycleFindings(facts: Facts, acts: readonly BoardAct[]): FindingRow[] {
  const rows = taskRows(facts.tasks, facts.agents, { all: true });
  const boards = groupBy(
    rows.filter((row) => row.kind === 'board' && row.status !== 'deleted'),
    boardKey,
  );
  const tying = groupBy(
    acts.filter(({ blocked_by, blocks }) => blocked_by.length + blocks.length > 0),
    ({ board, id }) => keyOf(boardKey(board), id),
  );
  return [...boards].flatMap(([key, tasks]) =>
    knots(tasks).flatMap((knot) => {
      const tied = [...knot].flatMap((id) => tying.get(keyOf(key, id)) ?? []).filter((act) => ties(act, knot));
      const last = tied.reduce<BoardAct | null>(
        (late, act) => (late === null || !isLater(late, act) ? act : late),
        null,
      );
      if (last === null) return [];
      const ids = [...knot].sort(compareIds);
      const detail = ids.length === 1 ? `${ids[0]} waits for itself` : `${ids.join(', ')} wait for each other`;
      return taskFinding(facts, 'circular_dependency', last, { detail });
    }),
  );
}

function boardKey({ session_id, team }: { session_id: string | null; team: string | null }): string {
  return keyOf(session_id, team);
}

/** Tasks in cycles, those that hang together in one set. */
function knots(tasks: readonly TaskRow[]): Set<string>[] {
  const blockers = new Map(tasks.map(({ id, blocked_by }) => [id, blocked_by]));
  const cyclic = inCycles(blockers.keys(), (id) => (blockers.get(id) ?? []).filter((blocker) => blockers.has(blocker)));
  const beside = new Map([...cyclic].map((id): [string, string[]] => [id, []]));
  for (const id of cyclic)
    for (const blocker of blockers.get(id) ?? []) {
      if (!cyclic.has(blocker)) continue;
      beside.get(id)?.push(blocker);
      beside.get(blocker)?.push(id);
    }
  const found: Set<string>[] = [];
  const seen = new Set<string>();
  for (const id of cyclic) {
    if (seen.has(id)) continue;
    const knot = new Set([id]);
    for (const one of knot) for (const other of beside.get(one) ?? []) knot.add(other);
    for (const one of knot) seen.add(one);
    found.push(knot);
  }
  return found;
}

function ties({ blocked_by, blocks }: BoardAct, knot: ReadonlySet<string>): boolean {
  return [...blocked_by, ...blocks].some((other) => knot.has(other));
}

function isLater(a: BoardAct, b: BoardAct): boolean {
  return (compare(a.time, b.time) || a.seq - b.seq) > 0;
}
