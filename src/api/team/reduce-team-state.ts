import type { TaskChange } from '../../core/event/event.js';
import { objectOf, textOf } from '../../core/record/fields.js';
import { readSaid, senderIn } from '../../core/wire/tools/send.js';
import { actOf, wordsOf } from '../../core/wire/tools/table.js';
import { readCreated, readListed, readShown, readUpdated } from '../../core/wire/tools/task.js';
import { readSpawn, readTeamName } from '../../core/wire/tools/team.js';
import { readToolResult, type ToolResult } from '../../core/wire/tools/tool-result.js';
import type { CorrelatedToolUse } from './correlation-buffer.js';
import type { RecognizedTeamToolUse } from './recognize.js';
import type { TeamMember, TeamState, TeamTask } from './team-event.js';

/**
 * The team after a call that came back: undefined before there is one and after it was deleted, the same object when
 * nothing changed. Applying a pair twice is the same as applying it once.
 */
export function reduceTeamState(state: TeamState | undefined, correlated: CorrelatedToolUse): TeamState | undefined {
  const before = state && { ...state, ...lists(state.members, state.tasks) };
  const after = reduceRoster(before, correlated, lists([], []));
  if (after === before) return state;
  return after && { name: after.name, role: after.role, members: after.members.values(), tasks: after.tasks.values() };
}

function lists(members: TeamMember[], tasks: TeamTask[]) {
  return { members: new List(members, (member) => member.name), tasks: new List(tasks, (task) => task.id) };
}

/** A shelf over a list, for teams of ordinary size. */
class List<V> implements Shelf<V> {
  readonly #values: V[];
  readonly #keyOf: (value: V) => string;

  constructor(values: V[], keyOf: (value: V) => string) {
    this.#values = values;
    this.#keyOf = keyOf;
  }

  get(key: string): V | undefined {
    return this.#values.find((value) => this.#keyOf(value) === key);
  }

  set(key: string, value: V): List<V> {
    const isKnown = this.get(key) !== undefined;
    const values = isKnown
      ? this.#values.map((known) => (this.#keyOf(known) === key ? value : known))
      : [...this.#values, value];
    return new List(values, this.#keyOf);
  }

  delete(key: string): List<V> {
    return new List(
      this.#values.filter((value) => this.#keyOf(value) !== key),
      this.#keyOf,
    );
  }

  values(): V[] {
    return this.#values;
  }
}

// The transitions of a team, over any kind of collection: lists for consumers, tables where streams are long.

/** A collection that is never changed: set and delete give a new one. Values keep the order of their first setting. */
export interface Shelf<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): Shelf<V>;
  delete(key: string): Shelf<V>;
  values(): V[];
}

export interface Roster {
  readonly name: string;
  readonly role: TeamState['role'];
  /** By name. */
  readonly members: Shelf<TeamMember>;
  /** By id. */
  readonly tasks: Shelf<TeamTask>;
}

export type EmptyRoster = Pick<Roster, 'members' | 'tasks'>;

/** What a call that came back does to the team; the same roster when it does nothing, undefined when the team is gone. */
export function reduceRoster(
  roster: Roster | undefined,
  { recognized, result }: CorrelatedToolUse,
  empty: EmptyRoster,
): Roster | undefined {
  if (result === undefined) return roster;
  const outcome = readToolResult(
    result,
    result.tool_use_result ?? objectOf(result.content),
    wordsOf(recognized.toolName),
  );
  if (!outcome.success) return roster;
  const { input } = recognized;
  const act = actOf(recognized.toolName, input);
  if (act === 'createTeam') return roster ?? create(readTeamName(input, outcome), 'lead', empty);
  if (act === 'deleteTeam') return undefined;
  if (act === 'spawn') return spawn(roster, input, outcome, empty);
  if (roster === undefined) return roster;
  switch (act) {
    case 'createTask':
      return addTask(roster, readCreated(input, outcome));
    case 'updateTask':
      return changeTask(roster, readUpdated(input, outcome));
    case 'listTasks':
      return readListed(outcome).reduce(showTask, roster);
    case 'showTask':
      return showTask(roster, readShown(outcome));
    default:
      return leave(roster, recognized, outcome);
  }
}

/** A task with what was said of it; null is "not said". The same task when that is nothing new. */
export function withChange(known: TeamTask | undefined, change: TaskChange): TeamTask {
  const before = known ?? { id: change.id, subject: '', status: 'pending', blockedBy: [], blocks: [] };
  const task: TeamTask = {
    ...before,
    subject: change.subject ?? before.subject,
    status: isStatus(change.status) ? change.status : before.status,
    blockedBy: withAll(before.blockedBy, change.blocked_by),
    blocks: withAll(before.blocks, change.blocks),
  };
  if (change.description !== null) task.description = change.description;
  if (change.owner !== null) task.owner = change.owner;
  if (change.active_form !== null) task.activeForm = change.active_form;
  return known !== undefined && fields.every((field) => known[field] === task[field]) ? known : task;
}
const fields = ['subject', 'description', 'status', 'owner', 'activeForm', 'blockedBy', 'blocks'] as const;

function create(name: string | null, role: Roster['role'], empty: EmptyRoster): Roster | undefined {
  return name === null ? undefined : { name, role, ...empty };
}

function spawn(
  roster: Roster | undefined,
  input: Record<string, unknown>,
  outcome: ToolResult,
  empty: EmptyRoster,
): Roster | undefined {
  const { id, name, agentType, model, color, team } = readSpawn(input, outcome);
  // Whoever spawns into a team it did not create is one of the team.
  const home = roster ?? create(team, 'teammate', empty);
  if (home === undefined || name === null || home.members.get(name) !== undefined) return home;
  return {
    ...home,
    members: home.members.set(name, {
      name,
      agentId: id ?? name,
      agentType: agentType ?? 'general-purpose',
      status: 'active',
      ...(model === null ? {} : { model }),
      ...(color === null ? {} : { color }),
    }),
  };
}

function addTask(roster: Roster, change: TaskChange | null): Roster {
  if (change === null || roster.tasks.get(change.id) !== undefined) return roster;
  return { ...roster, tasks: roster.tasks.set(change.id, withChange(undefined, change)) };
}

function changeTask(roster: Roster, change: TaskChange | null): Roster {
  const known = change === null ? undefined : roster.tasks.get(change.id);
  if (change === null || known === undefined) return roster;
  if (change.status === 'deleted') return { ...roster, tasks: roster.tasks.delete(change.id) };
  const next = withChange(known, change);
  return next === known ? roster : { ...roster, tasks: roster.tasks.set(change.id, next) };
}

/** What a snapshot shows is so; what it does not show may still be. */
function showTask(roster: Roster, shown: TaskChange | null): Roster {
  if (shown === null) return roster;
  const isNew = roster.tasks.get(shown.id) === undefined && shown.status !== 'deleted';
  return isNew ? addTask(roster, shown) : changeTask(roster, shown);
}

/** An approved shutdown: the sender has left. Who that is the result, the request's id, the caller or the call may say. */
function leave(roster: Roster, { toolName, input, sender }: RecognizedTeamToolUse, outcome: ToolResult): Roster {
  const said = readSaid(toolName, input);
  if (said?.type !== 'shutdown_response' || said.approve !== true) return roster;
  const names = [senderIn(said, outcome), sender ?? null, textOf(input.from), textOf(input.sender), said.to];
  const member = names
    .map((name) => (name === null ? undefined : roster.members.get(name.split('@')[0] ?? name)))
    .find((found) => found !== undefined);
  if (member === undefined || member.status === 'shutdown') return roster;
  return { ...roster, members: roster.members.set(member.name, { ...member, status: 'shutdown' }) };
}

function isStatus(status: string | null): status is TeamTask['status'] {
  return status === 'pending' || status === 'in_progress' || status === 'completed' || status === 'deleted';
}

function withAll(known: string[], more: readonly string[] | null): string[] {
  const news = [...new Set(more)].filter((id) => !known.includes(id));
  return news.length === 0 ? known : [...known, ...news];
}
