// Builds the teams, their members and their sessions from the facts, in order: a later fact overrides an earlier one.
// Members are kept under the ids that the events use; the directory joins the ids of one agent.
import type { Event, EventMap, Member } from '../event/event.js';
import { isOfRun } from '../event/names.js';
import { isAgentWork } from '../event/work.js';
import { inScope, scopeOf } from './agents.js';
import type { FactEvent } from './facts.js';
import { earliest, isLeadId, latest } from './order.js';
import { endAfter, noEnd, type SessionEnd } from './outcome.js';
import { Table } from './table.js';

export interface TeamsState {
  readonly teams: Table<TeamEntry>;
  readonly members: Table<MemberEntry>;
  readonly sessions: Table<SessionStatus>;
  /** How many facts were applied. */
  steps: number;
}

export interface TeamEntry {
  readonly scope: string;
  readonly session_id: string | null;
  readonly name: string;
  readonly protocol: EventMap['team:created']['protocol'];
  readonly description: string | null;
  /** The id of its lead in this team. */
  readonly lead: string | null;
  readonly created_at: string | null;
  readonly ended_at: string | null;
  readonly deleted: boolean;
  readonly error: string | null;
}

type MemberStatus = 'active' | 'idle' | 'shutting_down' | 'shutdown' | 'finished' | 'failed' | 'stopped';

/** The status and details of an agent, under one of its ids. Its calls are counted in core/tables/work. */
export interface MemberEntry {
  readonly scope: string;
  readonly session_id: string | null;
  readonly id: string;
  readonly team: string | null;
  /** Claude Code itself said that it is a member. Work alone does not make a member. */
  readonly joined: boolean;
  readonly status: MemberStatus | null;
  /** The step that set the status; 0 if only its work shows it. If an agent has several ids, the latest status is used. */
  readonly told: number;
  readonly joined_at: string | null;
  readonly last_seen_at: string | null;
  readonly parent: string | null;
  readonly agent_type: string | null;
  readonly model: string | null;
  readonly color: string | null;
  /** The call that spawned it, and each call that resumed it. */
  readonly runs: readonly string[];
  readonly worktree: { readonly path: string | null; readonly branch: string | null } | null;
  readonly cwd: string | null;
  readonly backend: string | null;
  readonly plan_mode_required: boolean | null;
  readonly error: string | null;
}

export interface SessionStatus extends SessionEnd {
  readonly over: boolean;
  /** Whether its transcript says after the last prompt what the session cost, as it does when the session ends. */
  readonly closed: boolean;
  readonly model: string | null;
  readonly cwd: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  /** The last time in any of its facts. */
  readonly last_at: string | null;
}

export function newTeams(): TeamsState {
  return { teams: new Table(), members: new Table(), sessions: new Table(), steps: 0 };
}

export function noteTeams(state: TeamsState, event: FactEvent, near: string | null): void {
  state.steps++;
  noteSession(state, event, near);
  switch (event.event) {
    case 'team:created':
      return teamCreated(state, event);
    case 'team:deleted':
      return changeTeam(state, event, { deleted: true, error: null, ended_at: event.time });
    case 'team:cleanup_failed':
      return changeTeam(state, event, { error: event.error });
    case 'team:member:joined':
      return joined(state, event);
    case 'team:member:active':
    case 'team:member:idle':
    case 'team:member:shutting_down':
    case 'team:member:shutdown':
      return memberChanged(state, event);
    case 'agent:started':
      if (isAgentWork(event.task_type)) agentStarted(state, event);
      return;
    case 'agent:finished':
      if (isAgentWork(event.task_type)) agentFinished(state, event);
      return;
    case 'session:changed':
      return agentInterrupted(state, event);
  }
}

/** A team known only by its name. */
export function blankTeam(
  scope: string,
  session_id: string | null,
  name: string,
  protocol: TeamEntry['protocol'],
): TeamEntry {
  return {
    scope,
    session_id,
    name,
    protocol,
    description: null,
    lead: null,
    created_at: null,
    ended_at: null,
    deleted: false,
    error: null,
  };
}

function teamCreated(state: TeamsState, event: EventMap['team:created']): void {
  const { name, protocol, lead_agent_id } = event;
  const known = teamNamed(state, event, name, protocol);
  // A team created again after its end is active again. Files on disk do not reopen it.
  const isAgain = known.deleted && protocol !== 'files';
  putTeam(state, {
    ...known,
    protocol: known.protocol === 'files' ? protocol : known.protocol,
    description: known.description ?? event.description,
    lead: protocol === 'files' ? (known.lead ?? lead_agent_id) : (lead_agent_id ?? known.lead),
    created_at: earliest(known.created_at, event.time),
    ...(isAgain && { ended_at: null, deleted: false, error: null }),
  });
}

function changeTeam(
  state: TeamsState,
  event: EventMap['team:deleted'] | EventMap['team:cleanup_failed'],
  change: Partial<TeamEntry>,
): void {
  const known = teamNamed(state, event, event.name ?? event.team ?? '', 'team-create');
  putTeam(state, { ...known, ...change });
}

function teamNamed(
  { teams }: TeamsState,
  event: EventMap['team:created' | 'team:deleted' | 'team:cleanup_failed'],
  name: string,
  protocol: TeamEntry['protocol'],
): TeamEntry {
  const scope = scopeOf(event);
  return teams.get(inScope(scope, name)) ?? blankTeam(scope, event.session_id, name, protocol);
}

function putTeam(state: TeamsState, entry: TeamEntry): void {
  state.teams.put(inScope(entry.scope, entry.name), entry);
}

function joined(state: TeamsState, event: EventMap['team:member:joined']): void {
  const { member } = event;
  const known = entryOf(state, event, member.agent_id ?? event.agent ?? '');
  // A config shows members as they were left on disk. Joining again does not reactivate a member that has left.
  const left = member.active === false && !isGone(known.status) ? 'idle' : null;
  const status = left ?? known.status ?? 'active';
  put(state, {
    ...known,
    ...details(known, member),
    joined: true,
    status,
    told: status === known.status ? known.told : state.steps,
    team: event.team ?? known.team,
    joined_at: earliest(known.joined_at, event.time),
  });
}

function memberChanged(
  state: TeamsState,
  event: EventMap['team:member:active' | 'team:member:idle' | 'team:member:shutting_down' | 'team:member:shutdown'],
): void {
  const { member } = event;
  const id = member.agent_id ?? member.name ?? '';
  const known = state.members.get(inScope(scopeOf(event), id));
  // A request to an unknown agent does not make it a member.
  if (known === undefined && (event.event === 'team:member:shutting_down' || member.kind === null)) return;
  const blank = entryOf(state, event, id);
  const entry = known ?? { ...blank, ...details(blank, member), joined: true };
  const status = statuses[event.event];
  if (isGone(entry.status) && status !== 'shutdown') return;
  put(state, {
    ...entry,
    status,
    told: state.steps,
    // A turn that failed leaves it idle until it works again.
    error: event.event === 'team:member:idle' ? (event.error ?? null) : status === 'active' ? null : entry.error,
    // A request to leave does not show that the member was active.
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

function agentStarted(state: TeamsState, event: EventMap['agent:started']): void {
  const known = entryOf(state, event, event.agent ?? '');
  const isNewRun = event.tool_use_id !== null && !known.runs.includes(event.tool_use_id);
  const reopened = event.resumed === true || (isNewRun && known.runs.length > 0);
  put(state, {
    ...known,
    team: known.team ?? event.team,
    status: reopened || known.status === null ? 'active' : known.status,
    told:
      reopened || (known.status === null && (event.turn_only || event.continues !== null)) ? state.steps : known.told,
    error: reopened ? null : known.error,
    // An agent that wakes another one is not its parent.
    parent: known.parent ?? (event.resumed === true ? null : event.parent),
    agent_type: known.agent_type ?? event.agent_type,
    model: modelAfter(known.model, event.model),
    color: event.color ?? known.color,
    runs: withRun(known.runs, event.tool_use_id),
    worktree: event.worktree ?? known.worktree,
    joined_at: earliest(known.joined_at, event.time),
    last_seen_at: latest(known.last_seen_at, event.time),
  });
}

/** The name of a family (`sonnet`), which a call and a meta file have, does not replace a model. */
function modelAfter(known: string | null, said: string | null): string | null {
  return said === null || (known !== null && /\d/.test(known) && !/\d/.test(said)) ? known : said;
}

function agentFinished(state: TeamsState, event: EventMap['agent:finished']): void {
  const memberWith = (id: string | null) => state.members.get(inScope(scopeOf(event), id ?? ''));
  // A stream that was resumed may not know whose task it was. It was not the lead, which is no task.
  const isOwn = event.task_id === null || !isLeadId(event.agent);
  const known = memberWith(event.task_id) ?? (isOwn ? memberWith(event.agent) : undefined);
  if (known === undefined) return;
  const counted = {
    ...known,
    runs: withRun(known.runs, event.tool_use_id),
    model: event.model ?? known.model,
    worktree: event.worktree ?? known.worktree,
  };
  // The end of an earlier run does not end the current one.
  const isEarlier = event.tool_use_id !== null && known.runs.slice(0, -1).includes(event.tool_use_id);
  if (isEarlier || known.status === 'shutdown') return put(state, counted);
  // A file that only says that the agent has ended does not know how.
  if (event.on_disk === true && event.status === null && isGone(known.status)) return put(state, counted);
  // An agent that failed may still return what it had so far, as if it had completed.
  const isFailed = event.status === 'failed' || known.status === 'failed';
  const status = isFailed ? 'failed' : event.status === 'stopped' ? 'stopped' : 'finished';
  put(state, {
    ...counted,
    status,
    told: state.steps,
    error: event.status === 'failed' ? (event.summary ?? known.error) : isFailed ? known.error : null,
    last_seen_at: latest(known.last_seen_at, event.time),
  });
}

function agentInterrupted(state: TeamsState, event: EventMap['session:changed']): void {
  const known = state.members.get(inScope(scopeOf(event), event.agent ?? ''));
  if (event.subtype !== 'interrupted' || known === undefined || isGone(known.status)) return;
  put(state, { ...known, status: 'stopped', told: state.steps });
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

function put(state: TeamsState, entry: MemberEntry): void {
  state.members.put(inScope(entry.scope, entry.id), entry);
}

function withRun(runs: readonly string[], call: string | null): readonly string[] {
  return call === null || runs.includes(call) ? runs : [...runs, call];
}

function entryOf(state: TeamsState, event: Event, id: string): MemberEntry {
  return state.members.get(inScope(scopeOf(event), id)) ?? blankMember(event, id);
}

/** A member of whom only the session and the team are known. */
function blankMember(event: Event, id: string): MemberEntry {
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

function noteSession(state: TeamsState, event: Event, near: string | null): void {
  const key = scopeOf(event);
  const known = state.sessions.get(key);
  const next = sessionAfter(known ?? unknownSession, event, near);
  const time = isOfRun(event.event) ? null : event.time;
  const started_at = earliest(next.started_at, time);
  const last_at = latest(next.last_at, time);
  if (next === known && started_at === known.started_at && last_at === known.last_at) return;
  state.sessions.put(key, { ...next, started_at, last_at });
}

const unknownSession: SessionStatus = {
  ...noEnd,
  over: false,
  closed: false,
  model: null,
  cwd: null,
  started_at: null,
  ended_at: null,
  last_at: null,
};

function sessionAfter(before: SessionStatus, event: Event, near: string | null): SessionStatus {
  const now = endAfter(before, event);
  switch (event.event) {
    case 'session:started':
      return { ...now, model: event.model ?? before.model, cwd: event.cwd ?? before.cwd };
    case 'turn:started':
      return event.transcript === true ? { ...now, closed: false } : { ...now, over: false };
    case 'usage:reported':
      return { ...now, closed: true, ended_at: latest(before.ended_at, near) };
    case 'session:changed':
      return isLeadId(event.agent) ? { ...now, ended_at: latest(before.ended_at, event.time ?? near) } : now;
    case 'session:ended':
      return { ...now, ended_at: latest(before.ended_at, event.time ?? latest(near, before.last_at)) };
    case 'hook:fired':
      return event.hook === 'SessionEnd' ? { ...now, over: true, ended_at: event.time ?? near } : now;
    default:
      return now;
  }
}

/** Whether nothing can follow, as far as known. Only a stream says by itself that more is to come. */
export function isOver({ over, stream, closed }: SessionStatus): boolean {
  return over || (closed && !stream);
}
