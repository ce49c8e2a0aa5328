import type { Event } from '../event/event.js';
import { scopeOf } from './agents.js';
import type { TeamsState } from './teams.js';

export type MemberStatus = 'active' | 'idle' | 'shutting_down' | 'shutdown' | 'finished' | 'failed' | 'stopped';

export interface MemberEntry extends MemberWork {
  readonly scope: string;
  readonly session_id: string | null;
  readonly id: string;
  readonly team: string | null;
  /** The program's own word that it is one of the team; work alone makes no member. */
  readonly joined: boolean;
  readonly status: MemberStatus | null;
  /** When the status was told, to keep older records from changing it. */
  readonly since: string | null;
  /** Place of the event that told it, for records without times. */
  readonly told: number;
  readonly joined_at: string | null;
  readonly parent: string | null;
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

/** What changes with everything it does. */
interface MemberWork {
  readonly last_seen_at: string | null;
  /** Of its own messages. */
  readonly ownModel: string | null;
  readonly tool_calls: number;
  readonly tool_errors: number;
  /** As reported at its end; its messages may tell more. */
  readonly reported_tokens: number | null;
}

// Most events ask for the same as the one before: a text that is made anew has to be hashed anew too.
let asked = { scope: '', id: '', key: ' ' };

export function memberKey(scope: string, id: string): string {
  if (asked.scope !== scope || asked.id !== id) asked = { scope, id, key: `${scope} ${id}` };
  return asked.key;
}

export function entryOf(state: TeamsState, event: Event, id: string): MemberEntry {
  return state.members.get(memberKey(scopeOf(event), id)) ?? stranger(event, id);
}

/** Somebody of whom nothing is known but where it works. */
export function stranger(event: Event, id: string): MemberEntry {
  return {
    scope: scopeOf(event),
    session_id: event.session_id,
    id,
    team: event.team,
    joined: false,
    status: null,
    since: null,
    told: 0,
    joined_at: null,
    last_seen_at: null,
    parent: null,
    ownModel: null,
    model: null,
    color: null,
    runs: [],
    tool_calls: 0,
    tool_errors: 0,
    reported_tokens: null,
    worktree: null,
    cwd: null,
    backend: null,
    plan_mode_required: null,
    error: null,
  };
}

/** The entry itself if the work is what it was. Written out field by field: with a spread this takes thirty times as long. */
export function withWork(entry: MemberEntry, work: MemberWork): MemberEntry {
  if (
    entry.tool_calls === work.tool_calls &&
    entry.tool_errors === work.tool_errors &&
    entry.last_seen_at === work.last_seen_at &&
    entry.ownModel === work.ownModel &&
    entry.reported_tokens === work.reported_tokens
  )
    return entry;
  return {
    scope: entry.scope,
    session_id: entry.session_id,
    id: entry.id,
    team: entry.team,
    joined: entry.joined,
    status: entry.status,
    since: entry.since,
    told: entry.told,
    joined_at: entry.joined_at,
    last_seen_at: work.last_seen_at,
    parent: entry.parent,
    ownModel: work.ownModel,
    model: entry.model,
    color: entry.color,
    runs: entry.runs,
    tool_calls: work.tool_calls,
    tool_errors: work.tool_errors,
    reported_tokens: work.reported_tokens,
    worktree: entry.worktree,
    cwd: entry.cwd,
    backend: entry.backend,
    plan_mode_required: entry.plan_mode_required,
    error: entry.error,
  };
}
