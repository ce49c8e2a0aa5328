// Makes the rows of a state.
import { memoizeLast } from '../../core/state/order.js';
import { placeFilter } from '../place-filter.js';
import type { State } from '../reduce.js';
import { type TaskRow, taskFilter, taskRows } from '../tasks/rows.js';
import type { TeamRow } from '../teams/row.js';
import { teamRowsOf } from '../teams/rows.js';
import { reportUsage, type UsageRow } from '../usage/rows.js';

/** The rows that the commands of these names print at one point of a stream. */
export interface StateRows {
  readonly teams: readonly TeamRow[];
  readonly tasks: readonly TaskRow[];
  readonly usage: readonly UsageRow[];
}

/** Makes the rows of one state after the other. Rows of unchanged slices are reused. */
export function createStateRows(
  session: () => string | null,
  team: string | null,
): (state: State, ended: boolean) => StateRows {
  const query = { kind: [], status: [], owner: [], open: false, ready: false, blocked: false, all: false };
  const tasksOf = memoizeLast((tasks: State['tasks'], agents: State['agents']) => {
    const rows = taskRows(tasks, agents);
    return rows.filter(taskFilter({ ...query, team, session: session() }, rows));
  });
  const usageOf = memoizeLast(
    (usage: State['usage'], agents: State['agents']) =>
      reportUsage({ usage, agents, by: ['model'], session: session(), team }).rows,
  );
  return (state, ended) => ({
    teams: teamRowsOf(state, { ended }).filter(placeFilter(session(), team)),
    tasks: tasksOf(state.tasks, state.agents),
    usage: usageOf(state.usage, state.agents),
  });
}

export interface StatePlace {
  /** The time of the event, else the last time known before it. */
  readonly at: string | null;
  readonly line: number | null;
  /** null at the end of the input. */
  readonly event: string | null;
}
