// Teams and their members as the facts tell of them, in order; rows find out who is who.
import type { EventMap } from '../event/event.js';
import type { FactEvent } from './facts.js';
import { type MemberEntry, memberKey } from './member-entry.js';
import { agentFinished, agentInterrupted, agentStarted, joined, memberChanged } from './members.js';
import { isAgentWork, scopeOf } from './scope.js';
import { noteSession, type SessionStatus } from './session-status.js';
import { Table } from './table.js';
import { earliest } from './time.js';

export interface TeamsState {
  readonly teams: Table<TeamEntry>;
  readonly members: Table<MemberEntry>;
  readonly sessions: Table<SessionStatus>;
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

export const noTeams: TeamsState = { teams: new Table(), members: new Table(), sessions: new Table(), steps: 0 };

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
    lead: event.protocol === 'files' ? (known?.lead ?? event.lead_agent_id) : (event.lead_agent_id ?? known?.lead ?? null),
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
