// What becomes of members, under the ids the events use. Events come in the order of the story: what is said later is true.
import type { Event, EventMap, Member } from '../event/event.js';
import { earliest, latest } from './order.js';
import { scopeOf, type TeamsState } from './teams.js';

export function joined(state: TeamsState, event: EventMap['team:member:joined']): TeamsState {
  const { member } = event;
  const known = entryOf(state, event, member.agent_id ?? event.agent ?? '');
  // What a config says of its members is what was left on disk; joining again in any other way does not wake who has left.
  const left = member.active === false && !isGone(known.status) ? 'idle' : null;
  const status = left ?? known.status ?? 'active';
  return put(state, {
    ...known,
    ...details(known, member),
    joined: true,
    status,
    told: status === known.status ? known.told : state.steps,
    team: event.team ?? known.team,
    joined_at: earliest(known.joined_at, event.time),
  });
}

export function memberChanged(
  state: TeamsState,
  event: EventMap['team:member:active' | 'team:member:idle' | 'team:member:shutting_down' | 'team:member:shutdown'],
): TeamsState {
  const { member } = event;
  const id = member.agent_id ?? member.name ?? '';
  const known = state.members.get(memberKey(scopeOf(event), id));
  // A request to somebody nobody has heard of makes no member of it.
  if (known === undefined && (event.event === 'team:member:shutting_down' || member.kind === null)) return state;
  const blank = entryOf(state, event, id);
  const entry = known ?? { ...blank, ...details(blank, member), joined: true };
  const status = statuses[event.event];
  if (isGone(entry.status) && status !== 'shutdown') return state;
  return put(state, {
    ...entry,
    status,
    told: state.steps,
    // That it was asked to leave is no sign of its own.
    last_seen_at: status === 'shutting_down' ? entry.last_seen_at : latest(entry.last_seen_at, event.time),
  });
}

const statuses = {
  'team:member:active': 'active',
  'team:member:idle': 'idle',
  'team:member:shutting_down': 'shutting_down',
  'team:member:shutdown': 'shutdown',
} as const;

function isGone(status: MemberStatus | null): boolean {
  return status === 'shutdown' || status === 'finished' || status === 'failed' || status === 'stopped';
}

export function agentStarted(state: TeamsState, event: EventMap['agent:started']): TeamsState {
  const known = entryOf(state, event, event.agent ?? '');
  const isNewRun = event.tool_use_id !== null && !known.runs.includes(event.tool_use_id);
  const reopened = event.resumed === true || (isNewRun && known.runs.length > 0);
  return put(state, {
    ...known,
    team: known.team ?? event.team,
    status: reopened || known.status === null ? 'active' : known.status,
    told: reopened || known.status === null ? state.steps : known.told,
    error: reopened ? null : known.error,
    parent: known.parent ?? event.parent,
    agent_type: known.agent_type ?? event.agent_type,
    model: event.model ?? known.model,
    color: event.color ?? known.color,
    runs: withRun(known.runs, event.tool_use_id),
    worktree: event.worktree ?? known.worktree,
    joined_at: earliest(known.joined_at, event.time),
    last_seen_at: latest(known.last_seen_at, event.time),
  });
}

export function agentFinished(state: TeamsState, event: EventMap['agent:finished']): TeamsState {
  const known = state.members.get(memberKey(scopeOf(event), event.agent ?? ''));
  if (known === undefined) return state;
  const counted = {
    ...known,
    runs: withRun(known.runs, event.tool_use_id),
    model: event.model ?? known.model,
    worktree: event.worktree ?? known.worktree,
  };
  // The end of an earlier run is not the end of the one that is going on.
  const isEarlier = event.tool_use_id !== null && known.runs.slice(0, -1).includes(event.tool_use_id);
  if (isEarlier || known.status === 'shutdown') return put(state, counted);
  const status = event.status === 'failed' ? 'failed' : event.status === 'stopped' ? 'stopped' : 'finished';
  return put(state, {
    ...counted,
    status,
    told: state.steps,
    error: status === 'failed' ? event.summary : null,
    last_seen_at: latest(known.last_seen_at, event.time),
  });
}

/** Its conversation was interrupted. */
export function agentInterrupted(state: TeamsState, event: EventMap['session:changed']): TeamsState {
  const known = state.members.get(memberKey(scopeOf(event), event.agent ?? ''));
  if (known === undefined || isGone(known.status)) return state;
  return put(state, { ...known, status: 'stopped', told: state.steps });
}

function details(known: MemberEntry, member: Member): Partial<MemberEntry> {
  return {
    agent_type: member.agent_type ?? known.agent_type,
    model: member.model ?? known.model,
    color: member.color ?? known.color,
    cwd: member.cwd ?? known.cwd,
    backend: member.backend ?? known.backend,
    plan_mode_required: member.plan_mode_required ?? known.plan_mode_required,
  };
}

function put(state: TeamsState, entry: MemberEntry): TeamsState {
  return { ...state, members: state.members.set(memberKey(entry.scope, entry.id), entry) };
}

function withRun(runs: readonly string[], call: string | null): readonly string[] {
  return call === null || runs.includes(call) ? runs : [...runs, call];
}

export type MemberStatus = 'active' | 'idle' | 'shutting_down' | 'shutdown' | 'finished' | 'failed' | 'stopped';

/** What became of an agent, under one of its ids. What it did is counted in core/state/work. */
export interface MemberEntry {
  readonly scope: string;
  readonly session_id: string | null;
  readonly id: string;
  readonly team: string | null;
  /** The program's own word that it is one of the team; work alone makes no member. */
  readonly joined: boolean;
  readonly status: MemberStatus | null;
  /** Which step of the story said so: the last word counts where an agent has several ids. */
  readonly told: number;
  readonly joined_at: string | null;
  readonly last_seen_at: string | null;
  readonly parent: string | null;
  readonly agent_type: string | null;
  readonly model: string | null;
  readonly color: string | null;
  /** Calls that set it to work: the one that spawned it, and each that resumed it. */
  readonly runs: readonly string[];
  readonly worktree: { readonly path: string | null; readonly branch: string | null } | null;
  readonly cwd: string | null;
  readonly backend: string | null;
  readonly plan_mode_required: boolean | null;
  readonly error: string | null;
}

export function memberKey(scope: string, id: string): string {
  return `${scope} ${id}`;
}

export function entryOf(state: TeamsState, event: Event, id: string): MemberEntry {
  return state.members.get(memberKey(scopeOf(event), id)) ?? stranger(event, id);
}

/** Somebody of whom nothing is known but where it works. */
function stranger(event: Event, id: string): MemberEntry {
  return {
    scope: scopeOf(event),
    session_id: event.session_id,
    id,
    team: event.team,
    joined: false,
    status: null,
    told: 0,
    joined_at: null,
    last_seen_at: null,
    parent: null,
    agent_type: null,
    model: null,
    color: null,
    runs: [],
    worktree: null,
    cwd: null,
    backend: null,
    plan_mode_required: null,
    error: null,
  };
}
