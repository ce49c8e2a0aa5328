import type { Event } from '../event/event.js';
import { scopeOf } from './scope.js';
import type { TeamsState } from './teams.js';

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
