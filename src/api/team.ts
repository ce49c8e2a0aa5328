// The team as its tool calls show it: events, state, recognition of calls, and the reducer.
import * as z from 'zod';
import type { Event, EventMap, TaskChange, TeamCategory } from '../core/event/event.js';
import { idOf, isObject, listOf, objectOf, textOf } from '../core/record/json.js';
import { PersistentMap } from '../core/state/persistent-map.js';
import { readSaid, requestOf, senderIn } from '../core/wire/tools/send.js';
import { actOf, categoryOf, isSpawnTool, isUnknownTeamTool, missingInputs, wordsOf } from '../core/wire/tools/table.js';
import { readCreated, readListed, readShown, readUpdated } from '../core/wire/tools/task.js';
import { readSpawn, readTeamName } from '../core/wire/tools/team.js';
import { readToolResult, type ToolResult } from '../core/wire/tools/tool-result.js';

// These schemas use the naming of their consumers: camelCase, and unknown fields are absent.
export const teamMemberSchema = z.object({
  name: z.string(),
  agentId: z.string(),
  agentType: z.string(),
  status: z.enum(['active', 'idle', 'shutdown']),
  model: z.string().optional(),
  color: z.string().optional(),
});
export type TeamMember = z.infer<typeof teamMemberSchema>;

export const teamTaskSchema = z.object({
  id: z.string(),
  subject: z.string(),
  description: z.string().optional(),
  status: z.enum(['pending', 'in_progress', 'completed', 'deleted']),
  owner: z.string().optional(),
  activeForm: z.string().optional(),
  blockedBy: z.array(z.string()),
  blocks: z.array(z.string()),
});
export type TeamTask = z.infer<typeof teamTaskSchema>;

export const teamStateSchema = z.object({
  name: z.string(),
  role: z.enum(['lead', 'teammate']).describe('of the session that was observed'),
  members: z.array(teamMemberSchema),
  tasks: z.array(teamTaskSchema),
  requests: z
    .record(z.string(), z.string())
    .optional()
    .describe('requests to shut down whose id does not name the member: id → name'),
});
export type TeamState = z.infer<typeof teamStateSchema>;

export function isTeamMember(value: unknown): value is TeamMember {
  return teamMemberSchema.safeParse(value).success;
}

export function isTeamTask(value: unknown): value is TeamTask {
  return teamTaskSchema.safeParse(value).success;
}

export function isTeamState(value: unknown): value is TeamState {
  return teamStateSchema.safeParse(value).success;
}

export function isTeamMessage(value: unknown): value is OfCategory<'team_message'> {
  return isOf(value, 'team_message');
}

export function isTeamTaskUpdate(value: unknown): value is OfCategory<'team_task_update'> {
  return isOf(value, 'team_task_update');
}

export function isTeamStateChange(value: unknown): value is OfCategory<'team_state_change'> {
  return isOf(value, 'team_state_change');
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
  const outer = objectOf(message);
  const blocks = listOf(outer?.content) ?? listOf(objectOf(outer?.message)?.content) ?? [];
  return blocks.map((block) => recognizeTeamToolUse(block, options)).filter((use) => use !== null);
}

/** A tool_result block. `tool_use_result` is the structured result that its record may have besides the text. */
export type ToolResultContent = {
  tool_use_id: string;
  type?: string;
  content?: unknown;
  is_error?: boolean;
  tool_use_result?: unknown;
};

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
    // Date is a function too, so `now` is checked first.
    this.#now = 'now' in clock ? () => clock.now() : clock;
  }

  /** A call replaces a waiting call with the same id. */
  onToolUse(recognized: RecognizedTeamToolUse): void {
    this.#pending.set(recognized.toolUseId, { recognized, receivedAt: this.#now() });
  }

  /** The pair, or undefined if no call waits for this result. */
  onToolResult(result: ToolResultContent): CorrelatedToolUse | undefined {
    const pending = this.#pending.get(result.tool_use_id);
    this.#pending.delete(result.tool_use_id);
    return pending === undefined ? undefined : { recognized: pending.recognized, result };
  }

  /** Drops calls that have waited longer than this, and returns how many. */
  flush(maxAgeMs = 30_000): number {
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
 * The team after a call returned: undefined before there is a team and after it was deleted; the same object if nothing
 * changed. Applying a pair twice is the same as applying it once.
 */
export function reduceTeamState(state: TeamState | undefined, correlated: CorrelatedToolUse): TeamState | undefined {
  const before = state && {
    name: state.name,
    role: state.role,
    members: PersistentMap.of(state.members.map((member) => [member.name, member])),
    tasks: PersistentMap.of(state.tasks.map((task) => [task.id, task])),
    requests: new Map(Object.entries(state.requests ?? {})),
  };
  const after = reduceRoster(before, correlated);
  if (after === before) return state;
  return (
    after && {
      ...rosterState(after),
      ...(state !== undefined && after.members === before?.members && { members: state.members }),
      ...(state !== undefined && after.tasks === before?.tasks && { tasks: state.tasks }),
    }
  );
}

/** The teams of all sessions, built from their own calls. */
export interface TeamStates {
  /** By session id. */
  readonly teams: PersistentMap<Roster>;
  /** Team calls that wait for their result; null after it came, so that a copy changes nothing. */
  readonly calls: PersistentMap<RecognizedTeamToolUse | null>;
}

export const noTeamStates: TeamStates = { teams: new PersistentMap(), calls: new PersistentMap() };

/** Like reduceTeamState, but from events and for every session. Long streams take linear time. */
export function reduceTeamStates(state: TeamStates, event: Event): TeamStates {
  if (event.event === 'tool:called') return called(state, event);
  return event.event === 'tool:returned' ? returned(state, event) : state;
}

/** undefined before the session has a team and after it was deleted. */
export function teamStateOf({ teams }: TeamStates, session_id: string | null): TeamState | undefined {
  const roster = teams.get(session_id ?? '');
  return roster && rosterState(roster);
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
  return known !== undefined && fields.every((field) => known[field] === task[field]) ? known : task;
}
const fields = ['subject', 'description', 'status', 'owner', 'activeForm', 'blockedBy', 'blocks'] as const;

/** A message of this type, or an event or recognized call of this category. */
type OfCategory<C extends TeamCategory> = { readonly type: C } | { readonly category: C };

function isOf(value: unknown, category: TeamCategory): boolean {
  return isObject(value) && (value.type === category || value.category === category);
}

/** The team call in one block; null if there is none. */
function recognizeTeamToolUse(item: unknown, { onWarning }: RecognizerOptions = {}): RecognizedTeamToolUse | null {
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
  if (isSpawnTool(toolName) && idOf(input.team_name) === null) return null;
  const missing = [...(toolUseId === null ? ['id'] : []), ...missingInputs(toolName, input)];
  if (toolUseId === null || missing.length > 0) {
    const call = toolUseId === null ? toolName : `${toolName} ${toolUseId}`;
    onWarning?.(`${call} skipped: it has no ${missing.join(' and no ')}`);
    return null;
  }
  return { toolName, toolUseId, category, input };
}

function called(state: TeamStates, event: EventMap['tool:called']): TeamStates {
  const id = event.tool_use_id;
  if (id === null || state.calls.has(id)) return state;
  const recognized = recognizeTeamToolUse({ type: 'tool_use', id, name: event.tool, input: event.input });
  if (recognized === null) return state;
  const sender = event.message?.from;
  return { ...state, calls: state.calls.set(id, sender == null ? recognized : { ...recognized, sender }) };
}

function returned(state: TeamStates, event: EventMap['tool:returned']): TeamStates {
  const id = event.tool_use_id;
  const recognized = id === null ? undefined : state.calls.get(id);
  if (id === null || recognized == null) return state;
  const key = event.session_id ?? '';
  const before = state.teams.get(key);
  const after = reduceRoster(before, { recognized, result: resultOf(id, event) });
  const teams = after === undefined ? state.teams.delete(key) : state.teams.set(key, after);
  return { teams, calls: state.calls.set(id, null) };
}

/** An event has the structured result if there is one, else the text of the block. */
function resultOf(tool_use_id: string, { result, success }: EventMap['tool:returned']): ToolResultContent {
  return { tool_use_id, is_error: !success, content: result };
}

/** A team with maps instead of lists, because each change of a long list would copy it. */
interface Roster extends Pick<TeamState, 'name' | 'role'> {
  /** By name. */
  readonly members: PersistentMap<TeamMember>;
  /** By id. */
  readonly tasks: PersistentMap<TeamTask>;
  readonly requests: ReadonlyMap<string, string>;
}

function rosterState({ name, role, members, tasks, requests }: Roster): TeamState {
  return {
    ...{ name, role, members: members.values(), tasks: tasks.values() },
    ...(requests.size > 0 && { requests: Object.fromEntries(requests) }),
  };
}

/** Applies a returned call. Returns the same roster if nothing changes, undefined if the team is deleted. */
function reduceRoster(roster: Roster | undefined, { recognized, result }: CorrelatedToolUse): Roster | undefined {
  if (result === undefined) return roster;
  const outcome = readToolResult(
    result,
    result.tool_use_result ?? objectOf(result.content),
    wordsOf(recognized.toolName),
  );
  if (!outcome.success) return roster;
  const { input } = recognized;
  const act = actOf(recognized.toolName, input);
  if (act === 'createTeam') return roster ?? create(readTeamName(input, outcome), 'lead');
  if (act === 'deleteTeam') return undefined;
  if (act === 'spawn') return spawn(roster, input, outcome);
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
      return send(roster, recognized, outcome);
  }
}

function create(name: string | null, role: Roster['role']): Roster | undefined {
  return name === null
    ? undefined
    : {
        ...{ name, role, members: new PersistentMap(), tasks: new PersistentMap(), requests: new Map() },
      };
}

function spawn(roster: Roster | undefined, input: Record<string, unknown>, outcome: ToolResult): Roster | undefined {
  const { id, name, agentType, model, color, team } = readSpawn(input, outcome);
  // A session that spawns into a team it did not create is a teammate.
  const home = roster ?? create(team, 'teammate');
  if (home === undefined || name === null || home.members.get(name) !== undefined) return home;
  return {
    ...home,
    members: home.members.set(name, {
      name,
      agentId: id ?? name,
      agentType: agentType ?? 'general-purpose',
      status: 'active',
      ...(model !== null && { model }),
      ...(color !== null && { color }),
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

/** A snapshot shows current tasks, but perhaps not all of them. */
function showTask(roster: Roster, shown: TaskChange | null): Roster {
  if (shown === null) return roster;
  const isNew = roster.tasks.get(shown.id) === undefined && shown.status !== 'deleted';
  return isNew ? addTask(roster, shown) : changeTask(roster, shown);
}

/** Follows the end of members: a request to shut down, and the answer. */
function send(roster: Roster, { toolName, input, sender }: RecognizedTeamToolUse, outcome: ToolResult): Roster {
  const said = readSaid(toolName, input);
  const id = said === null ? null : requestOf(said, outcome);
  if (said?.type === 'shutdown_request' && id !== null) return ask(roster, id, memberOf(roster, said.to));
  if (said?.type !== 'shutdown_response' || said.approve !== true) return roster;
  const names = [
    senderIn(said, outcome),
    sender,
    textOf(input.from),
    textOf(input.sender),
    roster.requests.get(id ?? ''),
  ];
  return leave(
    roster,
    [...names, said.to].map((name) => memberOf(roster, name)).find((found) => found !== undefined),
  );
}

/** Remembers whom a request asks, unless its id says it, as in `shutdown-1794785360160@writer`. */
function ask(roster: Roster, id: string, member: TeamMember | undefined): Roster {
  if (member === undefined || id.split('@')[1] === member.name || roster.requests.get(id) === member.name)
    return roster;
  return { ...roster, requests: new Map([...roster.requests, [id, member.name]]) };
}

function memberOf({ members }: Roster, name: string | null | undefined): TeamMember | undefined {
  return name == null ? undefined : members.get(name.split('@')[0] ?? name);
}

/** The sender of an approved shutdown has left. */
function leave(roster: Roster, member: TeamMember | undefined): Roster {
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
