import type { Event, EventMap, TaskChange } from '../../core/event/event.js';
import { objectOf, textOf } from '../../core/record/fields.js';
import { PersistentMap } from '../../core/state/persistent-map.js';
import { readSaid, senderIn } from '../../core/wire/tools/send.js';
import { actOf, wordsOf } from '../../core/wire/tools/table.js';
import { readCreated, readListed, readShown, readUpdated } from '../../core/wire/tools/task.js';
import { readSpawn, readTeamName } from '../../core/wire/tools/team.js';
import { readToolResult, type ToolResult } from '../../core/wire/tools/tool-result.js';
import {
  type CorrelatedToolUse,
  type RecognizedTeamToolUse,
  recognizeTeamToolUse,
  type ToolResultContent,
} from './recognize.js';
import type { TeamMember, TeamState, TeamTask } from './team-event.js';

/**
 * The team after a call that came back: undefined before there is one and after it was deleted, the same object when
 * nothing changed. Applying a pair twice is the same as applying it once.
 */
export function reduceTeamState(state: TeamState | undefined, correlated: CorrelatedToolUse): TeamState | undefined {
  const before = state && {
    name: state.name,
    role: state.role,
    members: PersistentMap.of(state.members.map((member) => [member.name, member])),
    tasks: PersistentMap.of(state.tasks.map((task) => [task.id, task])),
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

/** The teams of all sessions as their own calls tell of them. */
export interface TeamStates {
  /** By session id. */
  readonly teams: PersistentMap<Roster>;
  /** Team calls that wait for their result; null once it came, so that a copy changes nothing. */
  readonly calls: PersistentMap<RecognizedTeamToolUse | null>;
}

export const noTeamStates: TeamStates = { teams: new PersistentMap(), calls: new PersistentMap() };

/** What reduceTeamState says, from events, for every session; long streams take linear time. */
export function reduceTeamStates(state: TeamStates, event: Event): TeamStates {
  if (event.event === 'tool:called') return called(state, event);
  return event.event === 'tool:returned' ? returned(state, event) : state;
}

/** The team of a session; undefined before it has one and after it was deleted. */
export function teamStateOf({ teams }: TeamStates, session_id: string | null): TeamState | undefined {
  const roster = teams.get(session_id ?? '');
  return roster && rosterState(roster);
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

/** An event keeps the result in fields where there is one, else the text of the block. */
function resultOf(tool_use_id: string, { result, success }: EventMap['tool:returned']): ToolResultContent {
  return { tool_use_id, is_error: !success, content: result };
}

/** A team, its lists as maps: each change of a long list would copy it. */
interface Roster extends Pick<TeamState, 'name' | 'role'> {
  /** By name. */
  readonly members: PersistentMap<TeamMember>;
  /** By id. */
  readonly tasks: PersistentMap<TeamTask>;
}

function rosterState({ name, role, members, tasks }: Roster): TeamState {
  return { name, role, members: members.values(), tasks: tasks.values() };
}

/** What a call that came back does to the team; the same roster when it does nothing, undefined when the team is gone. */
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

function create(name: string | null, role: Roster['role']): Roster | undefined {
  return name === null ? undefined : { name, role, members: new PersistentMap(), tasks: new PersistentMap() };
}

function spawn(roster: Roster | undefined, input: Record<string, unknown>, outcome: ToolResult): Roster | undefined {
  const { id, name, agentType, model, color, team } = readSpawn(input, outcome);
  // Whoever spawns into a team it did not create is one of the team.
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
