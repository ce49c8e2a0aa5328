// Teams as the events tell of them; rows find out who is who.
import type { Event, EventMap } from '../event/event.js';
import { isAgentWork, scopeOf } from './agents.js';
import { type MemberEntry, memberKey } from './member-entry.js';
import { agentFinished, agentStarted, called, forget, joined, memberChanged, returned, seen } from './members.js';
import { noteSession, type SessionStatus } from './session-status.js';
import { Table } from './table.js';
import { earliest, isOlder } from './time.js';

export interface TeamsState {
  readonly teams: Table<TeamEntry>;
  readonly members: Table<MemberEntry>;
  readonly sessions: Table<SessionStatus>;
  /** Open call → member that made it. */
  readonly calls: Table<string>;
}

export interface TeamEntry {
  readonly scope: string;
  readonly session_id: string | null;
  readonly name: string;
  readonly protocol: EventMap['team:created']['protocol'];
  readonly description: string | null;
  readonly created_at: string | null;
  readonly ended_at: string | null;
  readonly deleted: boolean;
  readonly error: string | null;
}

export const noTeams: TeamsState = {
  teams: new Table(),
  members: new Table(),
  sessions: new Table(),
  calls: new Table(),
};

export function reduceTeams(state: TeamsState, event: Event): TeamsState {
  const next = noteSession(state, event);
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
    case 'agent:progressed':
      return isAgentWork(event.task_type) ? seen(next, event, { reported_tokens: event.total_tokens }) : next;
    case 'tool:called':
      return called(next, event);
    case 'tool:returned':
      return returned(next, event);
    case 'text:produced':
    case 'thinking:produced':
    case 'usage:recorded':
      return seen(next, event, { ownModel: event.model });
    case 'session:changed':
      return Array.isArray(event.tool_use_ids) ? event.tool_use_ids.reduce(forget, next) : next;
    default:
      return next;
  }
}

function teamCreated(state: TeamsState, event: EventMap['team:created']): TeamsState {
  const scope = scopeOf(event);
  const key = memberKey(scope, event.name);
  const known = state.teams.get(key);
  // A team made again after its end is alive again; an older record of its making changes nothing.
  const again = known?.deleted && event.protocol !== 'files' && !isOlder(event.time, known.ended_at);
  const entry: TeamEntry = {
    scope,
    session_id: event.session_id,
    name: event.name,
    protocol: known === undefined || known.protocol === 'files' ? event.protocol : known.protocol,
    description: known?.description ?? event.description,
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
    created_at: null,
    ended_at: null,
    deleted: false,
    error: null,
  };
  if (entry.deleted && change.deleted !== true && isOlder(event.time, entry.ended_at)) return state;
  return { ...state, teams: state.teams.set(key, { ...entry, ...change }) };
}
