// Makes the rows of a state, and the JSON Patch between two states.
import { isObject } from '../../core/record/json.js';
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

export const noRows: StateRows = { teams: [], tasks: [], usage: [] };

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

/** One operation of RFC 6902. */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace';
  /** RFC 6901: `/tasks/0/status`. */
  readonly path: string;
  readonly value?: unknown;
}

/** The operations that turn one JSON value into another. Rows in lists are identified by their naming fields. */
export function jsonPatch(before: unknown, after: unknown, path = ''): PatchOperation[] {
  if (before === after) return [];
  if (Array.isArray(before) && Array.isArray(after)) return listPatch(before, after, path);
  if (isObject(before) && isObject(after)) {
    const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
    return [
      ...gone.map((key) => ({ op: 'remove' as const, path: under(path, key) })),
      ...Object.entries(after).flatMap(([key, value]) =>
        Object.hasOwn(before, key)
          ? jsonPatch(before[key], value, under(path, key))
          : [{ op: 'add' as const, path: under(path, key), value }],
      ),
    ];
  }
  return [{ op: 'replace', path, value: after }];
}

/** First removes missing items from the end, then handles new, moved and changed items from the front. */
function listPatch(before: readonly unknown[], after: readonly unknown[], path: string): PatchOperation[] {
  const stays = countsOf(after.map(nameOf));
  const list: unknown[] = [];
  const removed: PatchOperation[] = [];
  for (const [at, item] of before.entries()) {
    const left = stays.get(nameOf(item)) ?? 0;
    stays.set(nameOf(item), left - 1);
    if (left > 0) list.push(item);
    else removed.unshift({ op: 'remove', path: under(path, at) });
  }
  const changes: PatchOperation[] = [];
  for (const [at, item] of after.entries()) {
    const name = nameOf(item);
    if (at >= list.length || nameOf(list[at]) !== name) {
      const from = list.findIndex((other, index) => index > at && nameOf(other) === name);
      if (from !== -1) {
        list.splice(from, 1);
        changes.push({ op: 'remove', path: under(path, from) });
      }
      list.splice(at, 0, item);
      changes.push({ op: 'add', path: under(path, at), value: item });
      continue;
    }
    for (const change of jsonPatch(list[at], item, under(path, at))) changes.push(change);
  }
  return [...removed, ...changes];
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Identifies a row among its neighbours, whatever else in it changes. */
function nameOf(item: unknown): string {
  if (!isObject(item)) return JSON.stringify(item);
  const fields = namingFields.filter((field) => item[field] !== undefined);
  return JSON.stringify((fields.length === 0 ? ['model'] : fields).map((field) => item[field]));
}
const namingFields = ['team', 'session_id', 'agent_id', 'kind', 'id'];

function under(path: string, key: string | number): string {
  return `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
