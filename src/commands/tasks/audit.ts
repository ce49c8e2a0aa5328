// Findings about the tasks of boards.
import type { Event } from '../../core/event/event.js';
import { getOrCreate } from '../../core/record/json.js';
import { scopeOf } from '../../core/tables/agents.js';
import { resolveAgent } from '../../core/tables/directory.js';
import { commonName, compare, groupBy, keyOf, type Place } from '../../core/tables/order.js';
import { endingIn, toldEnding } from '../../core/tables/outcome.js';
import type { TaskEvent } from '../../core/tables/tasks.js';
import type { SessionStatus } from '../../core/tables/teams.js';
import { actOf, changesTasks } from '../../core/wire/tools/table.js';
import type { Facts } from '../audit/audit.js';
import { type AuditCalls, type Spot, spotKey } from '../audit/fold.js';
import { excess, type RuleName, rules } from '../audit/row.js';
import { type FindingRow, finding, findingAt, limitText, type Roster, tooFast, tooMany } from '../audit/rows.js';
import {
  type Board,
  boardsOf,
  compareIds,
  cyclesAmong,
  isInternal,
  ownerName,
  type TaskRow,
  taskRows,
} from './rows.js';

export type TaskActs = Map<string, TaskAct>;

export function noteTask(acts: TaskActs, event: Event, spot: Spot): void {
  if (!isTaskEvent(event) || event.kind !== 'board') return;
  const { task, tool_use_id, session_id, team } = event;
  const { id, status, owner } = task;
  const key = keyOf(session_id, team, id, tool_use_id ?? keyOf(event.event, spotKey(spot), status, owner));
  getOrCreate(acts, key, () => ({
    ...spot,
    ...{ id, tool_use_id, created: event.event === 'team:task:created', status, owner },
    blocked_by: task.blocked_by ?? [],
    blocks: task.blocks ?? [],
    subject: excess(task.subject, rules.long_subject),
    description: excess(task.description, rules.long_description),
  }));
}

export function taskFindings(facts: Facts, roster: Roster): FindingRow[] {
  const rows = taskRows(facts.tasks, facts.agents, { all: true });
  const boardOf = boardsOf(facts.tasks);
  const acts = [...facts.audit.acts.values()].map((act) => ({ ...act, board: boardOf(act) }));
  const tasks = [...groupBy(acts, ({ board, id }) => keyOf(board.key, id)).values()];
  const boards = [...groupBy(acts, ({ board }) => board.key).values()];
  const found = [
    ...unknownOwners(facts, roster, tasks),
    ...tasks.flatMap(inOrderOf).flatMap((task) => wrongUpdates(facts, task)),
    ...cycles(rows, acts),
    ...tasks.flatMap(longTexts),
    ...boards.flatMap((board) => boardLimits(facts, board)),
  ];
  // A finding belongs to the board of its task, whichever session made the change.
  const changes = found.map(({ rule, act, ...about }) => {
    const { session_id, team } = act.board;
    return finding(facts.agents, rule, act, { session_id, team, task: act.id, tool_use_id: act.tool_use_id, ...about });
  });
  return [...changes, ...openTasks(facts, rows), ...failedTasks(facts, rows)];
}

/** Board tasks that were open when their team was deleted, or else when their session ended. */
function openTasks({ agents, teams, audit }: Facts, rows: readonly TaskRow[]): FindingRow[] {
  const open = rows.filter(
    (row) => row.kind === 'board' && (row.status === 'pending' || row.status === 'in_progress') && !isInternal(row),
  );
  const byTeam = groupBy(open, ({ team }) => team ?? '');
  const left = new Set<TaskRow>();
  const deleted = [...audit.members.deleted.values()].flatMap((at) => {
    const isOfTeam = ({ session_id, created_at }: TaskRow) =>
      (session_id === null || at.session_id === null || session_id === at.session_id) &&
      (created_at === null || at.at === null || created_at <= at.at);
    const here = (byTeam.get(at.name ?? '') ?? []).filter(isOfTeam);
    for (const task of here) left.add(task);
    if (here.length === 0) return [];
    const ids = here.map(({ id }) => id).sort(compareIds);
    const detail = `${at.name} was deleted with open tasks: ${ids.join(', ')}`;
    return finding(agents, 'cleaned_up_with_open_tasks', at, { team: at.name, tool_use_id: at.tool_use_id, detail });
  });
  const ended = open.filter((task) => !left.has(task) && hasEnded(teams.sessions.get(scopeOf(task))));
  return [
    ...deleted,
    ...ended.map(({ session_id, team, id, status, owner, updated_at: time }) =>
      findingAt(
        'unfinished_task',
        { time, session_id, team, line: null },
        { agent: owner, task: id, detail: `${id} is still ${status?.replaceAll('_', ' ')}` },
      ),
    ),
  ];
}

/** Whether the session has ended in some way. A stream that was cut has not. */
function hasEnded(session: SessionStatus | undefined): boolean {
  const { outcome } = session === undefined ? toldEnding(null) : endingIn(session);
  return outcome !== null && outcome !== 'unfinished';
}

/** Agents in the background are agents that failed (teams/audit.ts). */
function failedTasks({ tasks, bare }: Facts, rows: readonly TaskRow[]): FindingRow[] {
  const ofAgents = new Set([...tasks.work.values()].filter(({ isAgent }) => isAgent).map(({ id }) => id));
  const failed = rows.filter((row) => row.kind === 'background' && row.status === 'failed' && !ofAgents.has(row.id));
  return failed.map(({ session_id, team, id, subject, owner, completed_at: time }) => {
    const detail = subject === null || bare ? `${id} failed` : `${id} failed: ${subject}`;
    return findingAt('task_failed', { time, session_id, team, line: null }, { agent: owner, task: id, detail });
  });
}

/** A change of a task. Every change is kept, because the state of tasks has only the final values. */
interface TaskAct extends Spot {
  readonly id: string;
  readonly tool_use_id: string | null;
  readonly created: boolean;
  readonly status: string | null;
  /** '' if the task was released. */
  readonly owner: string | null;
  readonly blocked_by: readonly string[];
  readonly blocks: readonly string[];
  /** The number of characters, if above the limit. */
  readonly subject: number | null;
  readonly description: number | null;
}

function isTaskEvent(event: Event): event is TaskEvent {
  return event.event.startsWith('team:task:');
}

interface BoardAct extends TaskAct {
  readonly board: Board;
}

interface TaskFinding {
  readonly rule: RuleName;
  readonly act: BoardAct;
  readonly detail: string;
  /** The agent it is about, if it is not the one that made the change. */
  readonly agent?: string | null;
}

function unknownOwners({ audit, agents }: Facts, roster: Roster, tasks: readonly BoardAct[][]): TaskFinding[] {
  const peopled = new Set([...audit.members.spawned.values()].map(({ session_id }) => session_id));
  return tasks.flatMap((task) => {
    const isMade = task.some((act) => isCreation(audit.calls, act));
    const owners = new Map<string, BoardAct>();
    for (const act of task) if (act.owner) getOrCreate(owners, act.owner, () => act);
    return [...owners].flatMap(([owner, act]): TaskFinding[] => {
      // A session that spawned nobody may use any names for owners.
      const isComplete = roster.isComplete(act.board) || (isMade && peopled.has(act.board.session_id));
      if (!isComplete || roster.knowsAgent(act, owner) || roster.knowsAgent(act.board, owner)) return [];
      const agent = ownerName(agents, act.board, owner);
      return [{ rule: 'unknown_owner', act, agent, detail: `no agent in the team is called ${agent}` }];
    });
  });
}

function isCreation(calls: AuditCalls, { created, tool_use_id }: BoardAct): boolean {
  return created && actOf(calls.get(tool_use_id ?? '')?.tool ?? '') === 'createTask';
}

/** The changes of a task in order. Changes without a time are ordered only within their file. */
function inOrderOf(task: readonly BoardAct[]): BoardAct[][] {
  const timed = task.filter(({ time }) => time !== null).sort(compareActs);
  const timeless = task.filter(({ time }) => time === null);
  return [timed, ...groupBy(timeless, ({ source }) => source ?? '').values()];
}

function compareActs(a: BoardAct, b: BoardAct): number {
  return compare(a.time, b.time) || a.seq - b.seq;
}

/** Checks only updates, because a snapshot or a hook may report a change long after it happened. */
function wrongUpdates({ audit, agents }: Facts, task: readonly BoardAct[]): TaskFinding[] {
  const found: TaskFinding[] = [];
  let status: string | null = null;
  let holder: string | null = null;
  for (const act of task) {
    const call = audit.calls.get(act.tool_use_id ?? '');
    if (call === undefined || !changesTasks(call.tool)) continue;
    if (actOf(call.tool) === 'createTask') {
      status ??= act.status;
      continue;
    }
    const from: string | null = call.from ?? status;
    const released = act.owner === '';
    if (isBackwards(from, act.status) && !(released && act.status === 'pending'))
      found.push({ rule: 'status_backwards', act, detail: `${from} → ${act.status}` });
    const caller = resolveAgent(agents, act, act.agent);
    const named = act.owner ? ownerName(agents, act.board, act.owner) : null;
    // The lead updates the tasks of others, and an unknown agent may be the owner.
    const self = caller.kind === 'lead' || caller.kind === null ? null : caller.name;
    const claims = act.status === 'in_progress' || (act.status === null && named !== null && named === self);
    const claimer = named ?? (act.status === 'in_progress' ? self : null);
    const isHeld = from === 'in_progress' || status === 'in_progress';
    if (claims && isHeld && holder !== null && claimer !== null && commonName(claimer) !== commonName(holder)) {
      const detail = `claimed by ${claimer} while in progress by ${holder}`;
      found.push({ rule: 'two_owners', act, agent: claimer, detail });
    }
    holder = released ? null : (claimer ?? holder);
    status = act.status ?? status;
  }
  return found;
}

function isBackwards(from: string | null, to: string | null): boolean {
  const [before, after] = [statusOrder.indexOf(from ?? ''), statusOrder.indexOf(to ?? '')];
  return after !== -1 && after < before;
}
const statusOrder = ['pending', 'in_progress', 'completed', 'deleted'];

/** One finding per group of tasks that wait for each other, at the change that closed the cycle. */
function cycles(rows: readonly TaskRow[], acts: readonly BoardAct[]): TaskFinding[] {
  const keyOfBoard = ({ session_id, team }: Place) => keyOf(session_id, team);
  const boards = groupBy(
    rows.filter((row) => row.kind === 'board' && row.status !== 'deleted'),
    keyOfBoard,
  );
  const byTask = groupBy(acts, ({ board, id }) => keyOf(keyOfBoard(board), id));
  return [...boards].flatMap(([key, board]) => {
    const blockers = new Map(board.map(({ id, blocked_by }) => [id, blocked_by]));
    const known = (id: string) => (blockers.get(id) ?? []).filter((blocker) => blockers.has(blocker));
    return cyclesAmong(blockers.keys(), known).flatMap((group): TaskFinding[] => {
      const ids = [...group].sort(compareIds);
      const linking = ids
        .flatMap((id) => byTask.get(keyOf(key, id)) ?? [])
        .filter(({ blocked_by, blocks }) => [...blocked_by, ...blocks].some((other) => group.has(other)));
      const act = linking.sort(compareActs).at(-1);
      if (act === undefined) return [];
      const detail = ids.length === 1 ? `${ids[0]} waits for itself` : `${ids.join(', ')} wait for each other`;
      return [{ rule: 'circular_dependency', act, detail }];
    });
  });
}

/** One finding per long text, even if a call, a hook and a file all show it. */
function longTexts(task: readonly BoardAct[]): TaskFinding[] {
  const long = (field: 'subject' | 'description', rule: 'long_subject' | 'long_description'): TaskFinding[] => {
    const acts = task.filter((act) => act[field] !== null);
    const act = acts.find(({ tool_use_id }) => tool_use_id !== null) ?? acts[0];
    return act === undefined ? [] : [{ rule, act, detail: limitText(act[field] ?? 0, rules[rule]) }];
  };
  return [...long('subject', 'long_subject'), ...long('description', 'long_description')];
}

function boardLimits({ audit }: Facts, board: readonly BoardAct[]): TaskFinding[] {
  const first = new Map<string, BoardAct>();
  for (const act of board) getOrCreate(first, act.id, () => act);
  for (const { status, id } of board) if (status === 'deleted') first.delete(id);
  const many = tooMany([...first.values()], rules.many_tasks);
  const made = board.filter((act) => isCreation(audit.calls, act));
  return [
    ...(many === null ? [] : [{ rule: 'many_tasks', act: many.at, detail: many.detail } as const]),
    ...tooFast(made, rules.task_rate).map(({ at: act, detail }) => ({ rule: 'task_rate', act, detail }) as const),
  ];
}
