import * as z from 'zod';
import { figures } from '../event/usage-row.js';
import type { State } from '../state/reduce.js';
import type { PatchOperation } from './json-patch.js';
import { type TaskRow, taskRowSchema, taskRows } from './task.js';
import { taskFilter } from './task-filter.js';
import { type TeamRow, teamRowSchema } from './team.js';
import { teamRowsOf } from './team-facts.js';
import { reportUsage, type UsageRow } from './usage.js';

/** What is true at one point of a stream: the rows that the commands of these names print. */
export interface StateRows {
  readonly teams: readonly TeamRow[];
  readonly tasks: readonly TaskRow[];
  readonly usage: readonly UsageRow[];
}

export const noRows: StateRows = { teams: [], tasks: [], usage: [] };

export interface StateQuery {
  readonly session: string | null;
  readonly team: string | null;
}

/** The rows of one state after the other. What depends on parts of the state that stayed the same is not made again. */
export function createStateRows({ session, team }: StateQuery): (state: State, ended: boolean) => StateRows {
  const isWanted = (row: { team: string | null; session_id: string | null }) =>
    (team === null || row.team === team) && (session === null || row.session_id === session);
  const query = {
    kind: [],
    status: [],
    owner: [],
    team,
    session,
    open: false,
    ready: false,
    blocked: false,
    all: false,
  };
  let last: { state: State; ended: boolean; rows: StateRows } | null = null;

  return (state, ended) => {
    const before = last;
    const isSame = (...slices: readonly (keyof State)[]) =>
      before !== null && slices.every((slice) => before.state[slice] === state[slice]);
    const tasks = () => {
      const rows = taskRows(state.tasks, state.agents);
      return rows.filter(taskFilter(query, rows));
    };
    const rows = {
      teams:
        before !== null && before.ended === ended && isSame('agents', 'teams', 'tasks', 'messages', 'usage')
          ? before.rows.teams
          : teamRowsOf(state, { ended }).filter(isWanted),
      tasks: before !== null && isSame('agents', 'tasks') ? before.rows.tasks : tasks(),
      usage:
        before !== null && isSame('agents', 'usage')
          ? before.rows.usage
          : reportUsage({ ...state, by: ['model'], session, team }).rows,
    };
    last = { state, ended, rows };
    return rows;
  };
}

/** Where in the stream a state stands. */
export interface StatePlace {
  /** Time of the event; where it has none, the last one known before it. */
  readonly at: string | null;
  readonly line: number | null;
  /** null: the end of the input. */
  readonly event: string | null;
}

export type StateRow = { readonly cct: 1 } & StatePlace & StateRows;
export type StateDiffRow = { readonly cct: 1 } & StatePlace & { readonly changes: readonly PatchOperation[] };

export function stateJsonSchema(): unknown {
  const text = z.string().nullable();
  const place = {
    cct: z.literal(1).describe('schema version'),
    at: text.describe('time of the event; where it has none, the last one known before it'),
    line: z.number().nullable().describe('line of the input, from 1'),
    event: text.describe('the event that made the state what it is; null at the end of the input'),
  };
  const state = z.object({
    ...place,
    teams: z.array(teamRowSchema).describe('the rows of cct teams'),
    tasks: z.array(taskRowSchema).describe('the rows of cct tasks'),
    usage: z.array(z.object({ model: text, ...figures() })).describe('the rows of cct usage, by model'),
  });
  const change = z.object({
    op: z.enum(['add', 'remove', 'replace']),
    path: z.string(),
    value: z.unknown().optional(),
  });
  const diff = z.object({
    ...place,
    changes: z
      .array(change)
      .describe('JSON Patch (RFC 6902) from the state before, the first from {"teams":[],"tasks":[],"usage":[]}'),
  });
  const { $schema, ...rest } = z.toJSONSchema(z.union([state, diff]), { io: 'input' });
  return { $schema, title: 'state', description: 'one line of cct replay --states or --at, or of --diff', ...rest };
}
