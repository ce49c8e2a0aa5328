// The team in the shapes of hosts that have a message loop of their own: camelCase, and unknown fields are absent. The
// shapes are views: of the state, or of the events of one call.

import type { MemberRow } from '../commands/teams/row.js';
import { teamsWithTasks } from '../commands/teams/rows.js';
import type { Event, EventMap, Member, TaskChange, TeamCategory } from '../core/event/event.js';
import { type Schema, zodOf } from '../core/event/schema.js';
import {
  fits,
  listOf as list,
  means,
  object,
  oneOf,
  optional,
  text,
  texts,
  type ValueOf,
} from '../core/record/describe.js';
import { idOf, isObject, listOf, objectOf, textOf } from '../core/record/json.js';
import { isLeadName } from '../core/tables/order.js';
import { type State, settle } from '../core/tables/reduce.js';
import { isSameValue, type TaskEvent } from '../core/tables/tasks.js';
import { eventsOfPair, type PairedResult, pairedId } from '../core/wire/pair.js';
import { actOf, categoryOf, isSpawnTool, isUnknownTeamTool, missingInputs } from '../core/wire/tools/table.js';
import { checkOptions, checkState, is, refuse } from './arguments.js';

const teamMember = object({
  name: text,
  agentId: text,
  agentType: text,
  status: oneOf(['active', 'idle', 'shutdown']),
  model: optional(text),
  color: optional(text),
});
export type TeamMember = ValueOf<typeof teamMember>;
export const teamMemberSchema: Schema<TeamMember> = zodOf(teamMember);

const taskStatuses = ['pending', 'in_progress', 'completed', 'deleted'] as const;
const teamTask = object({
  id: text,
  subject: text,
  description: optional(text),
  status: oneOf(taskStatuses),
  owner: optional(text),
  activeForm: optional(text),
  blockedBy: texts,
  blocks: texts,
});
export type TeamTask = ValueOf<typeof teamTask>;
export const teamTaskSchema: Schema<TeamTask> = zodOf(teamTask);

const teamState = object({
  name: text,
  role: means(oneOf(['lead', 'teammate']), 'of the session that was observed'),
  members: list(teamMember),
  tasks: list(teamTask),
});
export type TeamState = ValueOf<typeof teamState>;
export const teamStateSchema: Schema<TeamState> = zodOf(teamState);

export function isTeamMember(value: unknown): value is TeamMember {
  return fits(teamMember, value);
}

export function isTeamTask(value: unknown): value is TeamTask {
  return fits(teamTask, value);
}

export function isTeamState(value: unknown): value is TeamState {
  return fits(teamState, value);
}

export function isTeamMessage(value: unknown): value is OfCategory<'team_message'> {
  return hasCategory(value, 'team_message');
}

export function isTeamTaskUpdate(value: unknown): value is OfCategory<'team_task_update'> {
  return hasCategory(value, 'team_task_update');
}

export function isTeamStateChange(value: unknown): value is OfCategory<'team_state_change'> {
  return hasCategory(value, 'team_state_change');
}

export interface RecognizedTeamToolUse {
  toolName: string;
  toolUseId: string;
  category: TeamCategory;
  input: Record<string, unknown>;
  /** The name of the agent that made the call, if known. */
  sender?: string;
}

export interface RecognizerOptions {
  /** Reports skipped calls, and unknown tools that look like team tools. */
  onWarning?(text: string): void;
}

/** The team calls in the content blocks of a value or of its `message`. */
export function recognizeTeamToolUses(message: unknown, options: RecognizerOptions = {}): RecognizedTeamToolUse[] {
  checkOptions('recognizeTeamToolUses', options, { onWarning: is.function });
  const outer = objectOf(message);
  const blocks = listOf(outer?.content) ?? listOf(objectOf(outer?.message)?.content) ?? [];
  return blocks.map((block) => recognizeTeamToolUse(block, options)).filter((use) => use !== null);
}

/** A block of type tool_result, with the structured result of its record, if there is one. */
export type ToolResultContent = PairedResult;

export interface PendingToolUse {
  recognized: RecognizedTeamToolUse;
  receivedAt: number;
}

export interface CorrelatedToolUse {
  recognized: RecognizedTeamToolUse;
  /** It may be an error; the caller has to check. */
  result?: ToolResultContent;
}

/** Returns milliseconds: `Date`, `performance`, or any function. */
export type Clock = { now(): number } | (() => number);

/** Holds team calls until their results come. Ages are measured with `Date`, unless another clock is given. */
export class TeamToolCorrelationBuffer {
  readonly #pending = new Map<string, PendingToolUse>();
  readonly #now: () => number;

  /** By default `Date` is asked when the time is needed: a test may have replaced it since. */
  constructor(clock: Clock = () => Date.now()) {
    if (typeof clock !== 'function' && typeof clock?.now !== 'function')
      refuse('TeamToolCorrelationBuffer: the clock has to be a function, or have a function now', clock);
    // Date is a function too, so `now` is checked first.
    this.#now = 'now' in clock ? () => clock.now() : clock;
  }

  /** A call replaces a waiting call with the same id. */
  onToolUse(recognized: RecognizedTeamToolUse): void {
    if (!isRecognized(recognized)) refuse('onToolUse: the call has to come from recognizeTeamToolUses', recognized);
    this.#pending.set(recognized.toolUseId, { recognized, receivedAt: this.#now() });
  }

  /** The pair, or undefined if no call waits for this result. */
  onToolResult(result: ToolResultContent): CorrelatedToolUse | undefined {
    if (!isObject(result)) refuse('onToolResult: the result has to be a block with a tool_use_id', result);
    const pending = this.#pending.get(result.tool_use_id);
    this.#pending.delete(result.tool_use_id);
    return pending === undefined ? undefined : { recognized: pending.recognized, result };
  }

  /** Drops calls that have waited longer than this, and returns how many. */
  flush(maxAgeMs = 30_000): number {
    is.amount('flush', 'the age in milliseconds', maxAgeMs);
    const oldest = this.#now() - maxAgeMs;
    const late = [...this.#pending].filter(([, { receivedAt }]) => receivedAt < oldest);
    for (const [id] of late) this.#pending.delete(id);
    return late.length;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }
}

/**
 * The team after a call: undefined before there is a team and after it was deleted; the same object if nothing changed.
 * A call without a result is taken for one that worked. Applying a pair twice is the same as applying it once.
 */
export function reduceTeamState(state: TeamState | undefined, correlated: CorrelatedToolUse): TeamState | undefined {
  if (state !== undefined && !isTeamState(state)) refuse('reduceTeamState: the state has to be a TeamState', state);
  if (!isRecognized(correlated?.recognized))
    refuse('reduceTeamState: the pair has to come from TeamToolCorrelationBuffer', correlated);
  const { recognized, result } = correlated;
  if (result !== undefined && !isObject(result)) refuse('reduceTeamState: the result has to be a block', result);
  const { toolUseId: id, toolName: tool, input } = recognized;
  const events = eventsOfPair({ id, tool, input }, result ?? { tool_use_id: id }, state?.name ?? null);
  return events.reduce<TeamState | undefined>((team, event) => teamAfter(team, event, recognized), state);
}

/** The team of a session as `selectTeams` knows it; undefined before the session has one and after it was deleted. */
export function teamStateOf(state: State, session_id: string | null): TeamState | undefined {
  checkState('teamStateOf', state);
  is.text('teamStateOf', 'the id of the session', session_id);
  const teams = teamsWithTasks(settle(state), { ended: false }).filter(({ row }) => row.status !== 'cleaned_up');
  const led = teams.find(({ row }) => row.session_id === session_id);
  const found = led ?? teams.find(({ team }) => session_id !== null && team.scopes.includes(session_id));
  if (found === undefined) return undefined;
  const { row, tasks } = found;
  return {
    name: row.team,
    role: led === undefined ? 'teammate' : (row.role ?? 'teammate'),
    members: row.members.filter(({ kind }) => kind !== 'lead').map((member) => teamMemberOf(member, wordOf(member))),
    tasks: tasks.filter(({ status }) => status !== 'deleted').map((task) => withChange(undefined, task)),
  };
}

/** A request to leave changes nothing. A finished agent can be woken; one that failed or was stopped is gone. */
export function wordOf({ kind, status }: Pick<MemberRow, 'kind' | 'status'>): TeamMember['status'] {
  // A turn that failed leaves a teammate where it is.
  return kind === 'teammate' && status === 'failed' ? 'idle' : words[status];
}

const words: Record<MemberRow['status'], TeamMember['status']> = {
  active: 'active',
  shutting_down: 'active',
  unknown: 'active',
  idle: 'idle',
  finished: 'idle',
  shutdown: 'shutdown',
  failed: 'shutdown',
  stopped: 'shutdown',
};

export function teamMemberOf(
  member: Pick<Member, 'name' | 'agent_id' | 'agent_type' | 'model' | 'color'>,
  status: TeamMember['status'],
): TeamMember {
  const name = member.name ?? member.agent_id ?? '';
  return {
    name,
    agentId: member.agent_id ?? name,
    agentType: member.agent_type ?? 'general-purpose',
    status,
    ...(member.model !== null && { model: member.model }),
    ...(member.color !== null && { color: member.color }),
  };
}

/** Applies a change, in which null means "not said". Returns the same task if nothing is new. */
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
  return known !== undefined && isSameValue(known, task) ? known : task;
}

/** A message of this type, or an event or recognized call of this category. */
type OfCategory<C extends TeamCategory> = { readonly type: C } | { readonly category: C };

function isRecognized(value: unknown): value is RecognizedTeamToolUse {
  return (
    isObject(value) && textOf(value.toolName) !== null && textOf(value.toolUseId) !== null && isObject(value.input)
  );
}

function hasCategory(value: unknown, category: TeamCategory): boolean {
  return isObject(value) && (value.type === category || value.category === category);
}

/** The team call in one block; null if there is none. */
function recognizeTeamToolUse(item: unknown, { onWarning }: RecognizerOptions): RecognizedTeamToolUse | null {
  const block = objectOf(item);
  const toolName = textOf(block?.name);
  if (block === null || toolName === null || !textOf(block.type)?.endsWith('tool_use')) return null;
  const input = objectOf(block.input) ?? {};
  const toolUseId = idOf(block.id);
  const category = categoryOf(toolName, input);
  if (category === null) {
    if (isUnknownTeamTool(toolName)) onWarning?.(`${toolName} looks like a team tool, but cct does not know it`);
    return null;
  }
  // A plain subagent: it may have a name, but has no team.
  if (isSpawnTool(toolName) && !textOf(input.team_name)) return null;
  const missing = [...(toolUseId === null ? ['id'] : []), ...missingInputs(toolName, input)];
  if (toolUseId === null || missing.length > 0) {
    const call = toolUseId === null ? toolName : `${toolName} ${toolUseId}`;
    onWarning?.(`${call} skipped: it has no ${missing.join(' and no ')}`);
    return null;
  }
  return { toolName, toolUseId, category, input };
}

/** The team after an event of a call, as seed 003 wants it: what is not in its table changes nothing. */
function teamAfter(team: TeamState | undefined, event: Event, call: RecognizedTeamToolUse): TeamState | undefined {
  if (event.event === 'team:member:joined' && isSpawnTool(call.toolName)) return withMember(team, event, call);
  // A session that spawns into a team it did not create is a teammate.
  if (event.event === 'team:created' && !isSpawnTool(call.toolName)) return team ?? newTeam(event.name, 'lead');
  if (team === undefined || event.event === 'team:deleted') return undefined;
  switch (event.event) {
    case 'team:task:created':
    case 'team:task:claimed':
    case 'team:task:updated':
    case 'team:task:completed':
    case 'team:task:deleted':
      return taskChanged(team, event, call);
    case 'team:shutdown:response':
      return event.approved === true ? withoutSender(team, event, call) : team;
    default:
      return team;
  }
}

function newTeam(name: string, role: TeamState['role']): TeamState {
  return { name, role, members: [], tasks: [] };
}

function withMember(
  team: TeamState | undefined,
  { member, team: into }: EventMap['team:member:joined'],
  { input }: RecognizedTeamToolUse,
): TeamState | undefined {
  if (member.kind === 'lead') return team;
  // Since 2.1.178 a session has one team, whatever its calls ask for. A single call shows only what it asks for.
  const name = team?.name ?? (member.kind === 'teammate' ? into : null) ?? textOf(input.team_name);
  const home = team ?? (name === null ? undefined : newTeam(name, 'teammate'));
  if (home === undefined || teammateNamed(home, member.name) !== undefined) return home;
  // Without an id in the result, the agent would have that of its call.
  const agent_id = member.agent_id === pairedId ? `${member.name}@${home.name}` : member.agent_id;
  return { ...home, members: [...home.members, teamMemberOf({ ...member, agent_id }, 'active')] };
}

function taskChanged(
  team: TeamState,
  { task: change }: TaskEvent,
  { toolName, input }: RecognizedTeamToolUse,
): TeamState {
  const act = actOf(toolName, input);
  const known = team.tasks.find(({ id }) => id === change.id);
  const isDeleted = change.status === 'deleted';
  if (known === undefined)
    return act === 'updateTask' || isDeleted ? team : { ...team, tasks: [...team.tasks, withChange(known, change)] };
  if (act === 'createTask') return team;
  const next = isDeleted ? null : withChange(known, change);
  if (next === known) return team;
  return { ...team, tasks: team.tasks.flatMap((task) => (task === known ? (next ?? []) : task)) };
}

/** The sender of an approved shutdown has left. One that nothing names looks like the lead: then it is the only member. */
function withoutSender(
  team: TeamState,
  { from, to }: EventMap['team:shutdown:response'],
  { sender, input }: RecognizedTeamToolUse,
): TeamState {
  const names = [from, sender, textOf(input.from), textOf(input.sender), to];
  const living = team.members.filter(({ status }) => status !== 'shutdown');
  const only = living.length === 1 && from !== null && isLeadName(from) ? living[0] : undefined;
  const member = names.map((name) => teammateNamed(team, name)).find((found) => found !== undefined) ?? only;
  if (member === undefined || member.status === 'shutdown') return team;
  const left = { ...member, status: 'shutdown' as const };
  return { ...team, members: team.members.map((one) => (one === member ? left : one)) };
}

/** The member of a name, or of an id such as `writer@crew`. */
function teammateNamed({ members }: TeamState, who: string | null | undefined): TeamMember | undefined {
  return members.find(({ name }) => name === who) ?? members.find(({ name }) => name === who?.split('@')[0]);
}

function isStatus(status: string | null): status is TeamTask['status'] {
  return taskStatuses.some((known) => known === status);
}

function withAll(known: string[], more: readonly string[] | null): string[] {
  const news = [...new Set(more)].filter((id) => !known.includes(id));
  return news.length === 0 ? known : [...known, ...news];
}
