// Teams and their members as the facts tell of them, in order; rows find out who is who.
import type { Event, EventMap } from '../event/event.js';
import type { FactEvent } from './facts.js';
import {
  agentFinished,
  agentInterrupted,
  agentStarted,
  joined,
  type MemberEntry,
  memberChanged,
  memberKey,
} from './members.js';
import { earliest, latest } from './order.js';
import { PersistentMap } from './persistent-map.js';

export interface TeamsState {
  readonly teams: PersistentMap<TeamEntry>;
  readonly members: PersistentMap<MemberEntry>;
  readonly sessions: PersistentMap<SessionStatus>;
  /** How many facts were told. */
  readonly steps: number;
}

export interface TeamEntry {
  readonly scope: string;
  readonly session_id: string | null;
  readonly name: string;
  readonly protocol: EventMap['team:created']['protocol'];
  readonly description: string | null;
  /** The id its lead goes by in this team. */
  readonly lead: string | null;
  readonly created_at: string | null;
  readonly ended_at: string | null;
  readonly deleted: boolean;
  readonly error: string | null;
}

export const noTeams: TeamsState = {
  teams: new PersistentMap(),
  members: new PersistentMap(),
  sessions: new PersistentMap(),
  steps: 0,
};

export function reduceTeams(state: TeamsState, event: FactEvent, near: string | null): TeamsState {
  const next = noteSession({ ...state, steps: state.steps + 1 }, event, near);
  switch (event.event) {
    case 'team:created':
      return teamCreated(next, event);
    case 'team:deleted':
      return changeTeam(next, event, { deleted: true, error: null, ended_at: event.time });
    case 'team:cleanup_failed':
      return changeTeam(next, event, { error: event.error });
    case 'team:member:joined':
      return joined(next, event);
    case 'team:member:active':
    case 'team:member:idle':
    case 'team:member:shutting_down':
    case 'team:member:shutdown':
      return memberChanged(next, event);
    case 'agent:started':
      return isAgentWork(event.task_type) ? agentStarted(next, event) : next;
    case 'agent:finished':
      return isAgentWork(event.task_type) ? agentFinished(next, event) : next;
    case 'session:changed':
      return agentInterrupted(next, event);
    default:
      return next;
  }
}

function teamCreated(state: TeamsState, event: EventMap['team:created']): TeamsState {
  const scope = scopeOf(event);
  const key = memberKey(scope, event.name);
  const known = state.teams.get(key);
  // A team made again after its end is alive again; what lies on disk does not wake it.
  const again = known?.deleted && event.protocol !== 'files';
  const entry: TeamEntry = {
    scope,
    session_id: event.session_id,
    name: event.name,
    protocol: known === undefined || known.protocol === 'files' ? event.protocol : known.protocol,
    description: known?.description ?? event.description,
    lead:
      event.protocol === 'files' ? (known?.lead ?? event.lead_agent_id) : (event.lead_agent_id ?? known?.lead ?? null),
    created_at: earliest(known?.created_at ?? null, event.time),
    ended_at: again ? null : (known?.ended_at ?? null),
    deleted: again ? false : (known?.deleted ?? false),
    error: again ? null : (known?.error ?? null),
  };
  return { ...state, teams: state.teams.set(key, entry) };
}

function changeTeam(
  state: TeamsState,
  event: EventMap['team:deleted'] | EventMap['team:cleanup_failed'],
  change: Partial<TeamEntry>,
): TeamsState {
  const scope = scopeOf(event);
  const name = event.name ?? event.team ?? '';
  const key = memberKey(scope, name);
  const known = state.teams.get(key);
  const entry: TeamEntry = known ?? {
    scope,
    session_id: event.session_id,
    name,
    protocol: 'team-create',
    description: null,
    lead: null,
    created_at: null,
    ended_at: null,
    deleted: false,
    error: null,
  };
  return { ...state, teams: state.teams.set(key, { ...entry, ...change }) };
}

export interface SessionStatus {
  /** Results tell when a stream is over; transcripts and files have none. */
  readonly stream: boolean;
  readonly inTurn: boolean;
  /** How its last result ended, if not well. */
  readonly broke: 'failed' | 'stopped' | null;
  readonly over: boolean;
  readonly model: string | null;
  readonly cwd: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  /** The last time any fact of it says. */
  readonly last_at: string | null;
}

const unheard: SessionStatus = {
  stream: false,
  inTurn: false,
  broke: null,
  over: false,
  model: null,
  cwd: null,
  started_at: null,
  ended_at: null,
  last_at: null,
};

export function noteSession(state: TeamsState, event: Event, near: string | null): TeamsState {
  const key = scopeOf(event);
  const known = state.sessions.get(key) ?? unheard;
  const next = noted(known, event, near);
  const started_at = earliest(next.started_at, event.time);
  const last_at = latest(next.last_at, event.time);
  if (next === known && started_at === known.started_at && last_at === known.last_at && state.sessions.has(key))
    return state;
  return { ...state, sessions: state.sessions.set(key, { ...next, started_at, last_at }) };
}

function noted(before: SessionStatus, event: Event, near: string | null): SessionStatus {
  switch (event.event) {
    case 'session:started':
      return {
        ...before,
        stream: before.stream || !event.transcript,
        model: event.model ?? before.model,
        cwd: event.cwd ?? before.cwd,
      };
    // Only a stream says when a turn ends: a prompt of its transcript does not open it again.
    case 'turn:started':
      return event.transcript === true ? before : { ...before, inTurn: true, over: false, broke: null };
    case 'session:changed':
      return isLead(event)
        ? { ...before, broke: 'stopped', ended_at: latest(before.ended_at, event.time ?? near) }
        : before;
    case 'session:ended':
      return {
        ...before,
        stream: true,
        inTurn: false,
        broke: brokenBy(event),
        ended_at: latest(before.ended_at, event.time ?? latest(near, before.last_at)),
      };
    case 'hook:fired':
      return event.hook === 'SessionEnd' ? { ...before, over: true, ended_at: event.time ?? near } : before;
    default:
      return before;
  }
}

function isLead({ agent }: Event): boolean {
  return agent === null || agent === 'main' || agent.startsWith('team-lead@');
}

/** An interrupt stops a run, any other error makes it fail. */
function brokenBy({ is_error, subtype, terminal_reason }: Event & { event: 'session:ended' }): SessionStatus['broke'] {
  if (is_error !== true && !subtype?.startsWith('error')) return null;
  const aborted = terminal_reason === null ? subtype === 'error_during_execution' : /^aborted/.test(terminal_reason);
  return aborted ? 'stopped' : 'failed';
}

/** Where names are unique: a session. Files of a team name none; they speak for the team alone. */
export function scopeOf(event: { session_id: string | null; team: string | null }): string {
  return event.session_id ?? (event.team === null ? '' : `team ${event.team}`);
}

/** Shells, monitors and workflows have ids too, but are no agents. */
export function isAgentWork(taskType: string | null): boolean {
  return taskType === null || /agent|teammate/.test(taskType);
}
