// What members do and what becomes of them, under the ids the events use.
import type { Event, EventMap, Member } from '../event/event.js';
import { scopeOf } from './agents.js';
import { entryOf, type MemberEntry, type MemberStatus, memberKey, stranger, withWork } from './member-entry.js';
import type { Table } from './table.js';
import type { TeamsState } from './teams.js';
import { earliest, isOlder, latest } from './time.js';

export function joined(state: TeamsState, event: EventMap['team:member:joined']): TeamsState {
  const { member } = event;
  const id = member.agent_id ?? event.agent ?? '';
  const known = entryOf(state, event, id);
  // Joining again, under another id or in a copy of the config, does not wake who has left.
  const status = known.joined ? known.status : (known.status ?? (member.active === false ? 'idle' : 'active'));
  return put(state, {
    ...known,
    ...details(known, member),
    joined: true,
    status,
    team: event.team ?? known.team,
    joined_at: earliest(known.joined_at, event.time),
  });
}

export function memberChanged(
  state: TeamsState,
  event: EventMap['team:member:active' | 'team:member:idle' | 'team:member:shutting_down' | 'team:member:shutdown'],
): TeamsState {
  const { member } = event;
  const scope = scopeOf(event);
  const id = member.agent_id ?? member.name ?? '';
  const known = state.members.get(memberKey(scope, id));
  // A request to somebody nobody has heard of makes no member of it.
  if (known === undefined && (event.event === 'team:member:shutting_down' || member.kind === null)) return state;
  const entry = known ?? {
    ...entryOf(state, event, id),
    ...details(entryOf(state, event, id), member),
    joined: true,
    team: event.team,
  };
  const status = event.event.slice('team:member:'.length);
  if (!isStatus(status) || isOlder(event.time, entry.since)) return state;
  const gone =
    entry.status === 'shutdown' ||
    entry.status === 'finished' ||
    entry.status === 'failed' ||
    entry.status === 'stopped';
  if (gone && status !== 'shutdown') return state;
  return put(state, {
    ...entry,
    status,
    since: event.time ?? entry.since,
    told: event.seq,
    last_seen_at: latest(entry.last_seen_at, event.time),
  });
}

export function agentStarted(state: TeamsState, event: EventMap['agent:started']): TeamsState {
  const known = entryOf(state, event, event.agent ?? '');
  const isNewRun = event.tool_use_id !== null && !known.runs.includes(event.tool_use_id);
  const reopened = (event.resumed === true || (isNewRun && known.runs.length > 0)) && !isOlder(event.time, known.since);
  return put(state, {
    ...known,
    team: known.team ?? event.team,
    status: reopened || known.status === null ? 'active' : known.status,
    since: reopened ? (event.time ?? known.since) : known.since,
    told: reopened ? event.seq : known.told,
    error: reopened ? null : known.error,
    parent: known.parent ?? event.parent,
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
    reported_tokens: event.total_tokens ?? known.reported_tokens,
    runs: withRun(known.runs, event.tool_use_id),
    worktree: event.worktree ?? known.worktree,
  };
  // The end of an earlier run is not the end of the one that is going on.
  const isEarlier = event.tool_use_id !== null && known.runs.slice(0, -1).includes(event.tool_use_id);
  const isStale = isEarlier || isOlder(event.time, known.since);
  if (isStale || known.status === 'shutdown') return put(state, counted);
  const status = event.status === 'failed' ? 'failed' : event.status === 'stopped' ? 'stopped' : 'finished';
  return put(state, {
    ...counted,
    status,
    since: event.time ?? known.since,
    told: event.seq,
    error: status === 'failed' ? event.summary : null,
    last_seen_at: latest(known.last_seen_at, event.time),
  });
}

export function called(state: TeamsState, event: EventMap['tool:called']): TeamsState {
  const { tool_use_id } = event;
  if (tool_use_id === null || state.calls.has(tool_use_id)) return state;
  const key = memberKey(scopeOf(event), event.agent ?? '');
  const entry = state.members.get(key) ?? stranger(event, event.agent ?? '');
  const { ownModel, tool_calls, tool_errors, reported_tokens } = entry;
  const last_seen_at = latest(entry.last_seen_at, event.time);
  const next = withWork(entry, { last_seen_at, ownModel, tool_calls: tool_calls + 1, tool_errors, reported_tokens });
  return withMembers(state, state.members.set(key, next), state.calls.set(tool_use_id, key));
}

export function returned(state: TeamsState, event: EventMap['tool:returned']): TeamsState {
  const owner = event.tool_use_id === null ? undefined : state.calls.get(event.tool_use_id);
  const entry = owner === undefined ? undefined : state.members.get(owner);
  if (entry === undefined || owner === undefined || event.tool_use_id === null) return state;
  const { ownModel, tool_calls, reported_tokens } = entry;
  const last_seen_at = latest(entry.last_seen_at, event.time);
  const tool_errors = entry.tool_errors + (event.success ? 0 : 1);
  const next = withWork(entry, { last_seen_at, ownModel, tool_calls, tool_errors, reported_tokens });
  return withMembers(state, state.members.set(owner, next), state.calls.delete(event.tool_use_id));
}

/** A call taken back was never made. */
export function forget(state: TeamsState, id: unknown): TeamsState {
  const owner = typeof id === 'string' ? state.calls.get(id) : undefined;
  const entry = owner === undefined ? undefined : state.members.get(owner);
  if (entry === undefined || owner === undefined || typeof id !== 'string') return state;
  const members = state.members.set(owner, { ...entry, tool_calls: entry.tool_calls - 1 });
  return withMembers(state, members, state.calls.delete(id));
}

export function seen(
  state: TeamsState,
  event: Event,
  news: { ownModel?: string | null; reported_tokens?: number | null },
): TeamsState {
  const key = memberKey(scopeOf(event), event.agent ?? '');
  const entry = state.members.get(key) ?? stranger(event, event.agent ?? '');
  const { tool_calls, tool_errors } = entry;
  const last_seen_at = latest(entry.last_seen_at, event.time);
  const ownModel = news.ownModel ?? entry.ownModel;
  const reported_tokens = news.reported_tokens ?? entry.reported_tokens;
  const next = withWork(entry, { last_seen_at, ownModel, tool_calls, tool_errors, reported_tokens });
  return withMembers(state, state.members.set(key, next), state.calls);
}

function details(known: MemberEntry, member: Member): Partial<MemberEntry> {
  return {
    model: member.model ?? known.model,
    color: member.color ?? known.color,
    cwd: member.cwd ?? known.cwd,
    backend: member.backend ?? known.backend,
    plan_mode_required: member.plan_mode_required ?? known.plan_mode_required,
  };
}

function put(state: TeamsState, entry: MemberEntry): TeamsState {
  return withMembers(state, state.members.set(memberKey(entry.scope, entry.id), entry), state.calls);
}

function withMembers(state: TeamsState, members: Table<MemberEntry>, calls: Table<string>): TeamsState {
  if (members === state.members && calls === state.calls) return state;
  return { teams: state.teams, members, sessions: state.sessions, calls };
}

function withRun(runs: readonly string[], call: string | null): readonly string[] {
  return call === null || runs.includes(call) ? runs : [...runs, call];
}

function isStatus(word: string): word is MemberStatus {
  return word === 'active' || word === 'idle' || word === 'shutting_down' || word === 'shutdown';
}
