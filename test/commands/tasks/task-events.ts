import { type TaskRow, taskRows } from '../../../src/commands/tasks/rows.js';
import { newState, reduceAll, reducerOf, type State } from '../../../src/core/tables/reduce.js';
import type { EventMap, TaskChange } from '../../../src/lib.js';

export type TaskEvent = EventMap[
  | 'team:created'
  | 'team:member:joined'
  | `team:task:${'created' | 'claimed' | 'updated' | 'completed' | 'deleted'}`
  | `agent:${'started' | 'progressed' | 'finished'}`];

/** Where, when and by whom; events are numbered as they are made. */
export interface Envelope {
  readonly at?: number | null;
  readonly session?: string | null;
  readonly team?: string | null;
  readonly agent?: string;
  readonly call?: string | null;
}

export const session = '5e551011-0000-4000-8000-000000000001';
export const other = '07ae2000-0000-4000-8000-000000000002';

export function time(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
}

export function created(id: string, task: Partial<TaskChange> = {}, where: Envelope = {}): TaskEvent {
  return { ...change(id, { status: 'pending', ...task }, where), event: 'team:task:created' };
}

export function updated(id: string, task: Partial<TaskChange>, where: Envelope = {}): TaskEvent {
  return { ...change(id, task, where), event: 'team:task:updated' };
}

export function todo(place: number, task: Partial<TaskChange>, where: Envelope = {}): TaskEvent {
  const list = where.agent ?? 'main';
  return { ...change(`${place}`, task, { call: null, ...where }), event: 'team:task:updated', kind: 'todo', list };
}

export function teamCreated(name: string, where: Envelope & { protocol?: 'implicit' | 'files' } = {}): TaskEvent {
  return {
    ...envelope({ ...where, team: name }),
    event: 'team:created',
    category: 'team_state_change',
    tool_use_id: null,
    name,
    description: null,
    lead_agent_id: where.protocol === 'implicit' ? 'main' : `team-lead@${name}`,
    lead_session_id: where.session ?? null,
    config_path: null,
    protocol: where.protocol ?? 'team-create',
  };
}

export function joined(name: string, id: string, kind: 'teammate' | 'subagent', where: Envelope = {}): TaskEvent {
  const member = { name, agent_id: id, agent_type: null, model: null, color: null, kind, cwd: null, backend: null };
  return {
    ...envelope({ ...where, agent: id }),
    event: 'team:member:joined',
    category: 'team_state_change',
    tool_use_id: null,
    member: { ...member, plan_mode_required: null, active: null },
  };
}

export function started(
  task_id: string | null,
  own: Partial<EventMap['agent:started']> = {},
  where: Envelope = {},
): TaskEvent {
  return {
    ...envelope({ agent: task_id ?? 'main', ...where }),
    event: 'agent:started',
    agent_type: null,
    name: null,
    model: null,
    description: null,
    prompt: null,
    mode: null,
    isolation: null,
    worktree: null,
    parent: 'main',
    tool_use_id: null,
    task_id,
    task_type: null,
    run_id: null,
    background: null,
    resumed: null,
    transcript_path: null,
    continues: null,
    turn_only: false,
    color: null,
    ambient: false,
    ...own,
  };
}

export function progressed(
  task_id: string,
  own: Partial<EventMap['agent:progressed']> = {},
  where: Envelope = {},
): TaskEvent {
  return {
    ...envelope({ agent: task_id, ...where }),
    event: 'agent:progressed',
    ...noEnd,
    task_id,
    background: null,
    last_tool: null,
    ...own,
  };
}

export function finished(
  task_id: string,
  own: Partial<EventMap['agent:finished']> = {},
  where: Envelope = {},
): TaskEvent {
  return {
    ...envelope({ agent: task_id, ...where }),
    event: 'agent:finished',
    ...noEnd,
    task_id,
    status: 'completed',
    ...own,
  };
}

/** A shell, which belongs to the agent that runs it. */
export function shell(task_id: string, own: Partial<EventMap['agent:started']> = {}, where: Envelope = {}): TaskEvent {
  return started(
    task_id,
    { task_type: 'local_bash', background: true, parent: null, ...own },
    { agent: 'main', ...where },
  );
}

/** Changes the state that it goes on from. */
export function fold(events: readonly TaskEvent[], from: State = newState()): State {
  return reduceAll(events, reducerOf({ story: true }), from);
}

/** Every row, as `--all` shows it. */
export function rowsOf(events: readonly TaskEvent[]): TaskRow[] {
  const { tasks, agents } = fold(events);
  return taskRows(tasks, agents, { all: true });
}

/** Some fields of every row. */
export function pick<K extends keyof TaskRow>(rows: readonly TaskRow[], ...fields: K[]): TaskRow[K][][] {
  return rows.map((row) => fields.map((field) => row[field]));
}

const noEnd = {
  task_type: null,
  run_id: null,
  tool_use_id: null,
  status: null,
  summary: null,
  result: null,
  model: null,
  total_tokens: null,
  tool_uses: null,
  duration_ms: null,
  worktree: null,
};

function change(id: string, task: Partial<TaskChange>, where: Envelope) {
  return {
    ...envelope(where),
    category: 'team_task_update' as const,
    tool_use_id: where.call === undefined ? `toolu_${seq}` : where.call,
    kind: 'board' as const,
    list: null,
    task: { ...unsaid, id, ...task },
  };
}

const unsaid = {
  subject: null,
  description: null,
  active_form: null,
  status: null,
  owner: null,
  blocked_by: null,
  blocks: null,
  metadata: null,
};

let seq = 0;

function envelope({ at = null, session: session_id = session, team = null, agent = 'main' }: Envelope) {
  seq += 1;
  return {
    cct: 1 as const,
    seq,
    time: at === null ? null : time(at),
    session_id,
    team,
    agent,
    line: seq,
    source: undefined,
  };
}
