// The team of each session as its own calls tell of it: what reduceTeamState says, kept so that long streams take linear time.
import type { Event, EventMap } from '../core/event/event.js';
import { PersistentMap } from '../core/state/persistent-map.js';
import type { ToolResultContent } from './team/correlation-buffer.js';
import { type RecognizedTeamToolUse, recognizeTeamToolUse } from './team/recognize.js';
import { type Roster, reduceRoster } from './team/reduce-team-state.js';
import type { TeamMember, TeamState, TeamTask } from './team/team-event.js';

export interface TeamStates {
  /** By session id. */
  readonly teams: PersistentMap<Roster>;
  /** Team calls that wait for their result; null once it came, so that a copy changes nothing. */
  readonly calls: PersistentMap<RecognizedTeamToolUse | null>;
}

export const noTeamStates: TeamStates = { teams: new PersistentMap(), calls: new PersistentMap() };

export function reduceTeamStates(state: TeamStates, event: Event): TeamStates {
  if (event.event === 'tool:called') return called(state, event);
  return event.event === 'tool:returned' ? returned(state, event) : state;
}

/** The team of a session; undefined before it has one and after it was deleted. */
export function teamStateOf({ teams }: TeamStates, session_id: string | null): TeamState | undefined {
  const roster = teams.get(session_id ?? '');
  return (
    roster && { name: roster.name, role: roster.role, members: roster.members.values(), tasks: roster.tasks.values() }
  );
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
  const after = reduceRoster(before, { recognized, result: resultOf(id, event) }, empty);
  const teams = after === undefined ? state.teams.delete(key) : state.teams.set(key, after);
  return { teams, calls: state.calls.set(id, null) };
}

const empty = { members: new PersistentMap<TeamMember>(), tasks: new PersistentMap<TeamTask>() };

/** An event keeps the result in fields where there is one, else the text of the block. */
function resultOf(tool_use_id: string, { result, success }: EventMap['tool:returned']): ToolResultContent {
  return { tool_use_id, is_error: !success, content: result };
}
