// Findings about the tasks of boards.
import { resolveAgent } from '../state/agents.js';
import type { Facts } from '../state/audit-facts.js';
import { limits } from '../state/audit-limits.js';
import { keyOf } from '../state/tasks-place.js';
import type { FindingRow } from './finding.js';
import { callFindings } from './finding-calls.js';
import { cycleFindings } from './finding-cycles.js';
import { said, tooFast, tooMany } from './finding-limits.js';
import { isLead, plainName, type Roster } from './finding-roster.js';
import { type BoardAct, taskFinding } from './finding-task.js';
import { compare, groupBy } from './pick.js';
import { boardsOf } from './task-boards.js';
import { ownerName } from './task-owner.js';

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
