// Findings about the tasks of boards.

import type { Event } from '../../core/event/event.js';
import { resolveAgent } from '../../core/state/agents.js';
import { keyOf } from '../../core/state/keys.js';
import { compare, groupBy } from '../../core/state/order.js';
import type { PersistentMap } from '../../core/state/persistent-map.js';
import { callFindings, said, tooFast, tooMany } from '../audit/calls.js';
import { type Facts, type Spot, spotKey, spotOf } from '../audit/fold.js';
import { excess, limits, type RuleName } from '../audit/row.js';
import { type FindingRow, finding, isLead, plainName, type Roster } from '../audit/rows.js';
import { type Board, boardsOf, compareIds, inCycles, ownerName, type TaskRow, taskRows } from './rows.js';

export function taskFindings(facts: Facts, roster: Roster): FindingRow[] {
  const boardOf = boardsOf(facts.tasks);
  const acts = facts.audit.acts.values().map((act) => ({ ...act, board: boardOf(act) }));
  const tasks = [...groupBy(acts, ({ board, id }) => keyOf(board.key, id)).values()];
  return [
    ...callFindings(facts, 'tasks'),
    ...unknownOwners(facts, roster, tasks),
    ...tasks.flatMap(inOrderOf).flatMap((task) => walk(facts, task)),
    ...cycleFindings(facts, acts),
    ...tasks.flatMap((task) => longTexts(facts, task)),
    ...crowdedBoards(facts, acts),
  ];
}

function unknownOwners(facts: Facts, roster: Roster, tasks: readonly (readonly BoardAct[])[]): FindingRow[] {
  const { audit, agents } = facts;
  const peopled = new Set(audit.members.spawned.values().map(({ session_id }) => session_id));
  return tasks.flatMap((task) => {
    const isMade = task.some((act) => act.created && toolOf(facts, act) === 'TaskCreate');
    const owners = new Map<string, BoardAct>();
    for (const act of task) if (act.owner && !owners.has(act.owner)) owners.set(act.owner, act);
    return [...owners].flatMap(([owner, act]) => {
      // A session that spawned nobody may call its owners what it likes.
      const isComplete = roster.isComplete(act.board) || (isMade && peopled.has(act.board.session_id));
      if (!isComplete || roster.knows(act, owner) || roster.knows(act.board, owner)) return [];
      const name = ownerName(agents, act.board, owner);
      return taskFinding(facts, 'unknown_owner', act, {
        agent: name,
        detail: `no agent in the team is called ${name}`,
      });
    });
  });
}

function toolOf({ audit }: Facts, { tool_use_id }: BoardAct): string | null {
  return audit.calls.get(tool_use_id ?? '')?.tool ?? null;
}

/** What was done to a task in order. Acts without a time have an order only within their file. */
function inOrderOf(task: readonly BoardAct[]): BoardAct[][] {
  const timed = task.filter(({ time }) => time !== null).sort((a, b) => compare(a.time, b.time) || a.seq - b.seq);
  const timeless = task.filter(({ time }) => time === null);
  return [timed, ...groupBy(timeless, ({ source }) => source ?? '').values()].filter(({ length }) => length > 0);
}

const ranks: Readonly<Record<string, number>> = { pending: 0, in_progress: 1, completed: 2, deleted: 3 };

/** Only updates count: a snapshot or a hook may tell late of what is long past. */
function walk(facts: Facts, task: readonly BoardAct[]): FindingRow[] {
  const { audit, agents } = facts;
  const found: FindingRow[] = [];
  let status: string | null = null;
  let holder: string | null = null;
  for (const act of task) {
    const call = audit.calls.get(act.tool_use_id ?? '');
    if (call?.tool === 'TaskCreate') status ??= act.status;
    if (call?.tool !== 'TaskUpdate') continue;
    const from: string | null = call.from ?? status;
    const released = act.owner === '';
    if (isBackwards(from, act.status) && !(released && act.status === 'pending'))
      found.push(taskFinding(facts, 'status_backwards', act, { detail: `${from} → ${act.status}` }));
    const caller = resolveAgent(agents, act, act.agent);
    const named = act.owner ? ownerName(agents, act.board, act.owner) : null;
    // The lead looks after the tasks of others; the turn of an unknown agent may be that of the owner.
    const self = caller.kind === 'lead' || caller.kind === null ? null : caller.name;
    const claims = act.status === 'in_progress' || (act.status === null && named !== null && named === self);
    const claimer = named ?? (act.status === 'in_progress' ? self : null);
    const isHeld = from === 'in_progress' || status === 'in_progress';
    if (claims && isHeld && holder !== null && claimer !== null && !isSame(claimer, holder))
      found.push(
        taskFinding(facts, 'two_owners', act, {
          agent: claimer,
          detail: `claimed by ${claimer} while in progress by ${holder}`,
        }),
      );
    holder = released ? null : (claimer ?? holder);
    status = act.status ?? status;
  }
  return found;
}

function isBackwards(from: string | null, to: string | null): boolean {
  const [before, after] = [ranks[from ?? ''], ranks[to ?? '']];
  return before !== undefined && after !== undefined && after < before;
}

function isSame(a: string, b: string): boolean {
  return plainName(a) === plainName(b) || (isLead(a) && isLead(b));
}

/** A text that is too long may be seen in a call, a hook and a file: it is one. */
function longTexts(facts: Facts, task: readonly BoardAct[]): FindingRow[] {
  return longTextRules.flatMap(({ field, rule, limit }) => {
    const long = task.filter((act) => act[field] !== null);
    const act = long.find(({ tool_use_id }) => tool_use_id !== null) ?? long[0];
    return act === undefined ? [] : taskFinding(facts, rule, act, { detail: said(act[field] ?? 0, limit) });
  });
}
const longTextRules = [
  { field: 'subject', rule: 'long_subject', limit: limits.taskSubject },
  { field: 'description', rule: 'long_description', limit: limits.taskDescription },
] as const;

function crowdedBoards(facts: Facts, acts: readonly BoardAct[]): FindingRow[] {
  return [...groupBy(acts, ({ board }) => board.key).values()].flatMap((board) => {
    const first = new Map<string, BoardAct>();
    for (const act of board) if (!first.has(act.id)) first.set(act.id, act);
    const deleted = new Set(board.filter(({ status }) => status === 'deleted').map(({ id }) => id));
    const many = tooMany(
      [...first.values()].filter(({ id }) => !deleted.has(id)),
      limits.tasks,
    );
    const made = board.filter((act) => act.created && toolOf(facts, act) === 'TaskCreate');
    return [
      ...(many === null ? [] : [taskFinding(facts, 'many_tasks', many.at, { detail: many.detail })]),
      ...tooFast(made, limits.taskRate).map(({ at, detail }) => taskFinding(facts, 'task_rate', at, { detail })),
    ];
  });
}

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

/** Something that was done to a task, and the board it stands on. */
export interface BoardAct extends TaskAct {
  readonly board: Board;
}

/** A finding about a task belongs to its board, whoever did it in which session. */
export function taskFinding(
  { agents }: Facts,
  rule: RuleName,
  act: BoardAct,
  about: { detail: string; agent?: string | null },
): FindingRow {
  const { session_id, team } = act.board;
  return finding(agents, rule, act, { session_id, team, task: act.id, tool_use_id: act.tool_use_id, ...about });
}

// What was done to the tasks of a board, each act by itself: their state keeps only what is true in the end.

export interface TaskAct extends Spot {
  readonly id: string;
  readonly tool_use_id: string | null;
  readonly created: boolean;
  readonly status: string | null;
  /** '' when it was released. */
  readonly owner: string | null;
  readonly blocked_by: readonly string[];
  readonly blocks: readonly string[];
  /** Characters, where there are too many. */
  readonly subject: number | null;
  readonly description: number | null;
}

export type TaskActs = PersistentMap<TaskAct>;

export function reduceTaskActs(acts: TaskActs, event: Event, at: string | null): TaskActs {
  if (!isTaskEvent(event) || event.kind !== 'board') return acts;
  const { task, tool_use_id, session_id, team } = event;
  const { id, status, owner } = task;
  const key = keyOf(session_id, team, id, tool_use_id ?? keyOf(event.event, spotKey(event), status, owner));
  if (acts.has(key)) return acts;
  return acts.set(key, {
    ...spotOf(event, at),
    id,
    tool_use_id,
    created: event.event === 'team:task:created',
    status,
    owner,
    blocked_by: task.blocked_by ?? [],
    blocks: task.blocks ?? [],
    subject: excess(task.subject, limits.taskSubject),
    description: excess(task.description, limits.taskDescription),
  });
}

function isTaskEvent(event: Event): event is Event & { event: `team:task:${string}` } {
  return event.event.startsWith('team:task:');
}
