// The rows of the commands, from a state or from events, for programs that have no command line.
import type { Event } from '../event/event.js';
import { type State, settle } from '../state/reduce.js';
import type { MessageRow } from './message.js';
import { endTimeline, followTimeline, startTimeline } from './message-timeline.js';
import { type TaskRow, taskRows } from './task.js';
import type { TeamRow } from './team.js';
import { teamRowsOf } from './team-facts.js';
import { reportUsage, type UsageQuery, type UsageRow } from './usage.js';

/** `ended`: nothing more will come, so what is still open stays so. */
export function selectTeams(state: State, { ended = false }: { ended?: boolean } = {}): TeamRow[] {
  return teamRowsOf(state, { ended });
}

/** `all`: deleted and internal tasks too. */
export function selectTasks(state: State, { all = false }: { all?: boolean } = {}): TaskRow[] {
  const { tasks, agents } = settle(state);
  return taskRows(tasks, agents, { all });
}

export function selectUsage(
  state: State,
  { by = ['model'], ...query }: Partial<Omit<UsageQuery, 'usage' | 'agents'>> = {},
): readonly UsageRow[] {
  return reportUsage({ ...query, by, usage: state.usage, agents: settle(state).agents }).rows;
}

/** States keep no texts, so messages come from the events themselves. `settled`: all at the end, with what became of them. */
export function* selectMessages(
  events: Iterable<Event>,
  { settled = false }: { settled?: boolean } = {},
): Generator<MessageRow> {
  let timeline = startTimeline(settled);
  for (const event of events) {
    const [next, rows] = followTimeline(timeline, event);
    timeline = next;
    yield* rows;
  }
  yield* endTimeline(timeline);
}
