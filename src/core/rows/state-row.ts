import * as z from 'zod';
import { figures } from '../event/usage-row.js';
import type { State } from '../state/reduce.js';
import type { PatchOperation } from './json-patch.js';
import { remember } from './remember.js';
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
  const query = { kind: [], status: [], owner: [], open: false, ready: false, blocked: false, all: false };
  const isWanted = (row: TeamRow) =>
    (team === null || row.team === team) && (session === null || row.session_id === session);
  const tasksOf = remember((tasks: State['tasks'], agents: State['agents']) => {
    const rows = taskRows(tasks, agents);
    return rows.filter(taskFilter({ ...query, team, session }, rows));
  });
  const usageOf = remember(
    (usage: State['usage'], agents: State['agents']) =>
      reportUsage({ usage, agents, by: ['model'], session, team }).rows,
  );
  return (state, ended) => ({
    teams: teamRowsOf(state, { ended }).filter(isWanted),
    tasks: tasksOf(state.tasks, state.agents),
    usage: usageOf(state.usage, state.agents),
  });
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
