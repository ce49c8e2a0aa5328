// Makes the rows of the commands from a state or from events, for programs.
import { type MessageRow, Timeline } from '../commands/messages/rows.js';
import { initialState, type State, settle } from '../commands/reduce.js';
import { type TaskRow, taskRows } from '../commands/tasks/rows.js';
import type { TeamRow } from '../commands/teams/row.js';
import { teamRowsOf } from '../commands/teams/rows.js';
import { reportUsage, type UsageQuery, type UsageRow } from '../commands/usage/rows.js';
import type { Event } from '../core/event/event.js';
import { loadSlices, type SavedState, saveSlices } from '../core/state/save.js';
import type { TeamState } from './team.js';

/** `ended`: the input is over, so what is open stays open. */
export function selectTeams(state: State, { ended = false }: { ended?: boolean } = {}): TeamRow[] {
  return teamRowsOf(state, { ended });
}

/** `all`: include deleted and internal tasks. */
export function selectTasks(state: State, { all = false }: { all?: boolean } = {}): TaskRow[] {
  const { tasks, agents } = settle(state);
  return taskRows(tasks, agents, { all });
}

export function selectUsage(
  state: State,
  { by = ['model'], ...query }: Partial<Omit<UsageQuery, 'usage' | 'agents' | 'clocks'>> = {},
): readonly UsageRow[] {
  const { usage, clocks } = state;
  return reportUsage({ ...query, by, usage, clocks, agents: settle(state).agents }).rows;
}

/** States keep no texts, so messages come from events. `settled`: return all at the end, with their delivery. */
export function* selectMessages(
  events: Iterable<Event>,
  { settled = false }: { settled?: boolean } = {},
): Generator<MessageRow> {
  const timeline = new Timeline({ settled });
  for (const event of events) yield* timeline.follow(event);
  yield* timeline.end();
}

/** Names of the agents of a team, or of all teams of a state that were not deleted, without the lead. */
export function agentNames(state: TeamState | State | undefined): string[] {
  if (state === undefined) return [];
  if ('members' in state) return state.members.map((member) => member.name);
  const living = selectTeams(state).filter(({ status }) => status !== 'cleaned_up');
  const members = living.flatMap((team) => team.members).filter(({ kind }) => kind !== 'lead');
  return [...new Map(members.map(({ agent_id, name }) => [agent_id, name])).values()];
}

/** A state as plain JSON, for loadState. */
export function saveState(state: State): SavedState {
  return saveSlices(state);
}

/** Takes the result of saveState, parsed or as JSON text. Throws StateError if it is newer, foreign or damaged. */
export function loadState(saved: unknown): State {
  return loadSlices(saved, initialState);
}
