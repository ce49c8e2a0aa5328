// Rows of background tasks: agents, shells, monitors and workflows that run beside the conversation.
import { type AgentsState, entryKey, resolveAgent, scopeOf } from '../state/agents.js';
import type { TasksState } from '../state/tasks.js';
import { keyOf, type Place } from '../state/tasks-place.js';
import { earlier, mergeSaid, sinceOf } from '../state/tasks-said.js';
import type { WorkEntry } from '../state/tasks-work.js';
import { latest } from '../state/time.js';
import { groupBy } from './pick.js';
import type { TaskRow } from './task.js';
import type { Board } from './task-boards.js';
import { durationOf } from './task-listed.js';
import { ownerName } from './task-owner.js';

export function backgroundTasks(
  { work }: TasksState,
  agents: AgentsState,
  boardOf: (place: Place) => Board,
  all: boolean,
): TaskRow[] {
  const whose = (entry: WorkEntry) =>
    entry.isAgent ? entryKey(agents, scopeOf(entry), entry.id) : keyOf(entry.session_id, entry.id);
  return [...groupBy(work.values(), whose).values()]
    .map((entries) => entries.reduce(merge))
    .filter((entry) => isInBackground(entry, agents) && (all || !entry.ambient))
    .map((entry) => rowOf(entry, agents, boardOf(entry)));
}

/** An agent known first by the call that spawned it. */
function merge(a: WorkEntry, b: WorkEntry): WorkEntry {
  const [known, other] = a.hasTaskId ? [a, b] : [b, a];
  return {
    ...known,
    type: known.type ?? other.type,
    subject: known.subject ?? other.subject,
    starter: known.starter ?? other.starter,
    background: known.background === true || other.background === true ? true : (known.background ?? other.background),
    ambient: known.ambient || other.ambient,
    launched: earlier(known.launched, other.launched),
    seen: earlier(known.seen, other.seen),
    status: mergeSaid(known.status, other.status),
    duration: mergeSaid(known.duration, other.duration),
  };
}

/** Up to 2.1.140 nobody says that a shell runs in the background: those in the foreground are not told of at all. */
function isInBackground(entry: WorkEntry, agents: AgentsState): boolean {
  if (!entry.isAgent) return entry.background !== false;
  const isTeammate = /teammate/.test(entry.type ?? '') || resolveAgent(agents, entry, entry.id).kind === 'teammate';
  return entry.background === true && !isTeammate;
}

function rowOf(entry: WorkEntry, agents: AgentsState, { team }: Board): TaskRow {
  const status = entry.status?.value ?? null;
  const started = entry.launched ?? entry.seen;
  const isOver = status !== null && status !== 'in_progress';
  const completed_at = isOver ? sinceOf(entry.status) : null;
  const reported = isOver ? (entry.duration?.value ?? null) : null;
  return {
    kind: 'background',
    team,
    session_id: entry.session_id,
    id: entry.id,
    subject: entry.subject,
    description: null,
    active_form: null,
    status,
    owner: ownerName(agents, entry, entry.starter?.agent ?? null),
    blocked_by: [],
    blocks: [],
    ready: false,
    created_at: started,
    updated_at: latest(started, sinceOf(entry.status)),
    started_at: started,
    completed_at,
    duration_ms: reported ?? durationOf(started, completed_at),
    metadata: null,
  };
}
